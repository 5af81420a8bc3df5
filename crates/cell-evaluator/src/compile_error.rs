//! The compiler's errors in a cell, in terms of the notebook.

use crate::rustc::{RustcMessage, Span};
use crate::scope::Scope;
use crate::source_text::{CellPlace, SourceText};
use crate::wording;
use serde_json::Value;

/// An error from the compiler, and the places in cells it refers to.
#[derive(Clone, Debug, Default)]
pub struct CompileError {
    /// `error` or `warning`.
    pub level: String,
    /// The compiler's message, in the notebook's terms.
    pub message: String,
    /// The error code, such as `E0382`.
    pub code: Option<String>,
    /// The places that it refers to, the most important first.
    pub places: Vec<ErrorPlace>,
    /// The compiler's suggestions.
    pub suggestions: Vec<Suggestion>,
    /// The whole message in rustc's `--error-format=json`; its places are those in the generated
    /// source.
    pub json: Value,
}

/// A place in a cell, with its label.
#[derive(Clone, Debug)]
pub struct ErrorPlace {
    /// The cell, and the range in it.
    pub place: CellPlace,
    /// What the compiler says about this place; may be empty.
    pub label: String,
    /// Whether the error is here, rather than in code that explains it (rustc: a primary span).
    pub is_primary: bool,
}

/// A change that could fix an error.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The advice.
    pub message: String,
    /// The replacements to make in cells; empty if part of the change is outside them.
    pub edits: Vec<(CellPlace, String)>,
    /// The suggested text, even if it would go outside the cells.
    pub replacement: Option<String>,
}

impl CompileError {
    /// An error found without the compiler.
    pub fn of_cell(message: String, place: CellPlace, label: &str) -> CompileError {
        let label = label.to_owned();
        CompileError {
            level: "error".to_owned(),
            message,
            places: vec![ErrorPlace {
                place,
                label,
                is_primary: true,
            }],
            ..CompileError::default()
        }
    }

    /// Adds a suggestion that makes no edits.
    pub fn with_help(mut self, message: &str) -> CompileError {
        self.suggestions.push(Suggestion {
            message: message.to_owned(),
            edits: Vec::new(),
            replacement: None,
        });
        self
    }
}

/// Translates the compiler's messages.
pub fn compile_errors(
    errors: &[RustcMessage],
    source: &SourceText,
    scope: &Scope,
) -> Vec<CompileError> {
    let worded = |text: &str| wording::of_notebook(text, scope);
    errors
        .iter()
        .map(|one| compile_error(one, source, &worded))
        .collect()
}

fn compile_error(
    message: &RustcMessage,
    source: &SourceText,
    worded: &dyn Fn(&str) -> String,
) -> CompileError {
    let mut json = message.json.clone();
    word(&mut json, worded);
    let mut spans: Vec<&Span> = message.spans.iter().collect();
    spans.sort_by_key(|span| !span.is_primary);
    let error_place = |span: &Span| {
        Some(ErrorPlace {
            place: place(span, source)?,
            label: worded(span.label.as_deref().unwrap_or_default()),
            is_primary: span.is_primary,
        })
    };
    let suggestions = message
        .children
        .iter()
        .filter(|child| child.level == "help");
    CompileError {
        level: message.level.clone(),
        message: worded(&message.message),
        code: message.code.as_ref().map(|code| code.code.clone()),
        places: spans.into_iter().filter_map(error_place).collect(),
        suggestions: suggestions
            .map(|child| suggestion(child, source, worded))
            .collect(),
        json,
    }
}

fn place(span: &Span, source: &SourceText) -> Option<CellPlace> {
    let written = source.in_cell(span.byte_start..span.byte_end);
    written.or_else(|| source.shown_at(span.byte_start))
}

fn suggestion(
    child: &RustcMessage,
    source: &SourceText,
    worded: &dyn Fn(&str) -> String,
) -> Suggestion {
    let spans = child.spans.iter();
    let suggested: Vec<(&Span, &String)> = spans
        .filter_map(|span| Some((span, span.suggested_replacement.as_ref()?)))
        .collect();
    let edits: Option<Vec<(CellPlace, String)>> = suggested
        .iter()
        .map(|(span, text)| Some((place(span, source)?, (*text).clone())))
        .collect();
    Suggestion {
        message: worded(&child.message),
        edits: edits.unwrap_or_default(),
        replacement: suggested.first().map(|(_, text)| worded(text.trim_end())),
    }
}

/// Rewrites every message and label in the notebook's terms.
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
