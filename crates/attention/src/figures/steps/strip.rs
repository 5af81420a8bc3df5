//! The steps as a strip of matrices, with their formulas between them.

use super::Steps;
use super::block::{Block, block_html, placed};
use super::stages::{LARGEST_CELL, stages};
use crate::error::Error;
use crate::figures::heatmap::Heatmap;
use crate::figures::hover;
use crate::figures::panels::{GAP, MAX_WIDTH, PlacedPanel, below_title, level, titled_scene};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, text};
use crate::figures::scene::svg::svg;
use crate::figures::scene::{INK, Point, Scene};
use plotters::prelude::*;

/// The width of an arrow, with the gaps around it.
const ARROW: i32 = 32;

/// A matrix of the strip in its place, and how it comes from those before it.
struct StripPanel {
    placed: PlacedPanel,
    formula: String,
}

/// Puts the matrices beside each other, in several lines if need be, those of a line
/// with their first rows level; with the size of it all.
fn strip_panels(steps: &Steps) -> (Vec<StripPanel>, Point) {
    let mut lines: Vec<Vec<(i32, Heatmap)>> = vec![Vec::new()];
    let mut formulas = Vec::new();
    let (mut x, mut widest) = (0, 0);
    for stage in stages(steps) {
        let panel = stage.panel(steps);
        let arrow = if stage.formula.is_empty() { GAP } else { ARROW };
        let width = arrow + panel.layout().size.0;
        if x > 0 && x + width > MAX_WIDTH {
            lines.push(Vec::new());
            x = 0;
        }
        lines
            .last_mut()
            .expect("there is a line")
            .push((x + arrow, panel));
        formulas.push(stage.formula);
        x += width;
        widest = widest.max(x);
    }
    let mut bottom = below_title(&steps.title);
    let mut panels = Vec::new();
    for line in lines {
        let placed = level(line, bottom);
        bottom = placed
            .iter()
            .map(PlacedPanel::bottom)
            .max()
            .unwrap_or(bottom);
        panels.extend(placed);
    }
    let pairs = panels.into_iter().zip(formulas);
    let panels = pairs.map(|(placed, formula)| StripPanel { placed, formula });
    (panels.collect(), (widest, bottom))
}

/// The formula of a matrix under its title, and an arrow that leads to it.
fn draw_formula(canvas: &Canvas, panel: &StripPanel) -> Result<(), DrawingError> {
    if panel.formula.is_empty() {
        return Ok(());
    }
    let PlacedPanel { layout, corner, .. } = &panel.placed;
    let (x, y) = *corner;
    let below_title = (x + layout.left + layout.matrix_width / 2, y + 40);
    let formula = format!("= {}", panel.formula);
    text(
        canvas,
        &formula,
        below_title,
        Anchor::BaselineMiddle,
        12,
        INK,
    )?;
    let middle = y + layout.top + LARGEST_CELL / 2;
    let (start, end) = (x - ARROW + GAP / 2, x - GAP / 2);
    let arrow = [
        (start, middle),
        (end, middle),
        (end - 6, middle - 4),
        (end, middle),
        (end - 6, middle + 4),
    ];
    canvas.draw(&PathElement::new(arrow, BLACK))
}

/// The strip, and under it the blocks of numbers in columns.
pub(super) fn scene(steps: &Steps, blocks: &[Block]) -> Result<Scene, Error> {
    let (panels, (width, height)) = strip_panels(steps);
    let (blocks, (blocks_width, bottom)) = match blocks {
        [] => (Vec::new(), (0, height)),
        _ => placed(blocks, height),
    };
    let size = (width.max(blocks_width), bottom);
    let mut scene = titled_scene(size, &steps.title, &steps.description())?;
    for panel in &panels {
        panel.placed.draw(&mut scene)?;
    }
    let canvas = canvas(&mut scene);
    let formulas = panels.iter().map(|panel| draw_formula(&canvas, panel));
    let blocks = blocks.iter().map(|block| block.draw(&canvas));
    let drawn: Result<(), DrawingError> = formulas.chain(blocks).collect();
    drawn.map_err(Error::drawing)?;
    drop(canvas);
    Ok(scene)
}

/// The strip with fields that say their value, and the blocks as text.
pub(super) fn html(steps: &Steps, blocks: &[Block]) -> Result<String, Error> {
    let strip = svg(&scene(steps, &[])?)?;
    let panels = strip_panels(steps).0;
    let fields: Vec<hover::Fields> = panels.iter().map(|panel| panel.placed.fields()).collect();
    let blocks: String = blocks.iter().map(block_html).collect();
    Ok(format!(
        "{}<div style=\"display:flex;flex-wrap:wrap;gap:12px 32px;margin-top:8px\">{blocks}</div>",
        hover::html(&strip, &steps.description(), &fields),
    ))
}
