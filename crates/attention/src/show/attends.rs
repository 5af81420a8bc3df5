//! Attention weights looked up by word.

use crate::error::Error;
use crate::markup::labels;
use crate::numerics::real::{Real, widened};
use crate::numerics::shape::shape_text;
use ndarray::ArrayRef2;
use notebook::emit;
use std::fmt;

/// How much one token attends to another. See [`attends`].
#[derive(Clone, Debug, PartialEq)]
pub struct Attends {
    /// The token that looks.
    pub query: String,
    /// The token it looks at.
    pub key: String,
    /// The weight, from 0 to 1.
    pub weight: f64,
}

/// How much the query token `query` attends to the key token `key`.
///
/// `weights` is (T, S); `queries` are the T tokens of its rows, and `keys` the S tokens of its
/// columns: the same tokens in self-attention, different ones in cross-attention. If a token occurs
/// more than once, its first occurrence counts.
///
/// NumPy: `weights[queries.index(query), keys.index(key)]`
///
/// # Errors
///
/// If a token is not among the queries or the keys.
///
/// # Panics
///
/// If there is not exactly one query per row and one key per column.
///
/// ```
/// use attention::show::attends;
/// use ndarray::array;
///
/// let weights = array![[0.9, 0.05, 0.05], [0.3, 0.6, 0.1]];
/// let (english, japanese) = (["nah", "I"], ["いいえ", "勝つ", "さ"]);
/// let i = attends(&weights, &english, &japanese, "I", "勝つ")?;
/// assert_eq!(i.to_string(), "'I' attends '勝つ': 60.0%");
///
/// let error = attends(&weights, &english, &japanese, "you", "さ").unwrap_err();
/// assert_eq!(error.to_string(), "there is no token 'you' among the queries 'nah', 'I'");
/// # Ok::<(), attention::Error>(())
/// ```
#[track_caller]
#[inline(never)]
pub fn attends<A: Real, Q: AsRef<str>, K: AsRef<str>>(
    weights: &ArrayRef2<A>,
    queries: &[Q],
    keys: &[K],
    query: &str,
    key: &str,
) -> Result<Attends, Error> {
    assert!(
        weights.dim() == (queries.len(), keys.len()),
        "attends: weights is {}, but there are {} queries and {} keys: it must be {}",
        shape_text(weights.shape()),
        queries.len(),
        keys.len(),
        shape_text(&[queries.len(), keys.len()]),
    );
    let (queries, keys) = (labels::owned(queries), labels::owned(keys));
    let (row, column) = (find("queries", &queries, query)?, find("keys", &keys, key)?);
    Ok(Attends {
        query: query.to_owned(),
        key: key.to_owned(),
        weight: widened(weights)[[row, column]],
    })
}

fn find(among: &'static str, tokens: &[String], token: &str) -> Result<usize, Error> {
    let index = tokens.iter().position(|candidate| candidate == token);
    index.ok_or_else(|| Error::UnknownToken {
        token: token.to_owned(),
        among,
        tokens: tokens.to_vec(),
    })
}

impl Attends {
    /// Shows the sentence under its cell in a notebook.
    pub fn evcxr_display(&self) {
        emit(&[("text/plain", &self.to_string())]);
    }
}

impl fmt::Display for Attends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Attends { query, key, weight } = self;
        write!(
            f,
            "'{query}' attends '{key}': {:.1}%",
            (weight * 100.0).round()
        )
    }
}
