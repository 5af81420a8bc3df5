//! Attention in tiles against attention as the formula has it.

use attention::ndarray::{ArrayRef, Dimension};
use attention::prelude::*;

/// Panics unless `ours` is `expected` within `relative` of `largest`.
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
    // A context vector is a mean of values, and both means are rounded.
    close(&what, &out.context, &whole.context, 1e-6, largest(v));
    // Gradients of queries and keys are differences of numbers of the size of 1.
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
