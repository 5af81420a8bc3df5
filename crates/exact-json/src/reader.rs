//! Parses text into values.

use crate::Json;
use serde::de::{Error, IgnoredAny};

/// The depth limit of serde_json.
const DEEPEST: usize = 128;

pub(crate) fn read(text: &str) -> Result<Json, serde_json::Error> {
    // The rest relies on the text being valid JSON.
    serde_json::from_str::<IgnoredAny>(text)?;
    let too_deep = || serde_json::Error::custom(format!("it is nested more than {DEEPEST} deep"));
    Reader { rest: text }.value(DEEPEST).ok_or_else(too_deep)
}

/// The remainder of a text known to be JSON.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// The next value; `None` if it is nested more than `depth` levels deep.
    fn value(&mut self, depth: usize) -> Option<Json> {
        if self.take('[') {
            let mut elements = Vec::new();
            while !self.take(']') {
                elements.push(self.value(depth.checked_sub(1)?)?);
                self.take(',');
            }
            return Some(Json::List(elements));
        }
        if self.take('{') {
            let mut members = Vec::new();
            while !self.take('}') {
                let name = self.plain();
                self.take(':');
                members.push((name, self.value(depth.checked_sub(1)?)?));
                self.take(',');
            }
            return Some(Json::Object(members));
        }
        Some(Json::Plain(self.plain()))
    }

    /// Consumes this character if it is the next one.
    fn take(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// A string, number or keyword.
    fn plain(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end = match self.rest.starts_with('"') {
            true => end_of_text(self.rest),
            false => self
                .rest
                .find(|c: char| ",]}".contains(c) || c.is_ascii_whitespace()),
        };
        let (plain, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        plain.to_owned()
    }
}

/// The length in bytes of the string that `text` begins with; `None` if it is not closed.
fn end_of_text(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let is_end = |(_, byte): &(usize, u8)| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    let (last, _) = text.bytes().enumerate().skip(1).find(is_end)?;
    Some(last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stays_as_it_was_written() {
        let text = r#"{
 "z": 123456789012345678901234567890,
 "a": 0.1000000000000000055,
 "a": 1e400,
 "half": "\ud800 \\\" \u00e4 ä",
 "\ud800": [],
 "words": [
  true,
  -0,
  {},
  null
 ]
}"#;
        assert_eq!(read(text).expect("JSON").pretty(" "), text);
        let dense: String = text.split("\n").map(str::trim).collect();
        assert_eq!(read(&dense).expect("JSON").pretty(" "), text);
        for plain in ["1", " \"a\" ", "[]", "null\n"] {
            assert_eq!(read(plain).expect("JSON").pretty(" "), plain.trim());
        }
    }

    #[test]
    fn the_last_of_several_members_counts() {
        let mut json = read(r#"{"a": 1, "b": 2, "\u0061": 3}"#).expect("JSON");
        json.set("a", Json::Plain("4".to_owned()));
        json.set("c", Json::Plain("5".to_owned()));
        json.retain(|name| name != "b");
        let expected = read(r#"{"a": 1, "\u0061": 4, "c": 5}"#);
        assert_eq!(json, expected.expect("JSON"));
    }

    #[test]
    fn what_is_not_json_or_too_deep_is_refused() {
        for text in ["", "{", "[1 2]", "{\"a\" 1}", "\"a", "1 2", "nul"] {
            assert!(read(text).is_err(), "{text}");
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(128)).is_ok());
        let message = read(&nested(100_000)).expect_err("too deep").to_string();
        assert_eq!(message, "it is nested more than 128 deep");
    }
}
