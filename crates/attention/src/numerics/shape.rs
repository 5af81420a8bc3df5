//! Checks of shapes, whose messages say what was given and what must agree.

/// `(6, 3)`, `(6,)`: a shape as NumPy and Rust write it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => {
            let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
            format!("({})", lengths.join(", "))
        }
    }
}

/// Panics unless the last dimensions of `a` and `b` agree, as a dot product needs.
#[track_caller]
pub(crate) fn same_width(function: &str, a: (&str, &[usize]), b: (&str, &[usize])) {
    assert!(
        a.1.last() == b.1.last(),
        "{function}: {} is {} but {} is {}: the last dimensions must agree",
        a.0,
        shape_text(a.1),
        b.0,
        shape_text(b.1),
    );
}

/// Panics unless the last dimension of `weights` equals the first of `v`, so that there is
/// one weight per value.
#[track_caller]
pub(crate) fn one_weight_per_value(function: &str, weights: &[usize], v: &[usize]) {
    assert!(
        weights.last() == v.first(),
        "{function}: weights is {} but v is {}: the last dimension of weights must be the first \
         of v",
        shape_text(weights),
        shape_text(v),
    );
}

/// Panics unless `a` and `b` have the same shape.
#[track_caller]
pub(crate) fn same_shape(function: &str, a: (&str, &[usize]), b: (&str, &[usize])) {
    assert!(
        a.1 == b.1,
        "{function}: {} is {} but {} is {}: the shapes must agree",
        a.0,
        shape_text(a.1),
        b.0,
        shape_text(b.1),
    );
}
