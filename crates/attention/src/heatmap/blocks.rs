//! Matrices of more values than a picture has pixels: a pixel for the mean of several.

use super::{Heatmap, Place};
use ndarray::{Array2, s};

/// So many pixels for values has a side of a matrix at most: alone, in a grid, in a strip.
const MOST_ALONE: usize = 640;
const MOST_IN_GRID: usize = 400;
const MOST_IN_STRIP: usize = 280;

/// How many rows and how many columns share a pixel.
pub(super) type Block = (usize, usize);

impl Heatmap {
    pub(super) fn block(&self, place: Place) -> Block {
        let most = match place {
            _ if !self.is_large() => return (1, 1),
            Place::Alone => MOST_ALONE,
            Place::Grid { .. } => MOST_IN_GRID,
            Place::Strip { .. } => MOST_IN_STRIP,
        };
        let (rows, columns) = self.matrix.dim();
        (rows.div_ceil(most), columns.div_ceil(most))
    }

    /// What one pixel shows where it is not one value; empty if it is.
    pub(super) fn share_of_pixel(&self, place: Place) -> String {
        match self.block(place) {
            (1, 1) => String::new(),
            (rows, columns) => format!("the mean of {rows} x {columns} values"),
        }
    }

    /// The value of each pixel, and whether it is hidden: the mean of what is finite and
    /// not hidden, NaN where nothing is finite, hidden where everything is.
    pub(super) fn means(&self) -> Array2<(f64, bool)> {
        let (height, width) = self.block(self.place);
        let (rows, columns) = self.matrix.dim();
        let mean = |(row, column): (usize, usize)| {
            let rows = row * height..((row + 1) * height).min(rows);
            let columns = column * width..((column + 1) * width).min(columns);
            let (mut sum, mut count, mut hidden) = (0.0, 0, true);
            let scale = 1.0 / (height * width) as f64; // so that no sum is infinite
            let values = self.matrix.slice(s![rows.clone(), columns.clone()]);
            for ((r, c), &value) in values.indexed_iter() {
                if !self.is_hidden((rows.start + r, columns.start + c)) {
                    hidden = false;
                    if value.is_finite() {
                        sum += value * scale;
                        count += 1;
                    }
                }
            }
            match count {
                0 => (f64::NAN, hidden),
                _ => (sum / (f64::from(count) * scale), hidden),
            }
        };
        Array2::from_shape_fn((rows.div_ceil(height), columns.div_ceil(width)), mean)
    }
}
