//! Checks the index of an attention head.

/// Panics unless the model has this layer and head.
#[track_caller]
pub(crate) fn check_head(
    function: &str,
    (layer, head): (usize, usize),
    (layers, heads): (usize, usize),
) {
    assert!(
        layer < layers && head < heads,
        "{function}: there is no head {layer}.{head}: {}, {}",
        numbered("layers are", layers),
        numbered("heads", heads)
    );
}

/// The indices of `count` things in words, for example `heads 0 to 11`.
pub(crate) fn numbered(what: &str, count: usize) -> String {
    match count.checked_sub(1) {
        Some(last) => format!("{what} 0 to {last}"),
        None => format!("{what} none"),
    }
}
