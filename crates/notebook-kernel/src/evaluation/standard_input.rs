//! Who waits for text on the standard input of the process that runs the cells.

use crate::descendants::descendants;
use std::fs;

/// The number of the system call that reads.
#[cfg(target_arch = "x86_64")]
const READ: &str = "0";
#[cfg(not(target_arch = "x86_64"))]
const READ: &str = "63";

/// Who waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reader {
    /// The cell itself.
    Cell,
    /// A process that the cell has started, with this number.
    Child(u32),
}

/// Who waits for text, if the process with the number `cells` or one that it has started does.
/// Where the system does not say, nobody.
pub fn waiting_reader(cells: u32) -> Option<Reader> {
    if is_reading(cells) {
        return Some(Reader::Cell);
    }
    let input = input_of(cells)?;
    let child = |id: &u32| is_reading(*id) && input_of(*id).as_ref() == Some(&input);
    descendants(cells, |_| true)
        .into_iter()
        .find(child)
        .map(Reader::Child)
}

/// Whether the first thread of a process is in a call that reads standard input. A thread that
/// got something is running.
fn is_reading(id: u32) -> bool {
    let call = fs::read_to_string(format!("/proc/{id}/syscall")).unwrap_or_default();
    let mut words = call.split(' ');
    words.next() == Some(READ) && words.next() == Some("0x0")
}

/// What the standard input of a process is.
fn input_of(id: u32) -> Option<std::path::PathBuf> {
    fs::read_link(format!("/proc/{id}/fd/0")).ok()
}
