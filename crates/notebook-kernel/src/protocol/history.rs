//! The cells that were run, for the front end's arrow keys and search.

use crate::protocol::message::Message;
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
            "search" => {
                let pattern: Vec<char> = request.text("pattern").chars().collect();
                is_like(&pattern, &self.source.chars().collect::<Vec<char>>())
            }
            _ => true,
        }
    }
}

/// Of equal cells the last one.
fn without_repetitions(entries: Vec<&Entry>) -> Vec<&Entry> {
    let mut latest_first: Vec<&Entry> = Vec::new();
    for entry in entries.into_iter().rev() {
        if latest_first
            .iter()
            .all(|later| later.source != entry.source)
        {
            latest_first.push(entry);
        }
    }
    latest_first.into_iter().rev().collect()
}

/// Whether a text is like a pattern, in which `*` stands for anything and `?` for
/// one character.
fn is_like(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', rest @ ..] => (0..=text.len()).any(|start| is_like(rest, &text[start..])),
        [first, rest @ ..] => match text {
            [found, text @ ..] => (*first == '?' || first == found) && is_like(rest, text),
            [] => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the history of four cells, of which two are equal, answers.
    fn answer(content: Value) -> Value {
        let mut history = History::default();
        let cells = [("1 + 1", Some("2")), ("let a = 1;", None)];
        for (number, (source, output)) in cells.iter().chain(&cells).enumerate() {
            history.add(number as u64 + 1, source, output.map(str::to_owned));
        }
        let request = Message {
            identities: Vec::new(),
            header: json!({}),
            content,
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
        let is_match = |pattern: &str, text: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<char>>();
            is_like(&chars(pattern), &chars(text))
        };
        assert!(is_match("let*", "let a = 1;"));
        assert!(is_match("*あ?", "let あ1"));
        assert!(!is_match("let", "let a"));
        assert!(is_match("*", ""));
    }
}
