//! Process-wide measurements. This program has only one test, because the memory of other tests
//! would be counted too.

use attention::measure::{memory_by_length, peak_memory};
use std::hint::black_box;

#[test]
fn a_peak_has_as_many_bytes_as_were_taken() {
    const SIZE: usize = 400 << 20;
    let large = peak_memory(|| vec![1_u8; SIZE]);
    let nothing = peak_memory(|| ());
    let (Some(large), Some(nothing)) = (large, nothing) else {
        return; // not supported on this system
    };
    // Linux counts in kibibytes, and adds up the pages of several threads only now and then.
    let error = 4 << 20;
    assert!((SIZE - error..SIZE + error).contains(&large), "{large}");
    assert!(nothing < error, "{nothing}");

    // Memory held before does not count, and neither does an earlier, higher peak.
    let held = vec![1_u8; SIZE / 2];
    let quarter = peak_memory(|| vec![1_u8; SIZE / 4]).expect("as before");
    assert!(
        (SIZE / 4 - error..SIZE / 4 + error).contains(&quarter),
        "{quarter}"
    );
    drop(black_box(held));

    let by_length = memory_by_length(&[8], |_, _, _| drop(black_box(vec![1_u8; SIZE])));
    let (_, megabytes) = by_length[0];
    assert!((395.0..425.0).contains(&megabytes), "{megabytes}");
}
