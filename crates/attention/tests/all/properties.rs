//! Properties that must hold for any input, tested on random inputs.

use attention::dot_product::{
    attend, attend_batch, attend_batch_with_scale, attend_with_scale, causal_context_batch,
    causal_mask, context, context_batch, scores, softmax, softmax_naive,
};
use attention::ndarray::{Array1, Array2, Axis, s};
use attention::ndarray_rand::{
    RandomExt, rand::SeedableRng, rand::rngs::StdRng, rand_distr::StandardNormal,
};
use attention::rng::torch::Generator;

/// Calls `check` with queries (5, 4), keys (7, 4) and values (7, 3) for 20 seeds.
fn for_random_inputs(check: impl Fn(u64, Array2<f64>, Array2<f64>, Array2<f64>)) {
    for seed in 0..20 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut draw =
            |rows, columns| Array2::random_using((rows, columns), StandardNormal, &mut rng);
        check(seed, draw(5, 4), draw(7, 4), draw(7, 3));
    }
}

#[track_caller]
fn assert_close(seed: u64, a: &Array2<f64>, b: &Array2<f64>) {
    let largest = (a - b).fold(0.0_f64, |largest, difference| largest.max(difference.abs()));
    assert!(
        largest < 1e-12,
        "seed {seed}: the largest difference is {largest:e}"
    );
}

#[test]
fn every_row_of_weights_sums_to_one() {
    for_random_inputs(|seed, q, k, _| {
        for weights in [softmax(&scores(&q, &k)), softmax_naive(&scores(&q, &k))] {
            let sums: Array1<f64> = weights.sum_axis(Axis(1));
            assert!(
                sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12),
                "seed {seed}: {sums}"
            );
            assert!(weights.iter().all(|&weight| weight > 0.0), "seed {seed}");
        }
    });
}

#[test]
fn the_same_number_added_to_all_scores_changes_no_weight() {
    for_random_inputs(|seed, q, k, _| {
        let scores = scores(&q, &k);
        assert_close(seed, &softmax(&scores), &softmax(&(&scores + 1000.0)));
    });
}

#[test]
fn permuting_keys_together_with_values_changes_no_context() {
    for_random_inputs(|seed, q, k, v| {
        let reversed = s![..;-1, ..];
        let straight = attend(&q, &k, &v, None);
        let permuted = attend(&q, &k.slice(reversed), &v.slice(reversed), None);
        assert_close(seed, &straight.context, &permuted.context);
    });
}

#[test]
fn the_future_has_no_influence_behind_a_causal_mask() {
    for_random_inputs(|seed, _, x, _| {
        let mask = causal_mask(x.nrows());
        let before = attend(&x, &x, &x, Some(&mask));
        let mut changed = x.clone();
        changed.row_mut(6).fill(1e3); // the last token
        let after = attend(&changed, &changed, &changed, Some(&mask));
        let past = s![..6, ..];
        assert_eq!(
            before.context.slice(past),
            after.context.slice(past),
            "seed {seed}"
        );
        assert_ne!(before.context.row(6), after.context.row(6), "seed {seed}");
    });
}

#[test]
fn a_masked_key_gets_no_weight() {
    for_random_inputs(|seed, q, k, v| {
        let mask = Array2::from_shape_fn((5, 7), |(query, key)| query != key);
        let weights = attend(&q, &k, &v, Some(&mask)).weights;
        for ((query, key), &weight) in weights.indexed_iter() {
            assert_eq!(
                weight == 0.0,
                query == key,
                "seed {seed}: [{query}, {key}] is {weight}"
            );
        }
    });
}

#[test]
fn the_steps_taken_one_by_one_are_attention() {
    for_random_inputs(|seed, q, k, v| {
        let weights = softmax(&(scores(&q, &k) / 4.0_f64.sqrt()));
        let whole = attend(&q, &k, &v, None);
        assert_close(seed, &whole.scores, &scores(&q, &k));
        assert_close(seed, &whole.weights, &weights);
        assert_close(seed, &whole.context, &context(&weights, &v));
    });
}

#[test]
fn a_batch_behind_any_square_mask_is_attention_sequence_by_sequence() {
    for seed in 0..20 {
        let mut rng = Generator::manual_seed(seed);
        let (q, k, v) = (
            rng.randn((2, 7, 4)),
            rng.randn((2, 7, 4)),
            rng.randn((2, 7, 3)),
        );
        let drawn = rng.bernoulli((7, 7), 0.7).mapv(|one| one == 1.0);
        let mut almost_causal = causal_mask(7);
        almost_causal[[5, 2]] = false;
        let transposed = causal_mask(7).t().to_owned();
        for mask in [drawn, almost_causal, transposed, causal_mask(7)] {
            let together = attend_batch(&q, &k, &v, Some(&mask));
            let with_scale = attend_batch_with_scale(&q, &k, &v, Some(&mask), 0.3);
            for b in 0..2 {
                let [q, k, v] = [&q, &k, &v].map(|batch| batch.index_axis(Axis(0), b));
                for (together, alone) in [
                    (&together, attend(&q, &k, &v, Some(&mask))),
                    (&with_scale, attend_with_scale(&q, &k, &v, Some(&mask), 0.3)),
                ] {
                    let difference = &together.index_axis(Axis(0), b) - &alone.context;
                    let largest = difference.fold(0.0_f32, |most, by| most.max(by.abs()));
                    assert!(
                        largest < 1e-5,
                        "seed {seed}: off by {largest:e} with mask {mask}"
                    );
                }
            }
        }
    }
}

#[test]
fn context_behind_the_diagonal_takes_every_key_so_far() {
    // More tokens than are multiplied together at once, and not a multiple of that number.
    let mut rng = Generator::manual_seed(3);
    let (weights, v) = (rng.rand((130, 130)), rng.randn((2, 130, 3)));
    let lower = Array2::from_shape_fn((130, 130), |(query, key)| {
        if key <= query {
            weights[[query, key]]
        } else {
            0.0
        }
    });
    let difference = causal_context_batch(&weights, &v) - context_batch(&lower, &v);
    let largest = difference.fold(0.0_f32, |most, by| most.max(by.abs()));
    assert!(largest < 2e-5, "off by {largest:e}");
}
