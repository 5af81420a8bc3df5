//! The matrices of an attention, in the order in which they are computed.

use super::Steps;
use crate::attention::mask::mask_scores;
use crate::figures::heatmap::layout::SMALLEST_WITH_VALUE;
use crate::figures::heatmap::{Heatmap, PanelContext, heatmap};
use crate::numerics::shape::shape_text;
use ndarray::Array2;

/// Sides of a cell, and the longest side of a matrix before its cells shrink, in pixels.
pub(super) const LARGEST_CELL: i32 = 34;
const LARGEST_MATRIX: i32 = 360;
/// The longest side of a matrix whose cells are too small for their values anyway.
const LARGEST_WITHOUT_VALUES: i32 = 280;

/// One matrix of the strip.
pub(super) struct Stage<'a> {
    name: &'static str,
    /// How it comes from those before it.
    pub formula: String,
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

    /// The matrix as a panel of the strip.
    pub fn panel(&self, steps: &Steps) -> Heatmap {
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
            .within(PanelContext::Strip {
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
