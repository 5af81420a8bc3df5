//! Mistakes in the exercises on translation. They were collected after the known mistakes had been
//! written, and differ from them.

use super::Answer;
use exercises::prelude::*;

fn largest(row: &Array1<f32>) -> usize {
    let mut best = 0;
    for token in 1..row.len() {
        if row[token] > row[best] {
            best = token;
        }
    }
    best
}

fn gate(forget: &Array1<f32>) -> Array1<f32> {
    forget.mapv(|x| 1.0 / (1.0 + (-x).exp()))
}

pub fn answers() -> Vec<Answer> {
    vec![
        (
            "cross_weights",
            "The root of the number of queries, which is at hand as `nrows`.",
            check::cross_weights(|q, k| softmax(&(scores(q, k) / (q.nrows() as f32).sqrt()))),
        ),
        (
            "cross_weights",
            "Softmax first, then scale.",
            check::cross_weights(|q, k| softmax(&scores(q, k)) / (k.ncols() as f32).sqrt()),
        ),
        (
            "cross_weights",
            "Multiplied by the root.",
            check::cross_weights(|q, k| softmax(&(scores(q, k) * (k.ncols() as f32).sqrt()))),
        ),
        (
            "cross_weights",
            "Each row divided by its sum, without the exponential.",
            check::cross_weights(|q, k| {
                let mut shares = scores(q, k);
                for mut row in shares.rows_mut() {
                    let sum = row.sum();
                    row /= sum;
                }
                shares
            }),
        ),
        (
            "cross_weights",
            "Keys first, as in the sentence \"keys and queries\".",
            check::cross_weights(|q, k| softmax(&(scores(k, q) / (q.ncols() as f32).sqrt()))),
        ),
        (
            "cross_weights",
            "The width of a head is 32, so divide by its root, whatever comes. (Heads of other widths.)",
            check::cross_weights(|q, k| softmax(&(scores(q, k) / 32_f32.sqrt()))),
        ),
        (
            "cross_weights",
            "The context is what attention returns. (Of the keys, since there are no values.)",
            check::cross_weights(|q, k| {
                softmax(&(scores(q, k) / (k.ncols() as f32).sqrt())).dot(k)
            }),
        ),
        (
            "memory_step",
            "e to the `forget`, without the minus.",
            check::memory_step(|cell, input, forget| {
                let f = forget.mapv(|x| 1.0 / (1.0 + x.exp()));
                let next = &f * cell + (1.0 - &f) * input;
                let out = next.mapv(|x| x.max(0.0));
                (next, out)
            }),
        ),
        (
            "memory_step",
            "The same gate for both.",
            check::memory_step(|cell, input, forget| {
                let f = gate(forget);
                let next = &f * cell + &f * input;
                let out = next.mapv(|x| x.max(0.0));
                (next, out)
            }),
        ),
        (
            "memory_step",
            "The absolute value, because it must not be negative.",
            check::memory_step(|cell, input, forget| {
                let f = gate(forget);
                let next = &f * cell + (1.0 - &f) * input;
                let out = next.mapv(f32::abs);
                (next, out)
            }),
        ),
        (
            "memory_step",
            "The new cell without a gate: the mean of both.",
            check::memory_step(|cell, input, _| {
                let next = (cell + input) / 2.0;
                let out = next.mapv(|x| x.max(0.0));
                (next, out)
            }),
        ),
        (
            "memory_step",
            "Negative numbers are cut off where they come from: in the old cell.",
            check::memory_step(|cell, input, forget| {
                let f = gate(forget);
                let next = &f * &cell.mapv(|x| x.max(0.0)) + (1.0 - &f) * input;
                let out = next.mapv(|x| x.max(0.0));
                (next, out)
            }),
        ),
        (
            "memory_step",
            "`min` instead of `max`.",
            check::memory_step(|cell, input, forget| {
                let f = gate(forget);
                let next = &f * cell + (1.0 - &f) * input;
                let out = next.mapv(|x| x.min(0.0));
                (next, out)
            }),
        ),
        (
            "greedy",
            "Begins with an empty list and 0 for the last token.",
            check::greedy(|_, then| {
                let (mut tokens, mut last) = (Vec::new(), 0);
                for table in then.outer_iter() {
                    last = largest(&table.row(last).to_owned());
                    tokens.push(last);
                    if last == 0 {
                        break;
                    }
                }
                tokens
            }),
        ),
        (
            "greedy",
            "Pushes the last token instead of the new one.",
            check::greedy(|first, then| {
                let mut last = largest(first);
                let mut tokens = Vec::new();
                for table in then.outer_iter() {
                    tokens.push(last);
                    if last == 0 {
                        break;
                    }
                    last = largest(&table.row(last).to_owned());
                }
                tokens
            }),
        ),
        (
            "greedy",
            "Always `then[[0, last, ..]]`, because a table is a table.",
            check::greedy(|first, then| {
                let mut tokens = vec![largest(first)];
                for _ in 0..then.dim().0 {
                    let last = tokens[tokens.len() - 1];
                    if last == 0 {
                        break;
                    }
                    tokens.push(largest(&then.slice(s![0, last, ..]).to_owned()));
                }
                tokens
            }),
        ),
        (
            "greedy",
            "Checks for the end before pushing it.",
            check::greedy(|first, then| {
                let mut tokens = vec![largest(first)];
                for table in then.outer_iter() {
                    let next = largest(&table.row(tokens[tokens.len() - 1]).to_owned());
                    if next == 0 {
                        break;
                    }
                    tokens.push(next);
                }
                tokens
            }),
        ),
        (
            "greedy",
            "A `for` loop over all tables; nothing about an end.",
            check::greedy(|first, then| {
                let mut tokens = vec![largest(first)];
                for table in then.outer_iter() {
                    tokens.push(largest(&table.row(tokens[tokens.len() - 1]).to_owned()));
                }
                tokens
            }),
        ),
        (
            "greedy",
            "The position of the token before: `t - 1`.",
            check::greedy(|first, then| {
                let mut tokens = vec![largest(first)];
                for t in 0..then.dim().0 {
                    let last = tokens[tokens.len() - 1];
                    if last == 0 {
                        break;
                    }
                    let before = t.saturating_sub(1);
                    tokens.push(largest(&then.slice(s![before, last, ..]).to_owned()));
                }
                tokens
            }),
        ),
        (
            "greedy",
            "The largest score of the whole table.",
            check::greedy(|first, then| {
                let mut tokens = vec![largest(first)];
                for table in then.outer_iter() {
                    if tokens[tokens.len() - 1] == 0 {
                        break;
                    }
                    let all: Array1<f32> = table.iter().copied().collect();
                    tokens.push(largest(&all) % first.len());
                }
                tokens
            }),
        ),
        (
            "places_alike",
            "The two vectors, then `dot`. (The powers of 10000 as the paper has them: `half`, not `half - 1`.)",
            check::places_alike(|a, b, half| {
                let vector = |t: usize| {
                    Array1::from_shape_fn(2 * half, |i| {
                        let power = -((i % half) as f64) / half as f64;
                        let angle = t as f64 * 10_000_f64.powf(power);
                        if i < half { angle.sin() } else { angle.cos() }
                    })
                };
                vector(a).dot(&vector(b))
            }),
        ),
        (
            "places_alike",
            "Of the whole width, as in `rotated`. (The slowest is not slow enough.)",
            check::places_alike(|a, b, half| {
                let mut sum = 0.0;
                for i in 0..half {
                    let f = 10_000_f64.powf(-(i as f64) / (2 * half) as f64);
                    let (x, y) = (a as f64 * f, b as f64 * f);
                    sum += x.sin() * y.sin() + x.cos() * y.cos();
                }
                sum
            }),
        ),
        (
            "places_alike",
            "Only the distance matters: `a - b`. (Below 0, an integer stops.)",
            check::places_alike(|a, b, half| {
                let distance = a.checked_sub(b).expect("attempt to subtract with overflow");
                let mut sum = 0.0;
                for i in 0..half {
                    let f = 10_000_f64.powf(-(i as f64) / (half - 1) as f64);
                    sum += (distance as f64 * f).cos();
                }
                sum
            }),
        ),
        (
            "places_alike",
            "Likeness is the cosine: divide by the lengths.",
            check::places_alike(|a, b, half| {
                let mut sum = 0.0;
                for i in 0..half {
                    let f = 10_000_f64.powf(-(i as f64) / (half - 1) as f64);
                    let (x, y) = (a as f64 * f, b as f64 * f);
                    sum += x.sin() * y.sin() + x.cos() * y.cos();
                }
                sum / half as f64
            }),
        ),
        (
            "places_alike",
            "cos(a + b) = cos a cos b - sin a sin b, I remember. (The sign is that of the sum.)",
            check::places_alike(|a, b, half| {
                let mut sum = 0.0;
                for i in 0..half {
                    let f = 10_000_f64.powf(-(i as f64) / (half - 1) as f64);
                    let (x, y) = (a as f64 * f, b as f64 * f);
                    sum += x.cos() * y.cos() - x.sin() * y.sin();
                }
                sum
            }),
        ),
        (
            "places_alike",
            "`i / (half - 1)`, converted afterwards. (Integers.)",
            check::places_alike(|a, b, half| {
                let mut sum = 0.0;
                for i in 0..half {
                    let f = 10_000_f64.powi(-((i / (half - 1)) as i32));
                    let (x, y) = (a as f64 * f, b as f64 * f);
                    sum += x.sin() * y.sin() + x.cos() * y.cos();
                }
                sum
            }),
        ),
    ]
}
