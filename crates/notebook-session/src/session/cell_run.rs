//! Collects and shows the outputs of a running cell.

use crate::crash;
use crate::session::output::Assembler;
use crate::session::printed::Printed;
use cell_evaluator::{Event, Part};
use notebook::convention::{CAUGHT_PANIC_TYPE, CLEAR_OUTPUT_TYPE, STDERR_TYPE};
use notebook::evaluator::{Output, Stream};
use std::time::{Duration, Instant};

/// How long to hold back the last value shown, which is the cell's result if the cell ends first,
/// and the last lines of standard error, in which the message of a crash may begin.
pub const HOLD: Duration = Duration::from_millis(200);

/// Maximum number of displays per cell; each one costs the browser a redraw.
const MOST_DISPLAYS: usize = 500;

const DISBELIEVED: &str = "[A line of this text looks like the start of an output in evcxr's \
    format. Any text can look like that, so it is shown as text. If a library printed it as an \
    output, call `allow_printed_outputs()` once, and run the cell again.]\n";

pub struct CellRun<'a> {
    show: &'a mut dyn FnMut(Output),
    printed: Printed,
    values: Assembler,
    values_since: Instant,
    /// Text printed while the last value is held back.
    behind_value: Vec<(Stream, String)>,
    /// The last lines of standard error, in which the message of a crash may begin.
    errors: String,
    errors_since: Instant,
    /// Whether an output without the kernel's secret was treated as text.
    has_disbelieved: bool,
    /// Whether the learner has interrupted the cell, so that further output is discarded.
    is_stopped: bool,
    displays: usize,
    displays_left_out: usize,
    said: Vec<&'static str>,
    /// The line with which a cell asks for input; its prompt follows a colon.
    pub prompt: Option<String>,
    /// The message of a crash on standard error, once it has begun.
    pub last_words: Option<String>,
}

impl<'a> CellRun<'a> {
    pub fn new(show: &'a mut dyn FnMut(Output)) -> CellRun<'a> {
        CellRun {
            show,
            printed: Printed::new(),
            values: Assembler::default(),
            values_since: Instant::now(),
            behind_value: Vec::new(),
            errors: String::new(),
            errors_since: Instant::now(),
            has_disbelieved: false,
            is_stopped: false,
            displays: 0,
            displays_left_out: 0,
            said: Vec::new(),
            prompt: None,
            last_words: None,
        }
    }

    /// Shows the output in an event, or holds it back: see [`HOLD`].
    pub fn handle(&mut self, event: Event) {
        self.show_question();
        match event {
            Event::Stderr(text) => self.error_text(&text),
            Event::Part(Part::Text(text)) => self.text(&text),
            Event::Part(Part::Disbelieved(line)) => {
                self.has_disbelieved = true;
                self.text(&line);
            }
            Event::Part(Part::Block(mime, content)) => self.block(&mime, content),
            Event::Part(Part::Question(question)) => self.prompt = Some(question),
            Event::Ended(_) => {}
        }
    }

    /// Shows a line that looked like a request for input, if no input was read after it.
    fn show_question(&mut self) {
        if let Some(line) = self.prompt.take() {
            self.text(&(line + "\n"));
        }
    }

    /// Shows a message from the kernel itself, at most once.
    pub fn say_once(&mut self, sentence: &'static str) {
        if !self.said.contains(&sentence) {
            self.said.push(sentence);
            self.show_held_back(Duration::ZERO);
            (self.show)(Output::Text(Stream::Stderr, sentence.to_owned()));
        }
    }

    /// Shows progress messages such as downloads.
    pub fn tell(&mut self, text: &str) {
        self.show_errors();
        self.print(Stream::Stderr, text);
    }

    /// Stops showing text and values, which are only counted from now on.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Handles text printed by the cell.
    pub fn text(&mut self, text: &str) {
        self.show_errors();
        self.print(Stream::Stdout, text);
    }

    fn error_text(&mut self, text: &str) {
        if let Some(words) = &mut self.last_words {
            *words += text;
            return;
        }
        if self.errors.is_empty() {
            self.errors_since = Instant::now();
        }
        self.errors += text;
        if let Some(place) = crash::last_words(&self.errors) {
            self.last_words = Some(self.errors.split_off(place));
            self.errors.truncate(self.errors.trim_end().len());
        }
        if self.errors_since.elapsed() >= HOLD {
            self.show_errors();
        }
    }

    fn block(&mut self, mime: &str, content: String) {
        match mime {
            STDERR_TYPE => self.error_text(&content),
            CAUGHT_PANIC_TYPE if !self.is_stopped => {
                self.printed.push(Stream::Stderr, &content, self.show);
            }
            CLEAR_OUTPUT_TYPE => {
                self.show_held_back(Duration::ZERO);
                self.put(Output::Clear);
                self.printed = Printed::new();
                (self.displays, self.displays_left_out) = (0, 0);
            }
            mime => {
                self.show_errors();
                if !self.behind_value.is_empty() {
                    self.show_value();
                }
                self.values_since = Instant::now();
                if let Some(output) = self.values.block(mime, content) {
                    self.put(output);
                }
            }
        }
    }

    /// Shows output that has been held back for at least this long.
    pub fn show_held_back(&mut self, held: Duration) {
        if self.errors_since.elapsed() >= held {
            self.show_errors();
        }
        if self.values_since.elapsed() >= held {
            self.show_value();
        }
        match held {
            Duration::ZERO => self.printed.flush(self.show),
            _ => self.printed.show_what_is_due(self.show),
        }
    }

    fn show_errors(&mut self) {
        let errors = std::mem::take(&mut self.errors);
        self.print(Stream::Stderr, &errors);
    }

    fn show_value(&mut self) {
        if let Some(output) = self.values.finish(false) {
            self.put(output);
        }
        // Text printed after the value.
        for (stream, text) in std::mem::take(&mut self.behind_value) {
            self.print(stream, &text);
        }
    }

    fn print(&mut self, stream: Stream, text: &str) {
        if self.is_stopped {
            self.printed.drop_text(text);
        } else if text.is_empty() {
            // nothing to print
        } else if self.values.is_open() && self.values_since.elapsed() < HOLD {
            // The text may come from another thread, so the held value may still be the cell's
            // result.
            self.behind_value.push((stream, text.to_owned()));
        } else {
            self.show_value();
            self.printed.push(stream, text, self.show);
        }
    }

    /// Shows an output after any text printed before it.
    fn put(&mut self, output: Output) {
        if matches!(output, Output::Display(_)) {
            if self.is_stopped || self.displays == MOST_DISPLAYS {
                self.displays_left_out += 1;
                return;
            }
            self.displays += 1;
        }
        self.printed.flush(self.show);
        (self.show)(output);
    }

    /// Shows the rest. If `ends_in_value`, the last value shown may be that of the cell.
    pub fn finish(mut self, ends_in_value: bool) {
        self.show_question();
        self.show_errors();
        let value = self.values.finish(ends_in_value);
        self.printed.finish(self.show);
        if self.displays_left_out > 0 {
            let text = format!(
                "[{} more values were shown, which are left out here: a cell shows at most \
                 {MOST_DISPLAYS}; `clear_output()` before the next one makes room]\n",
                self.displays_left_out
            );
            (self.show)(Output::Text(Stream::Stderr, text));
        }
        if self.has_disbelieved {
            (self.show)(Output::Text(Stream::Stderr, DISBELIEVED.to_owned()));
        }
        // A cell that ends in a loop or in `println!(...)` evaluates to `()`, which is not shown.
        if let Some(output) = value.filter(|output| !output.is_unit()) {
            (self.show)(output);
        }
        let mut after = Printed::new();
        for (stream, text) in &self.behind_value {
            after.push(*stream, text, self.show);
        }
        after.finish(self.show);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notebook::evaluator::Bundle;

    /// The outputs shown for these parts when the cell ends in an expression.
    fn shown(parts: Vec<Part>) -> Vec<Output> {
        let mut shown = Vec::new();
        let mut show = |output| shown.push(output);
        let mut run = CellRun::new(&mut show);
        for part in parts {
            run.handle(Event::Part(part));
        }
        run.finish(true);
        shown
    }

    fn block(mime: &str, content: &str) -> Part {
        Part::Block(mime.to_owned(), content.to_owned())
    }

    #[test]
    fn standard_error_comes_in_its_place_and_the_last_value_is_the_result() {
        let value = |text: &str| Bundle::from([("text/plain".to_owned(), text.to_owned())]);
        let parts = vec![
            Part::Text("one\n".to_owned()),
            block(STDERR_TYPE, "two\n"),
            block("text/plain", "3"),
            block("text/plain", "4"),
        ];
        let expected = [
            Output::Text(Stream::Stdout, "one\n".to_owned()),
            Output::Text(Stream::Stderr, "two\n".to_owned()),
            Output::Display(value("3")),
            Output::Result(value("4")),
        ];
        assert_eq!(shown(parts), expected);
    }

    #[test]
    fn what_was_held_back_is_shown_before_outputs_are_cleared() {
        let parts = vec![block("text/plain", "1"), block(CLEAR_OUTPUT_TYPE, "")];
        let shown = shown(parts);
        assert!(matches!(
            shown.as_slice(),
            [Output::Display(_), Output::Clear]
        ));
    }

    #[test]
    fn a_disbelieved_output_is_text_with_a_hint() {
        let line = "EVCXR_BEGIN_CONTENT text/html\n".to_owned();
        let parts = vec![
            Part::Disbelieved(line.clone()),
            Part::Text("<b>\n".to_owned()),
        ];
        let shown = shown(parts);
        let [
            Output::Text(Stream::Stdout, first),
            Output::Text(_, second),
            hint,
        ] = &shown[..]
        else {
            panic!("{shown:?}");
        };
        assert_eq!((first.as_str(), second.as_str()), (line.as_str(), "<b>\n"));
        assert_eq!(hint, &Output::Text(Stream::Stderr, DISBELIEVED.to_owned()));
    }

    #[test]
    fn what_a_stopped_cell_prints_is_counted() {
        let mut shown = Vec::new();
        let mut show = |output| shown.push(output);
        let mut run = CellRun::new(&mut show);
        run.stop();
        run.handle(Event::Part(Part::Text("12345678".to_owned())));
        run.finish(false);
        let [Output::Text(Stream::Stderr, text)] = &shown[..] else {
            panic!("{shown:?}");
        };
        assert!(text.contains("[8 bytes "), "{text}");
    }

    #[test]
    fn of_many_values_the_first_are_shown_and_the_others_counted() {
        let values = |count| (0..count).map(|number| block("text/plain", &number.to_string()));
        let told = |shown: &[Output]| match shown.last() {
            Some(Output::Result(_)) => match &shown[shown.len() - 2] {
                Output::Text(Stream::Stderr, text) => text[..20].to_owned(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        // The last one is the cell's value.
        let all = shown(values(MOST_DISPLAYS + 1).collect());
        assert_eq!((all.len(), told(&all).as_str()), (MOST_DISPLAYS + 1, ""));
        let few = shown(values(MOST_DISPLAYS + 8).collect());
        assert_eq!(few.len(), MOST_DISPLAYS + 2);
        assert_eq!(told(&few), "[7 more values were ");
        let cleared = block(CLEAR_OUTPUT_TYPE, "");
        let cleared = shown(values(400).chain([cleared]).chain(values(400)).collect());
        assert_eq!((cleared.len(), told(&cleared).as_str()), (801, ""));
    }
}
