//! The progress of a class: collected from files, matched with a roster, and written as a report.

mod collect;
mod gradebooks;
mod report;
mod roster;
mod table;

pub use collect::collect;
pub use gradebooks::{canvas, nbgrader};
pub use report::{Report, time};
pub use roster::Roster;
pub use table::{csv, text};
