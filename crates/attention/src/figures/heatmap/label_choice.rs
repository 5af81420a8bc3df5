//! Chooses the labels of a heatmap's rows and columns: their names, or numbers if they have none.

use super::{Heatmap, PanelContext};
use crate::markup::text::{cut, text_width};

/// The minimum distance between two names, so that they do not touch.
pub(crate) const LABEL: i32 = 14;
/// The gap between two column numbers, and the distance from one row number to the next.
const NUMBER_GAP: i32 = 10;
const NUMBER: i32 = 20;
/// Font sizes: for names, and for numbers (and names in a strip).
const SIZE: u32 = 13;
const SMALL: u32 = 11;

/// The labels of an axis, each with its row or column.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    pub texts: Vec<(usize, String)>,
    pub size: u32,
    pub are_numbers: bool,
}

/// The spacing of rows or columns: `block` of them together take `side` pixels.
#[derive(Clone, Copy)]
pub(super) struct Spacing {
    pub side: i32,
    pub block: usize,
}

impl Labels {
    pub fn of_rows(heatmap: &Heatmap, context: PanelContext, spacing: Spacing) -> Labels {
        let has_rows = match context {
            PanelContext::Alone => true,
            PanelContext::Grid { has_rows, .. } | PanelContext::Strip { has_rows, .. } => has_rows,
        };
        match has_rows {
            true => {
                let count = heatmap.matrix.nrows();
                Labels::chosen(&heatmap.row_labels, count, context, (spacing, NUMBER))
            }
            false => Labels::none(),
        }
    }

    pub fn of_columns(heatmap: &Heatmap, context: PanelContext, spacing: Spacing) -> Labels {
        let count = heatmap.matrix.ncols();
        let distance = text_width(&(count - 1).to_string()) + NUMBER_GAP;
        Labels::chosen(&heatmap.column_labels, count, context, (spacing, distance))
    }

    pub fn none() -> Labels {
        Labels {
            texts: Vec::new(),
            size: SMALL,
            are_numbers: false,
        }
    }

    /// The names that fit or, without names, numbers at this distance.
    fn chosen(
        names: &[String],
        count: usize,
        context: PanelContext,
        (spacing, distance): (Spacing, i32),
    ) -> Labels {
        let is_strip = matches!(context, PanelContext::Strip { .. });
        match names {
            // Numbering a single row would carry no information.
            [] if is_strip || count == 1 => Labels::none(),
            [] => Labels {
                texts: (0..count)
                    .step_by(spacing.step(distance))
                    .map(|index| (index, index.to_string()))
                    .collect(),
                size: SMALL,
                are_numbers: true,
            },
            _ => Labels {
                texts: fitting(names, spacing.step(LABEL)),
                size: if is_strip { SMALL } else { SIZE },
                are_numbers: false,
            },
        }
    }

    /// The width of the widest label, in pixels; `None` if there are no labels.
    pub fn widest(&self) -> Option<i32> {
        let widths = self.texts.iter().map(|label| text_width(&label.1));
        widths.max().map(|width| match self.size {
            SIZE => width,
            size => width * size as i32 / (SIZE as i32 + 1), // the estimate is deliberately generous
        })
    }
}

impl Spacing {
    /// The smallest round number of rows or columns that covers at least this many pixels.
    fn step(self, distance: i32) -> usize {
        let powers = (0..9).map(|power| 10_usize.pow(power));
        let mut steps = powers.flat_map(|power| [1, 2, 5].map(|step| step * power));
        steps
            .find(|step| (step / self.block) as i32 * self.side >= distance)
            .unwrap_or(1_000_000_000)
    }
}

/// Every name, or every `step`-th one preceded by its number.
fn fitting(names: &[String], step: usize) -> Vec<(usize, String)> {
    let text = |(index, name): (usize, &String)| match index.to_string() {
        _ if step == 1 => (index, cut(name)),
        number if number == *name => (index, number),
        number => (index, format!("{number} {}", cut(name))),
    };
    names.iter().enumerate().step_by(step).map(text).collect()
}
