//! Lines of numbers in columns: as text, in the picture, and in HTML.

use super::columns::{aligned, places};
use crate::figures::panels::{GAP, MAX_WIDTH};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, styled_text};
use crate::figures::scene::{INK, Point, TextStyle};
use crate::figures::text::{escape, text_width};

/// Height of a line of numbers, and the width of a character in it.
const LINE: i32 = 16;
const CHARACTER: f64 = 7.3;

/// One step for the chosen query.
pub(super) struct Block {
    pub name: String,
    /// Texts in columns; the first column has labels.
    pub rows: Vec<Vec<String>>,
}

impl Block {
    /// The block as plain text.
    pub fn text(&self) -> String {
        let width = self.label_places();
        let line = |(label, numbers): (&str, String)| {
            let space = " ".repeat(width - places(label) + 2);
            format!("{label}{space}{numbers}").trim_end().to_owned()
        };
        let lines: Vec<String> = self.lines().into_iter().map(line).collect();
        format!("{}\n{}", self.name, lines.join("\n"))
    }

    /// How many places the widest label takes.
    pub fn label_places(&self) -> usize {
        let labels = self.rows.iter().filter_map(|row| row.first());
        labels.map(|label| places(label)).max().unwrap_or(0)
    }

    /// Each label, and what stands behind it, with all columns aligned.
    pub fn lines(&self) -> Vec<(&str, String)> {
        let behind: Vec<Vec<String>> = self.rows.iter().map(|row| row[1..].to_vec()).collect();
        let labels = self.rows.iter().map(|row| row[0].as_str());
        labels.zip(aligned(&behind)).collect()
    }
}

/// The width of so many characters, in pixels.
fn width_of(characters: usize) -> i32 {
    (characters as f64 * CHARACTER) as i32
}

/// The lines of a block; where they are too wide for the page, each goes on in a second one
/// with what it equals.
fn lines_on_page(block: &Block) -> Vec<(&str, String)> {
    let lines = block.lines();
    let longest = lines.iter().map(|line| line.1.chars().count()).max();
    let places = block.label_places() + 2 + longest.unwrap_or(0);
    if places as f64 * CHARACTER <= f64::from(MAX_WIDTH) {
        return lines;
    }
    // Both brackets of a line stand one above the other.
    let bracket = |line: &(&str, String)| line.1.chars().position(|c| c == '[');
    let indent = lines.first().and_then(bracket).unwrap_or(0).max(2) - 2;
    let broken = |(label, numbers)| {
        let numbers: String = numbers;
        let (left, right) = numbers.rsplit_once("= ").unwrap_or((&numbers, ""));
        let second = format!("{}= {right}", " ".repeat(indent));
        match left.trim() {
            "" => vec![(label, second)],
            _ => vec![(label, left.trim_end().to_owned()), ("", second)],
        }
    };
    lines.into_iter().flat_map(broken).collect()
}

/// A block, its lines as they fit, and where it stands.
pub(super) struct PlacedBlock<'a> {
    block: &'a Block,
    lines: Vec<(&'a str, String)>,
    corner: Point,
}

/// The blocks beside each other, in several rows if need be, below `top`; with the width and
/// the lower edge of it all.
pub(super) fn placed(blocks: &[Block], top: i32) -> (Vec<PlacedBlock<'_>>, Point) {
    let (mut x, mut y, mut height, mut widest) = (GAP, top + LINE, 0, 0);
    let mut placed = Vec::new();
    for block in blocks {
        let lines = lines_on_page(block);
        let longest = lines.iter().map(|line| line.1.chars().count()).max();
        let numbers = width_of(block.label_places() + 2) + width_of(longest.unwrap_or(0));
        let width = numbers.max(text_width(&block.name));
        if x > GAP && x + width > MAX_WIDTH {
            (x, y, height) = (GAP, y + height + LINE, 0);
        }
        let corner = (x, y);
        x += width + 2 * GAP;
        widest = widest.max(x);
        height = height.max(LINE * (lines.len() as i32 + 1));
        placed.push(PlacedBlock {
            block,
            lines,
            corner,
        });
    }
    (placed, (widest, y + height + GAP))
}

impl PlacedBlock<'_> {
    /// Draws the block under its name.
    pub fn draw(&self, canvas: &Canvas) -> Result<(), DrawingError> {
        let write = |at: Point, content: &str, style: TextStyle| {
            // Spaces that no program takes together.
            let content = content.replace(' ', "\u{a0}");
            styled_text(canvas, &content, at, Anchor::BaselineLeft, 12, INK, style)
        };
        let (x, y) = self.corner;
        write((x, y), &self.block.name, TextStyle::Bold)?;
        let numbers_x = x + width_of(self.block.label_places() + 2);
        for (index, (label, numbers)) in self.lines.iter().enumerate() {
            let y = y + LINE * (index as i32 + 1) + 2;
            write((x, y), label, TextStyle::Monospace)?;
            write((numbers_x, y), numbers, TextStyle::Monospace)?;
        }
        Ok(())
    }
}

/// A block as HTML.
pub(super) fn block_html(block: &Block) -> String {
    // A box for each label: then the numbers stand in columns, whatever its script. The
    // spaces are for where the width of the box is lost.
    let label_width = block.label_places() + 2;
    let line = |(label, numbers): (&str, String)| {
        format!(
            "<span style=\"display:inline-block;width:{label_width}ch\">{}{}</span>{}\n",
            escape(label),
            " ".repeat(label_width - places(label)),
            escape(&numbers),
        )
    };
    let lines: String = lines_on_page(block).into_iter().map(line).collect();
    format!(
        "<div><div style=\"font-weight:bold\">{}</div>\
         <pre style=\"margin:0;line-height:1.35;white-space:pre;font-family:monospace;font-size:12px\">{lines}</pre></div>",
        escape(&block.name),
    )
}
