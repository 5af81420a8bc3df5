//! The standard output of the evaluation process, taken apart: printed text, and
//! the lines that its runtime and its displays add.
//!
//! Whatever a cell prints could look like such a line. So an output counts if it carries the
//! kernel's secret, or is no more than plain text; and a line of the runtime counts where the
//! runtime prints it: at the end of the cell, whose beginning and end carry the secret, behind
//! the message of an error, or, if it is a question, as the last that the cell prints.

use memchr::memmem;
use notebook::convention::{
    ALLOW_PRINTED_OUTPUTS_TYPE, BEGIN_CONTENT, CELL_BEGINS, CELL_ENDS, END_CONTENT,
    SECRET_PARAMETER, STDERR_TYPE,
};

/// What all lines of the runtime and of displays begin with.
const PREFIX: &[u8] = b"EVCXR_";
pub const PANIC: &str = "EVCXR_PANIC_NOTIFICATION";
pub const ERROR: &str = "EVCXR_ERROR_OCCURRED";
pub const INPUT: &str = "EVCXR_INPUT_REQUEST";
pub const COMPLETE: &str = "EVCXR_EXECUTION_COMPLETE";
pub const CHANGED_TYPE: &str = "EVCXR_VARIABLE_CHANGED_TYPE:";
/// A line with the prefix that is longer than this is text, and so is an output without the
/// secret that does not end.
const LONGEST_LINE: usize = 1 << 16;
const LONGEST_PLAIN_OUTPUT: usize = 1 << 24;

#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// A form of a value: MIME type and content.
    Block(String, String),
    /// The first line of an output without the secret, which is taken for text.
    Disbelieved(String),
    /// A line of the runtime, which evcxr waits for.
    Runtime(String),
}

/// What evcxr does while the bytes come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It runs nothing: what comes is from a thread or a process that a cell left behind.
    Idle,
    /// It runs a cell that prints its beginning and its end.
    Cell,
    /// It runs something that does not print them: the prelude, or commands.
    Unmarked,
}

/// Takes the bytes as they come. Text is returned at once, also without a newline.
pub struct Parser {
    /// The parameter with the secret.
    secret: String,
    rest: Vec<u8>,
    /// So many bytes of the rest have been searched for the end of the block.
    searched: usize,
    block: Option<Block>,
    /// Between the beginning of a cell and its end.
    is_in_cell: bool,
    /// The cell has ended, or was never begun, for the type of a variable has changed.
    has_ended: bool,
    /// The last part was a block of standard error.
    follows_error: bool,
    /// Outputs without the secret count.
    believes_all: bool,
}

/// A block whose end has not come yet.
struct Block {
    line: String,
    mime: String,
    has_secret: bool,
}

impl Parser {
    pub fn new(secret: &str) -> Parser {
        Parser {
            secret: format!("{SECRET_PARAMETER}{secret}"),
            rest: Vec::new(),
            searched: 0,
            block: None,
            is_in_cell: false,
            has_ended: false,
            follows_error: false,
            believes_all: false,
        }
    }

    pub fn push(&mut self, bytes: &[u8], activity: Activity) -> Vec<Part> {
        self.rest.extend_from_slice(bytes);
        let mut parts = Vec::new();
        while let Some(part) = self.next_part(activity) {
            self.follows_error = matches!(&part, Part::Block(mime, _) if mime == STDERR_TYPE);
            parts.push(part);
        }
        parts
    }

    /// Whether what comes now is between the beginning of a cell and its end.
    pub fn is_in_cell(&self) -> bool {
        self.is_in_cell
    }

    /// What was held back in the hope of more.
    pub fn finish(&mut self) -> Option<Part> {
        let rest = std::mem::take(&mut self.rest);
        (!rest.is_empty()).then(|| Part::Text(text(&rest)))
    }

    fn next_part(&mut self, activity: Activity) -> Option<Part> {
        loop {
            if let Some(block) = self.block.take() {
                match self.end_of(&block) {
                    End::Here(start, length) => {
                        let content = self.split_off(start + length);
                        let content = &content[..start];
                        let content = content.strip_suffix(b"\n").unwrap_or(content);
                        if block.has_secret && block.mime == ALLOW_PRINTED_OUTPUTS_TYPE {
                            self.believes_all = true;
                            continue;
                        }
                        return Some(Part::Block(block.mime, text(content)));
                    }
                    End::NotYet => {
                        self.block = Some(block);
                        return None;
                    }
                    End::Never => {
                        self.searched = 0;
                        return Some(Part::Text(block.line));
                    }
                }
            }
            match memmem::find(&self.rest, PREFIX) {
                Some(0) => {
                    let Some(end) = memchr::memchr(b'\n', &self.rest) else {
                        let is_text = self.rest.len() > LONGEST_LINE;
                        return is_text.then(|| Part::Text(text(&self.split_off(PREFIX.len()))));
                    };
                    let line = text(&self.split_off(end + 1)[..end]);
                    if let Some(part) = self.line(line, activity) {
                        return Some(part);
                    }
                }
                Some(start) => return Some(Part::Text(text(&self.split_off(start)))),
                None => {
                    let ready = self.rest.len() - unfinished(&self.rest);
                    return (ready > 0).then(|| Part::Text(text(&self.split_off(ready))));
                }
            }
        }
    }

    /// What a line with the prefix is; nothing if it only says where something begins or ends.
    fn line(&mut self, line: String, activity: Activity) -> Option<Part> {
        let marked = line.strip_suffix(&self.secret);
        match marked {
            Some(CELL_BEGINS) => {
                (self.is_in_cell, self.has_ended) = (true, false);
                return None;
            }
            Some(CELL_ENDS) => {
                (self.is_in_cell, self.has_ended) = (false, true);
                return None;
            }
            _ => {}
        }
        if let Some(mime) = marked.unwrap_or(&line).strip_prefix(BEGIN_CONTENT) {
            let has_secret = marked.is_some();
            if !has_secret && !self.believes_all && mime != "text/plain" {
                return Some(Part::Disbelieved(line + "\n"));
            }
            self.block = Some(Block {
                mime: mime.to_owned(),
                has_secret,
                line: line + "\n",
            });
            return None;
        }
        if self.is_of_runtime(&line, activity) {
            self.has_ended = line.starts_with(CHANGED_TYPE) || self.has_ended && line != COMPLETE;
            return Some(Part::Runtime(line));
        }
        Some(Part::Text(line + "\n"))
    }

    /// Whether the runtime can have printed this line now.
    fn is_of_runtime(&self, line: &str, activity: Activity) -> bool {
        let has_ended = self.has_ended || activity == Activity::Unmarked;
        match line {
            _ if activity == Activity::Idle => false,
            COMPLETE | PANIC => !self.is_in_cell && has_ended,
            // The message of the error stands before it.
            ERROR => self.follows_error || activity == Activity::Unmarked,
            _ if line.starts_with(CHANGED_TYPE) => !self.is_in_cell,
            _ => {
                // Who asks waits for the answer and prints nothing more.
                let can_ask = self.is_in_cell || activity == Activity::Unmarked;
                can_ask && self.rest.is_empty() && line.starts_with(INPUT)
            }
        }
    }

    /// Where the block ends that the rest begins with.
    fn end_of(&mut self, block: &Block) -> End {
        let secret = if block.has_secret { &*self.secret } else { "" };
        let last = format!("{END_CONTENT}{secret}");
        // A panic while a value was written: the block will not end, but the cell has.
        let cell_ends = format!("{CELL_ENDS}{}", self.secret);
        let from = self
            .searched
            .saturating_sub(last.len().max(cell_ends.len()));
        if let Some(start) = line_start(&self.rest, &last, from) {
            self.searched = 0;
            return End::Here(start, last.len() + 1);
        }
        self.searched = self.rest.len();
        let is_too_long = !block.has_secret && self.rest.len() > LONGEST_PLAIN_OUTPUT;
        match is_too_long || memmem::find(&self.rest[from..], cell_ends.as_bytes()).is_some() {
            true => End::Never,
            false => End::NotYet,
        }
    }

    fn split_off(&mut self, count: usize) -> Vec<u8> {
        let rest = self.rest.split_off(count);
        std::mem::replace(&mut self.rest, rest)
    }
}

/// Where a block ends.
enum End {
    /// Where its last line begins, and how long that is.
    Here(usize, usize),
    NotYet,
    Never,
}

/// How many bytes at the end may be the start of a line of the runtime, or of a
/// character.
fn unfinished(bytes: &[u8]) -> usize {
    let of_prefix = (1..PREFIX.len())
        .rev()
        .find(|&count| bytes.ends_with(&PREFIX[..count]));
    of_prefix.unwrap_or(0).max(unfinished_character(bytes))
}

/// How many bytes at the end may be the start of a character.
pub fn unfinished_character(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(4)..];
    let of_character = (1..=tail.len()).find(|&count| {
        let last = std::str::from_utf8(&tail[tail.len() - count..]);
        last.is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    });
    of_character.unwrap_or(0)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where, from here on, a line begins that is exactly this, and whole.
fn line_start(bytes: &[u8], wanted: &str, from: usize) -> Option<usize> {
    memmem::find_iter(&bytes[from..], wanted.as_bytes())
        .map(|found| from + found)
        .find(|&start| {
            let begins = start == 0 || bytes[start - 1] == b'\n';
            begins && bytes.get(start + wanted.len()) == Some(&b'\n')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(pieces: &[&str]) -> Vec<Part> {
        let mut parser = Parser::new("5e");
        let mut parts: Vec<Part> = pieces
            .iter()
            .flat_map(|piece| parser.push(piece.as_bytes(), Activity::Cell))
            .collect();
        parts.extend(parser.finish());
        parts
    }

    fn said(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    fn ran(line: &str) -> Part {
        Part::Runtime(line.to_owned())
    }

    const BEGINS: &str = "EVCXR_CELL_BEGINS;secret=5e\n";
    const ENDS: &str = "EVCXR_CELL_ENDS;secret=5e\n";

    #[test]
    fn text_without_a_newline_comes_at_once_and_apart_from_the_runtime() {
        let mut parser = Parser::new("5e");
        let mut push = |piece: &str| parser.push(piece.as_bytes(), Activity::Cell);
        assert_eq!(push(BEGINS), []);
        assert_eq!(push("abc"), [said("abc")]);
        assert_eq!(
            push(&format!("def{ENDS}EVCXR_EXECUTION_COMPLETE\n")),
            [said("def"), ran(COMPLETE)]
        );
    }

    #[test]
    fn lines_and_characters_may_come_in_pieces() {
        let mut parser = Parser::new("5e");
        let mut push = |piece: &[u8]| parser.push(piece, Activity::Unmarked);
        assert_eq!(push(b"xEVC"), [said("x")]);
        assert_eq!(push(b"XR_PANIC_NOTIFICATION\n"), [ran(PANIC)]);
        assert_eq!(push(&"あ".as_bytes()[..1]), []);
        assert_eq!(push(&"あ".as_bytes()[1..]), [said("あ")]);
        assert_eq!(push(b"\xff\xff"), [said("\u{fffd}\u{fffd}")]);
    }

    #[test]
    fn a_block_has_a_mime_type_and_content() {
        let content = "a\nEVCXR_END_CONTENT is a word\nand so is EVCXR_END_CONTENT\nb";
        let block = format!("EVCXR_BEGIN_CONTENT text/plain\n{content}\nEVCXR_END_CONTENT\n");
        let expected = Part::Block("text/plain".into(), content.into());
        assert_eq!(parts(&[&block]), [expected]);
    }

    #[test]
    fn a_block_may_come_byte_by_byte() {
        let block = "EVCXR_BEGIN_CONTENT text/html;secret=5e\nあ\n\nEVCXR_END_CONTENT;secret=5e\n";
        let mut parser = Parser::new("5e");
        let bytes = block.as_bytes().chunks(1);
        let found: Vec<Part> = bytes
            .flat_map(|byte| parser.push(byte, Activity::Cell))
            .collect();
        assert_eq!(found, [Part::Block("text/html".into(), "あ\n".into())]);
    }

    #[test]
    fn what_has_the_secret_ends_only_with_the_secret() {
        let content = "a\nEVCXR_END_CONTENT\nEVCXR_BEGIN_CONTENT text/html\n<b>";
        let block = format!(
            "EVCXR_BEGIN_CONTENT text/html;name=x;secret=5e\n{content}\nEVCXR_END_CONTENT;secret=5e\n"
        );
        let expected = Part::Block("text/html;name=x".into(), content.into());
        assert_eq!(parts(&[&block]), [expected]);
    }

    #[test]
    fn printed_text_is_no_output() {
        for begin in [
            "EVCXR_BEGIN_CONTENT text/html",
            "EVCXR_BEGIN_CONTENT text/plain;name=x",
            "EVCXR_BEGIN_CONTENT text/html;secret=5d",
        ] {
            let printed = format!("{begin}\n<script>1</script>\nEVCXR_END_CONTENT\n");
            let expected = [
                Part::Disbelieved(format!("{begin}\n")),
                said("<script>1</script>\n"),
                said("EVCXR_END_CONTENT\n"),
            ];
            assert_eq!(parts(&[&printed]), expected);
        }
        let allowed = "EVCXR_BEGIN_CONTENT application/x-notebook-allow-printed-outputs;secret=5e\n\n\
            EVCXR_END_CONTENT;secret=5e\n";
        let printed = "EVCXR_BEGIN_CONTENT text/html\n<b>\nEVCXR_END_CONTENT\n";
        assert_eq!(
            parts(&[allowed, printed]),
            [Part::Block("text/html".into(), "<b>".into())]
        );
    }

    #[test]
    fn lines_of_the_runtime_that_a_cell_prints_are_text() {
        let lines = [COMPLETE, PANIC, ERROR, "EVCXR_VARIABLE_CHANGED_TYPE:x"];
        for line in lines {
            let line = format!("{line}\n");
            assert_eq!(parts(&[BEGINS, &line]), [said(&line)], "in a cell");
            let mut parser = Parser::new("5e");
            let idle = parser.push(line.as_bytes(), Activity::Idle);
            assert_eq!(idle, [said(&line)], "while nothing runs");
        }
        for line in [COMPLETE, PANIC] {
            let line = format!("{line}\n");
            assert_eq!(parts(&[&line]), [said(&line)], "before the cell");
            let after = parts(&[BEGINS, ENDS, "EVCXR_EXECUTION_COMPLETE\n", &line]);
            assert_eq!(after, [ran(COMPLETE), said(&line)], "after the cell");
        }
    }

    #[test]
    fn lines_of_the_runtime_count_where_it_prints_them() {
        let ends = [
            BEGINS,
            ENDS,
            "EVCXR_PANIC_NOTIFICATION\n",
            "EVCXR_EXECUTION_COMPLETE\n",
        ];
        assert_eq!(parts(&ends), [ran(PANIC), ran(COMPLETE)]);
        let changed = "EVCXR_VARIABLE_CHANGED_TYPE:x";
        let not_run = format!("{changed}\nEVCXR_EXECUTION_COMPLETE\n");
        assert_eq!(parts(&[&not_run]), [ran(changed), ran(COMPLETE)]);
        let message = "EVCXR_BEGIN_CONTENT application/x-notebook-stderr;secret=5e\nno\n\
            EVCXR_END_CONTENT;secret=5e\n";
        let failed = parts(&[BEGINS, message, "EVCXR_ERROR_OCCURRED\n"]);
        assert_eq!(
            failed,
            [Part::Block(STDERR_TYPE.into(), "no".into()), ran(ERROR)]
        );
    }

    #[test]
    fn the_end_of_the_cell_ends_a_block() {
        let begun = "EVCXR_BEGIN_CONTENT text/plain\nhalf\n";
        let found = parts(&[BEGINS, begun, ENDS, "EVCXR_PANIC_NOTIFICATION\n"]);
        let begin = said("EVCXR_BEGIN_CONTENT text/plain\n");
        assert_eq!(found, [begin, said("half\n"), ran(PANIC)]);
    }

    #[test]
    fn what_does_not_end_is_text() {
        let line = "x".repeat(LONGEST_LINE);
        assert_eq!(parts(&["EVCXR_", &line])[0], said("EVCXR_"));
        let output = "x\n".repeat(LONGEST_PLAIN_OUTPUT / 2 + 1);
        let found = parts(&["EVCXR_BEGIN_CONTENT text/plain\n", &output]);
        assert_eq!(found[1..], [said(&output)]);
    }

    #[test]
    fn other_lines_with_the_prefix_are_text() {
        assert_eq!(
            parts(&["EVCXR_TMPDIR is a variable\n"]),
            [said("EVCXR_TMPDIR is a variable\n")]
        );
        assert_eq!(parts(&["EVCXR_"]), [said("EVCXR_")]);
    }
}
