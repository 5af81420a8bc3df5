//! NaN, infinities and queries without a visible key: what the documentation says about
//! them, sentence by sentence, and what PyTorch does with them.

use crate::common::Golden;
use attention::dot_product::{attend_batch, causal_context_batch};
use attention::ndarray::{Array1, Array2, ArrayView2, Axis};
use attention::prelude::*;

fn golden(name: &str) -> Golden {
    Golden::parse(include_str!("../golden/layers.json")).at(&[name])
}

/// Asserts that both are equal up to rounding, with NaN and infinities in the same places.
#[track_caller]
fn assert_same(what: &str, ours: &ArrayView2<f32>, expected: &ArrayView2<f32>) {
    assert_eq!(ours.dim(), expected.dim(), "{what}");
    let agree = ours.iter().zip(expected).all(|(a, b)| {
        a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 2e-6 * b.abs().max(1.0)
    });
    assert!(agree, "{what}: {ours} is not {expected}");
}

/// The context of one sequence from all functions that compute it; they must agree.
#[track_caller]
fn context_by_all(
    what: &str,
    q: &Array2<f32>,
    k: &Array2<f32>,
    v: &Array2<f32>,
    causal: bool,
) -> Array2<f32> {
    let mask = causal.then(|| causal_mask(q.nrows()));
    let context = attend(q, k, v, mask.as_ref()).context;
    let [q1, k1, v1] = [q, k, v].map(|one| one.clone().insert_axis(Axis(0)));
    let batch = attend_batch(&q1, &k1, &v1, mask.as_ref());
    let batch = batch.index_axis(Axis(0), 0);
    assert_same(&format!("{what}, attend_batch"), &batch, &context.view());
    for tile in [(64, 64), (2, 1)] {
        let flash = flash_attention_with_tiles(q, k, v, causal, tile);
        let name = format!("{what}, flash_attention in tiles of {tile:?}");
        assert_same(&name, &flash.context.view(), &context.view());
    }
    context
}

#[test]
fn queries_that_may_look_at_nothing_are_those_of_pytorch() {
    let cases = golden("masked_rows");
    assert!(cases.len() >= 5);
    for index in 0..cases.len() {
        let case = cases.at(&[&index.to_string()]);
        let name = case.text(&["name"]);
        let mask = case.at(&["mask"]).matrix_f64().mapv(|one| one == 1.0);
        let [q, k, v, d_context] =
            ["q", "k", "v", "d_context"].map(|name| case.at(&[name]).matrix_f64());
        let expected = |name: &str| case.at(&["float64", name]).matrix_f64();
        let out = attend(&q, &k, &v, Some(&mask));
        let d = attend_backward(&d_context, &q, &k, &v, &out.weights);
        for (part, ours) in [
            ("context", &out.context),
            ("d_q", &d.d_q),
            ("d_k", &d.d_k),
            ("d_v", &d.d_v),
        ] {
            let largest = (ours - &expected(part)).fold(0.0, |most: f64, by| most.max(by.abs()));
            assert!(largest < 1e-14, "{name}, {part}: off by {largest:e}");
        }
        let [q, k, v, d_context] = [q, k, v, d_context].map(|one| one.mapv(|x| x as f32));
        let expected = |name: &str| case.at(&["float32", name]).matrix();
        let out = attend(&q, &k, &v, Some(&mask));
        let d = attend_backward(&d_context, &q, &k, &v, &out.weights);
        for (part, ours) in [
            ("context", &out.context),
            ("d_q", &d.d_q),
            ("d_k", &d.d_k),
            ("d_v", &d.d_v),
        ] {
            assert_same(
                &format!("{name}, {part}"),
                &ours.view(),
                &expected(part).view(),
            );
        }
        for (weights, mask) in out.weights.outer_iter().zip(mask.outer_iter()) {
            let sum = if mask.iter().any(|&visible| visible) {
                1.0
            } else {
                0.0
            };
            assert!((weights.sum() - sum).abs() < 1e-6, "{name}: {weights}");
        }
    }
}

#[test]
fn scores_that_are_all_minus_infinity_give_a_context_of_zero_and_no_gradient() {
    let q = array![[1.0_f32, 1.0], [1.0, -1.0]];
    let k = array![[f32::NEG_INFINITY, 1.0], [f32::NEG_INFINITY, 2.0]];
    let v = array![[1.0_f32, 3.0], [5.0, 7.0]];
    let context = context_by_all("all -inf", &q, &k, &v, false);
    assert_eq!(context, Array2::<f32>::zeros((2, 2)));
    let out = flash_attention(&q, &k, &v, false);
    assert_eq!(out.log_sum_exp, Array1::from(vec![f32::NEG_INFINITY; 2]));
    let d = flash_attention_backward(&v, &q, &k, &v, &out, false);
    assert_eq!(d.d_v, Array2::<f32>::zeros((2, 2)));
    assert_eq!(d.d_k, Array2::<f32>::zeros((2, 2)));
}

/// The first number of each row of q, k and v in turn becomes NaN, inf or -inf. A row that may look
/// there equals that of PyTorch's formula, or is 0 if all its scores are -inf; no other row is
/// affected.
#[test]
fn what_a_query_may_not_look_at_has_no_influence_on_it() {
    let special = golden("special_values");
    let clean = ["q", "k", "v"].map(|name| special.at(&[name]).matrix());
    let cases = special.at(&["one place"]);
    assert_eq!(cases.len(), 27);
    for index in 0..cases.len() {
        let case = cases.at(&[&index.to_string()]);
        let (place, row) = (case.text(&["in"]), case.number(&["row"]) as usize);
        let value: f32 = case.text(&["value"]).parse().expect("a number");
        let mut inputs = clean.clone();
        let which = ["q", "k", "v"].iter().position(|name| *name == place);
        let which = which.expect("q, k or v");
        inputs[which][[row, 0]] = value;
        for (causal, name) in [(false, "no mask"), (true, "is_causal")] {
            let what = format!("{value} in row {row} of {place}, {name}");
            let [q, k, v] = &inputs;
            let ours = context_by_all(&what, q, k, v, causal);
            let undisturbed = context_by_all(&what, &clean[0], &clean[1], &clean[2], causal);
            // PyTorch's fast kernel gives 0 for some rows that should be NaN; in those cases the
            // result of the formula is stored as well.
            let case = case.at(&[name]);
            let formula = "context_of_formula".to_owned();
            let has_formula = case.names().contains(&formula);
            let formula = if has_formula { &formula } else { "context" };
            let formula = case.at(&[formula]).matrix();
            for query in 0..3 {
                let hidden = if place == "q" {
                    query != row
                } else {
                    causal && row > query
                };
                let keys = if causal { query + 1 } else { 3 };
                let all_scores = scores(&q.row(query), k);
                let seen = all_scores.slice(s![..keys]);
                let nothing = Array2::zeros((3, 2));
                let expected = if hidden {
                    &undisturbed
                } else if seen.iter().all(|&score| score == f32::NEG_INFINITY) {
                    &nothing
                } else {
                    &formula
                };
                let rows = query..=query;
                assert_same(
                    &format!("{what}, query {query}"),
                    &ours.slice(s![rows.clone(), ..]),
                    &expected.slice(s![rows, ..]),
                );
            }
        }
    }
}

#[test]
fn a_hidden_value_has_no_influence_behind_any_mask() {
    let x = array![[1.0_f32, 2.0], [3.0, 4.0], [0.5, -1.0]];
    let mask = array![
        [true, false, true],
        [false, false, false],
        [true, true, true]
    ];
    let clean = attend(&x, &x, &x, Some(&mask)).context;
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut v = x.clone();
        v[[1, 0]] = bad;
        let context = attend(&x, &x, &v, Some(&mask)).context;
        assert_same(
            "hidden",
            &context.slice(s![..2, ..]),
            &clean.slice(s![..2, ..]),
        );
        assert!(!context[[2, 0]].is_finite() && context[[2, 1]].is_finite());
        let [q, v] = [&x, &v].map(|one| one.clone().insert_axis(Axis(0)));
        let batch = attend_batch(&q, &q, &v, Some(&mask));
        assert_same("batch", &batch.index_axis(Axis(0), 0), &context.view());
    }
}

#[test]
fn the_named_cases_are_those_of_pytorch() {
    let cases = golden("special_values").at(&["named"]);
    for index in 0..cases.len() {
        let case = cases.at(&[&index.to_string()]);
        let name = case.text(&["name"]);
        if name.contains("hidden") || name.contains("0 numbers") {
            continue; // in PyTorch hidden NaNs have an effect, and zero channels are allowed
        }
        let [q, k, v] = ["q", "k", "v"].map(|part| case.at(&[part]).matrix());
        let context = context_by_all(&name, &q, &k, &v, false);
        let expected = case.at(&["context"]).matrix();
        assert_same(&name, &context.view(), &expected.view());
    }
}

#[test]
fn an_infinity_in_a_key_makes_a_row_nan_or_a_weight_zero() {
    let k = array![[f32::INFINITY, 1.0], [1.0, 1.0]];
    let v = array![[1.0_f32], [5.0]];
    // A score of -inf gives a weight of 0,
    let q = array![[-1.0_f32, 2.0]];
    let out = attend(&q, &k, &v, None);
    assert_eq!(
        (out.weights, out.context),
        (array![[0.0, 1.0]], array![[5.0]])
    );
    // and a score of inf makes the row NaN.
    assert!(attend(&array![[1.0, 2.0]], &k, &v, None).context[[0, 0]].is_nan());
}

#[test]
fn gradients_of_attend_backward_are_nan_where_a_value_is_not_finite() {
    let x = array![[1.0_f32, 2.0], [3.0, 4.0]];
    for bad in [f32::NAN, f32::INFINITY] {
        let mut v = x.clone();
        v[[1, 0]] = bad;
        let weights = attend(&x, &x, &v, Some(&causal_mask(2))).weights;
        let d = attend_backward(&x, &x, &x, &v, &weights);
        assert!(d.d_q.iter().all(|d_q| d_q.is_nan()), "{}", d.d_q);
    }
}

#[test]
fn a_row_with_nan_or_inf_has_a_softmax_of_nan() {
    for bad in [f32::NAN, f32::INFINITY] {
        let weights = softmax(&array![[bad, 1.0], [1.0, 1.0]]);
        assert!(weights.row(0).iter().all(|weight| weight.is_nan()));
        assert_eq!(weights.row(1), array![0.5, 0.5]);
    }
    let nothing = softmax(&array![f32::NEG_INFINITY, f32::NEG_INFINITY]);
    assert!(nothing.iter().all(|weight| weight.is_nan()));
    // The naive form breaks above 88.7, and with scores so low that all exponentials are 0.
    for (score, breaks) in [
        (88.7_f32, false),
        (88.8, true),
        (-80.0, false),
        (-104.0, true),
    ] {
        let weights = softmax_naive(&array![score, score]);
        assert_eq!(weights[0].is_nan(), breaks, "{score}: {weights}");
        assert_eq!(softmax(&array![score, score]), array![0.5, 0.5]);
    }
}

#[test]
fn scores_times_a_mask_of_infinities_are_not_masked() {
    let mask = additive_mask::<f32>(&array![[false, false]]);
    let product = array![[0.0_f32, -1.0]] * &mask;
    assert!(product[[0, 0]].is_nan());
    assert_eq!(product[[0, 1]], f32::INFINITY);
}

#[test]
fn renormalising_a_row_in_which_nothing_is_left_gives_nan() {
    let weights = renormalise(&array![[0.5_f32, 0.5]], &array![[false, false]]);
    assert!(weights.iter().all(|weight| weight.is_nan()));
}

#[test]
fn a_nan_in_a_batch_reaches_only_the_tokens_that_may_look_at_it() {
    let weights = array![[1.0_f32, f32::NAN], [0.5, 0.5]];
    for bad in [f32::NAN, f32::INFINITY] {
        let context = causal_context_batch(&weights, &array![[[2.0], [bad]]]);
        assert_eq!(context[[0, 0, 0]], 2.0);
        assert!(!context[[0, 1, 0]].is_finite());
    }
}

#[test]
fn sums_of_nan_are_nan() {
    let x = array![[1.0_f32, f32::NAN], [3.0, 4.0]];
    assert!(variance(&x, 0).is_nan() && torch_sum(&x).is_nan());
    assert!(variance(&array![1.0_f32], 1).is_nan());
    let entropies = entropy(&array![[f32::NAN, 1.0], [1.0, 0.0]]);
    assert!(entropies[0].is_nan() && entropies[1] == 0.0);
    let mut q = x.clone();
    q[[0, 0]] = 0.0;
    let layer = Linear::new(2, 3, true, &mut torch::Generator::manual_seed(0));
    let is_nan = |y: Array2<f32>| y.mapv(f32::is_nan);
    assert_eq!(is_nan(layer.forward(&q)), array![[true; 3], [false; 3]]);
    let norm = LayerNorm::new(2);
    assert_eq!(is_nan(norm.forward(&q)), array![[true; 2], [false; 2]]);
    assert!(cross_entropy(&array![[f32::NAN, 0.0]], &[0]).is_nan());
}
