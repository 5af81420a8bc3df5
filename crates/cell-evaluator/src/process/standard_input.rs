//! Detects whether a cell, or a process that it has started, is waiting for text on standard input.

use crate::process::descendants::descendants;
use std::fs;

/// The number of the system call `read`.
#[cfg(target_arch = "x86_64")]
const READ: &str = "0";
#[cfg(not(target_arch = "x86_64"))]
const READ: &str = "63";

/// A reader that is waiting for input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StdinReader {
    /// The cell itself.
    Cell,
    /// A process that the cell has started, by its process ID.
    Child(u32),
}

/// Finds the reader that is waiting for text: the process with the ID `cells`, or one that it has
/// started. `None` if there is none, or if the system does not report it.
pub fn waiting_reader(cells: u32) -> Option<StdinReader> {
    if is_reading(cells) {
        return Some(StdinReader::Cell);
    }
    let input = input_of(cells)?;
    let child = |id: &u32| is_reading(*id) && input_of(*id).as_ref() == Some(&input);
    descendants(cells, |_| true)
        .into_iter()
        .find(child)
        .map(StdinReader::Child)
}

/// Whether a process's main thread is blocked in a call that reads standard input. Once it has
/// received something, the system reports it as running.
fn is_reading(id: u32) -> bool {
    let call = fs::read_to_string(format!("/proc/{id}/syscall")).unwrap_or_default();
    let mut words = call.split(' ');
    words.next() == Some(READ) && words.next() == Some("0x0")
}

fn input_of(id: u32) -> Option<std::path::PathBuf> {
    fs::read_link(format!("/proc/{id}/fd/0")).ok()
}
