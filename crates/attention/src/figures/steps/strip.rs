//! The steps as a strip of matrices, with their formulas between them.

use super::Steps;
use super::arithmetic::Block;
use super::columns;
use crate::attention::mask::mask_scores;
use crate::error::Error;
use crate::figures::drawing::{PAGE, escape, sheet, text_width};
use crate::figures::figure::Drawn;
use crate::figures::heatmap::Heatmap;
use crate::figures::heatmap::heatmap;
use crate::figures::heatmap::{Place, SMALLEST_WITH_VALUE};
use crate::figures::hover;
use crate::numerics::shape::shape_text;
use ndarray::Array2;

/// Sides of a cell, and the longest side of a matrix before its cells shrink, in pixels.
const LARGEST_CELL: i32 = 34;
const LARGEST_MATRIX: i32 = 360;
/// The longest side of a matrix whose cells are too small for their values anyway.
const LARGEST_WITHOUT_VALUES: i32 = 280;
const GAP: i32 = 12;
/// The width of an arrow, with the gaps around it.
const ARROW: i32 = 32;
/// Height of a line of numbers, and the width of a character in it.
const LINE: i32 = 16;
const CHARACTER: f64 = 7.3;
const MONOSPACE: &str = "font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\"";

/// One matrix of the strip.
pub(super) struct Stage<'a> {
    name: &'static str,
    /// How it comes from those before it.
    formula: String,
    pub matrix: Array2<f64>,
    pub rows: &'a [String],
    /// Whether its columns are the keys.
    has_keys: bool,
    /// The row of the chosen query, or of the chosen key.
    pub row: Option<usize>,
}

impl Stage<'_> {
    /// Name, shape and formula in a line.
    pub fn heading(&self) -> String {
        let equals = if self.formula.is_empty() { "" } else { " = " };
        format!("{}{equals}{}", self.title(), self.formula)
    }

    fn title(&self) -> String {
        format!("{} {}", self.name, shape_text(self.matrix.shape()))
    }

    fn panel(&self, steps: &Steps) -> Heatmap {
        let (rows, columns) = self.matrix.dim();
        let longest = rows.max(columns) as i32;
        let cell = match LARGEST_MATRIX / longest {
            cell if cell < SMALLEST_WITH_VALUE => LARGEST_WITHOUT_VALUES / longest,
            cell => cell.min(LARGEST_CELL),
        };
        let finite = self.matrix.iter().filter(|value| value.is_finite());
        let size = finite.fold(0.0, |size: f64, value| size.max(value.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        let panel = heatmap(&self.matrix)
            .title(&self.title())
            .rows(self.rows)
            .at(Place::Strip {
                cell: cell.max(1),
                row: self.row,
            });
        let panel = match self.name {
            "weights" => panel.range(0.0, 1.0),
            _ => panel.range(-size, size),
        };
        let panel = if self.has_keys {
            panel.columns(&steps.keys)
        } else {
            panel
        };
        match &steps.mask {
            Some(mask) if matches!(self.name, "masked" | "weights") => panel.mask(mask),
            _ => panel,
        }
    }
}

/// The matrices in the order in which they are computed.
pub(super) fn stages(steps: &Steps) -> Vec<Stage<'_>> {
    let masked = steps
        .mask
        .as_ref()
        .map(|mask| mask_scores(&steps.scaled, mask));
    let query = Some(steps.query);
    let key = Some(steps.chosen_key());
    let of_queries = |name, formula: &str, matrix: &Array2<f64>| Stage {
        name,
        formula: formula.to_owned(),
        matrix: matrix.clone(),
        rows: &steps.queries,
        has_keys: false,
        row: query,
    };
    let of_keys = |name, matrix, row| Stage {
        rows: &steps.keys,
        row,
        ..of_queries(name, "", matrix)
    };
    let of_both = |name, formula: &str, matrix| Stage {
        has_keys: true,
        ..of_queries(name, formula, matrix)
    };
    let mut stages = vec![
        of_queries("q", "", &steps.q),
        of_keys("k", &steps.k, key),
        of_both("scores", "q kᵀ", &steps.scores),
        of_both(
            "scaled",
            &format!("scores ÷ √{}", steps.q.ncols()),
            &steps.scaled,
        ),
    ];
    let mut last = "scaled";
    if let Some(masked) = &masked {
        stages.push(of_both("masked", "mask(scaled)", masked));
        last = "masked";
    }
    stages.extend([
        of_both("weights", &format!("softmax({last})"), &steps.weights),
        of_keys("v", &steps.v, None),
        of_queries("context", "weights v", &steps.context),
    ]);
    stages
}

/// A matrix of the strip in its place.
struct Placed {
    panel: Heatmap,
    formula: String,
    place: (i32, i32),
}

/// Puts the matrices beside each other, in several lines if need be, those of a line
/// with their first rows level; with the size of it all.
fn place(steps: &Steps) -> (Vec<Placed>, i32, i32) {
    let mut lines: Vec<Vec<Placed>> = vec![Vec::new()];
    let (mut x, mut widest) = (0, 0);
    for stage in stages(steps) {
        let panel = stage.panel(steps);
        let arrow = if stage.formula.is_empty() { GAP } else { ARROW };
        let width = arrow + panel.layout().size.0 as i32;
        if x > 0 && x + width > PAGE {
            lines.push(Vec::new());
            x = 0;
        }
        let placed = Placed {
            panel,
            formula: stage.formula,
            place: (x + arrow, 0),
        };
        lines.last_mut().expect("there is a line").push(placed);
        x += width;
        widest = widest.max(x);
    }
    let mut y = if steps.title.is_empty() { 0 } else { 28 };
    for line in &mut lines {
        let top = |placed: &Placed| placed.panel.layout().top;
        let level = line.iter().map(top).max().unwrap_or(0);
        for placed in line.iter_mut() {
            placed.place.1 = y + level - top(placed);
        }
        let end = |placed: &Placed| placed.place.1 + placed.panel.layout().size.1 as i32;
        y = line.iter().map(end).max().unwrap_or(y);
    }
    (lines.into_iter().flatten().collect(), widest, y)
}

/// The strip and what is below it, in `height` more pixels.
fn drawn(steps: &Steps, below: &str, size_below: (i32, i32)) -> Result<String, Error> {
    let (placed, width, height) = place(steps);
    let mut inside = String::new();
    for Placed {
        panel,
        formula,
        place: (x, y),
    } in &placed
    {
        let svg = panel.drawn()?;
        inside += &svg.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
        if !formula.is_empty() {
            let layout = panel.layout();
            let middle = x + layout.left + layout.matrix_width / 2;
            let level = y + layout.top + LARGEST_CELL / 2;
            let (start, end) = (x - ARROW + GAP / 2, x - GAP / 2);
            inside += &format!(
                "<text x=\"{middle}\" y=\"{}\" font-size=\"12\" fill=\"#000000\">= {}</text>\
                 <polyline points=\"{start},{level} {end},{level} {},{} {end},{level} {},{}\" fill=\"none\" stroke=\"#000000\"/>",
                y + 40,
                escape(formula),
                end - 6,
                level - 4,
                end - 6,
                level + 4,
            );
        }
    }
    inside += &format!("<g transform=\"translate(0 {height})\">{below}</g>");
    let size = (width.max(size_below.0), height + size_below.1);
    Ok(sheet(size, &steps.title, &steps.description(), &inside))
}

/// The lines of a block; where they are too wide for the page, each goes on in a second one
/// with what it equals.
fn lines_on_page(block: &Block) -> Vec<(&str, String)> {
    let lines = block.lines();
    let longest = lines.iter().map(|line| line.1.chars().count()).max();
    let places = block.label_places() + 2 + longest.unwrap_or(0);
    if places as f64 * CHARACTER <= f64::from(PAGE) {
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

/// The strip, and under it the blocks of numbers in columns.
pub(super) fn svg(steps: &Steps, blocks: &[Block]) -> Result<String, Error> {
    let (mut x, mut y, mut height, mut widest) = (GAP, LINE, 0, 0);
    let mut below = String::new();
    for block in blocks {
        let lines = lines_on_page(block);
        let longest = lines
            .iter()
            .map(|line| line.1.chars().count())
            .max()
            .unwrap_or(0);
        let places = |count: usize| (count as f64 * CHARACTER) as i32;
        let behind_label = places(block.label_places() + 2);
        let width = (behind_label + places(longest)).max(text_width(&block.name));
        if x > GAP && x + width > PAGE {
            (x, y, height) = (GAP, y + height + LINE, 0);
        }
        let text = |style: &str, x: i32, y: i32, text: &str| {
            // Spaces that no program takes together.
            let text = escape(text).replace(' ', "\u{a0}");
            format!(
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"start\" {style} font-size=\"12\" fill=\"#000000\">{text}</text>"
            )
        };
        below += &text("font-weight=\"bold\"", x, y, &block.name);
        for (index, (label, numbers)) in lines.iter().enumerate() {
            let y = y + LINE * (index as i32 + 1) + 2;
            below += &text(MONOSPACE, x, y, label);
            below += &text(MONOSPACE, x + behind_label, y, numbers);
        }
        x += width + 2 * GAP;
        widest = widest.max(x);
        height = height.max(LINE * (lines.len() as i32 + 1));
    }
    drawn(steps, &below, (widest, y + height + GAP))
}

/// The strip with fields that say their value, and the blocks as text.
pub(super) fn html(steps: &Steps, blocks: &[Block]) -> String {
    let Ok(svg) = drawn(steps, "", (0, 0)) else {
        return String::new();
    };
    let fields: Vec<hover::Fields> = place(steps)
        .0
        .iter()
        .map(|placed| placed.panel.fields().moved(placed.place))
        .collect();
    let blocks: String = blocks.iter().map(block_html).collect();
    format!(
        "{}<div style=\"display:flex;flex-wrap:wrap;gap:12px 32px;margin-top:8px\">{blocks}</div>",
        hover::html(&svg, &steps.description(), &fields),
    )
}

fn block_html(block: &Block) -> String {
    // A box for each label: then the numbers stand in columns, whatever its script. The
    // spaces are for where the width of the box is lost.
    let places = block.label_places() + 2;
    let line = |(label, numbers): (&str, String)| {
        format!(
            "<span style=\"display:inline-block;width:{places}ch\">{}{}</span>{}\n",
            escape(label),
            " ".repeat(places - columns::places(label)),
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
