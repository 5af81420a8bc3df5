//! Where everything in a heatmap stands.

use super::blocks::Block;
use super::colour_bar::COLOUR_BAR_WIDTH;
use super::label_choice::{LABEL, chosen_labels};
use super::{GAP, Heatmap, LINE, PanelContext};
use crate::figures::scene::Point;
use crate::figures::text::text_width;

/// Sides of a cell, in pixels.
pub(crate) const LARGEST_CELL: i32 = 60;
const SMALLEST_CELL: i32 = 2;
/// The smallest in which each row and column has its label, and in which a value can be read.
pub(crate) const SMALLEST_WITH_LABEL: i32 = LABEL;
pub(crate) const SMALLEST_WITH_VALUE: i32 = 27;
/// The longest side that a matrix takes before its cells shrink.
const LARGEST_MATRIX: i32 = 640;
/// The least side of the image of a large matrix, in pixels.
const THINNEST: i32 = 48;

/// Where everything stands, in pixels.
pub(crate) struct HeatmapLayout {
    pub size: Point,
    pub left: i32,
    pub top: i32,
    /// The side of a cell, in an image of a pixel; there a row can be higher.
    pub cell: i32,
    pub(super) row_height: i32,
    /// How many rows and columns share a pixel of an image.
    block: Block,
    pub matrix_width: i32,
    pub matrix_height: i32,
    /// The labels that fit, with their rows and columns.
    pub(super) row_labels: Labels,
    pub(super) column_labels: Labels,
    /// Whether the column labels fit above their columns without being turned.
    pub(super) upright: bool,
}

/// Labels of an axis, each with its row or column.
type Labels = Vec<(usize, String)>;

impl HeatmapLayout {
    pub(super) fn of(heatmap: &Heatmap, context: PanelContext) -> HeatmapLayout {
        let block = heatmap.block(context);
        let (rows, columns) = heatmap.matrix.dim();
        let drawn = (
            rows.div_ceil(block.0) as i32,
            columns.div_ceil(block.1) as i32,
        );
        let (column_width, row_height) = cell_size(heatmap, context, drawn);
        let numbered = heatmap.is_large() && !matches!(context, PanelContext::Strip { .. });
        let count = |count| numbered.then_some(count);
        let row_labels = match context {
            PanelContext::Grid {
                has_rows: false, ..
            } => Labels::new(),
            _ => chosen_labels(&heatmap.row_labels, count(rows), (row_height, block.0)),
        };
        let column_labels = chosen_labels(
            &heatmap.column_labels,
            count(columns),
            (column_width, block.1),
        );
        let upright = are_upright(&column_labels, column_width, block.1);
        let (matrix_width, matrix_height) = (column_width * drawn.1, row_height * drawn.0);
        let columns_width = widest(&column_labels).unwrap_or(0);
        let overhang = overhang(heatmap, context, (matrix_width, columns_width), upright);
        let (row_axis, column_axis) = heatmap.drawn_axis_names(context);
        let left = left_of_matrix(context, &row_labels, row_axis).max(overhang);
        let top = above_matrix(heatmap, context, columns_width, upright);
        let right = match context {
            PanelContext::Grid { .. } => 0,
            _ if has_bar(context) => COLOUR_BAR_WIDTH,
            _ => GAP,
        };
        HeatmapLayout {
            size: (
                left + matrix_width + right.max(overhang),
                top + matrix_height + 2 * GAP + line_of(column_axis),
            ),
            left,
            top,
            cell: column_width,
            row_height,
            block,
            matrix_width,
            matrix_height,
            row_labels,
            column_labels,
            upright,
        }
    }

    /// Where the cell of this row and column begins.
    pub(super) fn corner(&self, row: usize, column: usize) -> Point {
        (
            self.left + self.cell * (column / self.block.1) as i32,
            self.top + self.row_height * (row / self.block.0) as i32,
        )
    }

    /// Where the matrix ends.
    pub(super) fn end(&self) -> Point {
        (self.left + self.matrix_width, self.top + self.matrix_height)
    }
}

/// Width and height of a cell, of which so many rows and columns are drawn.
fn cell_size(heatmap: &Heatmap, context: PanelContext, (rows, columns): Point) -> Point {
    let cell = match context {
        PanelContext::Alone => {
            (LARGEST_MATRIX / rows.max(columns)).clamp(SMALLEST_CELL, LARGEST_CELL)
        }
        PanelContext::Strip { cell, .. } | PanelContext::Grid { cell, .. } => cell,
    };
    match heatmap.is_large() && context == PanelContext::Alone {
        // A matrix of few rows or columns, and many of the others, is more than a hair.
        true => (cell.max(THINNEST / columns), cell.max(THINNEST / rows)),
        false => (cell, cell),
    }
}

/// Whether the labels fit above their columns without being turned; a column of the matrix
/// is as wide as a `block` of them.
fn are_upright(labels: &Labels, column_width: i32, block: usize) -> bool {
    let step = match labels[..] {
        [(first, _), (second, _), ..] => second - first,
        _ => 1,
    };
    let apart = if step == 1 { 0 } else { GAP / 2 };
    widest(labels).unwrap_or(0) + apart <= column_width * (step / block) as i32
}

/// How far the heading, which stands above the middle of the matrix, reaches beyond it on
/// both sides.
fn overhang(
    heatmap: &Heatmap,
    context: PanelContext,
    (matrix_width, columns_width): Point,
    upright: bool,
) -> i32 {
    let heading = heatmap.heading(context);
    let overhang = (text_width(&heading) * 15 / 13 - matrix_width).max(0) / 2;
    match context {
        // Numbers at the columns of a large matrix are wider than its cells.
        PanelContext::Grid { cell, .. } if upright => overhang.max((columns_width - cell) / 2),
        PanelContext::Grid { .. } => overhang,
        _ => overhang + GAP,
    }
}

/// What the names at the rows take.
fn left_of_matrix(context: PanelContext, labels: &Labels, axis: &str) -> i32 {
    match (widest(labels), line_of(axis), context) {
        (
            None,
            0,
            PanelContext::Grid {
                has_rows: false, ..
            },
        ) => 0,
        (labels, axis, _) => 2 * GAP + axis + labels.unwrap_or(0),
    }
}

/// What the heading and the names at the columns take.
fn above_matrix(
    heatmap: &Heatmap,
    context: PanelContext,
    columns_width: i32,
    upright: bool,
) -> i32 {
    let title = match context {
        _ if heatmap.heading(context).is_empty() => 0,
        PanelContext::Strip { .. } => 3 * LINE - GAP, // with a formula
        PanelContext::Alone | PanelContext::Grid { .. } => 2 * LINE,
    };
    let labels = match columns_width {
        0 => 0,
        _ if upright => LINE,
        _ => columns_width,
    };
    title + 2 * GAP + labels
}

fn widest(labels: &Labels) -> Option<i32> {
    labels.iter().map(|label| text_width(&label.1)).max()
}

/// What the name of an axis takes.
fn line_of(name: &str) -> i32 {
    if name.is_empty() { 0 } else { LINE }
}

/// How large values are written in cells of this side, if they can be read: five
/// characters take 2.6 times the size of the font.
pub(super) fn value_size(cell: i32) -> Option<u32> {
    (cell >= SMALLEST_WITH_VALUE).then(|| ((cell - 3) * 10 / 26).min(13) as u32)
}

/// In a strip the bar is there only where the cells do not say their values.
pub(super) fn has_bar(context: PanelContext) -> bool {
    match context {
        PanelContext::Alone => true,
        PanelContext::Strip { cell, .. } => value_size(cell).is_none(),
        PanelContext::Grid { .. } => false,
    }
}
