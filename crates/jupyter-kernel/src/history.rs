//! The cells that have been run, for the front end's arrow keys and search.

use crate::message::Message;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The number of the only session, which lasts as long as the kernel.
const SESSION: u64 = 1;

#[derive(Default)]
pub struct History {
    entries: Vec<Entry>,
}

struct Entry {
    number: u64,
    source: String,
    output: Option<String>,
}

impl History {
    pub fn add(&mut self, number: u64, source: &str, output: Option<String>) {
        self.entries.push(Entry {
            number,
            source: source.to_owned(),
            output,
        });
    }

    /// The content of the reply to a `history_request`.
    pub fn reply(&self, request: &Message) -> Value {
        let mut found: Vec<&Entry> = self
            .entries
            .iter()
            .filter(|entry| entry.is_wanted(request))
            .collect();
        if request.flag("unique", false) {
            found = without_repetitions(found);
        }
        let most = request.content["n"].as_u64();
        let surplus = found
            .len()
            .saturating_sub(most.map_or(usize::MAX, |most| most as usize));
        let with_output = request.flag("output", false);
        let entry = |entry: &&Entry| match with_output {
            true => json!([SESSION, entry.number, [entry.source, entry.output]]),
            false => json!([SESSION, entry.number, entry.source]),
        };
        let history: Vec<Value> = found[surplus..].iter().map(entry).collect();
        json!({ "status": "ok", "history": history })
    }
}

impl Entry {
    fn is_wanted(&self, request: &Message) -> bool {
        match request.text("hist_access_type") {
            "range" => {
                let of_this_session = request.content["session"]
                    .as_i64()
                    .is_none_or(|session| session == 0 || session == SESSION as i64);
                let number = |name: &str| request.content[name].as_u64();
                let start = number("start").unwrap_or(0);
                let stop = number("stop").unwrap_or(u64::MAX);
                of_this_session && (start..stop).contains(&self.number)
            }
            "search" => is_like(request.text("pattern"), &self.source),
            _ => true,
        }
    }
}

/// Keeps only the last of identical cells.
fn without_repetitions(entries: Vec<&Entry>) -> Vec<&Entry> {
    let mut later = HashSet::new();
    let latest_first = entries.into_iter().rev();
    let latest_first: Vec<&Entry> = latest_first
        .filter(|entry| later.insert(&entry.source))
        .collect();
    latest_first.into_iter().rev().collect()
}

/// Whether `text` matches a pattern, in which `*` stands for anything and `?` for one character.
///
/// For each part between two stars, the leftmost match is enough: it leaves the most text for the
/// rest of the pattern, so there is no need to backtrack.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((first, pattern)) = pattern.split_once('*') else {
        return after(pattern, text) == Some("");
    };
    let Some(mut rest) = after(first, text) else {
        return false;
    };
    let (middle, last) = pattern.rsplit_once('*').unwrap_or(("", pattern));
    for part in middle.split('*') {
        match after_first(part, rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    ends_like(last, rest)
}

/// The rest of the text after a prefix that matches a part of a pattern; `None` if there is no
/// match.
fn after<'a>(part: &str, text: &'a str) -> Option<&'a str> {
    let mut characters = text.chars();
    for wanted in part.chars() {
        let found = characters.next()?;
        if wanted != '?' && wanted != found {
            return None;
        }
    }
    Some(characters.as_str())
}

/// The text after the first match of a part of a pattern.
fn after_first<'a>(part: &str, text: &'a str) -> Option<&'a str> {
    if !part.contains('?') {
        return text.find(part).map(|start| &text[start + part.len()..]);
    }
    let mut starts = text.char_indices().map(|(start, _)| start);
    starts.find_map(|start| after(part, &text[start..]))
}

fn ends_like(part: &str, text: &str) -> bool {
    let length = part.chars().count();
    let start = match length {
        0 => Some(text.len()),
        _ => text
            .char_indices()
            .rev()
            .nth(length - 1)
            .map(|(start, _)| start),
    };
    start.is_some_and(|start| after(part, &text[start..]).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reply for a history of two cells that were each run twice.
    fn answer(content: Value) -> Value {
        let mut history = History::default();
        let cells = [("1 + 1", Some("2")), ("let a = 1;", None)];
        for (number, (source, output)) in cells.iter().chain(&cells).enumerate() {
            history.add(number as u64 + 1, source, output.map(str::to_owned));
        }
        let request = Message {
            identities: Vec::new(),
            header: json!({}),
            metadata: Value::Null,
            content,
            fault: None,
        };
        history.reply(&request)["history"].clone()
    }

    #[test]
    fn a_range_has_its_start_in_it_and_not_its_end() {
        let range = |session: i64| {
            answer(json!({
                "hist_access_type": "range", "session": session, "start": 2, "stop": 4,
            }))
        };
        let expected = json!([[1, 2, "let a = 1;"], [1, 3, "1 + 1"]]);
        assert_eq!(range(0), expected);
        assert_eq!(range(1), expected);
        assert_eq!(
            range(-1),
            json!([]),
            "the kernel's life before has left nothing"
        );
    }

    #[test]
    fn the_tail_has_the_last_cells_with_their_outputs() {
        let tail = answer(json!({ "hist_access_type": "tail", "n": 2, "output": true }));
        assert_eq!(
            tail,
            json!([[1, 3, ["1 + 1", "2"]], [1, 4, ["let a = 1;", null]]])
        );
    }

    #[test]
    fn of_equal_cells_the_last_one_is_found_and_the_order_stays() {
        let unique = answer(json!({
            "hist_access_type": "search", "pattern": "*1*", "unique": true,
        }));
        assert_eq!(unique, json!([[1, 3, "1 + 1"], [1, 4, "let a = 1;"]]));
    }

    #[test]
    fn patterns_have_stars_and_question_marks() {
        for (pattern, text) in [
            ("let*", "let a = 1;"),
            ("*あ?", "let あ1"),
            ("*", ""),
            ("", ""),
            ("a?c", "aあc"),
            ("*b*b", "abb"),
            ("a**c", "abc"),
            ("*b?d*f", "abcd b-d ef"),
            ("ab*b", "abb"),
        ] {
            assert!(is_like(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("let", "let a"),
            ("ab*b", "ab"),
            ("*?", ""),
            ("?", "ab"),
            ("*ab*ab*", "aab ba"),
            ("a*bc*c", "abc"),
            ("*c?", "abc"),
            ("a*b", "abc"),
        ] {
            assert!(!is_like(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_longer_than_one() {
        // A backtracking search would take practically forever.
        let text = "a".repeat(100_000);
        assert!(!is_like(&("*a".repeat(100) + "*b"), &text));
        assert!(is_like(&("*a".repeat(100) + "*"), &text));
        assert!(!is_like(&("*a?".repeat(100) + "*b"), &text));
    }
}
