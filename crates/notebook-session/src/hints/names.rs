//! Undefined names, and names that mean something else.

use super::{Hint, Known, moved, python};
use crate::cell_syntax;
use crate::diagnostic::{Diagnostic, LineSpan, line};
use crate::earlier_cells::Reason;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let name = *diagnostic.quoted().first()?;
    match diagnostic.code.as_deref()? {
        "E0423" if diagnostic.message.contains("found macro") => {
            let quoted_name = diagnostic.quoted().last().copied().unwrap_or(name);
            Some(met_macro(quoted_name, diagnostic, known))
        }
        "E0425" | "E0433" | "E0412" => missing(name, diagnostic, known),
        _ if diagnostic.message.starts_with("cannot find macro") => {
            missing(name, diagnostic, known)
        }
        _ => None,
    }
}

fn met_macro(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Hint {
    if diagnostic.message.contains("expected function") {
        let calls = diagnostic
            .helps
            .iter()
            .find(|help| help.message.contains("use `!`"));
        let edits = calls.map(|help| help.edits.clone()).unwrap_or_default();
        let text = match name {
            "print" => {
                "`print!` is a macro: it needs its `!`, and a string with placeholders for values"
            }
            _ => "a macro is called with `!` after its name",
        };
        return match name {
            "print" => Hint::new(format!("{text}: `println!(\"{{}}\", x)`")),
            _ => Hint::with(text, edits),
        };
    }
    let there_is = format!("`{name}` is the macro `{name}![...]` here");
    Hint::new(match known.earlier_cells.why_missing(name) {
        Some(reason) if !matches!(reason, Reason::InBlock(..)) => {
            format!("{there_is}, no variable: {}", because(name, reason))
        }
        _ => format!(
            "{there_is}; there is no variable `{name}` yet: define it first (`let {name} = ...;`)"
        ),
    })
}

fn missing(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let number = diagnostic.primary().map_or(0, |place| place.line);
    if let Some(cell_syntax::DefinedIn::Cell(defined)) = cell_syntax::definition(known.cell, name)
        && (defined > number || defined == number && follows(name, diagnostic, known))
    {
        return Some(Hint::new(format!(
            "`{name}` is defined further down, on line {defined}: its `let` must come before its \
             first use"
        )));
    }
    if diagnostic
        .primary()
        .is_some_and(|place| is_argument_name(place, known.cell))
    {
        return Some(Hint::new(format!(
            "Rust has no named arguments: leave out `{name}=`, and pass the values in order"
        )));
    }
    let reason = known.earlier_cells.why_missing(name);
    let is_assigned = diagnostic
        .primary()
        .is_some_and(|place| begins_assignment(place, known.cell));
    match reason {
        None | Some(Reason::InBlock(..)) if is_assigned => {
            return Some(Hint::new(format!(
                "there is no variable `{name}` yet: `let {name} = ...;` makes one"
            )));
        }
        Some(reason) => return Some(Hint::new(because(name, reason))),
        None => {}
    }
    let similar = diagnostic
        .helps
        .iter()
        .filter(|help| help.message.contains("similar name"))
        .find(|help| matches!(&help.edits[..], [edit] if is_misspelt(name, &edit.text)))
        .map(|help| {
            let other = &help.edits[0].text;
            let text = format!("there is no `{name}`, but there is `{other}`");
            Hint::with(text, help.edits.clone())
        });
    let python = python::missing(name, diagnostic, known);
    // `input.row(0)` is a typo, but `input()` is Python.
    let hint = match diagnostic.message.starts_with("cannot find value") {
        true => similar.or(python),
        false => python.or(similar),
    };
    if hint.is_some() || !diagnostic.has_code("E0425") {
        return hint;
    }
    if diagnostic
        .helps
        .iter()
        .any(|help| help.message.contains("import"))
    {
        return None; // rustc suggests the import
    }
    let mut text = format!(
        "no cell that has run so far defines `{name}`: run the cell that does before this one, or \
         check the spelling"
    );
    let is_alone = diagnostic
        .primary()
        .is_some_and(|place| is_all_in_brackets(place, known.cell));
    if is_alone {
        text += &format!("; if it is text, put it in quotes: `\"{name}\"`");
    }
    Some(Hint::new(text))
}

/// Whether a name is a likely typo of another: one edit in at least 4 letters, two in at least 8,
/// or a difference only in case and underscores. rustc's own test is looser: it finds `np` similar
/// to `n`, and `y` to `k`.
fn is_misspelt(name: &str, other: &str) -> bool {
    let letters = |name: &str| name.replace('_', "").to_lowercase();
    let slips = match name.chars().count().max(other.chars().count()) {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    letters(name) == letters(other) || distance(name, other) <= slips
}

/// Edit distance: insertions, deletions, substitutions and swaps of adjacent letters.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, c) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, beside) in other.iter().enumerate() {
            let changed = rows[i][j] + usize::from(c != beside);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *c == other[j - 1] && one[i - 1] == *beside {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// Whether this is the only argument, as in `f(name)`.
fn is_all_in_brackets(place: LineSpan, cell: &str) -> bool {
    let chars: Vec<char> = line(cell, place.line).chars().collect();
    let before = chars[..place.start].iter().rev().find(|c| **c != ' ');
    let after = chars[place.end..].iter().find(|c| **c != ' ');
    before == Some(&'(') && after == Some(&')')
}

/// Whether the variable is defined later on the same line.
fn follows(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> bool {
    let Some(place) = diagnostic.primary() else {
        return false;
    };
    let rest: String = line(known.cell, place.line)
        .chars()
        .skip(place.end)
        .collect();
    [format!("let {name}"), format!("let mut {name}")]
        .iter()
        .any(|text| rest.contains(text))
}

/// Whether the line has the form `name = value`.
fn begins_assignment(place: LineSpan, cell: &str) -> bool {
    let chars: Vec<char> = line(cell, place.line).chars().collect();
    let begins = chars[..place.start].iter().all(|c| *c == ' ');
    let mut after = chars[place.end..].iter().filter(|c| **c != ' ');
    begins && after.next() == Some(&'=') && after.next() != Some(&'=')
}

/// Whether this is `name` in `f(name=value)`.
fn is_argument_name(place: LineSpan, cell: &str) -> bool {
    let chars: Vec<char> = line(cell, place.line).chars().collect();
    let before = chars[..place.start].iter().rev().find(|c| **c != ' ');
    let mut after = chars[place.end..].iter().filter(|c| **c != ' ');
    matches!(before, Some('(' | ',')) && after.next() == Some(&'=') && after.next() != Some(&'=')
}

pub(super) fn because(name: &str, reason: Reason) -> String {
    match reason {
        Reason::Moved(cell, into) => moved::in_earlier_cell(name, &cell, into.as_deref()),
        Reason::Lost(cell) => format!(
            "`{name}` was lost when the cells' process ended in {cell}: run the cell that \
             defines it again"
        ),
        Reason::Failed(cell) => format!(
            "`{name}` is defined in {cell}, which failed: correct that cell and run it again"
        ),
        Reason::NotRun => format!(
            "`{name}` is defined in a cell that was not run, because a cell before it had failed: \
             run it"
        ),
        Reason::InBlock(cell, line) => format!(
            "`{name}` is defined inside a block on line {line} of {cell}, and ends with the block: \
             define it before the block (`let mut {name} = ...;`) and assign to it inside"
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::{Edit, Help, LineSpan};
    use crate::hints::tests::{diagnostic, said};

    #[test]
    fn a_similar_name_is_proposed_for_a_slip_only() {
        for (kind, name, similar, is_proposed) in [
            ("value", "np", "n", false),
            ("value", "m", "k", false),
            ("value", "qq", "q", false),
            ("function", "my_softmax", "softmax", false),
            ("value", "n_heads", "heads", false),
            ("function", "softmx", "softmax", true),
            ("function", "sotfmax", "softmax", true),
            ("function", "Softmax", "softmax", true),
            ("value", "dmodel", "d_model", true),
            ("value", "input", "inputs", true),
            ("function", "input", "inputs", false),
        ] {
            let message = format!("cannot find {kind} `{name}` in this scope");
            let mut missing = diagnostic("E0425", &message, name, name);
            missing.helps = vec![Help {
                message: "a local variable with a similar name exists".to_owned(),
                edits: vec![Edit {
                    place: LineSpan {
                        line: 1,
                        start: 0,
                        end: name.len(),
                    },
                    text: similar.to_owned(),
                }],
                replacement: Some(similar.to_owned()),
            }];
            let said = said(&missing, name);
            let proposal = format!("there is no `{name}`, but there is `{similar}`|{similar}");
            assert_eq!(said == proposal, is_proposed, "{said}");
        }
    }
}
