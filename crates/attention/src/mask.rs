//! Which query may look at which key.

use ndarray::Array2;

/// A mask that hides the future: query `t` may look at the keys `0..=t`.
///
/// The result is (T, T): `true` where a query may look, `false` where it must
/// not.
///
/// PyTorch: `torch.ones(tokens, tokens, dtype=torch.bool).tril()`, the
/// `attn_mask` of `scaled_dot_product_attention`
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3.
///
/// ```
/// use attention::causal_mask;
/// use ndarray::array;
///
/// assert_eq!(causal_mask(2), array![[true, false], [true, true]]);
/// ```
pub fn causal_mask(tokens: usize) -> Array2<bool> {
    Array2::from_shape_fn((tokens, tokens), |(query, key)| key <= query)
}
