//! Checks that the shapes of one attention call agree.

use crate::numerics::shape::{same_width, shape_text};

/// Panics unless the shapes of one call match: (.., T, D), (.., S, D), (.., S, D') and, if it is
/// given, (T, S) for `mask`: the name and the shape of a mask or of a matrix of weights. Also
/// panics if S or D is 0.
#[track_caller]
pub(crate) fn check_attend(
    function: &str,
    q: &[usize],
    k: &[usize],
    v: &[usize],
    mask: Option<(&str, &[usize])>,
) {
    let all = || {
        let [q, k, v] = [q, k, v].map(shape_text);
        format!("{function}: q is {q}, k is {k} and v is {v}")
    };
    let axes = q.len();
    assert!(
        axes >= 2 && k.len() == axes && v.len() == axes,
        "{}: each must be (T, D), or all (.., T, D) with the same axes before",
        all(),
    );
    assert!(
        q[..axes - 2] == k[..axes - 2] && q[..axes - 2] == v[..axes - 2],
        "{}: the dimensions before the last two must agree",
        all(),
    );
    same_width(function, ("q", q), ("k", k));
    let (queries, keys) = (q[axes - 2], k[axes - 2]);
    assert!(
        keys == v[axes - 2],
        "{function}: k is {} but v is {}: each key needs one value",
        shape_text(k),
        shape_text(v),
    );
    assert!(
        keys > 0,
        "{function}: k is {}: the sequence is empty, there is nothing to attend to",
        shape_text(k),
    );
    assert!(
        q[axes - 1] > 0,
        "{function}: q is {} and k is {}: without a channel there is nothing to compare",
        shape_text(q),
        shape_text(k),
    );
    if let Some((name, mask)) = mask {
        assert!(
            mask == [queries, keys],
            "{function}: {name} is {} but there are {queries} queries and {keys} keys: it must be {}",
            shape_text(mask),
            shape_text(&[queries, keys]),
        );
    }
}
