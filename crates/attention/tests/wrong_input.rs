//! What a caller's mistake says: the function, the shapes, and what had to agree.

mod common;

use attention::prelude::*;
use attention::rng::torch::Generator;
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
fn an_empty_sequence() {
    let (none, three) = (zeros(0, 3), zeros(2, 3));
    assert_eq!(
        message(|| drop(attend(&zeros(2, 3), &zeros(0, 3), &zeros(0, 5), None))),
        "attend: k is (0, 3): the sequence is empty, there is nothing to attend to"
    );
    assert_eq!(
        message(|| {
            let layer = CausalAttention::new(3, 2, 0.0, &mut Generator::manual_seed(0));
            drop(layer.forward(&Array3::zeros((1, 0, 3))));
        }),
        "attend: k is (0, 2): the sequence is empty, there is nothing to attend to"
    );
    assert_eq!(scores(&none, &three).dim(), (0, 2));
    assert_eq!(softmax(&zeros(2, 0)).dim(), (2, 0));
    assert_eq!(context(&zeros(2, 0), &none), three);
    let no_queries = attend(&none, &three, &three, None);
    assert_eq!(no_queries.context.dim(), (0, 3));
    assert_eq!(causal_mask(0).dim(), (0, 0));
    assert_eq!(average_so_far(&Array3::zeros((2, 0, 3))).dim(), (2, 0, 3));
}

#[test]
fn a_query_that_may_look_at_nothing() {
    let x = array![[1.0_f32, 2.0], [3.0, 4.0]];
    let mask = array![[false, false], [true, false]];
    let attention = attend(&x, &x, &x, Some(&mask));
    assert!(
        attention
            .weights
            .row(0)
            .iter()
            .all(|weight| weight.is_nan())
    );
    assert!(attention.context.row(0).iter().all(|value| value.is_nan()));
    assert_eq!(attention.weights.row(1), array![1.0, 0.0]);
    assert_eq!(attention.context.row(1), x.row(0));
    assert!(
        renormalise(&x, &mask)
            .row(0)
            .iter()
            .all(|weight| weight.is_nan())
    );
}

#[test]
fn nan_and_infinity_stay_where_they_can_be_seen() {
    let x = array![[1.0_f32, 2.0], [3.0, 4.0]];
    let causal = causal_mask(2);
    let is_nan = |matrix: Array2<f32>| matrix.mapv(f32::is_nan);

    let mut q = x.clone();
    q[[1, 0]] = f32::NAN;
    let in_its_row = array![[false, false], [true, true]];
    assert_eq!(
        is_nan(attend(&q, &x, &x, Some(&causal)).context),
        in_its_row
    );

    for bad in [f32::NAN, f32::INFINITY] {
        let mut k = x.clone();
        k[[1, 0]] = bad;
        // Query 0 may not look at key 1.
        assert_eq!(
            is_nan(attend(&x, &k, &x, Some(&causal)).context),
            in_its_row
        );
    }

    let mut v = x.clone();
    v[[1, 0]] = f32::NAN;
    let in_its_column = array![[true, false], [true, false]];
    assert_eq!(
        is_nan(attend(&x, &x, &v, Some(&causal)).context),
        in_its_column
    );

    assert!(softmax(&array![0.0_f32, f32::INFINITY])[1].is_nan());
    let layer = Linear::new(2, 3, true, &mut Generator::manual_seed(0));
    let every_number_of_its_row = array![[false; 3], [true; 3]];
    assert_eq!(is_nan(layer.forward(&q)), every_number_of_its_row);
    let norm = LayerNorm::new(2);
    assert_eq!(is_nan(norm.forward(&q)), in_its_row);
    assert!(variance(&q, 0).is_nan() && sum(&q).is_nan());
}

#[test]
fn a_batch_whose_parts_do_not_fit() {
    let batch = |sequences, tokens, width| Array3::<f32>::zeros((sequences, tokens, width));
    assert_eq!(
        message(move || drop(context_batch(&zeros(4, 4), &batch(2, 5, 3)))),
        "context_batch: weights is (4, 4) but v is (5, 3): the last dimension of weights must be \
         the first of v"
    );
    assert_eq!(
        message(move || {
            let (q, k) = (batch(2, 4, 3), batch(1, 4, 3));
            drop(attend_batch(&q, &k, &q, None, 1.0));
        }),
        "attend_batch: q is (2, 4, 3), k is (1, 4, 3) and v is (2, 4, 3): the first dimensions \
         must agree"
    );
    assert_eq!(
        message(move || {
            let layer = MultiHeadAttention::new(3, 4, 0.0, 2, &mut Generator::manual_seed(0));
            drop(layer.forward(&batch(1, 6, 2)));
        }),
        "MultiHeadAttention: x is (6, 2) but a weight is (4, 3): the last dimensions must agree"
    );
    assert_eq!(
        message(move || {
            let layer = CausalAttention::new(3, 2, 1.5, &mut Generator::manual_seed(0));
            drop(layer.forward_training(&batch(1, 6, 3), &mut Generator::manual_seed(0)));
        }),
        "dropout: p is 1.5, but a probability is from 0 to 1"
    );
    assert_eq!(
        message(|| drop(LayerNorm::new(3).forward(&zeros(2, 4)))),
        "LayerNorm: x is (2, 4) but the layer is for rows of 3"
    );
    assert_eq!(
        message(|| drop(LayerNorm::new(4).backward(&zeros(2, 3), &zeros(2, 4)))),
        "LayerNorm::backward: d_y is (2, 3) but x is (2, 4): the shapes must agree"
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
