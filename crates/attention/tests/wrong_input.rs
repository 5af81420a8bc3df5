//! What a caller's mistake says: the function, the shapes, and what had to agree.

mod common;

use attention::ndarray::Array2;
use attention::rng::torch::Generator;
use attention::{
    Linear, MultiHeadAttention, MultiHeadWrapper, SelfAttentionV1, attend, attend_backward,
    attends, causal_mask, context, equals, heatmap, mask_scores, renormalise, scores,
    softmax_backward, time,
};
use common::panic_message as message;

fn zeros(rows: usize, columns: usize) -> Array2<f32> {
    Array2::zeros((rows, columns))
}

#[test]
fn scores_of_queries_and_keys_of_different_width() {
    assert_eq!(
        message(|| drop(scores(&zeros(6, 3), &zeros(6, 2)))),
        "scores: q is (6, 3) but k is (6, 2): the last dimensions must agree"
    );
    assert_eq!(
        message(|| drop(scores(&zeros(6, 3).row(0), &zeros(6, 2)))),
        "scores: q is (3,) but k is (6, 2): the last dimensions must agree"
    );
}

#[test]
fn context_of_more_weights_than_values() {
    assert_eq!(
        message(|| drop(context(&zeros(6, 6), &zeros(5, 3)))),
        "context: weights is (6, 6) but v is (5, 3): the last dimension of weights must be the \
         first of v"
    );
}

#[test]
fn attend_names_the_pair_that_does_not_fit() {
    assert_eq!(
        message(|| drop(attend(&zeros(4, 3), &zeros(6, 2), &zeros(6, 5), None))),
        "attend: q is (4, 3) but k is (6, 2): the last dimensions must agree"
    );
    assert_eq!(
        message(|| drop(attend(&zeros(4, 3), &zeros(6, 3), &zeros(5, 5), None))),
        "attend: k is (6, 3) but v is (5, 5): the first dimensions must agree"
    );
    assert_eq!(
        message(|| drop(attend(
            &zeros(4, 3),
            &zeros(6, 3),
            &zeros(6, 5),
            Some(&causal_mask(4))
        ))),
        "attend: mask is (4, 4) but there are 4 queries and 6 keys: it must be (4, 6)"
    );
}

#[test]
fn a_heatmap_without_cells_or_with_too_few_labels() {
    assert_eq!(
        message(|| drop(heatmap(&zeros(0, 3)))),
        "heatmap: the matrix is (0, 3): there is nothing to draw"
    );
    assert_eq!(
        message(|| drop(heatmap(&zeros(2, 3)).tokens(&["a", "b"]))),
        "heatmap: the matrix is (2, 3), so it has 3 columns, but 2 labels were given"
    );
    assert_eq!(
        message(|| drop(heatmap(&zeros(2, 3)).range(1.0, 0.0))),
        "heatmap: the range 1 to 0 is not a range: give the lower number first"
    );
}

#[test]
fn a_mask_of_another_shape() {
    assert_eq!(
        message(|| drop(mask_scores(&zeros(2, 3), &causal_mask(2)))),
        "mask_scores: scores is (2, 3) but mask is (2, 2): the shapes must agree"
    );
    assert_eq!(
        message(|| drop(renormalise(&zeros(2, 3), &causal_mask(3)))),
        "renormalise: weights is (2, 3) but mask is (3, 3): the shapes must agree"
    );
}

#[test]
fn gradients_of_another_shape() {
    assert_eq!(
        message(|| drop(softmax_backward(&zeros(2, 3), &zeros(3, 2)))),
        "softmax_backward: d_weights is (2, 3) but weights is (3, 2): the shapes must agree"
    );
    let (q, k, v) = (zeros(4, 3), zeros(6, 3), zeros(6, 5));
    assert_eq!(
        message(|| drop(attend_backward(&zeros(4, 4), &q, &k, &v, &zeros(4, 6)))),
        "attend_backward: d_context is (4, 4) but the context is (4, 5): the shapes must agree"
    );
    assert_eq!(
        message(|| drop(attend_backward(&zeros(4, 5), &q, &k, &v, &zeros(4, 4)))),
        "attend_backward: weights is (4, 4) but there are 4 queries and 6 keys: it must be (4, 6)"
    );
}

#[test]
fn layers_of_another_width() {
    let rng = || Generator::manual_seed(0);
    assert_eq!(
        message(move || drop(Linear::new(3, 2, true, &mut rng()).forward(&zeros(6, 4)))),
        "Linear: x is (6, 4) but weight is (2, 3): the last dimensions must agree"
    );
    assert_eq!(
        message(move || drop(SelfAttentionV1::new(3, 2, &mut rng()).forward(&zeros(6, 4)))),
        "SelfAttentionV1: x is (6, 4) but a transposed weight is (2, 3): the last dimensions must \
         agree"
    );
    assert_eq!(
        message(move || drop(MultiHeadAttention::new(3, 4, 0.0, 3, &mut rng()))),
        "MultiHeadAttention: 3 heads cannot share 4 columns: the number of heads must divide the \
         width"
    );
    assert_eq!(
        message(move || {
            let none = MultiHeadWrapper::new(3, 2, 0.0, 0, &mut rng());
            drop(none.forward(&attention::ndarray::Array3::zeros((1, 6, 3))));
        }),
        "MultiHeadWrapper: there are 0 heads: give at least 1"
    );
}

#[test]
fn names_checks_and_timings() {
    assert_eq!(
        message(|| drop(attends(&zeros(2, 3), &["a", "b"], &["c"], "a", "c"))),
        "attends: weights is (2, 3), but there are 2 queries and 1 keys: it must be (2, 1)"
    );
    let unknown = attends(&zeros(1, 2), &["a"], &["b", "c"], "a", "d").expect_err("unknown");
    assert_eq!(
        unknown.to_string(),
        "there is no token 'd' among the keys 'b', 'c'"
    );
    assert_eq!(
        message(|| drop(equals("a page", &zeros(1, 2), &zeros(2, 1)))),
        "equals: computed is (1, 2) but printed is (2, 1): the shapes must agree"
    );
    assert_eq!(
        message(|| drop(time("nothing", 0, || ()))),
        "time: runs is 0: measure at least once"
    );
}
