//! A heatmap in words: for screen readers, on hover, and as plain text.

use super::{Heatmap, LARGEST_WITH_FIELDS};
use crate::figures::hover;
use crate::markup::text::{counted, in_a_line, printable};
use crate::show::shown::{kept_indices, show_as};

impl Heatmap {
    /// The picture in words. If rows and columns have labels, it names the column of each row's
    /// largest value.
    pub(crate) fn description(&self) -> String {
        let (rows, columns) = self.matrix.dim();
        let mut text = format!(
            "Heatmap of {} and {}.",
            counted(rows, "row", "rows"),
            counted(columns, "column", "columns")
        );
        if self.is_large() {
            text += &match self.share_of_pixel(self.context) {
                one if one.is_empty() => {
                    " One pixel for each value: the matrix is too large to show them in numbers."
                        .to_owned()
                }
                share => format!(" The matrix is too large to show all its values: {share}."),
            };
        }
        if self.row_labels.is_empty() || self.column_labels.is_empty() {
            return text;
        }
        let scale = self.scale();
        let labelled = self.row_labels.iter().zip(self.matrix.rows());
        for (label, row) in labelled.take(LARGEST_WITH_FIELDS) {
            let finite = row
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_finite());
            if let Some((most, value)) = finite.max_by(|a, b| a.1.total_cmp(b.1)) {
                let (row, column) = (in_a_line(label), in_a_line(&self.column_labels[most]));
                text += &format!(" {row}: most at {column}, {}.", scale.number(*value));
            }
        }
        if rows > LARGEST_WITH_FIELDS {
            text += &format!(" Only the first {LARGEST_WITH_FIELDS} rows are described.");
        }
        text
    }

    /// The description preceded by the title, for a figure with several panels.
    pub(crate) fn titled_description(&self) -> String {
        match self.title.as_str() {
            "" => self.description(),
            title => format!("{title}: {}", self.description()),
        }
    }

    /// The positions of the cells and their texts; empty for a large matrix.
    pub(crate) fn fields(&self) -> hover::Fields {
        if self.is_large() {
            return hover::Fields::none();
        }
        let layout = self.layout();
        let scale = self.scale();
        let (row_axis, column_axis) = self.axis_names().unwrap_or(("row", "column"));
        let says = |(index, value): ((usize, usize), &f64)| {
            let row = named(row_axis, &self.row_labels, index.0);
            let column = named(column_axis, &self.column_labels, index.1);
            let value = match self.is_hidden(index) {
                true => "hidden".to_owned(),
                false => scale.number(*value),
            };
            format!("{row} → {column}: {value}")
        };
        hover::Fields {
            left: layout.left,
            top: layout.top,
            cell: (layout.cell, layout.row_height),
            columns: self.matrix.ncols(),
            says: self.matrix.indexed_iter().map(says).collect(),
        }
    }

    /// Title, labels and values.
    pub(super) fn values_as_text(&self) -> String {
        // As f32, the values are shown with four decimals, which are enough; but the largest must be
        // within the range of an f32.
        let sizes = self.matrix.iter().map(|value| value.abs());
        let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
        let narrow = largest as f32;
        let is_lost = narrow.is_infinite() || (narrow == 0.0 && largest > 0.0);
        let values = match is_lost {
            true => show_as(&self.matrix, self.element),
            false => show_as(&self.matrix.mapv(|value| value as f32), self.element),
        };
        let mut text = format!("Heatmap: {}\n", self.title);
        for (axis, labels) in [("rows", &self.row_labels), ("columns", &self.column_labels)] {
            if !labels.is_empty() {
                let kept = kept_indices(labels.len(), labels.len() > LARGEST_WITH_FIELDS);
                let label = |index: &Option<usize>| match index {
                    Some(index) => printable(&labels[*index]),
                    None => "...".into(),
                };
                let labels: Vec<_> = kept.iter().map(label).collect();
                text += &format!("{axis}: {}\n", labels.join(" | "));
            }
        }
        text + &values.to_string()
    }
}

/// The name of a row or column: its label, or else its number.
fn named(axis: &str, labels: &[String], index: usize) -> String {
    match labels.get(index) {
        Some(label) => format!("{axis} {}", in_a_line(label)),
        None => format!("{axis} {index}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::heatmap::heatmap;
    use ndarray::array;

    #[test]
    fn the_text_names_the_type_of_the_values() {
        for (text, end) in [
            (heatmap(&array![[0.5_f32]]).text(), "[[0.5000]]  f32 (1, 1)"),
            (heatmap(&array![[0.5_f64]]).text(), "[[0.5000]]  f64 (1, 1)"),
            (heatmap(&array![[1e300]]).text(), "[[1.e+300]]  f64 (1, 1)"),
            (heatmap(&array![[true]]).text(), "[[1.]]  bool (1, 1)"),
        ] {
            assert!(text.ends_with(end), "{text}");
        }
    }
}
