//! The text above a heatmap and along its axes.

use super::{Heatmap, PanelContext};
use crate::figures::numbers::number_on;
use crate::numerics::shape::shape_text;

impl Heatmap {
    /// The title; for a large matrix also its shape (unless it is a panel of a figure), how values
    /// share pixels, and their range if their colours hardly differ.
    pub(super) fn heading(&self, context: PanelContext) -> String {
        if !self.is_large() {
            return self.title.clone();
        }
        let share = self.share_of_pixel(context);
        let share = match (context, share.is_empty()) {
            (PanelContext::Alone, true) => Some("without values".to_owned()),
            (_, is_empty) => (!is_empty).then_some(share),
        };
        let title = match context {
            PanelContext::Alone => {
                let shape = shape_text(self.matrix.shape());
                format!("{} {shape}", self.title).trim_start().to_owned()
            }
            _ => self.title.clone(),
        };
        let parts = [Some(title), share, self.reach()];
        let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
        parts.collect::<Vec<String>>().join(", ")
    }

    /// The lowest and the highest value as text, if they span less than a tenth of the scale.
    fn reach(&self) -> Option<String> {
        let (low, high) = self.limits();
        let finite = || {
            self.matrix
                .iter()
                .copied()
                .filter(|value| value.is_finite())
        };
        let lowest = finite().fold(f64::INFINITY, f64::min);
        let highest = finite().fold(f64::NEG_INFINITY, f64::max);
        let is_narrow = highest / 10.0 - lowest / 10.0 < (high / 100.0 - low / 100.0);
        if lowest > highest || !is_narrow {
            return None;
        }
        let [from, to] = [lowest, highest].map(|value| number_on(value, (lowest, highest)));
        Some(match lowest == highest {
            true => format!("every value {from}"),
            false => format!("values from {from} to {to}"),
        })
    }

    /// The names of the axes: by default query and key if both have labels, otherwise none.
    pub(super) fn axis_names(&self) -> Option<(&str, &str)> {
        match &self.axes {
            Some((rows, columns)) => Some((rows, columns)),
            None if !self.row_labels.is_empty() && !self.column_labels.is_empty() => {
                Some(("query", "key"))
            }
            None => None,
        }
    }

    /// The names of the axes to draw: none in a strip, and none in a grid where a neighbour has them.
    pub(super) fn drawn_axis_names(&self, context: PanelContext) -> (&str, &str) {
        let (rows, columns) = self.axis_names().unwrap_or_default();
        match context {
            PanelContext::Strip { .. } => ("", ""),
            PanelContext::Grid {
                has_rows,
                has_columns,
                ..
            } => (
                if has_rows { rows } else { "" },
                if has_columns { columns } else { "" },
            ),
            PanelContext::Alone => (rows, columns),
        }
    }
}
