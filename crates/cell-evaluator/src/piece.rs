//! A piece of a cell's code, and the words that are put into it when it is written into a crate.

use crate::source_text::{Origin, SourceText};
use std::ops::Range;
use std::rc::Rc;

/// Text that stands in the place of a range of bytes.
pub type Change = (Range<usize>, String);

/// Code of a cell.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The number of the cell.
    pub cell: u64,
    /// The whole text of the cell.
    pub text: Rc<str>,
    pub range: Range<usize>,
    pub changes: Vec<Change>,
}

impl Piece {
    /// The code, as the learner wrote it.
    pub fn code(&self) -> &str {
        &self.text[self.range.clone()]
    }

    /// Writes it with its changes, and with others; no change is made within one that replaces more.
    pub fn write(&self, others: Vec<Change>, source: &mut SourceText) {
        let mut changes = self.changes.clone();
        changes.extend(others);
        // An attribute stands before `pub` at the same place, and what replaces more comes first.
        changes.sort_by_key(|(range, text)| {
            let is_attribute = text.starts_with('#');
            (range.start, !is_attribute, std::cmp::Reverse(range.end))
        });
        let mut at = self.range.start;
        for (range, text) in changes {
            if range.start < at {
                continue;
            }
            if range.start > at {
                source.cell(self.cell, &self.text, at..range.start);
            }
            source.push(&text, Origin::Around);
            at = range.end;
        }
        source.cell(self.cell, &self.text, at..self.range.end);
    }
}
