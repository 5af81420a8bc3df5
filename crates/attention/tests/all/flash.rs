//! Attention in tiles compared with attention computed by the formula, without tiles.

use crate::common::refusal;
use attention::flash::flash_attention_backward_with_tiles;
use attention::ndarray::{Array4, ArrayRef, Dimension};
use attention::prelude::*;

/// Panics unless `ours` equals `expected` within `relative` times `largest`.
#[track_caller]
fn close<D: Dimension>(
    what: &str,
    ours: &ArrayRef<f32, D>,
    expected: &ArrayRef<f32, D>,
    relative: f32,
    largest: f32,
) {
    assert_eq!(ours.shape(), expected.shape(), "{what}");
    let worst = ours.iter().zip(expected).fold(0.0_f32, |most, (a, b)| {
        let difference = (a - b).abs();
        if difference > most || difference.is_nan() {
            difference
        } else {
            most
        }
    });
    assert!(
        worst <= relative * largest,
        "{what}: off by {worst}, where the largest number is {largest}"
    );
}

fn largest<D: Dimension>(numbers: &ArrayRef<f32, D>) -> f32 {
    numbers
        .iter()
        .fold(0.0, |most, value| most.max(value.abs()))
}

struct Case {
    q: Array2<f32>,
    k: Array2<f32>,
    v: Array2<f32>,
    d_context: Array2<f32>,
}

fn case(queries: usize, keys: usize, width: usize, value_width: usize) -> Case {
    let rng = &mut torch::Generator::manual_seed((queries * 1000 + keys * 10 + width) as u64);
    Case {
        q: rng.randn((queries, width)),
        k: rng.randn((keys, width)),
        v: rng.randn((keys, value_width)),
        d_context: rng.randn((queries, value_width)),
    }
}

#[track_caller]
fn check(case: &Case, causal: bool, tile: Option<(usize, usize)>) {
    let Case { q, k, v, d_context } = case;
    let mask = causal.then(|| causal_mask(q.nrows()));
    let whole = attend(q, k, v, mask.as_ref());
    let expected = attend_backward(d_context, q, k, v, &whole.weights);
    let (out, d) = match tile {
        None => {
            let out = flash_attention(q, k, v, causal);
            let d = flash_attention_backward(d_context, q, k, v, &out, causal);
            (out, d)
        }
        Some(tile) => {
            let out = flash_attention_with_tiles(q, k, v, causal, tile);
            let d = flash_attention_backward_with_tiles(d_context, q, k, v, &out, causal, tile);
            (out, d)
        }
    };
    let what = format!(
        "q {:?}, k {:?}, v {:?}, causal {causal}, tile {tile:?}",
        q.shape(),
        k.shape(),
        v.shape()
    );
    // A context vector is a weighted mean of values, and both are rounded.
    close(&what, &out.context, &whole.context, 1e-6, largest(v));
    // Gradients of queries and keys are differences of numbers around 1.
    for (name, ours, expected, relative) in [
        ("d_q", &d.d_q, &expected.d_q, 2e-6),
        ("d_k", &d.d_k, &expected.d_k, 2e-6),
        ("d_v", &d.d_v, &expected.d_v, 2e-6),
    ] {
        let what = format!("{name}, {what}");
        close(&what, ours, expected, relative, largest(expected).max(1.0));
    }
}

#[test]
fn tiles_give_what_attend_gives_for_many_shapes() {
    for width in [1, 3, 16, 64, 80] {
        for time in [1, 2, 15, 63, 64, 65, 200] {
            check(&case(time, time, width, width), false, None);
            check(&case(time, time, width, width), true, None);
            check(&case(time, 70, width, 5), false, None);
        }
    }
}

#[test]
fn the_size_of_the_tiles_does_not_matter() {
    let case = case(150, 150, 20, 33);
    for tile in [
        (1, 1),
        (1, 150),
        (7, 13),
        (16, 64),
        (64, 16),
        (100, 40),
        (1000, 1000),
    ] {
        check(&case, false, Some(tile));
        check(&case, true, Some(tile));
    }
}

#[test]
fn other_tiles_round_differently() {
    let Case { q, k, v, d_context } = case(150, 150, 20, 33);
    let results = |tile| {
        let out = flash_attention_with_tiles(&q, &k, &v, false, tile);
        let d = flash_attention_backward_with_tiles(&d_context, &q, &k, &v, &out, false, tile);
        (out.context, d.d_q)
    };
    let (small, large) = (results((7, 13)), results((150, 150)));
    assert_ne!(small.0, large.0);
    assert_ne!(small.1, large.1);
}

#[test]
fn long_sequences_are_as_exact() {
    check(&case(1000, 1000, 64, 64), true, None);
    check(&case(700, 1500, 64, 64), false, None);
}

#[test]
fn every_head_is_on_its_own() {
    let rng = &mut torch::Generator::manual_seed(3);
    let shape = (2, 3, 70, 6);
    let [q, k, v, d_context] = [(); 4].map(|()| rng.randn(shape));
    for causal in [false, true] {
        let out = flash_attention(&q, &k, &v, causal);
        let d = flash_attention_backward(&d_context, &q, &k, &v, &out, causal);
        for (batch, head) in [(0, 0), (0, 2), (1, 1)] {
            let of = |array: &Array4<f32>| array.slice(s![batch, head, .., ..]).to_owned();
            let alone = flash_attention(&of(&q), &of(&k), &of(&v), causal);
            assert_eq!(of(&out.context), alone.context);
            assert_eq!(
                out.log_sum_exp.slice(s![batch, head, ..]),
                alone.log_sum_exp
            );
            let one = case_of(of(&q), of(&k), of(&v), of(&d_context));
            let alone =
                flash_attention_backward(&one.d_context, &one.q, &one.k, &one.v, &alone, causal);
            close("d_q", &of(&d.d_q), &alone.d_q, 1e-6, largest(&alone.d_q));
            close("d_k", &of(&d.d_k), &alone.d_k, 1e-6, largest(&alone.d_k));
            close("d_v", &of(&d.d_v), &alone.d_v, 1e-6, largest(&alone.d_v));
        }
    }
}

fn case_of(q: Array2<f32>, k: Array2<f32>, v: Array2<f32>, d_context: Array2<f32>) -> Case {
    Case { q, k, v, d_context }
}

#[test]
fn no_heads_and_no_queries_give_empty_results() {
    let none = Array3::<f32>::zeros((0, 5, 3));
    assert_eq!(
        flash_attention(&none, &none, &none, true).context.dim(),
        (0, 5, 3)
    );
    let (no_query, k) = (Array2::<f32>::zeros((0, 3)), Array2::ones((4, 3)));
    let out = flash_attention(&no_query, &k, &k, false);
    assert_eq!(out.context.dim(), (0, 3));
    let d = flash_attention_backward(&no_query, &no_query, &k, &k, &out, false);
    assert_eq!(d.d_k, Array2::<f32>::zeros((4, 3)));
}

#[test]
fn transposed_arrays_are_accepted() {
    let turned = case(9, 9, 4, 4);
    let q = turned.q.t().as_standard_layout().into_owned();
    let out = flash_attention(&q.t(), &turned.k, &turned.v, false);
    assert_eq!(out, flash_attention(&turned.q, &turned.k, &turned.v, false));
}

#[test]
fn large_scores_do_not_overflow() {
    let Case { q, k, v, .. } = case(130, 130, 8, 8);
    for size in [30.0, 1e4, 1e15] {
        let (q, k) = (&q * size, &k * size);
        let out = flash_attention(&q, &k, &v, true);
        let whole = attend(&q, &k, &v, Some(&causal_mask(130)));
        assert!(out.context.iter().all(|value| value.is_finite()));
        // The scores themselves are rounded, by up to 1e-7 of their size.
        let rounding = (size * size * 20.0 * 1e-7).min(2.0);
        close(
            "context",
            &out.context,
            &whole.context,
            rounding,
            largest(&v),
        );
    }
}

#[test]
fn log_sum_exp_is_that_of_the_scaled_scores() {
    let Case { q, k, v, .. } = case(30, 100, 16, 3);
    let out = flash_attention(&q, &k, &v, false);
    let expected = (scores(&q, &k) * 0.25).map_axis(Axis(1), |row| {
        row.iter().map(|score| score.exp()).sum::<f32>().ln()
    });
    close(
        "log_sum_exp",
        &out.log_sum_exp,
        &expected,
        1e-6,
        largest(&expected),
    );
}

/// The queries whose row of the context contains a bad number.
fn rows_with(
    is_bad: fn(f32) -> bool,
    q: &Array2<f32>,
    k: &Array2<f32>,
    v: &Array2<f32>,
    causal: bool,
) -> Vec<usize> {
    let context = flash_attention(q, k, v, causal).context;
    let rows = context.outer_iter().enumerate();
    rows.filter(|(_, row)| row.iter().any(|&value| is_bad(value)))
        .map(|(t, _)| t)
        .collect()
}

#[test]
fn nan_reaches_every_query_that_may_look_at_it() {
    let Case { q, k, v, .. } = case(150, 150, 8, 8);
    let [mut bad_q, mut bad_k, mut bad_v] = [q.clone(), k.clone(), v.clone()];
    for bad in [&mut bad_q, &mut bad_k, &mut bad_v] {
        bad[[100, 3]] = f32::NAN;
    }
    let from_100_on: Vec<usize> = (100..150).collect();
    assert_eq!(rows_with(f32::is_nan, &bad_q, &k, &v, true), [100]);
    assert_eq!(rows_with(f32::is_nan, &q, &bad_k, &v, true), from_100_on);
    assert_eq!(rows_with(f32::is_nan, &q, &k, &bad_v, true), from_100_on);
    assert_eq!(rows_with(f32::is_nan, &q, &bad_k, &v, false).len(), 150);
    assert_eq!(rows_with(f32::is_nan, &q, &k, &bad_v, false).len(), 150);
}

#[test]
fn infinities_reach_every_query_that_may_look_at_them_and_not_all_become_nan() {
    let Case { q, k, v, .. } = case(150, 150, 8, 8);
    let [mut bad_q, mut bad_k, mut bad_v] = [q.clone(), k.clone(), v.clone()];
    for bad in [&mut bad_q, &mut bad_k, &mut bad_v] {
        bad[[100, 3]] = f32::INFINITY;
    }
    assert_eq!(rows_with(f32::is_nan, &bad_q, &k, &v, true), [100]);
    for causal in [true, false] {
        let may_look = |t: &usize| !causal || *t >= 100;
        // A score of inf minus itself is NaN; a score of -inf gives a weight of 0.
        let drawn: Vec<usize> = (0..150)
            .filter(|t| may_look(t) && q[[*t, 3]] > 0.0)
            .collect();
        assert!(drawn.len() > 10 && drawn.len() < 140);
        assert_eq!(rows_with(f32::is_nan, &q, &bad_k, &v, causal), drawn);
        // Any fraction of infinity is infinity.
        let looking: Vec<usize> = (0..150).filter(may_look).collect();
        assert_eq!(rows_with(f32::is_infinite, &q, &k, &bad_v, causal), looking);
        assert!(rows_with(f32::is_nan, &q, &k, &bad_v, causal).is_empty());
    }
}

#[test]
fn one_query_or_two_see_what_they_see_among_many() {
    let rng = &mut torch::Generator::manual_seed(3);
    let q = rng.randn((2, 20, 8)).mapv(|number: f32| number.abs() + 0.1);
    let (k, v) = (rng.randn((2, 300, 8)), rng.randn((2, 300, 5)));
    let (no_change, everything) = (0..0, 0..300);
    for (keys, of_k, of_v) in [
        (no_change, 0.0, 0.0),
        (200..201, f32::NAN, 1.0),
        (200..201, f32::INFINITY, 1.0),
        (200..201, 1.0, f32::NAN),
        (200..201, 1.0, f32::NEG_INFINITY),
        // Scores of only -inf: in the first tile of keys, then in all tiles.
        (0..128, f32::NEG_INFINITY, 1.0),
        (everything, f32::NEG_INFINITY, 1.0),
    ] {
        let (mut k, mut v) = (k.clone(), v.clone());
        k.slice_mut(s![.., keys.clone(), 0]).fill(of_k);
        v.slice_mut(s![.., keys.clone(), 0]).fill(of_v);
        let many = flash_attention(&q, &k, &v, false);
        if of_k == f32::NEG_INFINITY && keys.len() == 300 {
            assert!(many.context.iter().all(|&nothing| nothing == 0.0));
            assert!(many.log_sum_exp.iter().all(|&one| one == of_k));
        }
        for count in [1, 2] {
            let few = flash_attention(&q.slice(s![.., ..count, ..]).to_owned(), &k, &v, false);
            let same = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan() || (a - b).abs() < 3e-6;
            let what = format!("{count} queries, keys {keys:?}: {of_k}, {of_v}");
            let rows = many.context.slice(s![.., ..count, ..]);
            let mut pairs = few.context.iter().zip(rows);
            assert!(pairs.all(|(&a, &b)| same(a, b)), "{what}: context");
            let rows = many.log_sum_exp.slice(s![.., ..count]);
            let mut pairs = few.log_sum_exp.iter().zip(rows);
            assert!(pairs.all(|(&a, &b)| same(a, b)), "{what}: log_sum_exp");
        }
    }
}

#[test]
fn a_tile_of_nothing_but_minus_infinity_gets_no_weight() {
    let Case { q, mut k, v, .. } = case(40, 60, 4, 4);
    let q = q.mapv(|number| number.abs() + 0.1);
    k.slice_mut(s![..20, 0]).fill(f32::NEG_INFINITY);
    let whole = attend(&q, &k, &v, None);
    assert!(whole.context.iter().all(|value| value.is_finite()));
    for tile in [(1, 1), (16, 16), (64, 64)] {
        let out = flash_attention_with_tiles(&q, &k, &v, false, tile);
        close("context", &out.context, &whole.context, 1e-6, largest(&v));
    }
}

#[test]
fn the_future_has_no_influence() {
    let Case { q, k, v, d_context } = case(140, 140, 16, 16);
    let before = flash_attention(&q, &k, &v, true);
    let (mut k_new, mut v_new) = (k.clone(), v.clone());
    k_new.slice_mut(s![75.., ..]).fill(9.0);
    v_new.slice_mut(s![75.., ..]).fill(9.0);
    let after = flash_attention(&q, &k_new, &v_new, true);
    let past = s![..75, ..];
    assert_eq!(before.context.slice(past), after.context.slice(past));
    assert_ne!(before.context.row(75), after.context.row(75));
    // The gradients of past contexts do not reach future tokens.
    let mut d_context = d_context;
    d_context.slice_mut(s![75.., ..]).fill(0.0);
    let d = flash_attention_backward(&d_context, &q, &k, &v, &before, true);
    let future = s![75.., ..];
    for gradient in [&d.d_q, &d.d_k, &d.d_v] {
        assert!(gradient.slice(future).iter().all(|value| *value == 0.0));
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    let Case { q, k, v, d_context } = case(5, 5, 3, 2);
    for causal in [false, true] {
        let loss = |q: &Array2<f32>, k: &Array2<f32>, v: &Array2<f32>| {
            let context = flash_attention_with_tiles(q, k, v, causal, (2, 2)).context;
            (context * &d_context)
                .iter()
                .map(|&value| f64::from(value))
                .sum::<f64>()
        };
        let out = flash_attention(&q, &k, &v, causal);
        let d = flash_attention_backward(&d_context, &q, &k, &v, &out, causal);
        let moved = |of: &Array2<f32>, index: (usize, usize), by: f32| {
            let mut of = of.clone();
            of[index] += by;
            of
        };
        let step = 1e-2_f32;
        let slope = |at: &dyn Fn(f32) -> f64| (at(step) - at(-step)) / f64::from(2.0 * step);
        for (index, _) in q.indexed_iter() {
            let of_q = slope(&|by| loss(&moved(&q, index, by), &k, &v));
            let of_k = slope(&|by| loss(&q, &moved(&k, index, by), &v));
            assert!(
                (of_q - f64::from(d.d_q[index])).abs() < 1e-3,
                "d_q {index:?}"
            );
            assert!(
                (of_k - f64::from(d.d_k[index])).abs() < 1e-3,
                "d_k {index:?}"
            );
        }
        for (index, _) in v.indexed_iter() {
            let of_v = slope(&|by| loss(&q, &k, &moved(&v, index, by)));
            assert!(
                (of_v - f64::from(d.d_v[index])).abs() < 1e-3,
                "d_v {index:?}"
            );
        }
    }
}

/// Reruns itself with different numbers of threads, because rayon reads the number only once per
/// process.
#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let name = "flash::the_number_of_threads_does_not_change_a_bit";
    if std::env::var_os("FLASH_BITS").is_some() {
        let Case { q, k, v, d_context } = case(1111, 1111, 24, 24);
        let mut bits = 0_u64;
        for causal in [false, true] {
            let out = flash_attention(&q, &k, &v, causal);
            let d = flash_attention_backward(&d_context, &q, &k, &v, &out, causal);
            for array in [&out.context, &d.d_q, &d.d_k, &d.d_v] {
                for value in array {
                    bits = bits.rotate_left(5) ^ u64::from(value.to_bits());
                    bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                }
            }
        }
        println!("bits {bits}");
        return;
    }
    let bits = |threads: &str| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env("FLASH_BITS", "1")
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find(|line| line.contains("bits "));
        line.unwrap_or_else(|| panic!("no bits in {text}"))
            .to_owned()
    };
    let alone = bits("1");
    for threads in ["1", "2", "3", "8"] {
        assert_eq!(bits(threads), alone, "with {threads} threads");
    }
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    fn zeros(rows: usize, width: usize) -> Array2<f32> {
        Array2::zeros((rows, width))
    }
    let attend = |q: [usize; 2], k: [usize; 2], v: [usize; 2], causal| {
        refusal(move || {
            let (q, k, v) = (zeros(q[0], q[1]), zeros(k[0], k[1]), zeros(v[0], v[1]));
            drop(flash_attention(&q, &k, &v, causal));
        })
    };
    assert_eq!(
        attend([4, 3], [5, 2], [5, 2], false),
        "flash_attention: q is (4, 3) but k is (5, 2): the last dimensions must agree"
    );
    assert_eq!(
        attend([4, 3], [5, 3], [6, 3], false),
        "flash_attention: k is (5, 3) but v is (6, 3): each key needs one value"
    );
    assert_eq!(
        attend([4, 3], [5, 3], [5, 3], true),
        "flash_attention: q is (4, 3) but k is (5, 3): a causal mask needs as many queries as keys"
    );
    assert_eq!(
        attend([4, 3], [0, 3], [0, 3], false),
        "flash_attention: k is (0, 3): the sequence is empty, there is nothing to attend to"
    );
    assert_eq!(
        refusal(|| {
            let (q, k) = (Array3::<f32>::zeros((2, 4, 3)), Array3::zeros((1, 4, 3)));
            drop(flash_attention(&q, &k, &k, false));
        }),
        "flash_attention: q is (2, 4, 3), k is (1, 4, 3) and v is (1, 4, 3): the dimensions \
         before the last two must agree"
    );
    assert_eq!(
        refusal(|| {
            let (q, v) = (Array3::<f32>::zeros((2, 4, 3)), Array3::zeros((1, 4, 3)));
            drop(flash_attention(&q, &q, &v, false));
        }),
        "flash_attention: q is (2, 4, 3), k is (2, 4, 3) and v is (1, 4, 3): the dimensions \
         before the last two must agree"
    );
    assert_eq!(
        refusal(|| {
            let x = zeros(4, 3);
            let mut out = flash_attention(&x, &x, &x, false);
            out.log_sum_exp = Array1::zeros(3);
            drop(flash_attention_backward(&x, &x, &x, &x, &out, false));
        }),
        "flash_attention_backward: forward.log_sum_exp is (3,) but q without its last axis is \
         (4,): the shapes must agree"
    );
    assert_eq!(
        refusal(|| {
            let x = zeros(4, 3);
            drop(flash_attention_with_tiles(&x, &x, &x, false, (0, 2)));
        }),
        "flash_attention_with_tiles: a tile of 0 queries and 2 keys is empty"
    );
    assert_eq!(
        refusal(|| {
            let x = zeros(4, 3);
            let out = flash_attention(&x, &x, &x, false);
            drop(flash_attention_backward(
                &zeros(4, 2),
                &x,
                &x,
                &x,
                &out,
                false,
            ));
        }),
        "flash_attention_backward: d_context is (4, 2) but the context is (4, 3): the shapes must \
         agree"
    );
}

#[test]
fn the_last_step_of_the_running_softmax_has_the_weights() {
    let row = array![1.0_f32, -2.0, 3.5, 0.0, 3.0, -1.0];
    let weights = softmax(&row);
    for block in [1, 2, 4, 6, 10] {
        let steps = online_softmax(&row, block);
        let last = steps.last().unwrap();
        let ours = row.mapv(|score| (score - last.max).exp() / last.sum);
        close("weights", &ours, &weights, 1e-6, 1.0);
    }
    assert!(online_softmax(&array![f32::NEG_INFINITY, 1.0], 1)[1].sum == 1.0);
    // The maximum is that of all scores so far, not just of the last block.
    let falling = online_softmax(&array![3.0, 1.0], 1);
    assert_eq!((falling[1].max, falling[1].factor), (3.0, 1.0));
    assert_eq!(falling[1].sum, 1.0 + (-2.0_f32).exp());
}

#[test]
fn a_larger_tile_moves_fewer_bytes() {
    assert_eq!(flash_tiles(5, 7, 3, false), Array2::<f32>::ones((2, 3)));
    assert_eq!(flash_tiles(130, 130, 64, true).sum(), 6.0);
    let bytes: Vec<usize> = [64, 128, 256]
        .map(|tile| flash_bytes(4096, 4096, 64, tile, false))
        .into();
    assert!(bytes[0] > bytes[1] && bytes[1] > bytes[2]);
    assert!(flash_bytes(4096, 4096, 64, 64, true) < bytes[0] * 6 / 10);
}

#[test]
fn flash_bytes_counts_every_number_once_per_visit() {
    // 2 queries and 2 contexts of 5 numbers each, and 2 sums; 3 keys and 3 values of 5 numbers
    // each, read once.
    assert_eq!(
        flash_bytes(2, 3, 5, 2, false),
        4 * (2 * 2 * 5 + 2 + 3 * 2 * 5)
    );
    // Tiles of 2 queries end at 2, 4 and 5, and each reads that many keys.
    assert_eq!(
        flash_bytes(5, 5, 3, 2, true),
        4 * (2 * 5 * 3 + 5 + (2 + 4 + 5) * 2 * 3)
    );
    assert_eq!(
        flash_bytes(6, 6, 3, 2, true),
        4 * (2 * 6 * 3 + 6 + (2 + 4 + 6) * 2 * 3)
    );
    assert_eq!(
        naive_bytes(5, 7, 3),
        4 * (2 * 5 * 3 + 2 * 7 * 3 + 4 * 5 * 7)
    );
}

#[test]
fn tiles_and_blocks_of_nothing_are_refused() {
    assert_eq!(
        refusal(|| drop(flash_tiles(4, 4, 0, false))),
        "flash_tiles: a tile of 0 x 0 is empty"
    );
    assert_eq!(
        refusal(|| {
            flash_bytes(4, 4, 2, 0, false);
        }),
        "flash_bytes: a tile of 0 x 0 is empty"
    );
    assert_eq!(
        refusal(|| drop(online_softmax(&array![1.0, 2.0], 0))),
        "online_softmax: a block of 0 scores out of (2,) never ends"
    );
    assert_eq!(
        refusal(|| drop(flash_tiles(4, 5, 2, true))),
        "flash_tiles: there are 4 queries but 5 keys: a causal mask needs as many queries as keys"
    );
}

/// Reruns all other tests of this file with the registers of older machines.
#[test]
fn narrower_registers_give_the_same_within_the_same_bounds() {
    for registers in ["256", "scalar"] {
        let this = std::env::current_exe().expect("a test is a program");
        let output = std::process::Command::new(this)
            .env("ATTENTION_REGISTERS", registers)
            .args(["flash::", "--skip", "narrower_registers"])
            .output()
            .expect("it can be started again");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{registers}: {printed}");
    }
}
