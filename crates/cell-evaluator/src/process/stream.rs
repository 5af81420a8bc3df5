//! Splits the standard output of the process that runs the cells into printed text and displayed
//! outputs.
//!
//! Anything that a cell prints could look like an output. So an output counts only if it carries
//! the kernel's secret or is plain text.

use memchr::memmem;
use notebook::convention::{
    ALLOW_PRINTED_OUTPUTS_TYPE, BEGIN_CONTENT, END_CONTENT, SECRET_PARAMETER,
};

/// The prefix of the lines around outputs.
const PREFIX: &[u8] = b"EVCXR_";
/// The line with which evcxr's input crate asks for a line of text; the prompt follows a colon.
const INPUT: &str = "EVCXR_INPUT_REQUEST";
/// Maximum length of a line with the prefix, in bytes; a longer one is text.
const LONGEST_LINE: usize = 1 << 16;
/// Maximum length of an output without the secret, in bytes; a longer one is text.
const LONGEST_PLAIN_OUTPUT: usize = 1 << 24;

/// A piece of a cell's output.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// Printed text.
    Text(String),
    /// A value in one format: MIME type and content.
    Block(String, String),
    /// The first line of an output without the secret, treated as text.
    Disbelieved(String),
    /// A line that asks for a line of input; the prompt follows a colon.
    Question(String),
}

/// Accepts bytes as they arrive, and returns text immediately, even without a newline.
pub struct Parser {
    /// The parameter with the secret.
    secret: String,
    rest: Vec<u8>,
    /// How many bytes of the rest have already been searched for the end of the block.
    searched: usize,
    block: Option<Block>,
    /// Whether outputs without the secret are accepted.
    believes_all: bool,
}

/// A block whose end has not arrived yet.
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
            believes_all: false,
        }
    }

    pub fn push(&mut self, bytes: &[u8]) -> Vec<Part> {
        self.rest.extend_from_slice(bytes);
        std::iter::from_fn(|| self.next_part()).collect()
    }

    /// Ends the cell: whatever was held back, including an unfinished output, is text.
    pub fn finish(&mut self) -> Option<Part> {
        let begun = self.block.take().map(|block| block.line);
        self.searched = 0;
        let rest = text(&std::mem::take(&mut self.rest));
        let all = begun.unwrap_or_default() + &rest;
        (!all.is_empty()).then_some(Part::Text(all))
    }

    fn next_part(&mut self) -> Option<Part> {
        loop {
            if let Some(block) = self.block.take() {
                match self.end_of(&block) {
                    BlockEnd::Here(start, length) => {
                        let content = self.split_off(start + length);
                        let content = &content[..start];
                        let content = content.strip_suffix(b"\n").unwrap_or(content);
                        if block.has_secret && block.mime == ALLOW_PRINTED_OUTPUTS_TYPE {
                            self.believes_all = true;
                            continue;
                        }
                        return Some(Part::Block(block.mime, text(content)));
                    }
                    BlockEnd::NotYet => {
                        self.block = Some(block);
                        return None;
                    }
                    BlockEnd::Never => {
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
                    if let Some(part) = self.line(line) {
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

    /// Interprets a line with the prefix; `None` if it only starts a block.
    fn line(&mut self, line: String) -> Option<Part> {
        let marked = line.strip_suffix(&self.secret);
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
        if line.starts_with(INPUT) {
            return Some(Part::Question(line));
        }
        Some(Part::Text(line + "\n"))
    }

    /// Finds the end of the block that the rest starts with.
    fn end_of(&mut self, block: &Block) -> BlockEnd {
        let secret = if block.has_secret { &*self.secret } else { "" };
        let last = format!("{END_CONTENT}{secret}");
        let from = self.searched.saturating_sub(last.len());
        if let Some(start) = line_start(&self.rest, &last, from) {
            self.searched = 0;
            return BlockEnd::Here(start, last.len() + 1);
        }
        self.searched = self.rest.len();
        let is_too_long = !block.has_secret && self.rest.len() > LONGEST_PLAIN_OUTPUT;
        match is_too_long {
            true => BlockEnd::Never,
            false => BlockEnd::NotYet,
        }
    }

    fn split_off(&mut self, count: usize) -> Vec<u8> {
        let rest = self.rest.split_off(count);
        std::mem::replace(&mut self.rest, rest)
    }
}

enum BlockEnd {
    /// The start and length of its last line.
    Here(usize, usize),
    NotYet,
    Never,
}

/// How many bytes at the end may be the start of a line with the prefix or of a character.
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

/// The start of the next complete line that is exactly `wanted`.
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
            .flat_map(|piece| parser.push(piece.as_bytes()))
            .collect();
        parts.extend(parser.finish());
        parts
    }

    fn said(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    #[test]
    fn text_without_a_newline_comes_at_once() {
        let mut parser = Parser::new("5e");
        assert_eq!(parser.push(b"abc"), [said("abc")]);
        assert_eq!(parser.push(b"EVCXR_"), []);
        assert_eq!(parser.finish(), Some(said("EVCXR_")));
    }

    #[test]
    fn lines_and_characters_may_come_in_pieces() {
        let mut parser = Parser::new("5e");
        let mut push = |piece: &[u8]| parser.push(piece);
        assert_eq!(push(b"xEVC"), [said("x")]);
        let question = Part::Question("EVCXR_INPUT_REQUEST:name?".to_owned());
        assert_eq!(push(b"XR_INPUT_REQUEST:name?\n"), [question]);
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
        let found: Vec<Part> = bytes.flat_map(|byte| parser.push(byte)).collect();
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
    fn the_end_of_the_cell_ends_a_block() {
        let begun = "EVCXR_BEGIN_CONTENT text/plain\nhalf\n";
        assert_eq!(parts(&[begun]), [said(begun)]);
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
