//! The source of a crate under construction, with the origin of each piece.

use std::ops::Range;

/// The origin of a piece of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The code of a cell, starting at this byte.
    Cell { number: u64, start: usize },
    /// Keeps a variable that the cell declared, for later cells.
    Keep(String),
    /// The opening parenthesis before the cell's value.
    Open,
    /// Shows the cell's value.
    Show,
    /// Returns an earlier variable to the store.
    GiveBack(String),
    /// Any other generated code.
    Around,
}

#[derive(Clone, Debug)]
struct Segment {
    start: usize,
    origin: Origin,
}

/// Source text and its origins.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    text: String,
    segments: Vec<Segment>,
}

/// A place in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellPlace {
    /// The cell's number.
    pub number: u64,
    /// The byte range in its text.
    pub range: Range<usize>,
}

impl SourceText {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds generated code.
    pub fn around(&mut self, text: &str) {
        self.push(text, Origin::Around);
    }

    pub fn push(&mut self, text: &str, origin: Origin) {
        let start = self.text.len();
        self.segments.push(Segment { start, origin });
        self.text += text;
    }

    /// Adds the piece `range` of a cell's text.
    pub fn cell(&mut self, number: u64, cell: &str, range: Range<usize>) {
        let start = range.start;
        self.push(&cell[range], Origin::Cell { number, start });
    }

    /// The origin of the byte at `place`.
    pub fn origin(&self, place: usize) -> &Origin {
        let after = self.segments.partition_point(|piece| piece.start <= place);
        match after.checked_sub(1) {
            Some(index) => &self.segments[index].origin,
            None => &Origin::Around,
        }
    }

    /// The place in a cell of a byte range of the source, if it has one. An empty range at the end
    /// of a piece, such as that of a missing semicolon, belongs to that piece.
    pub fn in_cell(&self, range: Range<usize>) -> Option<CellPlace> {
        let index = self
            .segments
            .partition_point(|piece| piece.start <= range.start);
        let mut index = index.checked_sub(1)?;
        let is_at_end =
            |index: usize| self.segments[index].start == range.start && range.is_empty();
        if self.opens_value(index, &range) {
            index += 1;
        } else if !matches!(self.segments[index].origin, Origin::Cell { .. }) {
            index = index.checked_sub(1).filter(|_| is_at_end(index))?;
        }
        let Origin::Cell { number, start } = self.segments[index].origin else {
            return None;
        };
        let first = start + range.start.saturating_sub(self.segments[index].start);
        // Code from the same cell may continue after an inserted word.
        let mut end = first;
        for piece in index..self.segments.len() {
            let begin = self.segments[piece].start;
            if begin >= range.end && piece > index {
                break;
            }
            let stop = self
                .segments
                .get(piece + 1)
                .map_or(self.text.len(), |next| next.start);
            if let Origin::Cell {
                number: other,
                start,
            } = self.segments[piece].origin
                && other == number
            {
                end = end.max(start + (stop.min(range.end).max(begin) - begin));
            }
        }
        Some(CellPlace {
            number,
            range: first..end.max(first),
        })
    }

    /// Whether this piece is the parenthesis before the cell's value, and the range extends into
    /// the value: the compiler counts the parentheses around an expression as part of it.
    fn opens_value(&self, index: usize, range: &Range<usize>) -> bool {
        self.segments[index].origin == Origin::Open
            && (self.segments.get(index + 1)).is_some_and(|value| value.start < range.end)
    }

    /// The place of the cell's value, for a byte of the code that shows it.
    pub fn shown_at(&self, place: usize) -> Option<CellPlace> {
        let show = self.segments.partition_point(|piece| piece.start <= place);
        let show = show.checked_sub(1)?;
        let Origin::Show = self.segments[show].origin else {
            return None;
        };
        let is_cell = |index: &usize| matches!(self.segments[*index].origin, Origin::Cell { .. });
        let last = (0..show).rev().find(is_cell)?;
        self.in_cell(self.segments[last].start..self.segments[last + 1].start)
    }

    /// The byte at a line and a column in characters, both counted from 1 as the compiler does.
    pub fn byte(&self, line: usize, column: usize) -> Option<usize> {
        let mut start = 0;
        for _ in 1..line {
            start += self.text[start..].find('\n')? + 1;
        }
        let mut characters = self.text[start..].char_indices();
        let (place, _) = characters.nth(column.checked_sub(1)?)?;
        Some(start + place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_put_in_does_not_move_what_follows() {
        let cell = "struct P { x: i32 }";
        let mut text = SourceText::default();
        text.around("mod a {\n");
        text.around("pub ");
        text.cell(4, cell, 0..11);
        text.around("pub ");
        text.cell(4, cell, 11..cell.len());
        text.around("\n}");
        let find = |needle: &str| {
            let start = text.text().find(needle).expect(needle);
            let place = text.in_cell(start..start + needle.len());
            place.map(|place| cell[place.range].to_owned())
        };
        assert_eq!(find("x: i32").as_deref(), Some("x: i32"));
        assert_eq!(find("struct P { pub x").as_deref(), Some("struct P { x"));
        assert_eq!(find("mod a"), None);
    }

    #[test]
    fn the_brackets_around_the_value_are_not_part_of_its_place() {
        let mut text = SourceText::default();
        text.around("run(");
        text.push("(", Origin::Open);
        text.cell(1, "a - b", 0..5);
        text.push(").show()", Origin::Show);
        let ranges = [4..11, 5..10, 4..5, 3..11].map(|range| text.in_cell(range));
        let ranges = ranges.map(|place| place.map(|place| place.range));
        assert_eq!(ranges, [Some(0..5), Some(0..5), None, None]);
    }

    #[test]
    fn an_empty_place_at_the_end_belongs_to_the_code_before_it() {
        let mut text = SourceText::default();
        text.cell(1, "let x = 1", 0..9);
        text.around("\n");
        let place = text.in_cell(9..9);
        assert_eq!(place.map(|place| place.range), Some(9..9));
        assert_eq!(text.in_cell(9..10), None);
    }
}
