//! Combines weights between pieces of words into weights between words.

use crate::figures::heatmap;
use crate::numerics::shape::shape_text;
use ndarray::{Array1, Array2, ArrayRef2, Axis};

/// Prefix of a piece that begins a word, in SentencePiece.
const START: char = '▁';
/// Prefix of a piece that continues a word, in WordPiece.
const INSIDE: &str = "##";

/// Weights between words. See [`join_pieces`].
#[derive(Clone, Debug, PartialEq)]
pub struct WordWeights {
    /// (T, S), with a row for each query word and a column for each key word.
    pub weights: Array2<f32>,
    /// The words of the queries.
    pub queries: Vec<String>,
    /// The words of the keys.
    pub keys: Vec<String>,
}

impl WordWeights {
    /// Shows the weights as a heatmap under the cell in a notebook.
    pub fn evcxr_display(&self) {
        heatmap(&self.weights)
            .rows(&self.queries)
            .columns(&self.keys)
            .evcxr_display();
    }
}

/// The weights between words, from the weights between pieces of words.
///
/// `weights` is (T, S), with one piece per query and per key. The weight of a key word is the sum
/// over its pieces, because each contributes part of the word; that of a query word is the mean
/// over its pieces. So each row still sums to 1.
///
/// A piece that starts with `##` (WordPiece) continues the word before it. If any piece in a list
/// starts with `▁` (SentencePiece), every piece without that prefix continues the word before it.
/// Tokens like `</s>` and `[SEP]` stand alone.
///
/// # Panics
///
/// If there is not exactly one query per row and one key per column.
///
/// ```
/// use attention::figures::join_pieces;
/// use ndarray::array;
///
/// let weights = array![[0.5, 0.25, 0.25], [0.5, 0.0, 0.5]];
/// let words = join_pieces(&weights, &["▁cans", "ada"], &["▁ti", "red", "</s>"]);
/// assert_eq!(words.queries, ["cansada"]);
/// assert_eq!(words.keys, ["tired", "</s>"]);
/// assert_eq!(words.weights, array![[0.625, 0.375]]);
/// ```
#[track_caller]
pub fn join_pieces<Q: AsRef<str>, K: AsRef<str>>(
    weights: &ArrayRef2<f32>,
    queries: &[Q],
    keys: &[K],
) -> WordWeights {
    assert!(
        weights.dim() == (queries.len(), keys.len()),
        "join_pieces: weights is {}, but there are {} queries and {} keys",
        shape_text(weights.shape()),
        queries.len(),
        keys.len(),
    );
    let (queries, query_of) = words(queries);
    let (keys, key_of) = words(keys);
    let mut sums = Array2::<f32>::zeros((queries.len(), keys.len()));
    let mut counts = Array1::<f32>::zeros(queries.len());
    for (row, &query) in weights.rows().into_iter().zip(&query_of) {
        counts[query] += 1.0;
        for (weight, &key) in row.iter().zip(&key_of) {
            sums[[query, key]] += weight;
        }
    }
    WordWeights {
        weights: sums / counts.insert_axis(Axis(1)),
        queries,
        keys,
    }
}

/// The words, and for each piece the position of its word.
fn words<S: AsRef<str>>(pieces: &[S]) -> (Vec<String>, Vec<usize>) {
    let marks_starts = pieces.iter().any(|piece| piece.as_ref().starts_with(START));
    let mut words: Vec<String> = Vec::new();
    let mut word_of = Vec::new();
    let mut can_go_on = false;
    for piece in pieces.iter().map(AsRef::as_ref) {
        let is_alone = is_special(piece);
        let continued = match marks_starts {
            true => (!piece.starts_with(START)).then_some(piece),
            false => piece.strip_prefix(INSIDE),
        };
        match (continued, words.last_mut()) {
            (Some(rest), Some(word)) if can_go_on && !is_alone => word.push_str(rest),
            _ => words.push(piece.trim_start_matches(START).to_owned()),
        }
        can_go_on = !is_alone;
        word_of.push(words.len() - 1);
    }
    (words, word_of)
}

/// Whether a piece is not part of the text, such as `</s>` or `[SEP]`.
fn is_special(piece: &str) -> bool {
    let within = |start, end| piece.len() > 2 && piece.starts_with(start) && piece.ends_with(end);
    within('<', '>') || within('[', ']')
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn pieces_of_both_kinds_become_words() {
        let joined = |pieces: &[&str]| words(pieces).0;
        assert_eq!(
            joined(&["▁The", "▁cans", "ada", ".", "</s>"]),
            ["The", "cansada.", "</s>"]
        );
        assert_eq!(
            joined(&["[CLS]", "un", "##bel", "it", "[SEP]"]),
            ["[CLS]", "unbel", "it", "[SEP]"]
        );
        assert_eq!(joined(&["to", "be"]), ["to", "be"]);
        assert_eq!(
            joined(&["##s", "▁a", "<unk>", "b"]),
            ["##s", "a", "<unk>", "b"]
        );
        assert!(joined(&[]).is_empty());
    }

    #[test]
    fn rows_still_sum_to_one() {
        let weights = array![[0.125, 0.25, 0.625], [0.5, 0.5, 0.0], [0.25, 0.5, 0.25]];
        let words = join_pieces(&weights, &["▁a", "▁b", "c"], &["▁x", "y", "▁z"]);
        assert_eq!(words.weights, array![[0.375, 0.625], [0.875, 0.125]]);
    }

    #[test]
    #[should_panic(expected = "join_pieces: weights is (1, 2), but there are 1 queries and 1 keys")]
    fn every_row_and_column_needs_its_piece() {
        join_pieces(&array![[0.5, 0.5]], &["a"], &["b"]);
    }
}
