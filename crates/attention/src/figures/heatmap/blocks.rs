//! Matrices with more values than a picture has pixels: several values share a pixel.

use super::{Heatmap, PanelContext};
use ndarray::Array2;

/// The longest side of a drawn matrix in pixels: alone, in a grid, and in a strip.
const MOST_ALONE: usize = 560;
const MOST_IN_GRID: usize = 320;
const MOST_IN_STRIP: usize = 240;

/// How many rows and how many columns share a pixel.
pub(super) type Block = (usize, usize);

impl Heatmap {
    pub(super) fn block(&self, context: PanelContext) -> Block {
        let most = match context {
            _ if !self.is_large() => return (1, 1),
            PanelContext::Alone => MOST_ALONE,
            PanelContext::Grid { .. } => MOST_IN_GRID,
            PanelContext::Strip { .. } => MOST_IN_STRIP,
        };
        let (rows, columns) = self.matrix.dim();
        (rows.div_ceil(most), columns.div_ceil(most))
    }

    /// What one pixel shows, in words, if it covers several values; otherwise empty.
    pub(super) fn share_of_pixel(&self, context: PanelContext) -> String {
        match (self.block(context), context) {
            ((1, 1), _) => String::new(),
            ((rows, columns), PanelContext::Strip { .. }) => format!("{rows} x {columns} a pixel"),
            ((rows, columns), _) => {
                format!("each pixel the value furthest from 0 of {rows} x {columns}")
            }
        }
    }

    /// The value of each pixel, and whether it is hidden. Among several values it is the
    /// finite, visible one furthest from 0: a mean would lose the few large weights
    /// among many small ones. It is NaN if none is finite, and hidden if all are hidden.
    pub(super) fn pixels(&self) -> Array2<(f64, bool)> {
        let (height, width) = self.block(self.context);
        let (rows, columns) = self.matrix.dim();
        let furthest = |(row, column): (usize, usize)| {
            let rows = row * height..((row + 1) * height).min(rows);
            let columns = column * width..((column + 1) * width).min(columns);
            let (mut furthest, mut hidden) = (f64::NAN, true);
            for index in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
                if !self.is_hidden(index) {
                    hidden = false;
                    let value = self.matrix[index];
                    if value.is_finite() && (furthest.is_nan() || value.abs() > furthest.abs()) {
                        furthest = value;
                    }
                }
            }
            (furthest, hidden)
        };
        Array2::from_shape_fn((rows.div_ceil(height), columns.div_ceil(width)), furthest)
    }
}
