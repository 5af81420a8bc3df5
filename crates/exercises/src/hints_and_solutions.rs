//! Hints and solutions.

use crate::attempt::Texts;
use crate::listing;
use crate::store;
use crate::verdict::html::{boxed, code, paragraph};
use notebook::emit;
use std::fmt;

/// The colour of a hint's left edge.
const EDGE: &str = "#4a7fc1";

/// A hint or a solution, as a notebook displays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aid {
    title: String,
    text: String,
    code: Vec<(String, String)>,
}

impl Aid {
    /// The hint or solution as HTML.
    pub fn html(&self) -> String {
        let mut html = paragraph(&self.title, &self.text);
        for (title, text) in &self.code {
            html += &(paragraph(title, "") + &code(text));
        }
        boxed(EDGE, &html)
    }

    /// Displays it below the notebook's cell, as HTML and as text.
    pub fn evcxr_display(&self) {
        emit(&[
            ("text/html", &self.html()),
            ("text/plain", &self.to_string()),
        ]);
    }
}

impl fmt::Display for Aid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.title, self.text)?;
        let mut code = self.code.iter();
        code.try_for_each(|(title, text)| write!(f, "\n{title}:\n{text}"))
    }
}

impl Aid {
    /// The next hint; once all have been shown, the last one again.
    pub(crate) fn hint(name: &str, hints: &[&str]) -> Aid {
        let most = hints.len() as u32;
        // Errors are ignored: a learner who asks for a hint does not want to read about a file.
        let shown = store::change(|progress| progress.next_hint(name, most)).unwrap_or(0);
        Aid {
            title: format!("Hint {} of {most}", shown + 1),
            text: hints[shown as usize].to_owned(),
            code: Vec::new(),
        }
    }

    /// A solution: titles with the source code of functions below them. It is shown only after an
    /// attempt or after the last hint, and not if a teacher has hidden all solutions.
    pub(crate) fn solution(
        (name, title): (&str, &str),
        hints: usize,
        text: &str,
        code: Vec<(String, String)>,
    ) -> Aid {
        if std::env::var_os("ATTENTION_NOTEBOOKS_SOLUTIONS").is_some_and(|value| value == "hidden")
        {
            return Aid {
                title: "Not here".to_owned(),
                text: format!(
                    "Your teacher will show the solutions. Until then, `hint::{name}()` gives a hint."
                ),
                code: Vec::new(),
            };
        }
        let entry = store::now().unwrap_or_default().entries.remove(name);
        let entry = entry.unwrap_or_default();
        if entry.attempts == 0 && (entry.hints as usize) < hints {
            return Aid {
                title: "Not yet".to_owned(),
                text: format!(
                    "Try it first: the solution is shown after one attempt, right or wrong, or \
                     after the last hint. `hint::{name}()` helps you begin."
                ),
                code: Vec::new(),
            };
        }
        Aid {
            title: format!("Solution of \"{title}\""),
            text: text.to_owned(),
            code,
        }
    }
}

/// Returns the next hint for an exercise.
pub(crate) fn hint(exercise: Texts) -> Aid {
    Aid::hint(exercise.name, exercise.hints)
}

/// The solution of an exercise, shown only after an attempt or after the last hint.
pub(crate) fn solution(exercise: Texts) -> Aid {
    let shown = |which| listing::function(exercise.source, which, exercise.name);
    let code = vec![
        ("One way".to_owned(), shown("solution")),
        ("Another way".to_owned(), shown("another")),
    ];
    let text = format!("{} {}", exercise.explanation, exercise.pytorch);
    let names = (exercise.name, exercise.title);
    Aid::solution(names, exercise.hints.len(), &text, code)
}
