//! A missing comma between the numbers or rows of an array.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let message = diagnostic.message.as_str();
    let is_syntax =
        message.starts_with("expected one of ") || message.starts_with("no rules expected");
    if diagnostic.code.is_some() || !is_syntax || !known.cell.contains("array!") {
        return None;
    }
    let place = diagnostic.primary()?;
    let lines = known.cell.lines().take(place.line);
    let mut chars: Vec<Vec<char>> = lines.map(|line| line.chars().collect()).collect();
    chars.last_mut()?.truncate(place.start);
    // The characters before this position, except spaces, with their lines (from 1) and columns.
    let numbered = chars.iter().zip(1..).flat_map(|(line, number)| {
        let columns = line.iter().enumerate();
        columns.map(move |(column, c)| (*c, number, column))
    });
    let before: Vec<(char, usize, usize)> = numbered.filter(|(c, ..)| *c != ' ').collect();
    let is_row = message.contains("found `,`");
    let mut inside = before.len();
    if is_row {
        let mut depth = 0;
        inside = before.iter().rposition(|(c, ..)| {
            match c {
                ']' => depth += 1,
                '[' if depth > 0 => depth -= 1,
                '[' => return true,
                _ => {}
            }
            false
        })?;
    }
    let (last, number, column) = *before.get(inside.checked_sub(1)?)?;
    let is_number = last.is_alphanumeric() || last == '.' || last == '_';
    let next = place.of(known.cell);
    let follows_number = next.starts_with(|c: char| c.is_ascii_digit());
    let fits = if is_row {
        last == ']'
    } else {
        is_number && follows_number || last == ']' && next == "["
    };
    let what = match is_row || next == "[" {
        true => format!("after the row on line {number}"),
        false => format!("before `{next}`"),
    };
    let edit = Edit {
        place: LineSpan {
            line: number,
            start: column + 1,
            end: column + 1,
        },
        text: ",".to_owned(),
    };
    fits.then(|| Hint::with(format!("a comma is missing {what}"), vec![edit]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use crate::diagnostic::LineSpan;

    fn told(cell: &str, message: &str, line: usize, part: &str) -> String {
        let mut error = diagnostic("", message, cell, part);
        error.code = None;
        let text = cell.lines().nth(line - 1).expect("the line");
        let start = text.find(part).expect("the part");
        error.marks[0].place = LineSpan {
            line,
            start,
            end: start + part.len(),
        };
        said(&error, cell)
    }

    #[test]
    fn a_comma_between_rows_is_missing() {
        let message = "expected one of `.`, `?`, `]`, or an operator, found `,`";
        let cell = "let x = array![\n    [0.5, 0.1]\n    [0.2, 0.3],\n];";
        let expected = "a comma is missing after the row on line 2|    [0.5, 0.1],";
        assert_eq!(told(cell, message, 3, ","), expected);
        let list = "let x = vec![0.5 0.1];";
        assert_eq!(told(list, message, 1, "0.1"), "|");
    }

    #[test]
    fn a_comma_between_numbers_is_missing() {
        let message = "expected one of `,`, `.`, `;`, `?`, `]`, or an operator, found `0.15`";
        let cell = "array![[0.43_f32 0.15], [0.2, 0.3]]";
        let expected = "a comma is missing before `0.15`|array![[0.43_f32, 0.15], [0.2, 0.3]]";
        assert_eq!(told(cell, message, 1, "0.15"), expected);
    }
}
