//! Lines for whoever started the program.

use std::fmt;
use std::io::{self, Write};

/// Prints a line to standard error, if somebody reads that.
pub fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}"); // there is no other place to say it
}
