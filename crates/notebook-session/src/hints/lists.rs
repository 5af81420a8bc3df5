//! Numbers in `array![...]`. rustc does not always point at the right one; this finds it.

use super::arrays::{element, wanted_and_found};
use super::numbers::INTEGERS;
use super::{Hint, Known};
use crate::cell_syntax::{self, Element};
use crate::diagnostic::{Diagnostic, Edit, LineSpan, line};
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let place = diagnostic.primary()?;
    match diagnostic.code.as_deref()? {
        "E0308" => {
            if let Some(float) = wanted_float(diagnostic) {
                let is_list = place.of(known.cell).starts_with("array!");
                let list = of_integers(place, known).filter(|_| is_list);
                return Some(list.unwrap_or_else(|| converted(float)));
            }
            let list = List::at(known.cell, place)?;
            among_others(diagnostic, &list).or_else(|| short_row(diagnostic, &list))
        }
        "E0277" if wants_point(diagnostic) => {
            Some(of_integers(place, known).unwrap_or_else(|| converted("f32")))
        }
        _ => None,
    }
}

/// Adds decimal points to a list of integers.
fn of_integers(place: LineSpan, known: &Known<'_>) -> Option<Hint> {
    let edits = List::at(known.cell, place)?.points();
    let text = "these numbers are integers, but floats are expected: write the decimal points";
    (!edits.is_empty()).then(|| Hint::with(text, edits))
}

/// An array of integers created elsewhere.
fn converted(float: &str) -> Hint {
    Hint::new(format!(
        "an array of integers was passed where one of floats is expected: convert it with \
         `.mapv(|x| x as {float})`"
    ))
}

/// The float type expected where an integer array was passed.
fn wanted_float(diagnostic: &Diagnostic) -> Option<&str> {
    let (wanted, found) = wanted_and_found(&diagnostic.all)?;
    let (wanted, found) = (element(wanted)?, element(found)?);
    (["f32", "f64"].contains(&wanted) && INTEGERS.contains(&found)).then_some(wanted)
}

/// Whether a function for f32 and f64 was called with integers.
fn wants_point(diagnostic: &Diagnostic) -> bool {
    let last = diagnostic.quoted().last().copied();
    diagnostic.message.contains("f32 or f64") && last.is_some_and(|last| INTEGERS.contains(&last))
}

/// Integers mixed with floats, whichever of them rustc marks.
fn among_others(diagnostic: &Diagnostic, list: &List<'_>) -> Option<Hint> {
    let label = &diagnostic.marks.iter().find(|mark| mark.is_primary)?.label;
    let is_mixed = label.contains("integer") && (label.contains("float") || label.contains("`f"));
    let (integers, others): (Vec<&Element>, Vec<&Element>) = list.numbers().partition(is_integer);
    if !is_mixed || others.is_empty() {
        return None;
    }
    let text = match integers[..] {
        [] => return None,
        [one] => format!("`{0}` is an integer among floats: write `{0}.0`", one.text),
        _ => "there are integers among floats: write the decimal points".to_owned(),
    };
    Some(Hint::with(text, list.points()))
}

/// A row shorter or longer than the others.
fn short_row(diagnostic: &Diagnostic, list: &List<'_>) -> Option<Hint> {
    let label = &diagnostic.marks.iter().find(|mark| mark.is_primary)?.label;
    if !label.starts_with("expected an array with a size of") || diagnostic.all.contains("Dim<") {
        return None;
    }
    let rows: Vec<(&Element, usize)> = list
        .elements
        .iter()
        .map(|row| Some((row, row.inner.as_ref()?.len())))
        .collect::<Option<_>>()?;
    let as_long = |length: usize| rows.iter().filter(|(_, one)| *one == length).count();
    let usual = rows.iter().rev().map(|(_, length)| *length);
    let usual = usual.max_by_key(|length| as_long(*length))?;
    let (row, length) = rows.iter().find(|(_, length)| *length != usual)?;
    let numbers = if *length == 1 { "number" } else { "numbers" };
    Some(Hint::new(format!(
        "the rows differ in length: the one on line {} has {length} {numbers}, where others \
         have {usual}:\n    {}",
        list.place(row).line,
        row.text
    )))
}

/// An outermost list in the cell.
struct List<'a> {
    cell: &'a str,
    /// Byte offset in the cell.
    start: usize,
    elements: Vec<Element>,
}

impl List<'_> {
    /// The list that contains this position or starts later on its line.
    fn at(cell: &str, place: LineSpan) -> Option<List<'_>> {
        let lines = cell.split_inclusive('\n').take(place.line - 1);
        let before = line(cell, place.line).chars().take(place.start);
        let wanted = lines.map(str::len).sum::<usize>() + before.map(char::len_utf8).sum::<usize>();
        let (mut depth, mut start, mut byte) = (0, 0, 0);
        for token in tokenize(cell, FrontmatterAllowed::No) {
            match token.kind {
                TokenKind::OpenBracket => {
                    if depth == 0 {
                        start = byte;
                    }
                    depth += 1;
                }
                TokenKind::CloseBracket if depth > 0 => {
                    depth -= 1;
                    let is_near = cell[..start].matches('\n').count() < place.line;
                    if depth == 0 && byte >= wanted && is_near {
                        let elements = cell_syntax::elements(&cell[start..=byte])?;
                        return Some(List {
                            cell,
                            start,
                            elements,
                        });
                    }
                }
                _ => {}
            }
            byte += token.len as usize;
        }
        None
    }

    /// All numbers in the list, including nested ones.
    fn numbers(&self) -> impl Iterator<Item = &Element> {
        let mut found: Vec<&Element> = self.elements.iter().collect();
        let mut next = 0;
        while let Some(element) = found.get(next) {
            found.extend(element.inner.iter().flatten());
            next += 1;
        }
        let is_number = |element: &&Element| element.text.starts_with(|c: char| c.is_ascii_digit());
        found.into_iter().filter(is_number)
    }

    fn place(&self, element: &Element) -> LineSpan {
        let before = &self.cell[..self.start + element.start];
        let start = before.chars().rev().take_while(|c| *c != '\n').count();
        LineSpan {
            line: before.matches('\n').count() + 1,
            start,
            end: start + element.text.chars().count(),
        }
    }

    /// Adds a decimal point to each integer.
    fn points(&self) -> Vec<Edit> {
        let edit = |number: &Element| Edit {
            place: self.place(number),
            text: format!("{}.0", number.text),
        };
        self.numbers().filter(is_integer).map(edit).collect()
    }
}

fn is_integer(number: &&Element) -> bool {
    number.text.chars().all(|c| c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use super::*;

    #[test]
    fn an_array_of_integers_gets_its_points_or_is_converted() {
        let told = |cell: &str, part: &str| {
            let mut error = diagnostic("E0308", "mismatched types", cell, part);
            error.all += "\nexpected struct `ArrayBase<OwnedRepr<f64>, _, f64>`\n   \
                found struct `ArrayBase<OwnedRepr<{integer}>, _, {integer}>`";
            said(&error, cell)
        };
        let points = told("array![[1, 2], [3, 4]]", "array![[1, 2], [3, 4]]");
        assert!(
            points.ends_with("write the decimal points|array![[1.0, 2.0], [3.0, 4.0]]"),
            "{points}"
        );
        let variable = told("let x: Array1<f64> = whole; array![1]", "whole");
        assert!(variable.ends_with("`.mapv(|x| x as f64)`|"), "{variable}");
    }

    #[test]
    fn a_list_is_found_by_a_place_in_it_or_before_it() {
        let cell = "let あ = [9];\nlet a = array![\n    [1, 0.5],\n    [-2, x],\n]; [3]";
        let found = |line, start| {
            let place = LineSpan {
                line,
                start,
                end: start,
            };
            let list = List::at(cell, place)?;
            let numbers = list
                .numbers()
                .map(|number| (number.text.clone(), list.place(number)));
            Some(
                numbers
                    .map(|(text, place)| (text, place.line, place.start))
                    .collect(),
            )
        };
        let of = |numbers: &[(&str, usize, usize)]| -> Option<Vec<(String, usize, usize)>> {
            let numbers = numbers.iter();
            Some(
                numbers
                    .map(|(text, line, start)| (text.to_string(), *line, *start))
                    .collect(),
            )
        };
        let numbers = of(&[("1", 3, 5), ("0.5", 3, 8)]);
        for (line, start) in [(2, 8), (3, 5), (4, 6)] {
            assert_eq!(found(line, start), numbers, "{line}, {start}");
        }
        assert_eq!(found(1, 0), of(&[("9", 1, 9)]));
        assert_eq!(found(5, 2), of(&[("3", 5, 4)]));
        assert_eq!(found(5, 6), None);
    }
}
