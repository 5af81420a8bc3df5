//! Reports a cell's panic, with the line where it happened and what it means.

use super::Session;
use crate::array_panics::Suspects;
use crate::hints;
use crate::literal_shapes;
use crate::variable::Variable;
use cell_evaluator::CellPlace;
use notebook::evaluator::Failure;

/// Where a panic happened.
struct PanicLine {
    /// The line, counted from 1.
    number: usize,
    /// The name and the text of the cell, if it is an earlier one.
    earlier: Option<(String, String)>,
}

impl Session {
    /// The failure of the cell `code`, which panicked; `before` are the variables before it ran.
    pub(super) fn panicked(
        &mut self,
        message: &str,
        place: Option<CellPlace>,
        code: &str,
        before: &[Variable],
    ) -> Failure {
        let line = place.and_then(|place| self.panic_line(&place, code));
        let number = line.as_ref().map(|line| line.number);
        let earlier = line.and_then(|line| line.earlier);
        let cell = earlier.as_ref().map_or(code, |(_, cell)| cell);
        let mut failure = Failure::new("Panic", message);
        if let Some(number) = number {
            let name = earlier.as_ref().map(|(name, _)| format!("in {name}:"));
            failure.details.extend(name);
            let text = cell.lines().nth(number - 1).unwrap_or_default();
            failure.details.push(format!("{number:4} | {text}"));
        }
        // Inside a function from another cell, names do not refer to the notebook's variables.
        let own = number.filter(|_| earlier.is_none());
        let suspects = Suspects::of(message, code, own, before);
        let known = hints::panic(message).map(str::to_owned);
        let known = known.or_else(|| self.ask_for_shapes(suspects?));
        let why = known.or_else(|| literal_shapes::about(message, cell, number));
        if let Some(why) = why {
            failure.message = why;
        }
        failure
    }

    /// The line of a place. An unchanged definition is not compiled again, so a place in the
    /// definition of an earlier cell is a line of this cell if this cell contains the same
    /// definition, or else of the last cell that does.
    fn panic_line(&self, place: &CellPlace, code: &str) -> Option<PanicLine> {
        let of_this = |at| PanicLine {
            number: line_of(code, at),
            earlier: None,
        };
        if place.number == self.cell_compiler.number() {
            return Some(of_this(place.range.start));
        }
        let (definition, at) = self.cell_compiler.definition_at(place)?;
        if let Some(start) = code.find(definition) {
            return Some(of_this(start + at));
        }
        let (name, cell, start) = self.earlier_cells.containing(definition)?;
        Some(PanicLine {
            number: line_of(cell, start + at),
            earlier: Some((name, cell.to_owned())),
        })
    }

    /// Explains an index or shape error, as far as the remaining variables allow.
    fn ask_for_shapes(&mut self, suspects: Suspects) -> Option<String> {
        let suspects = suspects.among(&self.all_variables());
        let answer = |with_indices| {
            let printed = self.run_hidden(&suspects.question(with_indices));
            suspects.conclusion(&printed.ok()?)
        };
        [true, false].into_iter().find_map(answer)
    }
}

/// The line of a byte of the text, counted from 1.
fn line_of(text: &str, byte: usize) -> usize {
    text[..byte.min(text.len())].matches('\n').count() + 1
}
