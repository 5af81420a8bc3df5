//! Draws a heatmap.

use super::colour_bar::draw_bar;
use super::layout::{HeatmapLayout, heading_size, value_size};
use super::{GAP, Heatmap, PanelContext};
use crate::figures::contrast::{HIGHLIGHT, ink_on};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, hatch, image, text};
use crate::figures::scene::{INK, Point, Rgb};
use crate::markup::text::text_width;
use plotters::prelude::*;

/// The colour of hidden values in the image of a large matrix, where they are not hatched.
const HIDDEN: Rgb = [217; 3];

impl Heatmap {
    pub(super) fn draw(&self, canvas: &Canvas, layout: &HeatmapLayout) -> Result<(), DrawingError> {
        let above = (layout.left + layout.matrix_width / 2, GAP);
        let heading = self.heading(self.context);
        let size = heading_size(self.context);
        text(canvas, &heading, above, Anchor::Top, size, INK)?;
        match value_size(self, (layout.cell, layout.row_height)) {
            Some(size) => self.draw_cells(canvas, layout, size)?,
            None => self.draw_image(canvas, layout)?,
        }
        self.draw_labels(canvas, layout)?;
        self.draw_axis_names(canvas, layout)?;
        if layout.has_bar {
            let corner = (layout.left + layout.matrix_width + 2 * GAP, layout.top);
            draw_bar(canvas, corner, layout.matrix_height, &[self.scale()])?;
        }
        self.draw_outline(canvas, layout)
    }

    fn draw_image(&self, canvas: &Canvas, layout: &HeatmapLayout) -> Result<(), DrawingError> {
        let scale = self.scale();
        let pixel = |(value, hidden)| match hidden {
            true => HIDDEN,
            false => {
                let RGBColor(red, green, blue) = scale.colour(value);
                [red, green, blue]
            }
        };
        let corners = [(layout.left, layout.top), layout.end()];
        image(canvas, corners, &self.pixels().mapv(pixel))?;
        match self.is_large() {
            true => Ok(()),
            false => self.draw_hidden(canvas, layout),
        }
    }

    /// Draws the cells with their values.
    fn draw_cells(
        &self,
        canvas: &Canvas,
        layout: &HeatmapLayout,
        size: u32,
    ) -> Result<(), DrawingError> {
        self.draw_hidden(canvas, layout)?;
        let scale = self.scale();
        for ((row, column), &value) in self.matrix.indexed_iter() {
            if self.is_hidden((row, column)) {
                continue;
            }
            let (x, y) = layout.corner(row, column);
            let colour = scale.colour(value);
            let corners = [(x, y), overlapping(layout, row, column)];
            canvas.draw(&Rectangle::new(corners, colour.filled()))?;
            let middle = (x + layout.cell / 2, y + layout.row_height / 2);
            let (value, ink) = (scale.number(value), ink_on(colour));
            text(canvas, &value, middle, Anchor::Middle, size, ink)?;
        }
        Ok(())
    }

    /// Hatches the hidden cells; neighbours in a row share a rectangle.
    fn draw_hidden(&self, canvas: &Canvas, layout: &HeatmapLayout) -> Result<(), DrawingError> {
        let Some(mask) = &self.mask else {
            return Ok(());
        };
        for (row, visible) in mask.rows().into_iter().enumerate() {
            let columns: Vec<usize> = (0..visible.len()).collect();
            for run in columns.chunk_by(|&one, &next| visible[one] == visible[next]) {
                if !visible[run[0]] {
                    let end = overlapping(layout, row, run[run.len() - 1]);
                    hatch(canvas, [layout.corner(row, run[0]), end])?;
                }
            }
        }
        Ok(())
    }

    fn draw_labels(&self, canvas: &Canvas, layout: &HeatmapLayout) -> Result<(), DrawingError> {
        for (row, label) in &layout.row_labels.texts {
            let (x, y) = layout.corner(*row, 0);
            let end = (x - GAP / 2, y + layout.row_height / 2);
            let size = layout.row_labels.size;
            text(canvas, label, end, Anchor::Right, size, INK)?;
        }
        for (column, label) in &layout.column_labels.texts {
            let (x, y) = layout.corner(0, *column);
            let foot = (x + layout.cell / 2, y - GAP / 2);
            let anchor = if layout.upright {
                Anchor::Bottom
            } else {
                Anchor::Upwards
            };
            let size = layout.column_labels.size;
            text(canvas, label, foot, anchor, size, INK)?;
        }
        Ok(())
    }

    fn draw_axis_names(&self, canvas: &Canvas, layout: &HeatmapLayout) -> Result<(), DrawingError> {
        let (rows, columns) = self.drawn_axis_names(self.context);
        let foot = layout.top + layout.matrix_height + GAP / 2;
        let middle = layout.left + layout.matrix_width / 2;
        text(canvas, columns, (middle, foot), Anchor::Top, 12, INK)?;
        let middle = layout.top + layout.matrix_height / 2 + text_width(rows) / 2;
        text(canvas, rows, (GAP, middle), Anchor::Upwards, 12, INK)
    }

    /// Draws a frame around the marked row of a strip: the row of the chosen query or key.
    fn draw_outline(&self, canvas: &Canvas, layout: &HeatmapLayout) -> Result<(), DrawingError> {
        let PanelContext::Strip { row: Some(row), .. } = self.context else {
            return Ok(());
        };
        let (x, y) = layout.corner(row, 0);
        let below = layout.corner(row + 1, 0).1.max(y + layout.row_height);
        let right = x + layout.matrix_width;
        let frame = [(x, y), (right, y), (right, below), (x, below), (x, y)];
        canvas.draw(&PathElement::new(frame, HIGHLIGHT.stroke_width(3)))
    }
}

/// The lower right corner of a cell, one pixel into the next one: otherwise the background would
/// show between the cells when a browser scales the picture.
fn overlapping(layout: &HeatmapLayout, row: usize, column: usize) -> Point {
    let (x, y) = layout.corner(row, column);
    let edge = layout.end();
    (
        (x + layout.cell + 1).min(edge.0),
        (y + layout.row_height + 1).min(edge.1),
    )
}
