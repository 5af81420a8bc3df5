//! Printed text on its way to the notebook: many small pieces become a few, which front ends
//! can keep up with, and of very much text only the beginning and the end are shown.

use crate::evaluation::output::{Output, Stream};
use std::time::{Duration, Instant};

/// At least so long after one piece the next one is shown.
const PAUSE: Duration = Duration::from_millis(100);
/// So many bytes of a cell are shown at its beginning, and so many at its end.
const BEGINNING: usize = 1_000_000;
const END: usize = 10_000;

pub struct Printed {
    stream: Stream,
    /// What is not shown yet, all on that stream.
    waiting: String,
    shown_at: Option<Instant>,
    /// How many bytes of the beginning are left.
    left: usize,
    /// The last that was printed after the beginning, and how much was before it.
    end: String,
    left_out: u64,
}

impl Printed {
    pub fn new() -> Printed {
        Printed {
            stream: Stream::Stdout,
            waiting: String::new(),
            shown_at: None,
            left: BEGINNING,
            end: String::new(),
            left_out: 0,
        }
    }

    /// Takes text over; shows what has waited long enough.
    pub fn push(&mut self, stream: Stream, text: &str, show: &mut dyn FnMut(Output)) {
        if self.stream != stream {
            self.flush(show);
            self.stream = stream;
        }
        let (beginning, rest) = text.split_at(text.floor_char_boundary(self.left));
        self.left -= beginning.len();
        self.waiting += beginning;
        if !rest.is_empty() {
            self.keep_end(rest, show);
        }
        self.show_what_is_due(show);
    }

    /// Shows what waits, if the last piece was shown long enough ago.
    pub fn show_what_is_due(&mut self, show: &mut dyn FnMut(Output)) {
        if self.shown_at.is_none_or(|when| when.elapsed() >= PAUSE) {
            self.flush(show);
        }
    }

    /// Shows what waits.
    pub fn flush(&mut self, show: &mut dyn FnMut(Output)) {
        if !self.waiting.is_empty() {
            let text = std::mem::take(&mut self.waiting);
            self.shown_at = Some(Instant::now());
            show(Output::Text(self.stream, text));
        }
    }

    /// Counts text without keeping it.
    pub fn drop_text(&mut self, text: &str) {
        self.left_out += text.len() as u64;
    }

    /// Shows the rest, and says how much is left out.
    pub fn finish(&mut self, show: &mut dyn FnMut(Output)) {
        self.flush(show);
        if self.left_out > 0 {
            let text = format!(
                "\n[{} bytes that were printed are left out here; to have them all, write them to \
                 a file: std::fs::write(\"out.txt\", text)]\n",
                self.left_out
            );
            show(Output::Text(Stream::Stderr, text));
        }
        if !self.end.is_empty() {
            let end = std::mem::take(&mut self.end);
            show(Output::Text(self.stream, end));
        }
    }

    fn keep_end(&mut self, text: &str, show: &mut dyn FnMut(Output)) {
        if self.end.is_empty() && self.left_out == 0 {
            self.flush(show);
            self.left = 0;
            let text = format!(
                "\n[this cell has printed more than {BEGINNING} bytes; of the rest the end will be \
                 shown]\n"
            );
            show(Output::Text(Stream::Stderr, text));
        }
        self.end += text;
        if self.end.len() > 2 * END {
            let start = self.end.ceil_char_boundary(self.end.len() - END);
            self.end.drain(..start);
            self.left_out += start as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: impl IntoIterator<Item = (Stream, String)>) -> Vec<(Stream, String)> {
        let mut shown = Vec::new();
        let mut show = |output| match output {
            Output::Text(stream, text) => shown.push((stream, text)),
            other => panic!("{other:?}"),
        };
        let mut printed = Printed::new();
        for (stream, text) in pieces {
            printed.push(stream, &text, &mut show);
        }
        printed.finish(&mut show);
        shown
    }

    #[test]
    fn small_pieces_become_a_few_and_streams_keep_their_order() {
        let (out, err) = (Stream::Stdout, Stream::Stderr);
        let lines = (0..1000).map(|line| (out, format!("{line}\n")));
        let all: String = (0..1000).map(|line| format!("{line}\n")).collect();
        let found = shown(lines);
        assert!(found.len() < 20, "{}", found.len());
        let text: String = found.into_iter().map(|(_, text)| text).collect();
        assert_eq!(text, all);

        let pieces = [(out, "a"), (err, "b"), (err, "c"), (out, "d")];
        let pieces = pieces.map(|(stream, text)| (stream, text.to_owned()));
        let expected = [(out, "a"), (err, "bc"), (out, "d")];
        let expected = expected.map(|(stream, text)| (stream, text.to_owned()));
        assert_eq!(shown(pieces), expected);
    }

    #[test]
    fn of_very_much_text_the_beginning_and_the_end_are_shown() {
        let lines = (0..300_000).map(|line| (Stream::Stdout, format!("{line:9}\n")));
        let found = shown(lines);
        let text = |stream: Stream| -> String {
            let of_stream = found.iter().filter(|(of, _)| *of == stream);
            of_stream.map(|(_, text)| text.as_str()).collect()
        };
        let printed = text(Stream::Stdout);
        assert_eq!(&printed[999_990..1_000_000], "    99999\n");
        assert!(printed.ends_with("   299999\n"));
        let left_out = 3_000_000 - printed.len();
        assert!(
            printed.len() < 1_000_000 + 2 * END + 10,
            "{}",
            printed.len()
        );
        let said = text(Stream::Stderr);
        assert!(said.contains("more than 1000000 bytes"), "{said}");
        assert!(said.contains(&format!("[{left_out} bytes ")), "{said}");
    }

    #[test]
    fn a_character_is_not_cut() {
        let found = shown([(Stream::Stdout, "é".repeat(BEGINNING))]);
        assert_eq!(found[0].1.len(), BEGINNING);
        let odd = format!("x{}", "é".repeat(BEGINNING));
        assert_eq!(shown([(Stream::Stdout, odd)])[0].1.len(), BEGINNING - 1);
    }
}
