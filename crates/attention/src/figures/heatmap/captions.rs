//! What is written above a heatmap and beside its axes.

use super::{Heatmap, PanelContext};
use crate::numerics::shape::shape_text;

impl Heatmap {
    /// The title, and for a large matrix that its values are not shown.
    pub(super) fn heading(&self, context: PanelContext) -> String {
        let share = self.share_of_pixel(context);
        let shape = || shape_text(self.matrix.shape());
        let heading = match context {
            PanelContext::Alone if self.is_large() && share.is_empty() => {
                format!("{} {}, without values", self.title, shape())
            }
            PanelContext::Alone if self.is_large() => {
                format!("{} {}, {share}", self.title, shape())
            }
            _ if share.is_empty() => return self.title.clone(),
            _ => format!("{}, {share}", self.title),
        };
        heading.trim_start_matches([' ', ',']).to_owned()
    }

    /// The names of rows and columns, if they have any.
    pub(super) fn axis_names(&self) -> Option<(&str, &str)> {
        match &self.axes {
            Some((rows, columns)) => Some((rows, columns)),
            None if !self.row_labels.is_empty() && !self.column_labels.is_empty() => {
                Some(("query", "key"))
            }
            None => None,
        }
    }

    /// The names of the axes; empty where they do not fit.
    pub(super) fn drawn_axis_names(&self, context: PanelContext) -> (&str, &str) {
        let (rows, columns) = self.axis_names().unwrap_or_default();
        match context {
            PanelContext::Strip { .. } => ("", ""),
            PanelContext::Grid { has_rows, .. } if !has_rows => ("", columns),
            _ => (rows, columns),
        }
    }
}
