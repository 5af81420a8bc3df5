//! Lines of numbers in columns: as text, in the picture, and in HTML.

use super::columns::{aligned, places};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, styled_text};
use crate::figures::scene::{INK, Point, TextStyle};
use crate::markup::text::{escape, text_width};

/// The font size, the height of a line, and the width of a character.
const SIZE: u32 = 11;
const LINE: i32 = 15;
const CHARACTER: f64 = 6.65;
/// The gap between the labels and what follows them in the picture and in HTML, in characters.
const LABEL_GAP: usize = 1;
/// The widest line, in pixels, that fits on a narrow page.
const WIDEST: f64 = 540.0;

/// One step of the arithmetic for the chosen query, as a table.
#[derive(Clone)]
pub(super) struct Block {
    pub name: String,
    /// Strings in columns; the first column contains labels.
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

    /// The width of the widest label, in characters.
    pub fn label_places(&self) -> usize {
        let labels = self.rows.iter().filter_map(|row| row.first());
        labels.map(|label| places(label)).max().unwrap_or(0)
    }

    /// Each label and the rest of its line, with all columns aligned.
    pub fn lines(&self) -> Vec<(&str, String)> {
        let values: Vec<Vec<String>> = self.rows.iter().map(|row| row[1..].to_vec()).collect();
        let labels = self.rows.iter().map(|row| row[0].as_str());
        labels.zip(aligned(&values)).collect()
    }

    /// Width and height of the block with its name, in pixels.
    pub fn size(&self) -> Point {
        let lines = lines_on_page(self);
        let longest = lines.iter().map(|line| line.1.chars().count()).max();
        let width = width_of(self.label_places() + LABEL_GAP + longest.unwrap_or(0));
        let name = text_width(&self.name) * SIZE as i32 / 13;
        (width.max(name), LINE * (lines.len() as i32 + 1))
    }

    /// Draws the block under its name.
    pub fn draw(&self, canvas: &Canvas, (x, y): Point) -> Result<(), DrawingError> {
        let write = |at: Point, content: &str, style: TextStyle| {
            // Non-breaking spaces, which no program collapses.
            let content = content.replace(' ', "\u{a0}");
            styled_text(canvas, &content, at, Anchor::BaselineLeft, SIZE, INK, style)
        };
        let baseline = y + LINE - 4;
        write((x, baseline), &self.name, TextStyle::Bold)?;
        let numbers_x = x + width_of(self.label_places() + LABEL_GAP);
        for (index, (label, numbers)) in lines_on_page(self).iter().enumerate() {
            let y = baseline + LINE * (index as i32 + 1);
            write((x, y), label, TextStyle::Monospace)?;
            write((numbers_x, y), numbers, TextStyle::Monospace)?;
        }
        Ok(())
    }

    /// The block as HTML, with styles that JupyterLab keeps even in output it does not trust.
    pub fn html(&self) -> String {
        // A fixed-width box for each label, so that the numbers align in any script.
        let label_places = self.label_places() + LABEL_GAP;
        let label_width = label_places as f64 * 0.61;
        let line = |(label, numbers): (&str, String)| {
            format!(
                "<span style=\"display:inline-block;width:{label_width:.2}em\">{}{}</span>{}\n",
                escape(label),
                " ".repeat(label_places - places(label)),
                escape(&numbers),
            )
        };
        let lines: String = lines_on_page(self).into_iter().map(line).collect();
        format!(
            "<div style=\"font-weight:bold;font-size:{SIZE}px;line-height:{LINE}px\">{}</div>\
             <pre style=\"margin:0 0 8px 0;line-height:{LINE}px;white-space:pre;\
             font-family:monospace;font-size:{SIZE}px\">{lines}</pre>",
            escape(&self.name),
        )
    }
}

/// The width of this many characters, in pixels.
fn width_of(characters: usize) -> i32 {
    (characters as f64 * CHARACTER) as i32
}

/// The lines of a block; if they are too wide for the page, each is broken before its last
/// equals sign.
fn lines_on_page(block: &Block) -> Vec<(&str, String)> {
    let lines = block.lines();
    let longest = lines.iter().map(|line| line.1.chars().count()).max();
    let places = block.label_places() + LABEL_GAP + longest.unwrap_or(0);
    if places as f64 * CHARACTER <= WIDEST {
        return lines;
    }
    // Aligns the brackets of the two halves of a line.
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
