//! Turns compiler messages into one or two sentences of advice, for the mistakes learners make most
//! often in notebooks on array computing.
//!
//! Each module handles one kind of mistake and returns `None` unless it is sure.

mod accumulators;
mod arguments;
mod arrays;
mod borrowed;
mod calls;
mod changed;
mod commas;
mod fallible;
mod formats;
mod functions;
mod kept;
mod lists;
mod loops;
mod moved;
mod names;
mod numbers;
mod out_of_bounds;
mod overflow;
mod python;
mod ranges;
mod references;
mod results;
mod rust_lists;
mod shadowed;
mod undefined;
mod words;
mod written;

use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};
use crate::earlier_cells::EarlierCells;
use crate::variable::Variable;

/// Context for interpreting messages.
pub struct Known<'a> {
    pub cell: &'a str,
    /// The notebook's variables before this cell.
    pub variables: &'a [Variable],
    pub earlier_cells: &'a EarlierCells,
}

/// A sentence of advice and the suggested changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Hint {
    pub text: String,
    /// Changes to the cell; only the changed lines are shown.
    pub edits: Vec<Edit>,
}

impl Hint {
    fn new(text: impl Into<String>) -> Hint {
        Hint {
            text: text.into(),
            edits: Vec::new(),
        }
    }

    fn with(text: impl Into<String>, edits: Vec<Edit>) -> Hint {
        let text = text.into();
        Hint { text, edits }
    }
}

type HintFor = fn(&Diagnostic, &Known<'_>) -> Option<Hint>;

/// One function for each kind of mistake; the first that returns a hint wins.
const HINTS: [HintFor; 29] = [
    python::hint,
    words::hint,
    calls::hint,
    fallible::hint,
    ranges::hint,
    commas::hint,
    formats::hint,
    undefined::hint,
    kept::hint,
    shadowed::hint,
    names::hint,
    functions::hint,
    lists::hint,
    rust_lists::hint,
    arrays::hint,
    references::hint,
    numbers::mixed,
    borrowed::hint,
    loops::hint,
    changed::hint,
    moved::hint,
    accumulators::hint,
    numbers::converted,
    out_of_bounds::hint,
    overflow::hint,
    written::hint,
    results::hint,
    arguments::hint,
    changed::another_type,
];

/// Removes errors that are consequences of another, clearer one.
pub fn forget_consequences(errors: &mut Vec<Diagnostic>, known: &Known<'_>) {
    words::forget_consequences(errors, known);
    python::forget_consequences(errors, known);
    references::forget_consequences(errors, known);
    written::forget_consequences(errors);
    changed::forget_consequences(errors, known);
}

/// The advice for a compiler message.
pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    HINTS.iter().find_map(|kind| kind(diagnostic, known))
}

/// Explains the message of a panic.
pub fn panic(message: &str) -> Option<&'static str> {
    overflow::of_panic(message)
}

/// The advice for a variable whose type cannot be written.
pub fn without_a_name(name: &str, known: &Known<'_>) -> Hint {
    kept::without_a_name(name, known)
}

/// Whether names may contain this character.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text looks like a single name.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word)
}

/// The receiver of a method call: `q.row(0)` in `q.row(0).sqrt()`.
fn receiver(cell: &str, method: LineSpan) -> Option<LineSpan> {
    let chars: Vec<char> = line(cell, method.line).chars().collect();
    let end = method.start.checked_sub(1)?;
    let mut start = end;
    let mut open = 0;
    while let Some(c) = start.checked_sub(1).and_then(|place| chars.get(place)) {
        match c {
            ')' | ']' => open += 1,
            '(' | '[' if open > 0 => open -= 1,
            c if open > 0 || c.is_alphanumeric() || "_.".contains(*c) => {}
            _ => break,
        }
        start -= 1;
    }
    (chars.get(end) == Some(&'.') && start < end).then_some(LineSpan {
        line: method.line,
        start,
        end,
    })
}

impl Known<'_> {
    fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    fn has_variable(&self, name: &str) -> bool {
        self.variable(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Help, Mark};

    /// A message that marks this part of the cell, with an empty help.
    pub(super) fn diagnostic(code: &str, message: &str, cell: &str, part: &str) -> Diagnostic {
        let start = cell.find(part).expect("the part");
        let place = LineSpan {
            line: 1,
            start,
            end: start + part.len(),
        };
        Diagnostic {
            level: "error".to_owned(),
            code: Some(code.to_owned()),
            message: message.to_owned(),
            marks: vec![Mark {
                place,
                label: String::new(),
                is_primary: true,
            }],
            helps: vec![Help::default()],
            declaration: None,
            wanted: None,
            all: message.to_owned(),
        }
    }

    pub(super) fn said(diagnostic: &Diagnostic, cell: &str) -> String {
        let variables = [("q", "ndarray::Array2<f32>"), ("y", "f32"), ("n", "i32")];
        let variables = variables.map(|(name, type_name)| Variable {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
        });
        let known = Known {
            cell,
            variables: &variables,
            earlier_cells: &EarlierCells::default(),
        };
        let hint = hint(diagnostic, &known).unwrap_or_default();
        let lines = crate::diagnostic::corrected(cell, &hint.edits);
        format!("{}|{}", hint.text, lines.join("|"))
    }

    #[test]
    fn a_closure_that_outlives_its_cell_is_given_a_copy() {
        let cell = "slider(\"t\", 0.1..=4.0, 1.0, |t| heatmap(&(&q / t)))";
        let message = "closure may outlive the current function, but it borrows `q`, which is \
            owned by the current function";
        let said = said(&diagnostic("E0373", message, cell, "|t|"), cell);
        assert!(said.contains("write `move` before its first `|`"), "{said}");
        assert!(said.contains("{ let q = q.clone(); ... }"), "{said}");
    }

    #[test]
    fn several_words_get_quotes_and_variables_do_not() {
        let told = |cell: &str, part: &str| {
            let message = format!("expected one of `)`, `,`, `.`, or an operator, found `{part}`");
            let mut diagnostic = diagnostic("", &message, cell, part);
            diagnostic.code = None;
            said(&diagnostic, cell)
        };
        let quoted = "text of several words must be in quotes|predict::x(\"it stays the same\")";
        assert_eq!(told("predict::x(it stays the same)", "stays"), quoted);
        assert_eq!(told("predict::x(it stays the same)", ")"), quoted);
        assert!(told("say(about 4 times)", "4").ends_with("|say(\"about 4 times\")"));
        assert_eq!(told("scores(q other)", "other"), "|");
        assert_eq!(told("f(1 2)", "2"), "|");
        assert_eq!(told("(a b)", "b"), "|");
        assert_eq!(told("f(let x)", "x"), "|");
    }

    #[test]
    fn words_without_quotes_are_no_missing_names() {
        let cell = "say(they grow); other";
        let mut syntax = diagnostic("", "expected one of `)` or `,`, found `grow`", cell, "grow");
        syntax.code = None;
        let missing = |name| diagnostic("E0425", "cannot find value in this scope", cell, name);
        let mut errors = vec![syntax.clone(), missing("they"), missing("other")];
        let known = Known {
            cell,
            variables: &[],
            earlier_cells: &EarlierCells::default(),
        };
        forget_consequences(&mut errors, &known);
        let left: Vec<Option<&str>> = errors.iter().map(|one| one.code.as_deref()).collect();
        assert_eq!(left, [None, Some("E0425")]);
        assert_eq!(errors[1].marks[0].place.start, 16);
    }

    #[test]
    fn an_integer_beside_a_float_gets_its_point() {
        for (cell, message, line) in [
            ("y + 1", "cannot add `{integer}` to `f32`", "|y + 1.0"),
            (
                "2 * &q",
                "cannot multiply `{integer}` by `&ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32>`",
                "|2.0 * &q",
            ),
            ("y * n", "cannot multiply `f32` by `i32`", "|y * n as f32"),
        ] {
            let operator = if cell.contains('+') { "+" } else { "*" };
            let said = said(&diagnostic("E0277", message, cell, operator), cell);
            assert!(said.ends_with(line), "{said}");
        }
    }
}
