//! Gradients compared with PyTorch's and with central differences.

use crate::common::{Golden, assert_close};
use attention::dot_product::{attend, attend_backward, causal_mask, softmax, softmax_backward};
use attention::ndarray::{Array2, Zip, array};
use attention::ndarray_rand::{
    RandomExt,
    rand::{SeedableRng, rngs::StdRng},
    rand_distr::StandardNormal,
};

/// Permitted difference, relative to the largest value: PyTorch adds in a different order.
const TOLERANCE: f32 = 8.0 * f32::EPSILON;
/// The step of the central differences, and their permitted error, in f64.
const STEP: f64 = 1e-5;
const DIFFERENCE_TOLERANCE: f64 = 1e-8;

#[test]
fn attention_and_its_gradients_are_those_of_pytorch() {
    let golden = Golden::parse(include_str!("../golden/gradients.json")).at(&["attention"]);
    assert_eq!(golden.len(), 4);
    for number in 0..golden.len() {
        let case = golden.at(&[&number.to_string()]);
        let all = |name: &str| case.at(&[name]).matrices();
        let causal = case.at(&["causal"]).is_true();
        for (batch, q) in all("q").iter().enumerate() {
            let of = |name: &str| all(name)[batch].clone();
            let check = |name: &str, computed: &Array2<f32>| {
                let name_of_case = format!("case {number}, batch {batch}, {name}");
                assert_close(&name_of_case, computed, &of(name), TOLERANCE);
            };
            let (k, v) = (of("k"), of("v"));
            let mask = causal.then(|| causal_mask(q.nrows()));
            let attention = attend(q, &k, &v, mask.as_ref());
            check("weights", &attention.weights);
            check("context", &attention.context);
            let d = attend_backward(&of("d_context"), q, &k, &v, &attention.weights);
            check("d_weights", &d.d_weights);
            check("d_scaled_scores", &d.d_scaled_scores);
            check("d_q", &d.d_q);
            check("d_k", &d.d_k);
            check("d_v", &d.d_v);
        }
    }
}

fn random(rows: usize, columns: usize, rng: &mut StdRng) -> Array2<f64> {
    Array2::random_using((rows, columns), StandardNormal, rng)
}

/// Checks, one element at a time, that `gradient` is the gradient of `Σ d_output · output(x)` with
/// respect to `x`.
#[track_caller]
fn check_central_differences(
    name: &str,
    x: &Array2<f64>,
    d_output: &Array2<f64>,
    gradient: &Array2<f64>,
    output: impl Fn(&Array2<f64>) -> Array2<f64>,
) {
    let loss = |x: &Array2<f64>| (output(x) * d_output).sum();
    for (index, &claimed) in gradient.indexed_iter() {
        let at = |offset: f64| {
            let mut moved = x.clone();
            moved[index] += offset;
            loss(&moved)
        };
        let measured = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        assert!(
            (measured - claimed).abs() < DIFFERENCE_TOLERANCE,
            "{name}{index:?}: claimed {claimed}, measured {measured}"
        );
    }
}

#[test]
fn softmax_backward_agrees_with_central_differences() {
    for seed in 0..5 {
        let rng = &mut StdRng::seed_from_u64(seed);
        let (scores, d_weights) = (random(3, 5, rng), random(3, 5, rng));
        let gradient = softmax_backward(&d_weights, &softmax(&scores));
        let name = format!("seed {seed}, d_scores");
        check_central_differences(&name, &scores, &d_weights, &gradient, |scores| {
            softmax(scores)
        });
    }
}

#[test]
fn attend_backward_agrees_with_central_differences_with_and_without_a_mask() {
    for seed in 0..5 {
        let rng = &mut StdRng::seed_from_u64(seed);
        let (q, k, v) = (random(4, 3, rng), random(4, 3, rng), random(4, 2, rng));
        let d_context = random(4, 2, rng);
        for mask in [None, Some(causal_mask(4))] {
            let mask = mask.as_ref();
            let weights = attend(&q, &k, &v, mask).weights;
            let d = attend_backward(&d_context, &q, &k, &v, &weights);
            let name = |of: &str| format!("seed {seed}, masked {}, {of}", mask.is_some());
            check_central_differences(&name("d_q"), &q, &d_context, &d.d_q, |q| {
                attend(q, &k, &v, mask).context
            });
            check_central_differences(&name("d_k"), &k, &d_context, &d.d_k, |k| {
                attend(&q, k, &v, mask).context
            });
            check_central_differences(&name("d_v"), &v, &d_context, &d.d_v, |v| {
                attend(&q, &k, v, mask).context
            });
        }
    }
}

#[test]
fn a_masked_key_gets_no_gradient() {
    let x = array![[1.0_f32, 2.0], [3.0, -1.0]];
    let weights = attend(&x, &x, &x, Some(&causal_mask(2))).weights;
    let d = attend_backward(&x, &x, &x, &x, &weights);
    assert_eq!(d.d_scaled_scores[[0, 1]], 0.0);
    // Query 0 sees a single key, whose weight is 1 whatever the query is.
    Zip::from(d.d_q.row(0)).for_each(|&gradient| assert_eq!(gradient, 0.0));
}
