//! Batches printed text into chunks that front ends can keep up with, and omits the middle of very
//! long output.

use notebook::evaluator::{Output, Stream};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Minimum interval between chunks.
const PAUSE: Duration = Duration::from_millis(100);
/// How many bytes are shown from the beginning of a cell's output, and how many from its end.
const MOST_AT_BEGINNING: usize = 1_000_000;
const MOST_AT_END: usize = 10_000;
/// Maximum number of chunks in the kept end, in case the streams alternate.
const MOST_PIECES: usize = 100;

pub struct Printed {
    stream: Stream,
    /// Pending text, all from the same stream.
    waiting: String,
    shown_at: Option<Instant>,
    /// How many more bytes count as the beginning of the output, which is not shortened.
    left: usize,
    /// The latest output beyond that limit, in order; `left_out` counts what was dropped before it.
    end: VecDeque<(Stream, String)>,
    left_out: u64,
}

impl Printed {
    pub fn new() -> Printed {
        Printed {
            stream: Stream::Stdout,
            waiting: String::new(),
            shown_at: None,
            left: MOST_AT_BEGINNING,
            end: VecDeque::new(),
            left_out: 0,
        }
    }

    /// Adds text, and shows pending text if it is due.
    pub fn push(&mut self, stream: Stream, text: &str, show: &mut dyn FnMut(Output)) {
        if self.stream != stream {
            self.flush(show);
            self.stream = stream;
        }
        let (beginning, rest) = text.split_at(text.floor_char_boundary(self.left));
        self.left -= beginning.len();
        self.waiting += beginning;
        if !rest.is_empty() {
            self.keep_end(stream, rest, show);
        }
        self.show_what_is_due(show);
    }

    /// Shows pending text unless the last chunk was shown too recently.
    pub fn show_what_is_due(&mut self, show: &mut dyn FnMut(Output)) {
        if self.shown_at.is_none_or(|when| when.elapsed() >= PAUSE) {
            self.flush(show);
        }
    }

    /// Shows pending text.
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

    /// Shows the rest, and reports how much was omitted.
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
        for (stream, text) in std::mem::take(&mut self.end) {
            show(Output::Text(stream, text));
        }
    }

    fn keep_end(&mut self, stream: Stream, text: &str, show: &mut dyn FnMut(Output)) {
        if self.end.is_empty() && self.left_out == 0 {
            self.flush(show);
            self.left = 0;
            let text = format!(
                "\n[this cell has printed more than {MOST_AT_BEGINNING} bytes; only the end of the rest \
                 will be shown]\n"
            );
            show(Output::Text(Stream::Stderr, text));
        }
        match self.end.back_mut() {
            Some((last, piece)) if *last == stream && piece.len() < MOST_AT_END => *piece += text,
            _ => self.end.push_back((stream, text.to_owned())),
        }
        self.shorten_end();
    }

    /// Trims the kept end to its limits on bytes and chunks.
    fn shorten_end(&mut self) {
        let mut length: usize = self.end.iter().map(|(_, text)| text.len()).sum();
        if length <= 2 * MOST_AT_END && self.end.len() <= MOST_PIECES {
            return;
        }
        while let Some((stream, mut first)) = self.end.pop_front() {
            let surplus = length.saturating_sub(MOST_AT_END);
            let is_one_of_too_many = self.end.len() >= MOST_PIECES / 2;
            if first.len() <= surplus || is_one_of_too_many {
                length -= first.len();
                self.left_out += first.len() as u64;
                continue;
            }
            let start = first.ceil_char_boundary(surplus);
            self.left_out += start as u64;
            self.end.push_front((stream, first.split_off(start)));
            return;
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
            printed.len() < 1_000_000 + 2 * MOST_AT_END + 10,
            "{}",
            printed.len()
        );
        let said = text(Stream::Stderr);
        assert!(said.contains("more than 1000000 bytes"), "{said}");
        assert!(said.contains(&format!("[{left_out} bytes ")), "{said}");
    }

    #[test]
    fn the_end_keeps_the_order_of_the_streams() {
        let (out, err) = (Stream::Stdout, Stream::Stderr);
        let much = (out, "x".repeat(MOST_AT_BEGINNING + 1));
        let pieces = [(out, "a"), (err, "b"), (err, "c"), (out, "d")];
        let pieces = pieces.map(|(stream, text)| (stream, text.to_owned()));
        let found = shown([much].into_iter().chain(pieces));
        let expected = [(out, "xa"), (err, "bc"), (out, "d")];
        let expected = expected.map(|(stream, text)| (stream, text.to_owned()));
        assert_eq!(found[found.len() - 3..], expected);
    }

    #[test]
    fn an_end_of_many_pieces_is_counted_and_short() {
        let streams = [Stream::Stdout, Stream::Stderr];
        let much = (Stream::Stdout, "x".repeat(MOST_AT_BEGINNING));
        let turns = (0..10_000).map(|turn| (streams[turn % 2], "1234".to_owned()));
        let found = shown([much].into_iter().chain(turns));
        assert!(found.len() < MOST_PIECES + 10, "{}", found.len());
        let shown: usize = found
            .iter()
            .map(|(_, text)| text.matches("1234").count() * 4)
            .sum();
        let said = format!("[{} bytes ", 40_000 - shown);
        assert!(found.iter().any(|(_, text)| text.contains(&said)), "{said}");
    }

    #[test]
    fn a_character_is_not_cut() {
        let found = shown([(Stream::Stdout, "é".repeat(MOST_AT_BEGINNING))]);
        assert_eq!(found[0].1.len(), MOST_AT_BEGINNING);
        let odd = format!("x{}", "é".repeat(MOST_AT_BEGINNING));
        assert_eq!(
            shown([(Stream::Stdout, odd)])[0].1.len(),
            MOST_AT_BEGINNING - 1
        );
    }
}
