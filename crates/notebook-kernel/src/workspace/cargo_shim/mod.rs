//! What stands in the search path for cargo, which evcxr calls for each cell.
//!
//! Cargo takes a third of the time of a cell's compilation to find that of the hundred
//! crates below the cell none has changed. So it is called for the first cell and
//! whenever anything but the cell is different; from then on rustc does with the next
//! cell what cargo had it do with the last one.
//!
//! This program is linked into a folder of the workspace (`links`) under the names of cargo
//! and its like, and evcxr finds it there. So started, it does their work (`stand_in`): it
//! calls rustc as recorded (`replay`) while all files look the same (`looks`), or the real cargo,
//! with itself as the rustc that records the call (`record`); it makes cells keep old values while
//! they can still fail (`shadowed`), and has a variable that a cell moves told apart from the value
//! that it shows (`moved`); and it leaves out of what rust-analyzer asks cargo about the packages
//! below the helper crate those that it need not read (`metadata`). What cargo fetches and compiles it
//! tells the kernel meanwhile (`progress`).

pub mod links;
mod looks;
pub mod metadata;
mod moved;
pub mod progress;
mod record;
mod replay;
mod shadowed;
pub mod stand_in;
