//! What the program prints. Whoever reads it may leave early, as `head` does; then the program
//! ends quietly.

use anyhow::{Context, Result};
use std::fmt;
use std::io::{self, ErrorKind, Write};

/// What shells say of a program that writes to a pipe without a reader: 128 and the number of
/// the signal SIGPIPE.
pub const NO_READER: u8 = 128 + 13;

/// Nobody reads standard output any more.
#[derive(Debug)]
pub struct ReaderLeft;

impl fmt::Display for ReaderLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads standard output any more")
    }
}

impl std::error::Error for ReaderLeft {}

/// Prints to standard output at once.
pub fn print(text: fmt::Arguments<'_>) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_fmt(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(ReaderLeft.into()),
        printed => printed.context("standard output cannot be written"),
    }
}

/// `println!` for a program whose reader may leave.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::printed::print(format_args!("{}\n", format_args!($($text)*)))
    };
}
pub(crate) use say;
