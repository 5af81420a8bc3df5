//! Prints the program's output. If the reader closes the pipe early, as `head` does, the program
//! ends quietly.

use crate::set_up_report;
use anyhow::{Context, Result};
use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// The exit code that shells report for a program that writes to a closed pipe: 128 plus the number
/// of the signal SIGPIPE.
pub const NO_READER: u8 = 128 + 13;

/// Tells a terminal to erase the rest of the line.
const CLEAR: &str = "\u{1b}[K";

/// The error when the reader has closed standard output.
#[derive(Debug)]
pub struct ReaderLeft;

impl fmt::Display for ReaderLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reader of standard output is gone")
    }
}

impl std::error::Error for ReaderLeft {}

/// Prints to standard output immediately.
pub fn print(text: fmt::Arguments<'_>) -> Result<()> {
    set_up_report::clear();
    let text = visible(&text.to_string());
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes());
    match printed.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(ReaderLeft.into()),
        printed => printed.context("standard output cannot be written"),
    }
}

/// Replaces the current line, if standard output is a terminal.
pub fn replace_line(text: fmt::Arguments<'_>) -> Result<()> {
    let mut stdout = io::stdout().lock();
    if !stdout.is_terminal() {
        return Ok(());
    }
    let written = write!(stdout, "\r{CLEAR}{}", visible(&text.to_string()));
    written
        .and_then(|()| stdout.flush())
        .context("standard output cannot be written")
}

/// The text with control characters made visible: text from elsewhere, such as the message of a
/// panic, must not control the terminal. The escapes are those of JSON, so JSON keeps its meaning.
pub fn visible(text: &str) -> String {
    let is_layout = |c| c == '\n' || c == '\t';
    escaped(text, |c| c.is_control() && !is_layout(c))
}

/// Like [`visible`], but for a name, in which line breaks and tabs are escaped as well.
pub fn name(name: &str) -> String {
    escaped(name, char::is_control)
}

fn escaped(text: &str, is_obeyed: impl Fn(char) -> bool) -> String {
    let shown = |c| match is_obeyed(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Like `println!`, but returns an error instead of panicking, for example if the reader has left.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::printed::print(format_args!("{}\n", format_args!($($text)*)))
    };
}
pub(crate) use say;

/// Like [`say!`], but silent under `--quiet`.
macro_rules! mention {
    ($($text:tt)*) => {
        match $crate::set_up_report::is_quiet() {
            true => anyhow::Ok(()),
            false => $crate::printed::print(format_args!("{}\n", format_args!($($text)*))),
        }
    };
}
pub(crate) use mention;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let red = "\u{1b}[31ma\tb\r\nc\u{9b}2Jä\u{7f}";
        let shown = visible(red);
        assert_eq!(shown, "\\u001b[31ma\tb\\u000d\nc\\u009b2Jä\\u007f");
        assert_eq!(name("a\nb"), "a\\u000ab");
        let json = serde_json::to_string(red).expect("memory");
        let read: String = serde_json::from_str(&visible(&json)).expect("JSON");
        assert_eq!(read, red);
    }
}
