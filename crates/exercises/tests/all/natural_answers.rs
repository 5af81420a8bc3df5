//! Wrong answers that a reader of the lesson might give, written without looking at the known
//! mistakes. Most of them get a diagnosis; the tests check the share.

use exercises::Verdict;
use exercises::prelude::*;

/// Each mistake, with the verdict on it.
fn answers() -> Vec<(&'static str, Verdict)> {
    vec![
        (
            "dot product: forgot to multiply by b",
            check::dot_product(|a, _| a.sum()),
        ),
        (
            "dot product: starts at 1",
            check::dot_product(|a, b| 1.0 + a.dot(b)),
        ),
        (
            "dot product: leaves out the first place",
            check::dot_product(|a, b| (1..a.len()).map(|i| a[i] * b[i]).sum()),
        ),
        (
            "scores: words transposed",
            check::scores(|q, words| words.t().dot(q)),
        ),
        (
            "scores: query on the left",
            check::scores(|q, words| q.dot(words)),
        ),
        (
            "softmax: divides by the largest",
            check::softmax(|s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                s / largest
            }),
        ),
        (
            "softmax: subtracts the mean",
            check::softmax(|s| {
                let e = (s - s.mean().unwrap_or(0.0)).exp();
                &e / e.sum()
            }),
        ),
        ("softmax: forgot to divide", check::softmax(|s| s.exp())),
        (
            "context: weights times words, as scores",
            check::context(|w, words| words.dot(w)),
        ),
        (
            "context: forgot that += starts from zeros",
            check::context(|w, words| {
                let mut context = Array1::ones(words.ncols());
                for (weight, word) in w.iter().zip(words.rows()) {
                    context += &(&word * *weight);
                }
                context
            }),
        ),
        (
            "weights: softmax of the words",
            check::weights(|x| softmax(x)),
        ),
        (
            "weights: each row divided by its largest",
            check::weights(|x| {
                let mut scores = x.dot(&x.t());
                for mut row in scores.rows_mut() {
                    let largest = row.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                    row /= largest;
                }
                scores
            }),
        ),
        (
            "scaled: multiplied by d_k",
            check::scaled_weights(|q, k| softmax(&(q.dot(&k.t()) * k.ncols() as f32))),
        ),
        (
            "mask: strictly below",
            check::causal_mask(|t| Array2::from_shape_fn((t, t), |(row, column)| column < row)),
        ),
        (
            "mask: row and column exchanged",
            check::causal_mask(|t| Array2::from_shape_fn((t, t), |(column, row)| column <= row)),
        ),
        (
            "masked weights: 0 in place of minus infinity",
            check::masked_weights(|s, m| {
                let mut s = s.clone();
                s.zip_mut_with(m, |s, visible| {
                    if !visible {
                        *s = 0.0
                    }
                });
                softmax(&s)
            }),
        ),
        (
            "masked weights: a large negative number, but too small",
            check::masked_weights(|s, m| {
                let mut s = s.clone();
                s.zip_mut_with(m, |s, visible| {
                    if !visible {
                        *s = -1.0
                    }
                });
                softmax(&s)
            }),
        ),
        (
            "dropout: forgot the rescaling",
            check::dropout(|w, keep, _| w * &keep.mapv(f32::from)),
        ),
        (
            "split heads: reshape",
            check::split_heads(|x, heads| {
                let (t, c) = x.dim();
                x.to_shape((heads, t, c / heads))
                    .expect("a shape")
                    .to_owned()
            }),
        ),
        (
            "join heads: reshape",
            check::join_heads(|x| {
                let (h, t, d) = x.dim();
                x.to_shape((t, h * d)).expect("a shape").to_owned()
            }),
        ),
        (
            "favourite: the largest weight of all",
            check::favourite(|w, _| {
                let best = w.indexed_iter().max_by(|a, b| a.1.total_cmp(b.1));
                best.map_or(0, |((_, key), _)| key)
            }),
        ),
        (
            "popularity: sums of rows",
            check::popularity(|w| w.sum_axis(Axis(1))),
        ),
        (
            "renormalised: softmax again",
            check::renormalised(|w, m| softmax(&mask_scores(w, m))),
        ),
        (
            "additive mask: yes is 1",
            check::additive_mask(|m| m.mapv(|yes| if yes { 1.0 } else { f64::NEG_INFINITY })),
        ),
        (
            "softmax backward: only w (1 - w)",
            check::softmax_backward(|d, w| d * &(w * &(1.0 - w))),
        ),
        (
            "attention: forgot the mask",
            check::attention(|q, k, v, _| attend(q, k, v, None).context),
        ),
        (
            "gradients: forgot the scale",
            check::score_gradients(|d, q, k| (d.dot(k), d.t().dot(q))),
        ),
        (
            "average: divided by t",
            check::average_by_loop(|x| {
                let mean = |t: usize, c: usize| x.slice(s![..=t, c]).sum() / t as f32;
                Array2::from_shape_fn(x.dim(), |(t, c)| mean(t, c))
            }),
        ),
        (
            "reach: a whole window for each layer",
            check::reach(|tokens, window, layers| tokens.min(window * layers)),
        ),
        (
            "divisor: a sum of variances",
            check::divisor(|d_k, q, k| (d_k as f64 * (q + k)).sqrt()),
        ),
        (
            "cross entropy: forgot the minus",
            check::cross_entropy(|logits, targets| {
                let p = softmax(logits);
                let logs = targets.iter().enumerate().map(|(i, &t)| p[[i, t]].ln());
                logs.sum::<f32>() / targets.len() as f32
            }),
        ),
        (
            "cross entropy: sum",
            check::cross_entropy(|logits, targets| {
                cross_entropy(logits, targets) * targets.len() as f32
            }),
        ),
        (
            "targets: same as inputs",
            check::inputs_and_targets(|tokens, start, n| {
                (
                    tokens[start..start + n].to_vec(),
                    tokens[start..start + n].to_vec(),
                )
            }),
        ),
        (
            "sample: <= instead of <",
            check::sample(|p, u| {
                let mut end = 0.0;
                for (i, p) in p.iter().enumerate() {
                    end += p;
                    if u <= end {
                        return i;
                    }
                }
                p.len() - 1
            }),
        ),
        (
            "AdamW: step counted from 0",
            check::adamw_step(|p, g, (m, v), step| {
                let (m, v) = (0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g);
                let m_hat = m / (1.0 - 0.9_f32.powi(step - 1));
                let v_hat = v / (1.0 - 0.999_f32.powi(step - 1));
                (p - 0.001 * p - 0.1 * m_hat / (v_hat.sqrt() + 1e-8), m, v)
            }),
        ),
        (
            "correction: factor upside down",
            check::correction(|(m, l), score| {
                let new = m.max(score);
                (new, l * (new - m).exp() + (score - new).exp())
            }),
        ),
        (
            "running context: o not corrected",
            check::running_context(|scores, values| {
                let (mut m, mut l) = (f32::NEG_INFINITY, 0.0);
                let mut o = Array1::zeros(values.ncols());
                for (&score, value) in scores.iter().zip(values.rows()) {
                    let new = m.max(score);
                    l = l * (m - new).exp() + (score - new).exp();
                    o = o + &value * (score - new).exp();
                    m = new;
                }
                o / l
            }),
        ),
        (
            "tiles: half of all",
            check::visited_tiles(|t, side| (t / side) * (t / side) / 2),
        ),
        (
            "recomputed: divided by the logarithm",
            check::recomputed_weights(|s, lse| s.exp() / lse.clone().insert_axis(Axis(1))),
        ),
    ]
}

#[test]
fn swapped_indices_are_named_although_they_panic() {
    let verdict = check::cross_entropy(|logits, targets| {
        let p = softmax(logits);
        let logs = (0..targets.len()).map(|i| -p[[targets[i], i]].ln());
        logs.sum::<f32>() / targets.len() as f32
    });
    let says = verdict.diagnosis().unwrap_or_default();
    assert!(says.contains("The two indices are swapped"), "{verdict}");
}

#[test]
fn four_of_five_natural_mistakes_get_a_diagnosis() {
    most_are_named(&answers());
}

/// More wrong answers, written after known mistakes had been added for the first list.
fn answers_of_a_second_reader() -> Vec<(&'static str, Verdict)> {
    vec![
        ("dot product: squares", check::dot_product(|a, _| a.dot(a))),
        (
            "scores: of the words with themselves",
            check::scores(|_, words| words.dot(&words.t()).row(0).to_owned()),
        ),
        (
            "softmax: sum of the scores below",
            check::softmax(|s| s.exp() / s.sum()),
        ),
        (
            "context: a weight for each number",
            check::context(|w, words| {
                let first = words.row(0);
                first.to_owned() * w[0]
            }),
        ),
        (
            "weights: softmax before the product",
            check::weights(|x| softmax(x).dot(&x.t())),
        ),
        (
            "projections: all with the last matrix",
            check::projections(|x, [_, _, v]| (x.dot(v), x.dot(v), x.dot(v))),
        ),
        (
            "scaled: root of d_k plus 1",
            check::scaled_weights(|q, k| {
                softmax(&(q.dot(&k.t()) / (k.ncols() as f32 + 1.0).sqrt()))
            }),
        ),
        (
            "mask: only what came right before",
            check::causal_mask(|t| Array2::from_shape_fn((t, t), |(i, j)| j + 1 == i)),
        ),
        (
            "masked weights: zeros before and after",
            check::masked_weights(|s, m| softmax(&(s * &m.mapv(f32::from))) * m.mapv(f32::from)),
        ),
        (
            "dropout: subtracts p",
            check::dropout(|w, keep, p| w * &keep.mapv(f32::from) - p),
        ),
        (
            "split: heads and width exchanged",
            check::split_heads(|x, heads| {
                let (t, c) = x.dim();
                Array3::zeros((c / heads, t, heads))
            }),
        ),
        (
            "multi-head: without a mask",
            check::multi_head(|q, k, v, _| attend(q, k, v, None).context),
        ),
        (
            "popularity: mean",
            check::popularity(|w| w.mean_axis(Axis(0)).expect("rows")),
        ),
        (
            "cross attention: values of those who ask",
            check::cross_attention(|x, y, [q, k, v]| {
                attend(&x.dot(q), &y.dot(k), &x.dot(v), None).context
            }),
        ),
        (
            "additive mask: minus one",
            check::additive_mask(|m| m.mapv(|yes| f64::from(yes) - 1.0)),
        ),
        (
            "softmax backward: minus the mean",
            check::softmax_backward(|d, w| w * &(d - d.mean().unwrap_or(0.0))),
        ),
        (
            "average: of the last two",
            check::average_by_loop(|x| {
                Array2::from_shape_fn(x.dim(), |(t, c)| {
                    (x[[t, c]] + x[[t.saturating_sub(1), c]]) / 2.0
                })
            }),
        ),
        (
            "averaging weights: ones on the diagonal",
            check::averaging_weights(Array2::eye),
        ),
        (
            "bigram counts: counts single tokens",
            check::bigram_counts(|tokens, v| {
                let mut counts = Array2::zeros((v, v));
                tokens
                    .iter()
                    .for_each(|&token| counts[[token, token]] += 1.0);
                counts
            }),
        ),
        (
            "flash tile: o divided",
            check::flash_tile(|s, v, (m, l, o)| {
                let e = s.exp();
                (
                    m.clone(),
                    l + e.sum_axis(Axis(1)).insert_axis(Axis(1)),
                    o + e.dot(v),
                )
            }),
        ),
        (
            "recomputed: minus the maximum only",
            check::recomputed_weights(|s, _| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                (s - largest).exp()
            }),
        ),
        (
            "visited: all",
            check::visited_tiles(|t, side| (t / side) * (t / side)),
        ),
    ]
}

/// Wrong answers to the exercises on a trained model. At first, 21 of the 27 got a diagnosis; then
/// three known mistakes were added.
fn answers_about_a_trained_model() -> Vec<(&'static str, Verdict)> {
    vec![
        (
            "looks ahead: the loop of the lesson, copied",
            check::looks_ahead(|w| {
                let mut sum = 0.0;
                for t in 1..w.nrows() {
                    sum += w[[t, t - 1]];
                }
                sum / (w.nrows() - 1) as f32
            }),
        ),
        (
            "looks ahead: one row too many",
            check::looks_ahead(|w| {
                (0..w.nrows()).map(|t| w[[t, t + 1]]).sum::<f32>() / w.nrows() as f32
            }),
        ),
        (
            "looks ahead: two places ahead",
            check::looks_ahead(|w| {
                let count = w.nrows() - 1;
                let sum: f32 = (0..count).map(|t| w[[t, (t + 2) % w.nrows()]]).sum();
                sum / count as f32
            }),
        ),
        (
            "looks ahead: the mean of everything",
            check::looks_ahead(|w| w.mean().unwrap_or(0.0)),
        ),
        (
            "looks ahead: begins with the second token, and divides by those",
            check::looks_ahead(|w| {
                let count = w.nrows() - 2;
                (1..=count).map(|t| w[[t, t + 1]]).sum::<f32>() / count.max(1) as f32
            }),
        ),
        (
            "strongest head: forgot to keep the largest",
            check::strongest_head(|w| {
                let (layers, heads, tokens, _) = w.dim();
                let mut best = (0, 0);
                for layer in 0..layers {
                    for head in 0..heads {
                        let sum: f32 = (1..tokens).map(|t| w[[layer, head, t, t - 1]]).sum();
                        if sum > 0.0 {
                            best = (layer, head);
                        }
                    }
                }
                best
            }),
        ),
        (
            "strongest head: the sum is not set back for each head",
            check::strongest_head(|w| {
                let (layers, heads, tokens, _) = w.dim();
                let (mut best, mut largest, mut sum) = ((0, 0), 0.0, 0.0);
                for layer in 0..layers {
                    for head in 0..heads {
                        for t in 1..tokens {
                            sum += w[[layer, head, t, t - 1]];
                        }
                        if sum > largest {
                            (best, largest) = ((layer, head), sum);
                        }
                    }
                }
                best
            }),
        ),
        (
            "strongest head: always 0.2, as the lesson says",
            check::strongest_head(|_| (0, 2)),
        ),
        (
            "strongest head: reads the column in place of the row",
            check::strongest_head(|w| {
                let (layers, heads, tokens, _) = w.dim();
                let (mut best, mut largest) = ((0, 0), -1.0);
                for layer in 0..layers {
                    for head in 0..heads {
                        let sum: f32 = (1..tokens).map(|t| w[[layer, head, t - 1, t]]).sum();
                        if sum > largest {
                            (best, largest) = ((layer, head), sum);
                        }
                    }
                }
                best
            }),
        ),
        (
            "resting: the first column of all rows",
            check::resting(|w| w.column(0).mean().unwrap_or(0.0)),
        ),
        (
            "resting: both columns, each by its own mean",
            check::resting(|w| {
                let (first, last) = (w.column(0), w.column(w.ncols() - 1));
                first.mean().unwrap_or(0.0) + last.mean().unwrap_or(0.0)
            }),
        ),
        (
            "resting: divides by the number of rows",
            check::resting(|w| {
                let last = w.nrows() - 1;
                let sum: f32 = (1..last).map(|t| w[[t, 0]] + w[[t, last]]).sum();
                sum / w.nrows() as f32
            }),
        ),
        (
            "resting: what the marks give away",
            check::resting(|w| {
                let last = w.nrows() - 1;
                let sum: f32 = (1..last).map(|t| w[[0, t]] + w[[last, t]]).sum();
                sum / (last - 1) as f32
            }),
        ),
        (
            "resting: an index of a sentence of 15 tokens",
            check::resting(|w| (1..14).map(|t| w[[t, 0]] + w[[t, 14]]).sum::<f32>() / 13.0),
        ),
        (
            "without a head: takes it out of the array",
            check::without_head(|c, off| {
                let (heads, tokens, width) = c.dim();
                let kept: Vec<usize> = (0..heads).filter(|head| *head != off).collect();
                Array2::from_shape_fn((tokens, kept.len() * width), |(t, i)| {
                    c[[kept[i / width], t, i % width]]
                })
            }),
        ),
        (
            "without a head: reshapes without exchanging the axes",
            check::without_head(|c, off| {
                let (heads, tokens, width) = c.dim();
                let mut c = c.clone();
                c.slice_mut(s![off, .., ..]).fill(0.0);
                c.into_shape_with_order((tokens, heads * width)).unwrap()
            }),
        ),
        (
            "without a head: the token in place of the head",
            check::without_head(|c, off| {
                let (heads, tokens, width) = c.dim();
                let mut c = c.clone();
                if off < tokens {
                    c.slice_mut(s![.., off, ..]).fill(0.0);
                }
                Array2::from_shape_fn((tokens, heads * width), |(t, i)| {
                    c[[i / width, t, i % width]]
                })
            }),
        ),
        (
            "without a head: adds the others up",
            check::without_head(|c, off| {
                let mut sum = Array2::zeros((c.dim().1, c.dim().2));
                for head in (0..c.dim().0).filter(|head| *head != off) {
                    sum += &c.slice(s![head, .., ..]);
                }
                sum
            }),
        ),
        (
            "sentence vector: the mean of all numbers",
            check::sentence_vector(|h| Array1::from_elem(h.ncols(), h.mean().unwrap_or(0.0))),
        ),
        (
            "sentence vector: forgot to divide by the length",
            check::sentence_vector(|h| h.mean_axis(Axis(0)).unwrap()),
        ),
        (
            "sentence vector: the last token",
            check::sentence_vector(|h| {
                let last = h.row(h.nrows() - 1).to_owned();
                &last / last.dot(&last).sqrt()
            }),
        ),
        (
            "sentence vector: the length of the first token",
            check::sentence_vector(|h| {
                h.mean_axis(Axis(0)).unwrap() / h.row(0).dot(&h.row(0)).sqrt()
            }),
        ),
        (
            "sentence vector: the softmax of the mean",
            check::sentence_vector(|h| softmax(&h.mean_axis(Axis(0)).unwrap())),
        ),
        (
            "cosine: forgot both lengths",
            check::cosine(|a, b| a.iter().zip(b).map(|(a, b)| a * b).sum()),
        ),
        (
            "cosine: the root of one product only",
            check::cosine(|a, b| a.dot(b) / a.dot(a).sqrt() * b.dot(b).sqrt()),
        ),
        (
            "cosine: the root of everything",
            check::cosine(|a, b| (a.dot(b) / (a.dot(a) * b.dot(b))).abs().sqrt()),
        ),
        (
            "cosine: vectors of three numbers",
            check::cosine(|a, b| {
                let dot =
                    |a: &Array1<f32>, b: &Array1<f32>| (0..3).map(|i| a[i] * b[i]).sum::<f32>();
                dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
            }),
        ),
    ]
}

/// Wrong answers to the exercises on a model that writes.
fn answers_about_a_model_that_writes() -> Vec<(&'static str, Verdict)> {
    vec![
        (
            "rotated: halves, as in files for Transformers",
            check::rotated(|x, position| {
                let half = x.len() / 2;
                let mut y = x.clone();
                for j in 0..half {
                    let angle =
                        position as f32 * 100_000_f32.powf(-2.0 * j as f32 / x.len() as f32);
                    y[j] = x[j] * angle.cos() - x[j + half] * angle.sin();
                    y[j + half] = x[j] * angle.sin() + x[j + half] * angle.cos();
                }
                y
            }),
        ),
        (
            "rotated: the index of the number in place of that of the pair",
            check::rotated(|x, position| {
                let mut y = x.clone();
                for i in (0..x.len()).step_by(2) {
                    let angle =
                        position as f32 * 100_000_f32.powf(-2.0 * i as f32 / x.len() as f32);
                    y[i] = x[i] * angle.cos() - x[i + 1] * angle.sin();
                    y[i + 1] = x[i] * angle.sin() + x[i + 1] * angle.cos();
                }
                y
            }),
        ),
        (
            "rotated: overwrites the first number before it is used",
            check::rotated(|x, position| {
                let mut y = x.clone();
                for j in 0..x.len() / 2 {
                    let angle =
                        position as f32 * 100_000_f32.powf(-2.0 * j as f32 / x.len() as f32);
                    y[2 * j] = y[2 * j] * angle.cos() - y[2 * j + 1] * angle.sin();
                    y[2 * j + 1] = y[2 * j] * angle.sin() + y[2 * j + 1] * angle.cos();
                }
                y
            }),
        ),
        (
            "top-k: zeroes the rest and leaves it at that",
            check::top_k(|logits, k, temperature| {
                let p = softmax(&(logits / temperature));
                let mut order: Vec<usize> = (0..p.len()).collect();
                order.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
                let mut kept = Array1::zeros(p.len());
                order.iter().take(k).for_each(|&i| kept[i] = p[i]);
                kept
            }),
        ),
        (
            "top-k: sorts the wrong way",
            check::top_k(|logits, k, temperature| {
                let mut order: Vec<usize> = (0..logits.len()).collect();
                order.sort_by(|&a, &b| logits[a].total_cmp(&logits[b]));
                let mut left = Array1::from_elem(logits.len(), f32::NEG_INFINITY);
                order
                    .iter()
                    .take(k)
                    .for_each(|&i| left[i] = logits[i] / temperature);
                softmax(&left)
            }),
        ),
        (
            "top-k: the temperature is multiplied",
            check::top_k(|logits, k, temperature| {
                let mut order: Vec<usize> = (0..logits.len()).collect();
                order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
                let mut left = Array1::from_elem(logits.len(), f32::NEG_INFINITY);
                order
                    .iter()
                    .take(k)
                    .for_each(|&i| left[i] = logits[i] * temperature);
                softmax(&left)
            }),
        ),
        (
            "cache step: without the new token",
            check::cache_step(|q, _, _, keys, values| {
                let q = rotary(q, &[keys.nrows()], 100_000.0);
                attend(&q, keys, values, None).context
            }),
        ),
        (
            "cache step: position 0",
            check::cache_step(|q, k, v, keys, values| {
                let (q, k) = (rotary(q, &[0], 100_000.0), rotary(k, &[0], 100_000.0));
                let (mut keys, mut values) = (keys.clone(), values.clone());
                keys.push_row(k.row(0)).unwrap();
                values.push_row(v.row(0)).unwrap();
                attend(&q, &keys, &values, None).context
            }),
        ),
        (
            "cache step: the key is stored before it is turned",
            check::cache_step(|q, k, v, keys, values| {
                let q = rotary(q, &[keys.nrows()], 100_000.0);
                let (mut keys, mut values) = (keys.clone(), values.clone());
                keys.push_row(k.row(0)).unwrap();
                values.push_row(v.row(0)).unwrap();
                attend(&q, &keys, &values, None).context
            }),
        ),
    ]
}

/// Wrong answers to the exercises on what that model's heads do.
fn answers_about_heads() -> Vec<(&'static str, Verdict)> {
    vec![
        (
            "copying: the same word in place of the next one",
            check::copying(|weights, n| {
                (n + 1..2 * n + 1).map(|t| weights[[t, t - n]]).sum::<f32>() / n as f32
            }),
        ),
        (
            "copying: without the mark",
            check::copying(|weights, n| {
                (n..2 * n).map(|t| weights[[t, t - n + 1]]).sum::<f32>() / n as f32
            }),
        ),
        (
            "copying: the mean over all tokens",
            check::copying(|weights, n| {
                let sum: f32 = (n + 1..2 * n + 1).map(|t| weights[[t, t - n + 1]]).sum();
                sum / weights.nrows() as f32
            }),
        ),
    ]
}

fn scaled(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    q.dot(&k.t()) / (k.ncols() as f32).sqrt()
}

fn next_cell(cell: &Array1<f32>, input: &Array1<f32>, forget: &Array1<f32>) -> Array1<f32> {
    let f = forget.mapv(|score| 1.0 / (1.0 + (-score).exp()));
    &f * cell + (1.0 - &f) * input
}

fn best(row: &Array1<f32>) -> usize {
    let larger = |a: &usize, b: &usize| row[*a].total_cmp(&row[*b]);
    (0..row.len()).rev().max_by(larger).expect("a token")
}

/// Wrong answers to the exercises on translation.
fn answers_about_translation() -> Vec<(&'static str, Verdict)> {
    vec![
        (
            "cross_weights: divided by the root of the number of queries",
            check::cross_weights(|q, k| softmax(&(q.dot(&k.t()) / (q.nrows() as f32).sqrt()))),
        ),
        (
            "cross_weights: multiplied by the root of the width",
            check::cross_weights(|q, k| softmax(&(q.dot(&k.t()) * (k.ncols() as f32).sqrt()))),
        ),
        (
            "cross_weights: divided after the softmax",
            check::cross_weights(|q, k| softmax(&q.dot(&k.t())) / (k.ncols() as f32).sqrt()),
        ),
        (
            "cross_weights: two softmaxes",
            check::cross_weights(|q, k| softmax(&softmax(&scaled(q, k)))),
        ),
        (
            "places_alike: integers divided",
            check::places_alike(|a, b, half| {
                let f = |i: usize| 10_000_f64.powf(-((i / (half - 1)) as f64));
                let term = |i: usize| (a as f64 * f(i) - b as f64 * f(i)).cos();
                (0..half).map(term).sum()
            }),
        ),
        (
            "places_alike: only the sines",
            check::places_alike(|a, b, half| {
                let f = |i: usize| 10_000_f64.powf(-(i as f64) / (half - 1) as f64);
                let term = |i: usize| (a as f64 * f(i)).sin() * (b as f64 * f(i)).sin();
                (0..half).map(term).sum()
            }),
        ),
        (
            "places_alike: no minus",
            check::places_alike(|a, b, half| {
                let f = |i: usize| 10_000_f64.powf(i as f64 / (half - 1) as f64);
                let term = |i: usize| (a as f64 * f(i) - b as f64 * f(i)).cos();
                (0..half).map(term).sum()
            }),
        ),
        (
            "memory_step: the gate without its minus",
            check::memory_step(|cell, input, forget| {
                let next = next_cell(cell, input, &-forget);
                let out = next.mapv(|number| number.max(0.0));
                (next, out)
            }),
        ),
        (
            "memory_step: the sum of both",
            check::memory_step(|cell, input, _| {
                let next = cell + input;
                let out = next.mapv(|number| number.max(0.0));
                (next, out)
            }),
        ),
        (
            "memory_step: passed on without the negative numbers' zeros",
            check::memory_step(|cell, input, forget| {
                let next = next_cell(cell, input, forget);
                (next.clone(), next.mapv(f32::abs))
            }),
        ),
        (
            "memory_step: the old cell is passed on",
            check::memory_step(|cell, input, forget| {
                let next = next_cell(cell, input, forget);
                (next, cell.mapv(|number| number.max(0.0)))
            }),
        ),
        (
            "greedy: never stops",
            check::greedy(|first, then| {
                let mut tokens = vec![best(first)];
                for table in then.outer_iter() {
                    tokens.push(best(&table.row(tokens[tokens.len() - 1]).to_owned()));
                }
                tokens
            }),
        ),
        (
            "greedy: without </s>",
            check::greedy(|first, then| {
                let mut tokens = Vec::new();
                let mut last = best(first);
                for table in then.outer_iter() {
                    if last == 0 {
                        break;
                    }
                    tokens.push(last);
                    last = best(&table.row(last).to_owned());
                }
                tokens
            }),
        ),
        (
            "greedy: always the first table",
            check::greedy(|first, then| {
                let mut tokens = vec![best(first)];
                while tokens[tokens.len() - 1] != 0 && tokens.len() <= then.dim().0 {
                    let last = tokens[tokens.len() - 1];
                    tokens.push(best(&then.slice(s![0, last, ..]).to_owned()));
                }
                tokens
            }),
        ),
        (
            "greedy: the first token only",
            check::greedy(|first, _| vec![best(first)]),
        ),
    ]
}

#[test]
fn most_mistakes_about_translation_are_named() {
    most_are_named(&answers_about_translation());
}

#[test]
fn most_mistakes_about_a_model_that_writes_are_named() {
    most_are_named(&answers_about_a_model_that_writes());
}

#[test]
fn most_mistakes_about_heads_are_named() {
    most_are_named(&answers_about_heads());
}

#[test]
fn most_mistakes_about_a_trained_model_are_named() {
    most_are_named(&answers_about_a_trained_model());
}

#[test]
fn a_second_reader_is_told_as_well() {
    most_are_named(&answers_of_a_second_reader());
}

/// Asserts that none of these answers is right, and that at least four in five get a diagnosis.
#[track_caller]
fn most_are_named(answers: &[(&str, Verdict)]) {
    let right = answers.iter().find(|(_, verdict)| verdict.is_right());
    assert!(right.is_none(), "passes: {right:?}");
    for (what, verdict) in answers {
        println!("{what}: {}", verdict.diagnosis().unwrap_or("-"));
    }
    let named = answers
        .iter()
        .filter(|(_, verdict)| verdict.diagnosis().is_some());
    let count = named.count();
    println!("{count} of {} mistakes get a diagnosis", answers.len());
    assert!(10 * count >= 8 * answers.len());
}
