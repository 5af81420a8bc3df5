//! Lines on standard error.

use std::fmt;
use std::io::{self, Write};

/// Prints a line to standard error, if that is open.
pub fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}"); // there is nowhere else to report a failure
}
