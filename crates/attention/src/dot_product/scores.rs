//! From queries and keys to scores.

use crate::measure::step::Step;
use crate::numerics::real::{Real, Rows};
use crate::numerics::shape::same_width;
use free_memory::assert_fits;
use ndarray::{Array, ArrayRef, ArrayRef2};

/// Attention scores: the dot product of every query with every key.
///
/// `q` is (D,), one query, or (T, D), one query per row; `k` is (S, D). The
/// result is (S,) or (T, S): element `[t, s]` says how well query `t` matches
/// key `s`. Scores are neither scaled nor normalised.
///
/// PyTorch: `q @ k.T`
///
/// Source: the `QKᵀ` of Vaswani et al. 2017, "Attention Is All You Need",
/// equation 1.
///
/// # Panics
///
/// If the queries and the keys differ in width, or the scores do not fit into memory.
///
/// ```
/// use attention::dot_product::scores;
/// use ndarray::array;
///
/// let k = array![[1.0_f32, 0.0], [0.0, 1.0], [1.0, 1.0]];
/// assert_eq!(scores(&array![[2.0, 3.0]], &k), array![[2.0, 3.0, 5.0]]);
/// assert_eq!(scores(&array![2.0, 3.0], &k), array![2.0, 3.0, 5.0]); // one query
/// ```
#[track_caller]
#[inline(never)]
pub fn scores<A: Real, D: Rows>(q: &ArrayRef<A, D>, k: &ArrayRef2<A>) -> Array<A, D> {
    Step::Scores.called();
    check_scores(q.shape(), k.shape(), size_of::<A>());
    D::times(q, &k.t())
}

#[track_caller]
fn check_scores(q: &[usize], k: &[usize], bytes: usize) {
    same_width("scores", ("q", q), ("k", k));
    let queries = if q.len() == 2 { q[0] } else { 1 };
    assert_fits("scores", &[queries, k[0]], bytes);
}
