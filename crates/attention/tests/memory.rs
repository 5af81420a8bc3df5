//! What is measured of a process: alone in this program, since other tests would be
//! measured with it.

use attention::peak_memory;

#[test]
fn a_peak_has_as_many_bytes_as_were_taken() {
    const SIZE: usize = 400 << 20;
    let large = peak_memory(|| vec![1_u8; SIZE]);
    let nothing = peak_memory(|| ());
    let (Some(large), Some(nothing)) = (large, nothing) else {
        return; // the system does not say
    };
    // Linux counts in kibibytes. It counts pages of several threads together now and then.
    let error = 4 << 20;
    assert!((SIZE - error..SIZE + error).contains(&large), "{large}");
    assert!(nothing < error, "{nothing}");

    // What was held before does not count, and a higher peak before is forgotten.
    let held = vec![1_u8; SIZE / 2];
    let quarter = peak_memory(|| vec![1_u8; SIZE / 4]).expect("as before");
    assert!(
        (SIZE / 4 - error..SIZE / 4 + error).contains(&quarter),
        "{quarter}"
    );
    drop(std::hint::black_box(held));
}
