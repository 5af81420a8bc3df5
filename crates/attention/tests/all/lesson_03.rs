//! The results of lesson 03, "Self Attention in Transformers", compared with
//! golden/lesson_03.json.

use crate::common::Golden;
use attention::prelude::*;

/// Permitted difference: everything is in f64, but NumPy adds in a different order.
const TOLERANCE: f64 = 1e-14;

fn golden(name: &str) -> Golden {
    Golden::parse(include_str!("../golden/lesson_03.json")).at(&["values", name])
}

#[track_caller]
fn check(name: &str, computed: &Array2<f64>) {
    let expected = golden(name).matrix_f64();
    assert_eq!(computed.dim(), expected.dim(), "{name}: shape");
    for (index, &expected) in expected.indexed_iter() {
        let computed = computed[index];
        assert!(
            computed == expected || (computed - expected).abs() <= TOLERANCE,
            "{name}{index:?}: computed {computed}, NumPy has {expected}"
        );
    }
}

#[track_caller]
fn check_variances(name: &str, of: [&Array2<f64>; 3]) {
    for (matrix, expected) in of.into_iter().zip(golden(name).values()) {
        let computed = variance(matrix, 0);
        assert!(
            (computed - expected).abs() <= TOLERANCE,
            "{name}: computed {computed}, NumPy has {expected}"
        );
    }
}

#[test]
fn every_step_from_q_k_v_to_the_new_values() {
    let [q, k, v] =
        ["q", "k", "v"].map(|name| golden(&format!("{name} (as printed)")).matrix_f64());
    let raw_scores = scores(&q, &k);
    check("qkT", &raw_scores);
    check_variances("vars", [&q, &k, &raw_scores]);

    let scaled = &raw_scores / (q.ncols() as f64).sqrt();
    check("scaled", &scaled);
    check_variances("vars_scaled", [&q, &k, &scaled]);

    let may_look = causal_mask(4);
    let mask = additive_mask::<f64>(&may_look);
    check("mask", &mask);
    let weights = softmax(&(&scaled + &mask));
    check("attention", &weights);
    check("new_v", &context(&weights, &v));

    let attention = attend(&q, &k, &v, Some(&may_look));
    check("qkT", &attention.scores);
    check("attention", &attention.weights);
    check("new_v", &attention.context);
}
