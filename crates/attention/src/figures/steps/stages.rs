//! The matrices of one attention computation, in the order in which they are computed.

use super::Steps;
use crate::dot_product::mask::mask_scores;
use crate::figures::heatmap::{Heatmap, PanelContext, heatmap};
use crate::figures::matrix_colours::Kind;
use crate::figures::scene::Point;
use crate::numerics::shape::shape_text;
use ndarray::Array2;

/// The largest and the smallest cell that shows its value, and the largest matrix made of the
/// smallest cells; width and height in pixels.
const LARGEST_CELL: Point = (34, 24);
const SMALLEST_CELL: Point = (30, 18);
const LONGEST_WITH_VALUES: Point = (360, 320);
/// The longest side of a matrix whose cells are too small for their values.
const LONGEST_WITHOUT_VALUES: i32 = 240;

/// One matrix of the computation.
pub(super) struct Stage<'a> {
    name: &'static str,
    /// How it is computed from earlier matrices; empty for q, k and v.
    pub formula: String,
    pub matrix: Array2<f64>,
    pub rows: &'a [String],
    /// Whether its columns are the keys.
    has_keys: bool,
    /// The row to mark: the row of the chosen query or key.
    pub row: Option<usize>,
}

impl Stage<'_> {
    /// Name, shape and formula on one line.
    pub fn heading(&self) -> String {
        let equals = if self.formula.is_empty() { "" } else { " = " };
        format!("{}{equals}{}", self.title(), self.formula)
    }

    /// Name and shape.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, shape_text(self.matrix.shape()))
    }

    fn kind(&self) -> Kind {
        match self.name {
            "q" => Kind::Query,
            "k" => Kind::Key,
            "v" => Kind::Value,
            "weights" => Kind::Weight,
            "context" => Kind::Context,
            _ => Kind::Score,
        }
    }

    /// The matrix as a panel of a group; `has_rows` says whether its rows are labelled.
    pub fn panel(&self, steps: &Steps, has_rows: bool) -> Heatmap {
        let finite = self.matrix.iter().filter(|value| value.is_finite());
        let size = finite.fold(0.0, |size: f64, value| size.max(value.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        let panel = heatmap(&self.matrix)
            .title(&self.title())
            .rows(self.rows)
            .within(PanelContext::Strip {
                cell: cell(self.matrix.dim()),
                row: self.row,
                has_rows,
            });
        let panel = panel.kind(self.kind());
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

/// The size of a matrix's cells.
fn cell((rows, columns): (usize, usize)) -> Point {
    let (rows, columns) = (rows as i32, columns as i32);
    let width = LONGEST_WITH_VALUES.1 / 2 / columns.max(1);
    if width >= LARGEST_CELL.0 && rows <= 4 {
        LARGEST_CELL
    } else if columns * SMALLEST_CELL.0 <= LONGEST_WITH_VALUES.0
        && rows * SMALLEST_CELL.1 <= LONGEST_WITH_VALUES.1
    {
        SMALLEST_CELL
    } else {
        let side = (LONGEST_WITHOUT_VALUES / rows.max(columns)).clamp(1, SMALLEST_CELL.1);
        (side, side)
    }
}

/// Groups of matrices shown together: q, k and scores; and weights, v and context. Scaled and
/// masked scores are separate groups, so that each goes wherever there is room.
pub(super) fn groups(steps: &Steps) -> Vec<Vec<Stage<'_>>> {
    let mut groups: Vec<Vec<Stage>> = Vec::new();
    for stage in stages(steps) {
        match (stage.name, groups.last_mut()) {
            ("k" | "scores" | "v" | "context", Some(group)) => group.push(stage),
            _ => groups.push(vec![stage]),
        }
    }
    groups
}

/// The matrices in the order in which they are computed.
pub(super) fn stages(steps: &Steps) -> Vec<Stage<'_>> {
    let masked = steps
        .mask
        .as_ref()
        .map(|mask| mask_scores(&steps.numbers.scaled, mask));
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
    let numbers = &steps.numbers;
    let mut last = "scores";
    let mut stages = vec![
        of_queries("q", "", &steps.q),
        of_keys("k", &steps.k, key),
        of_both(last, "q kᵀ", &numbers.scores),
    ];
    if let Some(formula) = steps.scaling.formula() {
        stages.push(of_both(
            "scaled",
            &format!("{last} {formula}"),
            &numbers.scaled,
        ));
        last = "scaled";
    }
    if let Some(masked) = &masked {
        stages.push(of_both("masked", &format!("mask({last})"), masked));
        last = "masked";
    }
    stages.extend([
        of_both("weights", &format!("softmax({last})"), &numbers.weights),
        of_keys("v", &steps.v, None),
        of_queries("context", "weights v", &numbers.context),
    ]);
    stages
}
