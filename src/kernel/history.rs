//! The cells that were run, for the front end's arrow keys and search.

use super::message::Message;
use serde_json::{Value, json};

/// There is one session: this kernel's life.
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
        let number = |name: &str| request.content[name].as_u64();
        let most = number("n").map_or(usize::MAX, |n| n as usize);
        let mut found: Vec<&Entry> = match request.text("hist_access_type") {
            "range" => {
                let of_this_session = request.content["session"]
                    .as_i64()
                    .is_none_or(|session| session == 0 || session == SESSION as i64);
                let start = number("start").unwrap_or(0);
                let stop = number("stop").unwrap_or(u64::MAX);
                let is_asked =
                    |entry: &&Entry| of_this_session && (start..stop).contains(&entry.number);
                self.entries.iter().filter(is_asked).collect()
            }
            "search" => {
                let pattern: Vec<char> = request.text("pattern").chars().collect();
                let is_match = |entry: &&Entry| {
                    matches(&pattern, &entry.source.chars().collect::<Vec<char>>())
                };
                self.entries.iter().filter(is_match).collect()
            }
            _ => self.entries.iter().collect(),
        };
        if request.flag("unique", false) {
            let mut latest_first: Vec<&Entry> = Vec::new();
            for entry in found.into_iter().rev() {
                if latest_first
                    .iter()
                    .all(|later| later.source != entry.source)
                {
                    latest_first.push(entry);
                }
            }
            found = latest_first.into_iter().rev().collect();
        }
        let surplus = found.len().saturating_sub(most);
        let with_output = request.flag("output", false);
        let entry = |entry: &&Entry| match with_output {
            true => json!([SESSION, entry.number, [entry.source, entry.output]]),
            false => json!([SESSION, entry.number, entry.source]),
        };
        let history: Vec<Value> = found[surplus..].iter().map(entry).collect();
        json!({ "status": "ok", "history": history })
    }
}

/// Whether a text is like a pattern, in which `*` stands for anything and `?` for
/// one character.
fn matches(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', rest @ ..] => (0..=text.len()).any(|start| matches(rest, &text[start..])),
        [first, rest @ ..] => match text {
            [found, text @ ..] => (*first == '?' || first == found) && matches(rest, text),
            [] => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_stars_and_question_marks() {
        let is_match = |pattern: &str, text: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<char>>();
            matches(&chars(pattern), &chars(text))
        };
        assert!(is_match("let*", "let a = 1;"));
        assert!(is_match("*あ?", "let あ1"));
        assert!(!is_match("let", "let a"));
        assert!(is_match("*", ""));
    }
}
