//! Numbers as strings, and strings in columns.

use crate::show::shown::kept_indices;
use ndarray::ArrayView1;

/// Only the ends of longer rows of numbers are shown.
const MOST_COLUMNS: usize = 6;

/// The parts as owned strings.
pub(super) fn texts(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|&part| part.to_owned()).collect()
}

/// The numbers of a row; those in the middle of a long row are replaced by "...".
pub(super) fn shortened(row: &ArrayView1<f64>) -> Vec<String> {
    let kept = kept_indices(row.len(), row.len() > MOST_COLUMNS);
    kept.iter()
        .map(|index| index.map_or("...".to_owned(), |index| number(row[index])))
        .collect()
}

/// Like [`shortened`], but in brackets and with commas.
pub(super) fn in_brackets(row: &ArrayView1<f64>) -> Vec<String> {
    let mut texts = shortened(row);
    let last = texts.len() - 1;
    for text in &mut texts[..last] {
        text.push(',');
    }
    texts[last].push(']');
    [vec!["[".to_owned()], texts].concat()
}

/// A number with four decimals, or in scientific notation if it is too large or too small for them.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        size if size.is_nan() => "nan".to_owned(),
        size if size.is_infinite() => value.to_string(),
        size if size >= 1e5 || (size > 0.0 && size < 5e-5) => format!("{value:.2e}"),
        _ => format!("{:.4}", value + 0.0), // never -0.0000
    }
}

/// Lines whose columns are as wide as their widest entry.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let texts = rows.iter().filter_map(|row| row.get(column));
        texts.map(|text| places(text)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells =
            cells.map(|(text, width)| format!("{}{text}", " ".repeat(width - places(text))));
        cells
            .collect::<Vec<String>>()
            .join(" ")
            .trim_end()
            .to_owned()
    };
    rows.iter().map(line).collect()
}

/// The width of text in a terminal; wide characters, such as Chinese and Japanese ones, take two
/// columns.
pub(super) fn places(text: &str) -> usize {
    let is_wide = |c| {
        matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..)
    };
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}
