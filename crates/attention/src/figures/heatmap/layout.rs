//! Positions of everything in a heatmap.

use super::blocks::Block;
use super::colour_bar::COLOUR_BAR_WIDTH;
use super::label_choice::{LABEL, Labels, Spacing};
use super::{GAP, Heatmap, LINE, PanelContext};
use crate::figures::numbers::number_width;
use crate::figures::scene::Point;
use crate::markup::text::text_width;

/// The largest and the smallest side of a cell, in pixels.
pub(crate) const LARGEST_CELL: i32 = 60;
const SMALLEST_CELL: i32 = 1;
/// The smallest cells with room for every label, and for a readable value.
pub(crate) const SMALLEST_WITH_LABEL: i32 = LABEL;
pub(crate) const SMALLEST_WITH_VALUE: i32 = 26;
/// The smallest readable font size for a value, and the largest one used.
const SMALLEST_VALUE: i32 = 9;
const LARGEST_VALUE: i32 = 13;
/// The width of "-0.12" as a multiple of the font size.
const USUAL_WIDTH: f64 = 2.6;
/// The longest side of a matrix before its cells shrink.
const LARGEST_MATRIX: i32 = 560;
/// The shortest side of the image of a large matrix, in pixels.
const THINNEST: i32 = 48;

/// Positions and sizes, in pixels.
pub(crate) struct HeatmapLayout {
    pub size: Point,
    pub left: i32,
    pub top: i32,
    /// The width and the height of a cell.
    pub cell: i32,
    pub(super) row_height: i32,
    /// Whether there is a colour bar beside the matrix.
    pub(super) has_bar: bool,
    /// How many rows and columns share a cell.
    block: Block,
    pub matrix_width: i32,
    pub matrix_height: i32,
    /// The labels that fit, with their rows and columns.
    pub(super) row_labels: Labels,
    pub(super) column_labels: Labels,
    /// Whether the column labels fit above their columns without being rotated.
    pub(super) upright: bool,
}

impl HeatmapLayout {
    pub(super) fn of(heatmap: &Heatmap, context: PanelContext) -> HeatmapLayout {
        let block = heatmap.block(context);
        let (rows, columns) = heatmap.matrix.dim();
        let drawn = (
            rows.div_ceil(block.0) as i32,
            columns.div_ceil(block.1) as i32,
        );
        let (column_width, row_height) = cell_size(heatmap, context, drawn);
        let spacing = |side, block| Spacing { side, block };
        let row_labels = Labels::of_rows(heatmap, context, spacing(row_height, block.0));
        let column_labels = Labels::of_columns(heatmap, context, spacing(column_width, block.1));
        let upright = are_upright(&column_labels, column_width, block.1);
        let (matrix_width, matrix_height) = (column_width * drawn.1, row_height * drawn.0);
        let column_label = match (column_labels.widest(), upright) {
            (Some(width), true) => width,
            (Some(_), false) => LABEL,
            (None, _) => 0,
        };
        let overhang = overhang(heatmap, context, (matrix_width, column_label));
        // Hidden labels count as overhang, so that panels in the same column have the same left
        // edge.
        let column_labels = match context {
            PanelContext::Grid { has_columns, .. } if !has_columns => Labels::none(),
            _ => column_labels,
        };
        let (row_axis, column_axis) = heatmap.drawn_axis_names(context);
        let left = left_of_matrix(context, &row_labels, row_axis).max(overhang);
        let columns_width = column_labels.widest().unwrap_or(0);
        let top = above_matrix(heatmap, context, columns_width, upright);
        let has_bar = has_bar(heatmap, context);
        let right = match context {
            PanelContext::Grid { .. } => 0,
            _ if has_bar => COLOUR_BAR_WIDTH,
            _ => GAP / 2,
        };
        let below = match context {
            PanelContext::Strip { .. } => GAP / 2,
            PanelContext::Alone | PanelContext::Grid { .. } => 2 * GAP,
        };
        HeatmapLayout {
            size: (
                left + matrix_width + right.max(overhang),
                top + matrix_height + below + line_of(column_axis),
            ),
            left,
            top,
            has_bar,
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

    /// The upper left corner of this cell.
    pub(super) fn corner(&self, row: usize, column: usize) -> Point {
        (
            self.left + self.cell * (column / self.block.1) as i32,
            self.top + self.row_height * (row / self.block.0) as i32,
        )
    }

    /// The lower right corner of the matrix.
    pub(super) fn end(&self) -> Point {
        (self.left + self.matrix_width, self.top + self.matrix_height)
    }
}

/// Width and height of a cell when this many rows and columns are drawn.
fn cell_size(heatmap: &Heatmap, context: PanelContext, (rows, columns): Point) -> Point {
    let cell = match context {
        PanelContext::Alone => {
            (LARGEST_MATRIX / rows.max(columns)).clamp(SMALLEST_CELL, LARGEST_CELL)
        }
        PanelContext::Grid { cell, .. } => cell,
        PanelContext::Strip { cell, .. } => return cell,
    };
    match heatmap.is_large() && context == PanelContext::Alone {
        // Keeps a matrix with many rows and few columns, or the reverse, from being hair-thin.
        true => (cell.max(THINNEST / columns), cell.max(THINNEST / rows)),
        false => (cell, cell),
    }
}

/// Whether the labels fit above their columns without being rotated; a drawn column
/// covers `block` columns of the matrix.
fn are_upright(labels: &Labels, column_width: i32, block: usize) -> bool {
    let step = match labels.texts[..] {
        [(first, _), (second, _), ..] => second - first,
        _ => 1,
    };
    let apart = if step == 1 { 0 } else { GAP / 2 };
    let width = labels.widest().unwrap_or(0) + apart;
    labels.are_numbers || width <= column_width * (step / block) as i32
}

/// How far the heading and, in a grid, the labels of the first and the last column extend beyond
/// the matrix on both sides.
fn overhang(heatmap: &Heatmap, context: PanelContext, (matrix_width, column_label): Point) -> i32 {
    let heading = heatmap.heading(context);
    let width = text_width(&heading) * heading_size(context) as i32 / 13;
    let overhang = (width - matrix_width).max(0) / 2;
    match context {
        // The column labels of a large matrix are wider than its cells.
        PanelContext::Grid { cell, .. } => overhang.max((column_label - cell) / 2),
        PanelContext::Strip { .. } => overhang + GAP / 2,
        PanelContext::Alone => overhang + GAP,
    }
}

/// The space to the left of the matrix, for the row labels and the name of their axis.
fn left_of_matrix(context: PanelContext, labels: &Labels, axis: &str) -> i32 {
    let labels = labels.widest();
    match (context, labels, line_of(axis)) {
        (PanelContext::Strip { .. }, None, _) => 0,
        (PanelContext::Strip { .. }, Some(labels), _) => GAP + labels,
        (PanelContext::Grid { has_rows, .. }, None, 0) if !has_rows => 0,
        (_, labels, axis) => 2 * GAP + axis + labels.unwrap_or(0),
    }
}

/// The space for the heading and the column labels.
fn above_matrix(
    heatmap: &Heatmap,
    context: PanelContext,
    columns_width: i32,
    upright: bool,
) -> i32 {
    let title = match context {
        _ if heatmap.heading(context).is_empty() => 0,
        // Room for the title and a formula; the labels are closer to the cells than elsewhere.
        PanelContext::Strip { .. } => 2 * LINE - GAP / 2,
        PanelContext::Alone | PanelContext::Grid { .. } => 2 * LINE,
    };
    let labels = match columns_width {
        0 => 0,
        _ if upright => LINE,
        _ => columns_width,
    };
    let gaps = match context {
        PanelContext::Strip { .. } => GAP,
        PanelContext::Grid { has_columns, .. } if !has_columns => GAP,
        PanelContext::Alone | PanelContext::Grid { .. } => 2 * GAP,
    };
    title + gaps + labels
}

/// The font size of a heading.
pub(super) fn heading_size(context: PanelContext) -> u32 {
    match context {
        PanelContext::Strip { .. } => 13,
        PanelContext::Alone | PanelContext::Grid { .. } => 15,
    }
}

/// The space for the name of an axis.
fn line_of(name: &str) -> i32 {
    if name.is_empty() { 0 } else { LINE }
}

/// The font size for values in cells of this size, if all of them are readable without touching
/// each other.
pub(super) fn value_size(heatmap: &Heatmap, (width, height): Point) -> Option<u32> {
    let tallest = height * 5 / 9;
    if tallest < SMALLEST_VALUE || heatmap.is_large() {
        return None;
    }
    let scale = heatmap.scale();
    let visible = heatmap.matrix.indexed_iter();
    let visible = visible.filter(|(index, _)| !heatmap.is_hidden(*index));
    let widths = visible.map(|(_, value)| number_width(&scale.number(*value)));
    // At least the usual width, so that most matrices use the same size.
    let widest = widths.fold(USUAL_WIDTH, f64::max);
    let size = (f64::from(width - 2) / widest) as i32;
    let size = size.min(tallest).min(LARGEST_VALUE);
    (size >= SMALLEST_VALUE).then_some(size as u32)
}

/// Whether the heatmap has a colour bar of its own: in a strip, only if its cells do not show their
/// values; in a grid, never.
fn has_bar(heatmap: &Heatmap, context: PanelContext) -> bool {
    match context {
        PanelContext::Alone => true,
        PanelContext::Strip { cell, .. } => value_size(heatmap, cell).is_none(),
        PanelContext::Grid { .. } => false,
    }
}
