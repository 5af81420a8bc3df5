//! The results of lesson 04, "Self-Attention from Scratch", compared with golden/lesson_04.json.

use crate::common::{Golden, assert_close};
use attention::ndarray::{Array3, ArrayRef3, Dimension, Ix3};
use attention::prelude::*;
use attention::show::corners;

const BATCH: usize = 32;
const TOKENS: usize = 256;
const WIDTH: usize = 384;
const HEAD_SIZE: usize = 16;

/// Permitted difference, relative to the largest value: PyTorch adds up to 384 products in a
/// different order.
const TOLERANCE: f32 = 8.0 * f32::EPSILON;

fn golden(name: &str) -> Golden {
    Golden::parse(include_str!("../golden/lesson_04.json")).at(&["values", name])
}

/// Compares the first and last three tokens and numbers of sequences 0, 1, 2 and 31.
#[track_caller]
fn check_corners(name: &str, computed: &ArrayRef3<f32>) {
    let corners = corners(computed).select(Axis(0), &[0, 1, 2, 5]);
    let name = format!("{name}.corners");
    assert_close(&name, &corners, &golden(&name).array(), TOLERANCE);
}

#[track_caller]
fn check<D: Dimension>(name: &str, computed: &attention::ndarray::ArrayRef<f32, D>) {
    assert_close(name, computed, &golden(name).array(), TOLERANCE);
}

fn x() -> (torch::Generator, Array3<f32>) {
    let mut rng = torch::Generator::manual_seed(74);
    let x = rng.randn((BATCH, TOKENS, WIDTH));
    (rng, x)
}

#[test]
fn x_and_its_three_ways_to_an_average() {
    let (_, x) = x();
    assert_eq!(
        corners(&x).select(Axis(0), &[0, 1, 2, 5]).into_dyn(),
        golden("x.corners").array()
    );
    let v1 = average_so_far(&x);
    check_corners("V1", &v1);

    let mask = causal_mask(TOKENS);
    let equal_shares = renormalise(&Array2::ones((TOKENS, TOKENS)), &mask);
    let v2 = context_batch(&equal_shares, &x);
    check_corners("V2", &v2);

    let from_softmax = softmax(&additive_mask::<f32>(&mask));
    check_corners("V3", &context_batch(&from_softmax, &x));
    assert_eq!(from_softmax, equal_shares);

    // V1 and V2 differ by about as much as in PyTorch, because both are rounded sums.
    let apart = (&v1 - &v2).fold(0.0_f32, |largest, by| largest.max(by.abs()));
    let in_pytorch = golden("max_abs_V1_V2").values()[0] as f32;
    assert!(apart < 4.0 * in_pytorch, "{apart} and {in_pytorch}");
}

#[test]
fn one_head_at_its_first_and_its_151st_call() {
    let (mut rng, x) = x();
    let mut head = || {
        let [key, query, value] =
            std::array::from_fn(|_| Linear::new(WIDTH, HEAD_SIZE, false, &mut rng));
        (key, query, value)
    };
    let run = |(key, query, value): (Linear, Linear, Linear)| {
        let (k, q, v) = (
            key.forward_batch(&x),
            query.forward_batch(&x),
            value.forward_batch(&x),
        );
        attend_batch_with_scale(&q, &k, &v, Some(&causal_mask(TOKENS)), 1.0)
    };
    check_corners("V4_first_call", &run(head()));
    for _ in 2..=150 {
        head();
    }
    check_corners("V4", &run(head()));
}

#[test]
fn why_scaling_matters() {
    let rng = &mut torch::Generator::manual_seed(74);
    check("why_x", &rng.randn((4, 8, 2)));
    for _ in 0..3 {
        Linear::new(2, HEAD_SIZE, false, rng);
    }
    let mut draw = || rng.randn((4, 8, HEAD_SIZE));
    let (k, q) = (draw(), draw());
    let (k2, q2) = (draw(), draw());
    for (name, tensor) in [("k", &k), ("q", &q), ("k2", &k2), ("q2", &q2)] {
        check(&format!("why_{name}"), tensor);
        check_variance(&format!("{name}_var"), tensor);
    }

    let all_scores = |q: &Array3<f32>, k: &Array3<f32>| {
        let mut all = Array3::zeros(Ix3(4, 8, 8));
        for (b, mut one) in all.outer_iter_mut().enumerate() {
            one.assign(&scores(
                &q.index_axis(Axis(0), b),
                &k.index_axis(Axis(0), b),
            ));
        }
        all
    };
    let wei = all_scores(&q, &k);
    let wei2 = all_scores(&q2, &k2) / (HEAD_SIZE as f32).sqrt();
    check("why_wei", &wei);
    check("why_wei2", &wei2);
    check_variance("wei_var", &wei);
    check_variance("wei2_var", &wei2);
    check("softmax_wei_00", &softmax(&wei.slice(s![0, 0, ..])));
    check("softmax_wei2_00", &softmax(&wei2.slice(s![0, 0, ..])));
}

#[track_caller]
fn check_variance(name: &str, of: &Array3<f32>) {
    let expected = golden(name).values()[0] as f32;
    let computed = variance(of, 1);
    assert!(
        (computed - expected).abs() <= TOLERANCE * expected,
        "{name}: computed {computed}, PyTorch has {expected}"
    );
}
