//! The panic messages for a caller's mistakes: they name the function, the shapes, and what must
//! agree.

use crate::common::refusal;
use attention::dot_product::attend_batch;
use attention::prelude::*;
use attention::rng::torch::Generator;

fn zeros(rows: usize, columns: usize) -> Array2<f32> {
    Array2::zeros((rows, columns))
}

#[test]
fn scores_of_queries_and_keys_of_different_width() {
    assert_eq!(
        refusal(|| drop(scores(&zeros(6, 3), &zeros(6, 2)))),
        "scores: q is (6, 3) but k is (6, 2): the last dimensions must agree"
    );
    assert_eq!(
        refusal(|| drop(scores(&zeros(6, 3).row(0), &zeros(6, 2)))),
        "scores: q is (3,) but k is (6, 2): the last dimensions must agree"
    );
}

#[test]
fn context_of_more_weights_than_values() {
    assert_eq!(
        refusal(|| drop(context(&zeros(6, 6), &zeros(5, 3)))),
        "context: weights is (6, 6) but v is (5, 3): the last dimension of weights must be the \
         first of v"
    );
}

#[test]
fn attend_names_the_pair_that_does_not_fit() {
    assert_eq!(
        refusal(|| drop(attend(&zeros(4, 3), &zeros(6, 2), &zeros(6, 5), None))),
        "attend: q is (4, 3) but k is (6, 2): the last dimensions must agree"
    );
    assert_eq!(
        refusal(|| drop(attend(&zeros(4, 3), &zeros(6, 3), &zeros(5, 5), None))),
        "attend: k is (6, 3) but v is (5, 5): each key needs one value"
    );
    assert_eq!(
        refusal(|| drop(attend(
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
        refusal(|| drop(attend(&zeros(2, 3), &zeros(0, 3), &zeros(0, 5), None))),
        "attend: k is (0, 3): the sequence is empty, there is nothing to attend to"
    );
    assert_eq!(
        refusal(|| {
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
fn a_batch_whose_parts_do_not_fit() {
    let batch = |sequences, tokens, width| Array3::<f32>::zeros((sequences, tokens, width));
    assert_eq!(
        refusal(move || drop(context_batch(&zeros(4, 4), &batch(2, 5, 3)))),
        "context_batch: weights is (4, 4) but v is (5, 3): the last dimension of weights must be \
         the first of v"
    );
    assert_eq!(
        refusal(move || {
            let (q, k) = (batch(2, 4, 3), batch(1, 4, 3));
            drop(attend_batch(&q, &k, &q, None));
        }),
        "attend_batch: q is (2, 4, 3), k is (1, 4, 3) and v is (2, 4, 3): the dimensions \
         before the last two must agree"
    );
    assert_eq!(
        refusal(move || {
            let layer = MultiHeadAttention::new(3, 4, 0.0, 2, &mut Generator::manual_seed(0));
            drop(layer.forward(&batch(1, 6, 2)));
        }),
        "MultiHeadAttention::forward: x is (1, 6, 2) but weight is (4, 3): the last dimensions must \
         agree"
    );
    assert_eq!(
        refusal(move || {
            let mut layer = CausalAttention::new(3, 2, 0.5, &mut Generator::manual_seed(0));
            layer.dropout = 1.5;
            drop(layer.forward_training(&batch(1, 6, 3), &mut Generator::manual_seed(0)));
        }),
        "dropout: p is 1.5, but a probability must be between 0 and 1"
    );
    assert_eq!(
        refusal(|| drop(LayerNorm::new(3).forward(&zeros(2, 4)))),
        "LayerNorm: x is (2, 4) but the layer is for rows of 3"
    );
    assert_eq!(
        refusal(|| drop(LayerNorm::new(4).backward(&zeros(2, 3), &zeros(2, 4)))),
        "LayerNorm::backward: d_y is (2, 3) but x is (2, 4): the shapes must agree"
    );
}

#[test]
fn a_heatmap_without_cells_or_with_too_few_labels() {
    assert_eq!(
        refusal(|| drop(heatmap(&zeros(0, 3)))),
        "heatmap: the matrix is (0, 3): there is nothing to draw"
    );
    assert_eq!(
        refusal(|| drop(heatmap(&zeros(2, 3)).tokens(&["a", "b"]))),
        "heatmap: the matrix is (2, 3), so it has 3 columns, but 2 labels were given"
    );
    assert_eq!(
        refusal(|| drop(heatmap(&zeros(2, 3)).range(1.0, 0.0))),
        "heatmap: the range 1 to 0 is not a range: give the lower number first"
    );
}

#[test]
fn a_mask_of_another_shape() {
    assert_eq!(
        refusal(|| drop(mask_scores(&zeros(2, 3), &causal_mask(2)))),
        "mask_scores: scores is (2, 3) but mask is (2, 2): the shapes must agree"
    );
    assert_eq!(
        refusal(|| drop(renormalise(&zeros(2, 3), &causal_mask(3)))),
        "renormalise: weights is (2, 3) but mask is (3, 3): the shapes must agree"
    );
}

#[test]
fn gradients_of_another_shape() {
    assert_eq!(
        refusal(|| drop(softmax_backward(&zeros(2, 3), &zeros(3, 2)))),
        "softmax_backward: d_weights is (2, 3) but weights is (3, 2): the shapes must agree"
    );
    let (q, k, v) = (zeros(4, 3), zeros(6, 3), zeros(6, 5));
    assert_eq!(
        refusal(|| drop(attend_backward(&zeros(4, 4), &q, &k, &v, &zeros(4, 6)))),
        "attend_backward: d_context is (4, 4) but the context is (4, 5): the shapes must agree"
    );
    assert_eq!(
        refusal(|| drop(attend_backward(&zeros(4, 5), &q, &k, &v, &zeros(4, 4)))),
        "attend_backward: weights is (4, 4) but there are 4 queries and 6 keys: it must be (4, 6)"
    );
}

#[test]
fn layers_of_another_width() {
    let rng = || Generator::manual_seed(0);
    assert_eq!(
        refusal(move || drop(Linear::new(3, 2, true, &mut rng()).forward(&zeros(6, 4)))),
        "Linear: x is (6, 4) but weight is (2, 3): the last dimensions must agree"
    );
    assert_eq!(
        refusal(move || drop(SelfAttentionV1::new(3, 2, &mut rng()).forward(&zeros(6, 4)))),
        "SelfAttentionV1: x is (6, 4) but a transposed weight is (2, 3): the last dimensions must \
         agree"
    );
    assert_eq!(
        refusal(move || drop(MultiHeadAttention::new(3, 4, 0.0, 3, &mut rng()))),
        "MultiHeadAttention: 3 heads cannot share 4 columns: the number of heads must divide the \
         width"
    );
    assert_eq!(
        refusal(move || {
            let none = MultiHeadWrapper::new(3, 2, 0.0, 0, &mut rng());
            drop(none.forward(&attention::ndarray::Array3::zeros((1, 6, 3))));
        }),
        "MultiHeadWrapper: there are 0 heads: give at least 1"
    );
}

#[test]
fn names_checks_and_timings() {
    assert_eq!(
        refusal(|| drop(attends(&zeros(2, 3), &["a", "b"], &["c"], "a", "c"))),
        "attends: weights is (2, 3), but there are 2 queries and 1 keys: it must be (2, 1)"
    );
    let unknown = attends(&zeros(1, 2), &["a"], &["b", "c"], "a", "d").expect_err("unknown");
    assert_eq!(
        unknown.to_string(),
        "there is no token 'd' among the keys 'b', 'c'"
    );
    assert_eq!(
        refusal(|| assert!(largest_difference(&zeros(1, 2), &zeros(2, 1)).is_nan())),
        "largest_difference: a is (1, 2) but b is (2, 1): the shapes must agree"
    );
    assert_eq!(
        refusal(|| drop(CausalAttention::new(
            3,
            2,
            2.0,
            &mut Generator::manual_seed(1)
        ))),
        "CausalAttention: dropout is 2, but a probability must be between 0 and 1"
    );
    assert_eq!(
        refusal(|| drop(MultiHeadAttention::new(
            3,
            4,
            -0.5,
            2,
            &mut Generator::manual_seed(1)
        ))),
        "MultiHeadAttention: dropout is -0.5, but a probability must be between 0 and 1"
    );
    assert_eq!(
        refusal(|| drop(time_runs("nothing", 0, || ()))),
        "time_runs: runs is 0: measure at least once"
    );
}

#[test]
fn heads_and_layers_that_do_not_fit_together() {
    let with = |change: fn(&mut MultiHeadAttention)| {
        refusal(move || {
            let mut layer = MultiHeadAttention::new(3, 4, 0.0, 2, &mut Generator::manual_seed(0));
            change(&mut layer);
            drop(layer.attend(&zeros(6, 3)));
        })
    };
    let function = "MultiHeadAttention::attend";
    let sentence = "heads cannot share 4 columns: the number of heads must divide the width";
    assert_eq!(
        with(|layer| layer.heads = 0),
        format!("{function}: 0 {sentence}")
    );
    assert_eq!(
        with(|layer| layer.heads = 3),
        format!("{function}: 3 {sentence}")
    );
    assert_eq!(
        with(|layer| layer.key.weight = zeros(2, 3)),
        format!(
            "{function}: queries have 4 columns, keys 2 and values 4: all need the same number"
        )
    );
    assert_eq!(
        with(|layer| layer.value.weight = zeros(2, 3)),
        format!(
            "{function}: queries have 4 columns, keys 4 and values 2: all need the same number"
        )
    );
    assert_eq!(
        with(|layer| layer.projection.weight = zeros(4, 5)),
        format!(
            "{function}: the joined heads is (6, 4) but projection.weight is (4, 5): the last \
             dimensions must agree"
        )
    );
    assert_eq!(
        with(|layer| layer.value.bias = Some(Array1::zeros(3))),
        format!("{function}: weight is (4, 3) but bias is (3,): each row of weight needs one bias")
    );
    assert_eq!(
        refusal(|| {
            let layer = MultiHeadAttention::new(3, 4, 0.0, 2, &mut Generator::manual_seed(0));
            drop(layer.backward(&zeros(6, 3), &zeros(6, 3)));
        }),
        "MultiHeadAttention::backward: d_y is (6, 3) but the result is (6, 4): the shapes must \
         agree"
    );
    for bias in [1, 2] {
        assert_eq!(
            refusal(move || {
                let bias = Some(Array1::zeros(bias));
                let layer = Linear {
                    weight: zeros(3, 2),
                    bias,
                };
                drop(layer.forward(&zeros(4, 2)));
            }),
            format!(
                "Linear: weight is (3, 2) but bias is ({bias},): each row of weight needs one bias"
            )
        );
    }
    assert_eq!(
        refusal(|| {
            let mut layer = LayerNorm::new(3);
            layer.bias = Array1::zeros(1);
            drop(layer.forward(&zeros(2, 3)));
        }),
        "LayerNorm: weight is (3,) but bias is (1,): the shapes must agree"
    );
    assert_eq!(
        refusal(|| {
            let mut layer = SelfAttentionV1::new(3, 2, &mut Generator::manual_seed(0));
            layer.w_value = zeros(2, 2);
            drop(layer.forward(&zeros(6, 3)));
        }),
        "SelfAttentionV1: x is (6, 3) but a transposed weight is (2, 2): the last dimensions must \
         agree"
    );
}

#[test]
fn layers_without_an_input_or_an_output() {
    let rng = || Generator::manual_seed(0);
    let both = "both must be 1 or more";
    assert_eq!(
        refusal(move || drop(Linear::new(0, 3, true, &mut rng()))),
        format!("Linear: 0 inputs and 3 outputs: {both}")
    );
    assert_eq!(
        refusal(move || drop(SelfAttentionV1::new(3, 0, &mut rng()))),
        format!("SelfAttentionV1: 3 inputs and 0 outputs: {both}")
    );
    assert_eq!(
        refusal(move || drop(SelfAttentionV2::new(3, 0, &mut rng()))),
        format!("Linear: 3 inputs and 0 outputs: {both}")
    );
    assert_eq!(
        refusal(move || drop(MultiHeadAttention::new(3, 0, 0.0, 1, &mut rng()))),
        format!("MultiHeadAttention: 3 inputs and 0 outputs: {both}")
    );
    assert_eq!(
        refusal(|| drop(LayerNorm::new(0))),
        "LayerNorm: width is 0, but it must be 1 or more"
    );
}

#[test]
fn attention_without_a_channel() {
    let sentence = "without a channel there is nothing to compare";
    let empty = zeros(2, 0);
    assert_eq!(
        refusal(|| drop(attend(&zeros(2, 0), &zeros(2, 0), &zeros(2, 3), None))),
        format!("attend: q is (2, 0) and k is (2, 0): {sentence}")
    );
    assert_eq!(
        refusal(|| drop(flash_attention(
            &zeros(2, 0),
            &zeros(2, 0),
            &zeros(2, 3),
            false
        ))),
        format!("flash_attention: q is (2, 0) and k is (2, 0): {sentence}")
    );
    assert_eq!(
        refusal(|| drop(flash_attention(
            &zeros(2, 3),
            &zeros(2, 3),
            &zeros(2, 0),
            false
        ))),
        "flash_attention: v is (2, 0): without a channel there is nothing to mix"
    );
    let x = zeros(2, 3);
    assert_eq!(attend(&x, &x, &empty, None).context.dim(), (2, 0));
}

#[test]
fn flash_attention_of_arrays_with_different_axes() {
    let of = |shape: &[usize]| attention::ndarray::ArrayD::<f32>::zeros(shape);
    for (q, k, v) in [
        (vec![4, 3], vec![2, 4, 3], vec![2, 4, 3]),
        (vec![2, 4, 3], vec![4, 3], vec![4, 3]),
        (vec![4, 3], vec![4, 3], vec![4]),
        (vec![3], vec![3], vec![3]),
    ] {
        let message = refusal(move || drop(flash_attention(&of(&q), &of(&k), &of(&v), false)));
        let end = "each must be (T, D), or all (.., T, D) with the same axes before";
        assert!(message.starts_with("flash_attention: q is ("), "{message}");
        assert!(message.ends_with(end), "{message}");
    }
}

#[test]
fn a_batch_is_refused_under_the_name_of_the_function_that_was_called() {
    let batch = |tokens, width| Array3::<f32>::zeros((2, tokens, width));
    for (k, v, mask, expected) in [
        (
            batch(5, 2),
            batch(5, 3),
            None,
            "q is (2, 4, 3) but k is (2, 5, 2): the last dimensions must agree",
        ),
        (
            batch(5, 3),
            batch(6, 3),
            None,
            "k is (2, 5, 3) but v is (2, 6, 3): each key needs one value",
        ),
        (
            batch(5, 3),
            batch(5, 3),
            Some(causal_mask(4)),
            "mask is (4, 4) but there are 4 queries and 5 keys: it must be (4, 5)",
        ),
    ] {
        let mask = mask.as_ref();
        let call = || drop(attend_batch(&batch(4, 3), &k, &v, mask));
        assert_eq!(refusal(call), format!("attend_batch: {expected}"));
        let call = || drop(attend_batch_with_scale(&batch(4, 3), &k, &v, mask, 1.0));
        assert_eq!(
            refusal(call),
            format!("attend_batch_with_scale: {expected}")
        );
    }
}

#[test]
fn counts_that_have_nothing_to_count() {
    assert_eq!(
        refusal(|| assert!(unigram_loss(&[], &[1]).is_nan())),
        "unigram_loss: train is empty: there is nothing to count"
    );
    assert_eq!(
        refusal(|| assert!(unigram_loss(&[1], &[]).is_nan())),
        "unigram_loss: there is no token to predict"
    );
    assert_eq!(
        refusal(|| assert!(bigram_loss(&[0, 1], &[1], 1.0).is_nan())),
        "bigram_loss: 1 token(s) make no pair: at least two are needed"
    );
    for added in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            refusal(move || assert!(bigram_loss(&[0, 1], &[0, 1], added).is_nan())),
            format!("bigram_loss: added is {added}, but it must be 0 or a positive number")
        );
    }
    // Nothing follows 2 in the training text, so any successor is impossible, but the loss is not
    // NaN.
    assert_eq!(bigram_loss(&[0, 1, 2], &[2, 0], 0.0), f32::INFINITY);
    assert!(bigram_loss(&[0, 1, 2], &[2, 0], 1.0).is_finite());
}
