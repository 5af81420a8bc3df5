//! Attention in tiles with large scores: recomputed weights must equal those of the
//! forward pass.

use attention::prelude::*;

/// The weights that the backward pass uses, (T, S): if d_context is the identity, d_v is their
/// transpose.
fn weights_of_backward(q: &Array2<f32>, k: &Array2<f32>, causal: bool) -> Array2<f32> {
    let v = Array2::zeros((k.nrows(), q.nrows()));
    let out = flash_attention(q, k, &v, causal);
    let d = flash_attention_backward(&Array2::eye(q.nrows()), q, k, &v, &out, causal);
    d.d_v.reversed_axes()
}

fn farthest_from_1(sums: &Array1<f32>) -> f32 {
    let apart = sums.iter().map(|sum| (sum - 1.0).abs());
    apart.fold(0.0, |most, one| if one <= most { most } else { one })
}

#[test]
fn one_key_gets_everything_and_no_gradient_of_its_score() {
    for size in [1.0, 300.0, 1e4, 1e15] {
        let rng = &mut torch::Generator::manual_seed(1);
        let [q, k, v, d_context] = [(); 4].map(|()| rng.randn((1, 64)));
        let (q, k): (Array2<f32>, Array2<f32>) = (q * size, k * size);
        for causal in [false, true] {
            let out = flash_attention(&q, &k, &v, causal);
            let d = flash_attention_backward(&d_context, &q, &k, &v, &out, causal);
            assert_eq!((out.context, d.d_v), (v.clone(), d_context.clone()));
            assert!(d.d_q.iter().chain(&d.d_k).all(|d| *d == 0.0), "{size}");
        }
    }
    let (large, one) = (array![[300.0]], array![[1.0]]);
    let out = flash_attention(&large, &large, &one, false);
    assert_eq!(out.log_sum_exp, array![90_000.0]);
    let d = flash_attention_backward(&one, &large, &large, &one, &out, false);
    assert_eq!(d.d_v, one);
}

/// Checks the bound given in the documentation.
#[test]
fn rows_of_the_backward_pass_sum_to_1_however_large_the_scores_are() {
    for time in [1, 2, 3, 64, 200, 600] {
        let rng = &mut torch::Generator::manual_seed(time as u64);
        let [q, k] = [(); 2].map(|()| rng.randn((time, 64)));
        for size in [1.0, 3.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e15] {
            let (q, k): (Array2<f32>, Array2<f32>) = (&q * size, &k * size);
            for causal in [false, true] {
                let apart = farthest_from_1(&weights_of_backward(&q, &k, causal).sum_axis(Axis(1)));
                assert!(apart < 1e-5, "{time}, times {size}, {causal}: {apart}");
            }
        }
    }
}

#[test]
fn equal_keys_get_equal_shares_however_large_the_scores_are() {
    for (queries, keys) in [(1, 2), (2, 50), (3, 50), (70, 300)] {
        let q = Array2::from_elem((queries, 8), 1e4_f32);
        let k = Array2::from_elem((keys, 8), 1e4_f32);
        for weight in weights_of_backward(&q, &k, false) {
            let share = weight * keys as f32;
            assert!((share - 1.0).abs() < 1e-6, "{share} of a share");
        }
    }
}

#[test]
fn gradients_are_as_exact_as_those_of_attend_backward() {
    for time in [1, 2, 64] {
        let rng = &mut torch::Generator::manual_seed(9);
        let [q, k, v, d_context] = [(); 4].map(|()| rng.randn((time, 64)));
        for size in [1.0, 10.0, 100.0, 300.0, 1e3, 1e4] {
            let (q, k): (Array2<f32>, Array2<f32>) = (&q * size, &k * size);
            let out = flash_attention(&q, &k, &v, false);
            let ours = flash_attention_backward(&d_context, &q, &k, &v, &out, false);
            let whole = attend_backward(&d_context, &q, &k, &v, &attend(&q, &k, &v, None).weights);
            let [q, k, v, d_context] = [&q, &k, &v, &d_context].map(|x| x.mapv(f64::from));
            let exact = attend(&q, &k, &v, None).weights;
            let exact = attend_backward(&d_context, &q, &k, &v, &exact);
            for (name, ours, whole, exact) in [
                ("d_q", ours.d_q, whole.d_q, exact.d_q),
                ("d_k", ours.d_k, whole.d_k, exact.d_k),
                ("d_v", ours.d_v, whole.d_v, exact.d_v),
            ] {
                let apart = |from: &Array2<f32>| {
                    let apart = from
                        .iter()
                        .zip(&exact)
                        .map(|(a, b)| (f64::from(*a) - b).abs());
                    apart.fold(0.0, f64::max)
                };
                let largest = exact.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
                let (ours, whole) = (apart(&ours), apart(&whole));
                assert!(
                    ours <= 3.0 * whole + 1e-6 * largest,
                    "{name} of {time}, times {size}: {ours} off, attend_backward {whole}, of {largest}"
                );
            }
        }
    }
}

/// Checks the bounds given in the documentation.
#[test]
fn weights_by_log_sum_exp_are_as_exact_as_f32_has_scores() {
    for (largest, bound) in [(1.0, 1e-5), (64.0, 1e-5), (4096.0, 1e-3)] {
        for time in [1, 2, 64, 300] {
            let rng = &mut torch::Generator::manual_seed(time as u64);
            let [q, k] = [(); 2].map(|()| rng.randn((time, 64)));
            let of = |q: &Array2<f32>| scores(q, &k) / 8.0;
            let most = of(&q)
                .iter()
                .fold(0.0_f32, |most, score| most.max(score.abs()));
            let q = q * (largest / most);
            let out = flash_attention(&q, &k, &k, false);
            let weights = (of(&q) - &out.log_sum_exp.insert_axis(Axis(1))).exp();
            let apart = farthest_from_1(&weights.sum_axis(Axis(1)));
            assert!(apart < bound, "{time}, scores up to {largest}: {apart}");
        }
    }
}
