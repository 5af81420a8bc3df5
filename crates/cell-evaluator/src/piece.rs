//! A piece of a cell's code, and the insertions made when it is written into a crate.

use crate::source_text::{Origin, SourceText};
use std::ops::Range;
use std::rc::Rc;

/// A replacement for a range of bytes.
pub type Change = (Range<usize>, String);

/// Code from a cell.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The cell's number.
    pub cell: u64,
    /// The cell's whole text.
    pub text: Rc<str>,
    pub range: Range<usize>,
    pub changes: Vec<Change>,
}

impl Piece {
    /// The code as the learner wrote it.
    pub fn code(&self) -> &str {
        &self.text[self.range.clone()]
    }

    /// Writes the code with its changes and `others`. Changes inside a replaced range are skipped.
    pub fn write(&self, others: Vec<Change>, source: &mut SourceText) {
        let mut changes = self.changes.clone();
        changes.extend(others);
        // At the same place an attribute precedes `pub`, and larger replacements come first.
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
