//! The standard output of the evaluation process, taken apart: printed text, and
//! the lines that its runtime and its displays add.

use notebook::convention::{BEGIN_CONTENT, END_CONTENT};

/// What all lines of the runtime and of displays begin with.
const PREFIX: &[u8] = b"EVCXR_";
pub const PANIC: &str = "EVCXR_PANIC_NOTIFICATION";
pub const ERROR: &str = "EVCXR_ERROR_OCCURRED";
pub const INPUT: &str = "EVCXR_INPUT_REQUEST";
/// Lines for evcxr, whole or up to here.
const FOR_EVCXR: [&str; 5] = [
    "EVCXR_EXECUTION_COMPLETE",
    PANIC,
    ERROR,
    "EVCXR_VARIABLE_CHANGED_TYPE:",
    INPUT,
];

#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// A form of a value: MIME type and content.
    Block(String, String),
    /// A line of the runtime, which evcxr waits for.
    Runtime(String),
}

/// Takes the bytes as they come. Text is returned at once, also without a newline.
#[derive(Default)]
pub struct Parser {
    rest: Vec<u8>,
    /// The MIME type of the block whose end has not come yet.
    block: Option<String>,
}

impl Parser {
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Part> {
        self.rest.extend_from_slice(bytes);
        let mut parts = Vec::new();
        while let Some(part) = self.next_part() {
            parts.push(part);
        }
        parts
    }

    /// What was held back in the hope of more.
    pub fn finish(&mut self) -> Option<Part> {
        let rest = std::mem::take(&mut self.rest);
        (!rest.is_empty()).then(|| Part::Text(text(&rest)))
    }

    fn next_part(&mut self) -> Option<Part> {
        if let Some(mime) = self.block.clone() {
            if let Some(end) = line_start(&self.rest, END_CONTENT) {
                let block = self.split_off(end + END_CONTENT.len() + 1);
                let content = block[..end].strip_suffix(b"\n").unwrap_or(&block[..end]);
                self.block = None;
                return Some(Part::Block(mime, text(content)));
            }
            // A panic while a value was written: the block will not end.
            line_start(&self.rest, PANIC)?;
            self.block = None;
        }
        match find(&self.rest, PREFIX) {
            Some(0) => {
                let end = self.rest.iter().position(|&byte| byte == b'\n')?;
                let line = text(&self.split_off(end + 1)[..end]);
                if let Some(mime) = line.strip_prefix(BEGIN_CONTENT) {
                    self.block = Some(mime.to_owned());
                    return self.next_part();
                }
                let for_evcxr = FOR_EVCXR.iter().any(|start| line.starts_with(start));
                Some(match for_evcxr {
                    true => Part::Runtime(line),
                    false => Part::Text(line + "\n"),
                })
            }
            Some(start) => Some(Part::Text(text(&self.split_off(start)))),
            None => {
                let held_back = unfinished(&self.rest);
                let ready = self.rest.len() - held_back;
                (ready > 0).then(|| Part::Text(text(&self.split_off(ready))))
            }
        }
    }

    fn split_off(&mut self, count: usize) -> Vec<u8> {
        let rest = self.rest.split_off(count);
        std::mem::replace(&mut self.rest, rest)
    }
}

/// How many bytes at the end may be the start of a line of the runtime, or of a
/// character.
pub fn unfinished(bytes: &[u8]) -> usize {
    let of_prefix = (1..PREFIX.len())
        .rev()
        .find(|&count| bytes.ends_with(&PREFIX[..count]));
    let of_character = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.len() - error.valid_up_to(),
        _ => 0,
    };
    of_prefix.unwrap_or(0).max(of_character)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

/// Where a line begins that is exactly this, and whole.
fn line_start(bytes: &[u8], wanted: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = find(&bytes[from..], wanted.as_bytes()) {
        let start = from + found;
        let begins = start == 0 || bytes[start - 1] == b'\n';
        if begins && bytes.get(start + wanted.len()) == Some(&b'\n') {
            return Some(start);
        }
        from = start + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(pieces: &[&str]) -> Vec<Part> {
        let mut parser = Parser::default();
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
    fn text_without_a_newline_comes_at_once_and_apart_from_the_runtime() {
        let mut parser = Parser::default();
        assert_eq!(parser.push(b"abc"), [said("abc")]);
        assert_eq!(
            parser.push(b"defEVCXR_EXECUTION_COMPLETE\n"),
            [
                said("def"),
                Part::Runtime("EVCXR_EXECUTION_COMPLETE".into())
            ]
        );
    }

    #[test]
    fn lines_and_characters_may_come_in_pieces() {
        let mut parser = Parser::default();
        assert_eq!(parser.push(b"xEVC"), [said("x")]);
        assert_eq!(
            parser.push(b"XR_PANIC_NOTIFICATION\n"),
            [Part::Runtime(PANIC.into())]
        );
        assert_eq!(parser.push(&"あ".as_bytes()[..1]), []);
        assert_eq!(parser.push(&"あ".as_bytes()[1..]), [said("あ")]);
    }

    #[test]
    fn a_block_has_a_mime_type_and_content() {
        let content = "a\nEVCXR_END_CONTENT is a word\nand so is EVCXR_END_CONTENT\nb";
        let block = format!("EVCXR_BEGIN_CONTENT text/plain\n{content}\nEVCXR_END_CONTENT\n");
        let expected = Part::Block("text/plain".into(), content.into());
        assert_eq!(parts(&[&block]), [expected]);
    }

    #[test]
    fn a_panic_ends_a_block() {
        let found = parts(&["EVCXR_BEGIN_CONTENT text/plain\nhalf\nEVCXR_PANIC_NOTIFICATION\n"]);
        assert_eq!(found, [said("half\n"), Part::Runtime(PANIC.into())]);
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
