//! A hostile answer that writes forged results to the socket that carries the real ones.
#![cfg(target_os = "linux")]
#![allow(
    unsafe_code,
    reason = "a hostile answer takes hold of descriptors that are not its own"
)]

use exercises::prelude::*;
use std::fs::{read_dir, read_link};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;

/// Writes these bytes to all sockets of this process.
fn write_everywhere(bytes: &[u8]) {
    for entry in read_dir("/proc/self/fd").expect("descriptors").flatten() {
        let is_socket =
            read_link(entry.path()).is_ok_and(|what| what.to_string_lossy().starts_with("socket:"));
        let number = entry.file_name().to_string_lossy().parse();
        if let (true, Ok(number)) = (is_socket, number) {
            // SAFETY: the descriptor is open, and stays open.
            let mut socket = ManuallyDrop::new(unsafe { UnixStream::from_raw_fd(number) });
            let _ = socket.write_all(bytes);
        }
    }
}

/// A vector as a forked process sends it to its parent.
fn told(numbers: &Array1<f32>) -> Vec<u8> {
    let lengths = [1, 0, 1, numbers.len() as u64, numbers.len() as u64];
    let lengths = lengths.iter().flat_map(|length| length.to_le_bytes());
    let numbers = numbers.iter().flat_map(|x| f64::from(*x).to_le_bytes());
    [0].into_iter().chain(lengths).chain(numbers).collect()
}

#[test]
fn forged_results_are_not_right() {
    let verdict = check::softmax(|_| {
        let rows = [
            array![5.0_f32, 5.0],
            array![0.0, 1.0, 3.0],
            array![-1.0, -2.0, -4.0, 0.5],
            array![100.0, 101.0, 99.0],
            array![-100.0, 100.0],
            array![-200.0, -201.0],
        ];
        let forged: Vec<u8> = rows.iter().flat_map(|row| told(&softmax(row))).collect();
        write_everywhere(&forged);
        loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
    });
    assert!(!verdict.is_right(), "{verdict}");
    let text = verdict.to_string();
    assert!(text.contains("garbled"), "{text}");
    assert!(text.contains("a file descriptor"), "{text}");
}

#[test]
fn what_is_right_is_not_right_with_something_before_it() {
    let verdict = check::softmax(|scores| {
        write_everywhere(b"right");
        let exponentials = scores.mapv(f32::exp);
        &exponentials / exponentials.sum()
    });
    assert!(verdict.to_string().contains("garbled"), "{verdict}");
}
