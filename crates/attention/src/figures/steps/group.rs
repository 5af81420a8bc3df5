//! Matrices side by side, with arrows between them and a formula above each result.

use super::Steps;
use super::stages::Stage;
use crate::error::Error;
use crate::figures::heatmap::Heatmap;
use crate::figures::hover;
use crate::figures::panels::{PlacedPanel, level};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, text};
use crate::figures::scene::{INK, Point, Scene};
use plotters::prelude::*;

/// The width of an arrow including its gaps, and of the gap where there is no arrow.
const ARROW: i32 = 24;
const GAP: i32 = 4;
/// How far the formula is below the upper edge of a panel, and the middle of the arrow below the
/// upper edge of the matrix.
const FORMULA: i32 = 31;
const ARROW_BELOW: i32 = 12;

/// Matrices with their positions and formulas.
pub(super) struct Group {
    panels: Vec<PlacedPanel>,
    formulas: Vec<String>,
    pub size: Point,
    /// The group in words, for screen readers.
    pub description: String,
}

impl Group {
    /// The matrices from left to right. Row labels are omitted if they repeat those of the matrix on
    /// the left.
    pub fn of(steps: &Steps, stages: &[Stage]) -> Group {
        let mut panels: Vec<(i32, Heatmap)> = Vec::new();
        let mut x = 0;
        for stage in stages {
            let panel = stage.panel(steps, true);
            let left = panels.last().map(|(_, left)| left);
            let panel = match left.is_some_and(|left| panel.has_rows_of(left)) {
                true => stage.panel(steps, false),
                false => panel,
            };
            x += if stage.formula.is_empty() { GAP } else { ARROW };
            let width = panel.layout().size.0;
            panels.push((x, panel));
            x += width;
        }
        let panels = level(panels, 0);
        let height = panels.iter().map(PlacedPanel::bottom).max().unwrap_or(0);
        let names: Vec<String> = stages.iter().map(Stage::heading).collect();
        Group {
            panels,
            formulas: stages.iter().map(|stage| stage.formula.clone()).collect(),
            size: (x, height),
            description: format!("Heatmaps: {}.", names.join("; ")),
        }
    }

    pub fn scene(&self) -> Result<Scene, Error> {
        let mut scene = Scene::new(self.size, "", &self.description);
        for panel in &self.panels {
            panel.draw(&mut scene)?;
        }
        let canvas = canvas(&mut scene);
        let mut pairs = self.panels.iter().zip(&self.formulas);
        let drawn = pairs.try_for_each(|(panel, formula)| draw_formula(&canvas, panel, formula));
        drawn.map_err(Error::drawing)?;
        drop(canvas);
        Ok(scene)
    }

    /// The text that each of its cells shows when the mouse is over it.
    pub fn fields(&self) -> Vec<hover::Fields> {
        self.panels.iter().map(PlacedPanel::fields).collect()
    }
}

/// Draws the formula of a matrix under its title, and an arrow that leads to the matrix.
fn draw_formula(canvas: &Canvas, panel: &PlacedPanel, formula: &str) -> Result<(), DrawingError> {
    if formula.is_empty() {
        return Ok(());
    }
    let PlacedPanel { layout, corner, .. } = panel;
    let (x, y) = *corner;
    let below_title = (x + layout.left + layout.matrix_width / 2, y + FORMULA);
    let formula = format!("= {formula}");
    text(
        canvas,
        &formula,
        below_title,
        Anchor::BaselineMiddle,
        11,
        INK,
    )?;
    let middle = y + layout.top + ARROW_BELOW;
    let (start, end) = (x - ARROW + 2, x - 2);
    let arrow = [
        (start, middle),
        (end, middle),
        (end - 6, middle - 4),
        (end, middle),
        (end - 6, middle + 4),
    ];
    canvas.draw(&PathElement::new(arrow, BLACK))
}
