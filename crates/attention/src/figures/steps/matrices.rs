//! The matrices of one attention computation, as text.

use super::Steps;
use super::block::Block;
use super::columns::shortened;
use super::stages::{Stage, stages};
use crate::markup::text::in_a_line;
use crate::show::shown::kept_indices;
use ndarray::Array2;

/// If there are more rows, only the first and the last few are written.
const MOST_ROWS: usize = 12;

/// All matrices with their names, and with the rows of the chosen query and key marked.
pub(super) fn matrices(steps: &Steps) -> String {
    let stages = stages(steps);
    let text = |stage: &Stage| {
        let rows = rows_of(&stage.matrix, stage.rows, stage.row);
        Block {
            name: stage.heading(),
            rows,
        }
        .text()
    };
    stages
        .iter()
        .map(text)
        .collect::<Vec<String>>()
        .join("\n\n")
}

/// A matrix as strings, with a label per row and a mark at the row of the chosen query or key.
fn rows_of(matrix: &Array2<f64>, labels: &[String], marked: Option<usize>) -> Vec<Vec<String>> {
    let kept = kept_indices(matrix.nrows(), matrix.nrows() > MOST_ROWS);
    let row = |index: &Option<usize>| match index {
        Some(index) => {
            let mark = if marked == Some(*index) { ">" } else { " " };
            let label = vec![format!("{mark} {}", in_a_line(&labels[*index]))];
            [label, shortened(&matrix.row(*index))].concat()
        }
        None => vec!["  ...".to_owned()],
    };
    kept.iter().map(row).collect()
}
