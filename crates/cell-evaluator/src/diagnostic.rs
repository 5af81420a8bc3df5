//! What the compiler says about a cell, in terms of the notebook.

use crate::rustc::{Message, Span};
use crate::scope::Scope;
use crate::source_text::{CellPlace, SourceText};
use crate::wording;
use serde_json::Value;

/// What the compiler says, and where in the cells.
#[derive(Clone, Debug, Default)]
pub struct Diagnostic {
    /// `error` or `warning`.
    pub level: String,
    /// What is wrong.
    pub message: String,
    /// The number of the error, as `E0382`.
    pub code: Option<String>,
    /// The places that it is about, the most important first.
    pub marks: Vec<Mark>,
    /// What the compiler advises.
    pub helps: Vec<Help>,
    /// All that the compiler has said, as its `--error-format=json` has it; places are those in the
    /// source that it saw.
    pub json: Value,
}

/// A place in a cell, and what is said about it.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where it is.
    pub place: CellPlace,
    /// What is said.
    pub label: String,
    /// Whether the mistake is here.
    pub is_primary: bool,
}

/// Advice.
#[derive(Clone, Debug)]
pub struct Help {
    /// What to do.
    pub message: String,
    /// How to change cells, each place with another text; nothing if a part of the change is not in
    /// a cell.
    pub edits: Vec<(CellPlace, String)>,
    /// The text that it would write, also where that cannot be placed.
    pub replacement: Option<String>,
}

impl Diagnostic {
    /// An error that the evaluator itself finds.
    pub fn of_cell(message: String, place: CellPlace, label: &str) -> Diagnostic {
        let label = label.to_owned();
        Diagnostic {
            level: "error".to_owned(),
            message,
            marks: vec![Mark {
                place,
                label,
                is_primary: true,
            }],
            ..Diagnostic::default()
        }
    }

    /// Advises something, too.
    pub fn with_help(mut self, message: &str) -> Diagnostic {
        self.helps.push(Help {
            message: message.to_owned(),
            edits: Vec::new(),
            replacement: None,
        });
        self
    }
}

/// What all these messages mean.
pub fn diagnostics(errors: &[Message], source: &SourceText, scope: &Scope) -> Vec<Diagnostic> {
    let worded = |text: &str| wording::of_notebook(text, scope);
    errors
        .iter()
        .map(|one| diagnostic(one, source, &worded))
        .collect()
}

fn diagnostic(
    message: &Message,
    source: &SourceText,
    worded: &dyn Fn(&str) -> String,
) -> Diagnostic {
    let mut json = message.json.clone();
    word(&mut json, worded);
    let mut spans: Vec<&Span> = message.spans.iter().collect();
    spans.sort_by_key(|span| !span.is_primary);
    let mark = |span: &Span| {
        Some(Mark {
            place: place(span, source)?,
            label: worded(span.label.as_deref().unwrap_or_default()),
            is_primary: span.is_primary,
        })
    };
    let helps = message
        .children
        .iter()
        .filter(|child| child.level == "help");
    Diagnostic {
        level: message.level.clone(),
        message: worded(&message.message),
        code: message.code.as_ref().map(|code| code.code.clone()),
        marks: spans.into_iter().filter_map(mark).collect(),
        helps: helps.map(|child| help(child, source, worded)).collect(),
        json,
    }
}

fn place(span: &Span, source: &SourceText) -> Option<CellPlace> {
    let written = source.in_cell(span.byte_start..span.byte_end);
    written.or_else(|| source.shown_at(span.byte_start))
}

fn help(child: &Message, source: &SourceText, worded: &dyn Fn(&str) -> String) -> Help {
    let spans = child.spans.iter();
    let suggested: Vec<(&Span, &String)> = spans
        .filter_map(|span| Some((span, span.suggested_replacement.as_ref()?)))
        .collect();
    let edits: Option<Vec<(CellPlace, String)>> = suggested
        .iter()
        .map(|(span, text)| Some((place(span, source)?, (*text).clone())))
        .collect();
    Help {
        message: worded(&child.message),
        edits: edits.unwrap_or_default(),
        replacement: suggested.first().map(|(_, text)| worded(text.trim_end())),
    }
}

/// All sentences in the words of the notebook.
fn word(json: &mut Value, worded: &dyn Fn(&str) -> String) {
    match json {
        Value::Array(all) => all.iter_mut().for_each(|one| word(one, worded)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if ["message", "label"].contains(&name.as_str()) => {
                        *text = worded(text);
                    }
                    value => word(value, worded),
                }
            }
        }
        _ => {}
    }
}
