//! Mistakes by a reader who skims the text and types quickly. They have since become known
//! mistakes.

use super::Answer;
use exercises::prelude::*;

pub fn answers() -> Vec<Answer> {
    vec![
        (
            "softmax",
            "The formula is right there, two lines, done. (Never read on about large scores.)",
            {
                fn my_softmax(scores: &Array1<f32>) -> Array1<f32> {
                    let e = scores.mapv(f32::exp);
                    &e / e.sum()
                }

                check::softmax(my_softmax)
            },
        ),
        (
            "softmax",
            "Subtract the largest one; a maximum search starts at 0. (Scores that are all far below 0 give 0 / 0.)",
            {
                fn my_softmax(scores: &Array1<f32>) -> Array1<f32> {
                    let largest = scores.fold(0.0, |most: f32, &x| most.max(x));
                    let e = scores.mapv(|x| (x - largest).exp());
                    &e / e.sum()
                }

                check::softmax(my_softmax)
            },
        ),
        (
            "softmax",
            "Something with the largest score, so that it does not overflow: divide by it, then it is at most 1.",
            {
                fn my_softmax(scores: &Array1<f32>) -> Array1<f32> {
                    let largest = scores.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                    let e = scores.mapv(|x| (x / largest).exp());
                    &e / e.sum()
                }

                check::softmax(my_softmax)
            },
        ),
        (
            "softmax",
            "Shift, exp, divide by the sum. (Slip: the sum is that of the shifted scores, not of their exponentials.)",
            {
                fn my_softmax(scores: &Array1<f32>) -> Array1<f32> {
                    let largest = scores.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                    let shifted = scores - largest;
                    shifted.mapv(f32::exp) / shifted.sum()
                }

                check::softmax(my_softmax)
            },
        ),
        (
            "masked_weights",
            "Both ways give the same weights, the text says, so take the one that is a single call. (A large hidden score gives 0 / 0.)",
            {
                fn my_masked_weights(scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32> {
                    renormalise(&softmax(scores), mask)
                }

                check::masked_weights(my_masked_weights)
            },
        ),
        (
            "masked_weights",
            "Mask *before* the softmax, and crossing out is a multiplication, so multiply the scores. (A score of 0 still gets its share.)",
            {
                fn my_masked_weights(scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32> {
                    let ones_and_zeros = mask.mapv(f32::from);
                    softmax(&(scores * &ones_and_zeros))
                }

                check::masked_weights(my_masked_weights)
            },
        ),
        (
            "masked_weights",
            "Like `masked_fill(mask, -inf)` in PyTorch: where the mask is true, put minus infinity. (Here true means *visible*.)",
            {
                fn my_masked_weights(scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32> {
                    let masked = Array2::from_shape_fn(scores.dim(), |(i, j)| {
                        if mask[[i, j]] {
                            f32::NEG_INFINITY
                        } else {
                            scores[[i, j]]
                        }
                    });
                    softmax(&masked)
                }

                check::masked_weights(my_masked_weights)
            },
        ),
        (
            "masked_weights",
            "Add (1 - mask) times minus infinity, no `if` needed. (0 times infinity is NaN.)",
            {
                fn my_masked_weights(scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32> {
                    let hidden = mask.mapv(|m| 1.0 - f32::from(m));
                    softmax(&(scores + &(hidden * f32::NEG_INFINITY)))
                }

                check::masked_weights(my_masked_weights)
            },
        ),
        (
            "dropout",
            "Dropped means 0, the rest stays. (Forgot to make the kept ones larger, so `p` is unused.)",
            {
                fn my_dropout(weights: &Array2<f32>, keep: &Array2<bool>, p: f32) -> Array2<f32> {
                    let _ = p;
                    weights * &keep.mapv(f32::from)
                }

                check::dropout(my_dropout)
            },
        ),
        (
            "dropout",
            "Divide by the probability, that is `p`. (Right only for one half.)",
            {
                fn my_dropout(weights: &Array2<f32>, keep: &Array2<bool>, p: f32) -> Array2<f32> {
                    weights * &keep.mapv(f32::from) / p
                }

                check::dropout(my_dropout)
            },
        ),
        (
            "dropout",
            "The sum must stay the same, so cross out and share out again, row by row. (Not *on average*; an empty row becomes NaN.)",
            {
                fn my_dropout(weights: &Array2<f32>, keep: &Array2<bool>, p: f32) -> Array2<f32> {
                    let _ = p;
                    renormalise(weights, keep)
                }

                check::dropout(my_dropout)
            },
        ),
        (
            "dropout",
            "In the picture the rest is doubled, so times 2. (That was for one half.)",
            {
                fn my_dropout(weights: &Array2<f32>, keep: &Array2<bool>, p: f32) -> Array2<f32> {
                    let _ = p;
                    let mut dropped = weights * 2.0;
                    for ((i, j), w) in dropped.indexed_iter_mut() {
                        if !keep[[i, j]] {
                            *w = 0.0;
                        }
                    }
                    dropped
                }

                check::dropout(my_dropout)
            },
        ),
        (
            "split_heads",
            "It says return (heads, tokens, width): so reshape to that. (Right shape; the numbers are read in the wrong order.)",
            {
                fn my_split_heads(x: &Array2<f32>, heads: usize) -> Array3<f32> {
                    let (tokens, width) = x.dim();
                    x.to_shape((heads, tokens, width / heads))
                        .unwrap()
                        .to_owned()
                }

                check::split_heads(my_split_heads)
            },
        ),
        (
            "split_heads",
            "Like `view(tokens, heads, head_dim)` in PyTorch. (Forgot the transpose after it: wrong shape, unless heads equals tokens.)",
            {
                fn my_split_heads(x: &Array2<f32>, heads: usize) -> Array3<f32> {
                    let (tokens, width) = x.dim();
                    x.to_shape((tokens, heads, width / heads))
                        .unwrap()
                        .to_owned()
                }

                check::split_heads(my_split_heads)
            },
        ),
        (
            "split_heads",
            "Deal the columns out among the heads, one after the other, like cards. (Head 0 should get the first ones.)",
            {
                fn my_split_heads(x: &Array2<f32>, heads: usize) -> Array3<f32> {
                    let (tokens, width) = x.dim();
                    Array3::from_shape_fn((heads, tokens, width / heads), |(h, t, j)| {
                        x[[t, j * heads + h]]
                    })
                }

                check::split_heads(my_split_heads)
            },
        ),
        (
            "split_heads",
            "Head `h` starts at `h * heads`. (Slip: it starts at `h` times the width of a head; the same only for 4 columns and 2 heads and the like.)",
            {
                fn my_split_heads(x: &Array2<f32>, heads: usize) -> Array3<f32> {
                    let (tokens, width) = x.dim();
                    Array3::from_shape_fn((heads, tokens, width / heads), |(h, t, j)| {
                        x[[t, h * heads + j]]
                    })
                }

                check::split_heads(my_split_heads)
            },
        ),
        (
            "multi_head",
            "Cut into blocks, attend, put side by side. (Forgot *causal*: typed `None`.)",
            {
                fn my_multi_head(
                    q: &Array2<f32>,
                    k: &Array2<f32>,
                    v: &Array2<f32>,
                    heads: usize,
                ) -> Array2<f32> {
                    let d = q.ncols() / heads;
                    let mut result = Array2::<f32>::zeros(v.dim());
                    for h in 0..heads {
                        let part = s![.., h * d..(h + 1) * d];
                        let attention =
                            attend(&q.slice(part), &k.slice(part), &v.slice(part), None);
                        result.slice_mut(part).assign(&attention.context);
                    }
                    result
                }

                check::multi_head(my_multi_head)
            },
        ),
        (
            "multi_head",
            "`attend` does it all, and the width comes out right, so one call will do. (One wide head, not several.)",
            {
                fn my_multi_head(
                    q: &Array2<f32>,
                    k: &Array2<f32>,
                    v: &Array2<f32>,
                    heads: usize,
                ) -> Array2<f32> {
                    let _ = heads;
                    attend(q, k, v, Some(&causal_mask(q.nrows()))).context
                }

                check::multi_head(my_multi_head)
            },
        ),
        (
            "multi_head",
            "Each head divides by the square root of its own width. (But `attend` scales by itself: divided twice.)",
            {
                fn my_multi_head(
                    q: &Array2<f32>,
                    k: &Array2<f32>,
                    v: &Array2<f32>,
                    heads: usize,
                ) -> Array2<f32> {
                    let d = q.ncols() / heads;
                    let mask = causal_mask(q.nrows());
                    let mut result = Array2::<f32>::zeros(v.dim());
                    for h in 0..heads {
                        let part = s![.., h * d..(h + 1) * d];
                        let scaled = &q.slice(part) / (d as f32).sqrt();
                        let attention =
                            attend(&scaled, &k.slice(part), &v.slice(part), Some(&mask));
                        result.slice_mut(part).assign(&attention.context);
                    }
                    result
                }

                check::multi_head(my_multi_head)
            },
        ),
        (
            "multi_head",
            "Collect the contexts and concatenate, axis 0 as in numpy by default. (They end up below one another: wrong shape.)",
            {
                fn my_multi_head(
                    q: &Array2<f32>,
                    k: &Array2<f32>,
                    v: &Array2<f32>,
                    heads: usize,
                ) -> Array2<f32> {
                    let d = q.ncols() / heads;
                    let mask = causal_mask(q.nrows());
                    let contexts: Vec<Array2<f32>> = (0..heads)
                        .map(|h| {
                            let part = s![.., h * d..(h + 1) * d];
                            attend(&q.slice(part), &k.slice(part), &v.slice(part), Some(&mask))
                                .context
                        })
                        .collect();
                    let views: Vec<_> = contexts.iter().map(|c| c.view()).collect();
                    attention::ndarray::concatenate(Axis(0), &views).unwrap()
                }

                check::multi_head(my_multi_head)
            },
        ),
        (
            "renormalised",
            "Cross out is times the mask. (Stopped reading there; the rows no longer add up to 1.)",
            {
                fn my_renormalised(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
                    weights * &mask.mapv(f64::from)
                }

                check::renormalised(my_renormalised)
            },
        ),
        (
            "renormalised",
            "Divide by the sum of each row, numpy would broadcast. (Without `insert_axis` the sums lie along the columns: column `j` is divided by the sum of row `j`, and a table that is not square panics.)",
            {
                fn my_renormalised(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
                    let kept = weights * &mask.mapv(f64::from);
                    let sums = kept.sum_axis(Axis(1));
                    &kept / &sums
                }

                check::renormalised(my_renormalised)
            },
        ),
        (
            "renormalised",
            "To make rows add up to 1 there is the softmax. (What is crossed out gets a share again.)",
            {
                fn my_renormalised(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
                    let kept = weights * &mask.mapv(f64::from);
                    softmax(&kept)
                }

                check::renormalised(my_renormalised)
            },
        ),
        (
            "renormalised",
            "Divide by what is left, as in lesson 01: `/ x.sum()`. (That is the sum of the whole table.)",
            {
                fn my_renormalised(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
                    let kept = weights * &mask.mapv(f64::from);
                    &kept / kept.sum()
                }

                check::renormalised(my_renormalised)
            },
        ),
        (
            "cross_attention",
            "The one that reads asks the questions, so the queries come from `reading`. (The wrong way round: one row per token of `reading`.)",
            {
                fn my_cross_attention(
                    writing: &Array2<f64>,
                    reading: &Array2<f64>,
                    [w_query, w_key, w_value]: [&Array2<f64>; 3],
                ) -> Array2<f64> {
                    let q = reading.dot(w_query);
                    let k = writing.dot(w_key);
                    let v = writing.dot(w_value);
                    attend(&q, &k, &v, None).context
                }

                check::cross_attention(my_cross_attention)
            },
        ),
        (
            "cross_attention",
            "Queries look at keys in the other text; the values are one's own. (Values belong to the keys; panics if the lengths differ.)",
            {
                fn my_cross_attention(
                    writing: &Array2<f64>,
                    reading: &Array2<f64>,
                    [w_query, w_key, w_value]: [&Array2<f64>; 3],
                ) -> Array2<f64> {
                    let q = writing.dot(w_query);
                    let k = reading.dot(w_key);
                    let v = writing.dot(w_value);
                    attend(&q, &k, &v, None).context
                }

                check::cross_attention(my_cross_attention)
            },
        ),
        (
            "cross_attention",
            "In the example above it was `attend(&queries, &vectors, &vectors, None)`, so keys and values are the same. (`w_value` is unused.)",
            {
                fn my_cross_attention(
                    writing: &Array2<f64>,
                    reading: &Array2<f64>,
                    [w_query, w_key, w_value]: [&Array2<f64>; 3],
                ) -> Array2<f64> {
                    let _ = w_value;
                    let q = writing.dot(w_query);
                    let k = reading.dot(w_key);
                    attend(&q, &k, &k, None).context
                }

                check::cross_attention(my_cross_attention)
            },
        ),
        (
            "cross_attention",
            "Three products and `attend`, known from lesson 01; copied the first line three times. (Self-attention: `reading` is unused.)",
            {
                fn my_cross_attention(
                    writing: &Array2<f64>,
                    reading: &Array2<f64>,
                    [w_query, w_key, w_value]: [&Array2<f64>; 3],
                ) -> Array2<f64> {
                    let _ = reading;
                    let q = writing.dot(w_query);
                    let k = writing.dot(w_key);
                    let v = writing.dot(w_value);
                    attend(&q, &k, &v, None).context
                }

                check::cross_attention(my_cross_attention)
            },
        ),
        (
            "softmax_backward",
            "w times d_w, minus the sum of w times d_w. (Slip: lost the parentheses, so the sum is not multiplied by w.)",
            {
                fn my_softmax_backward(
                    d_weights: &Array2<f64>,
                    weights: &Array2<f64>,
                ) -> Array2<f64> {
                    let products = weights * d_weights;
                    let sums = products.sum_axis(Axis(1)).insert_axis(Axis(1));
                    &products - &sums
                }

                check::softmax_backward(my_softmax_backward)
            },
        ),
        (
            "softmax_backward",
            "sum_j is `.sum()`. (Over all rows together, not for each.)",
            {
                fn my_softmax_backward(
                    d_weights: &Array2<f64>,
                    weights: &Array2<f64>,
                ) -> Array2<f64> {
                    let total = (weights * d_weights).sum();
                    weights * &(d_weights - total)
                }

                check::softmax_backward(my_softmax_backward)
            },
        ),
        (
            "softmax_backward",
            "One sum for each row, subtracted. (Without `insert_axis`: subtracted along the columns; panics if not square.)",
            {
                fn my_softmax_backward(
                    d_weights: &Array2<f64>,
                    weights: &Array2<f64>,
                ) -> Array2<f64> {
                    let sums = (weights * d_weights).sum_axis(Axis(1));
                    weights * &(d_weights - &sums)
                }

                check::softmax_backward(my_softmax_backward)
            },
        ),
        (
            "softmax_backward",
            "Subtract the sum of the d_w of the row. (Overlooked the w_j in the sum.)",
            {
                fn my_softmax_backward(
                    d_weights: &Array2<f64>,
                    weights: &Array2<f64>,
                ) -> Array2<f64> {
                    let sums = d_weights.sum_axis(Axis(1)).insert_axis(Axis(1));
                    weights * &(d_weights - &sums)
                }

                check::softmax_backward(my_softmax_backward)
            },
        ),
        (
            "score_gradients",
            "Product rule: times the other factor. The scaling happened before, so it is done. (Forgot to divide.)",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    (d_scores.dot(k), d_scores.t().dot(q))
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "score_gradients",
            "d_scores times the other one, both alike. (No transpose for the keys: transposed answer if square, else a panic.)",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    let scale = (k.ncols() as f64).sqrt();
                    (d_scores.dot(k) / scale, d_scores.dot(q) / scale)
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "score_gradients",
            "d_q has to do with q, d_k with k. (The factors are swapped: panics unless there are as many queries as keys.)",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    let scale = (k.ncols() as f64).sqrt();
                    (d_scores.dot(q) / scale, d_scores.t().dot(k) / scale)
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "score_gradients",
            "Typed the first line, divided, then the second. (Slip: divided only the first.)",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    let d_q = d_scores.dot(k) / (q.ncols() as f64).sqrt();
                    let d_k = d_scores.t().dot(q);
                    (d_q, d_k)
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "bug_running_sum",
            "Aha, the sum is spoiled: divide a copy. (And left `row.assign(&sum)` as it was: gives sums, not means.)",
            {
                fn my_bug_running_sum(x: &Array2<f32>) -> Array2<f32> {
                    let mut sum = Array1::<f32>::zeros(x.ncols());
                    let mut means = x.clone();
                    for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                        sum += &row;
                        let mut mean = sum.clone();
                        mean /= (t + 1) as f32;
                        row.assign(&sum);
                    }
                    means
                }

                check::bug_running_sum(my_bug_running_sum)
            },
        ),
        (
            "bug_running_sum",
            "`t + 1` looks like an off-by-one. (Divides by 0 in the first row, and still spoils the sum.)",
            {
                fn my_bug_running_sum(x: &Array2<f32>) -> Array2<f32> {
                    let mut sum = Array1::<f32>::zeros(x.ncols());
                    let mut means = x.clone();
                    for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                        sum += &row;
                        sum /= t as f32;
                        row.assign(&sum);
                    }
                    means
                }

                check::bug_running_sum(my_bug_running_sum)
            },
        ),
        (
            "bug_running_sum",
            "The sum must not be divided, only what is added. (Then every token keeps the share it had on arrival.)",
            {
                fn my_bug_running_sum(x: &Array2<f32>) -> Array2<f32> {
                    let mut sum = Array1::<f32>::zeros(x.ncols());
                    let mut means = x.clone();
                    for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                        sum += &(&row / (t + 1) as f32);
                        row.assign(&sum);
                    }
                    means
                }

                check::bug_running_sum(my_bug_running_sum)
            },
        ),
        (
            "bug_running_sum",
            "A mean is the sum divided by the number of rows. (Of all rows, not of those so far.)",
            {
                fn my_bug_running_sum(x: &Array2<f32>) -> Array2<f32> {
                    let mut sum = Array1::<f32>::zeros(x.ncols());
                    let mut means = x.clone();
                    for mut row in means.rows_mut() {
                        sum += &row;
                        row.assign(&(&sum / x.nrows() as f32));
                    }
                    means
                }

                check::bug_running_sum(my_bug_running_sum)
            },
        ),
        (
            "fading_scores",
            "ln 2 for each place. (The sign: the far gets the larger score.)",
            {
                fn my_fading_scores(tokens: usize) -> Array2<f32> {
                    Array2::from_shape_fn((tokens, tokens), |(t, s)| {
                        if s <= t {
                            (t as f32 - s as f32) * 2.0_f32.ln()
                        } else {
                            f32::NEG_INFINITY
                        }
                    })
                }

                check::fading_scores(my_fading_scores)
            },
        ),
        (
            "fading_scores",
            "A distance is a distance. (The future is not hidden.)",
            {
                fn my_fading_scores(tokens: usize) -> Array2<f32> {
                    Array2::from_shape_fn((tokens, tokens), |(t, s)| {
                        -(t.abs_diff(s) as f32) * 2.0_f32.ln()
                    })
                }

                check::fading_scores(my_fading_scores)
            },
        ),
        (
            "reach",
            "A tree: each of `window` tokens saw `window` tokens. (They overlap.)",
            {
                fn my_reach(tokens: usize, window: usize, layers: usize) -> usize {
                    window.pow(layers as u32).min(tokens)
                }

                check::reach(my_reach)
            },
        ),
        (
            "reach",
            "`window - 1` per layer and the token itself. (The text may be shorter.)",
            {
                fn my_reach(_tokens: usize, window: usize, layers: usize) -> usize {
                    1 + layers * (window - 1)
                }

                check::reach(my_reach)
            },
        ),
        (
            "cross_entropy",
            "Minus the logarithm of the target's number in each row. (Logits are not probabilities: no softmax; NaN for negative ones.)",
            {
                fn my_cross_entropy(logits: &Array2<f32>, targets: &[usize]) -> f32 {
                    let mut total = 0.0_f32;
                    for (i, &target) in targets.iter().enumerate() {
                        total -= logits[[i, target]].ln();
                    }
                    total / targets.len() as f32
                }

                check::cross_entropy(my_cross_entropy)
            },
        ),
        (
            "cross_entropy",
            "The mean probability, then minus the logarithm. (The wrong order.)",
            {
                fn my_cross_entropy(logits: &Array2<f32>, targets: &[usize]) -> f32 {
                    let p = softmax(logits);
                    let mut total = 0.0_f32;
                    for (i, &target) in targets.iter().enumerate() {
                        total += p[[i, target]];
                    }
                    -(total / targets.len() as f32).ln()
                }

                check::cross_entropy(my_cross_entropy)
            },
        ),
        (
            "cross_entropy",
            "Divide by `len(logits)`, that is the number of rows in numpy. (In ndarray `len` counts all numbers.)",
            {
                fn my_cross_entropy(logits: &Array2<f32>, targets: &[usize]) -> f32 {
                    let p = softmax(logits);
                    let mut total = 0.0_f32;
                    for (i, &target) in targets.iter().enumerate() {
                        total -= p[[i, target]].ln();
                    }
                    total / logits.len() as f32
                }

                check::cross_entropy(my_cross_entropy)
            },
        ),
        (
            "cross_entropy",
            "Softmax, pick, `ln`, mean. (Forgot the minus.)",
            {
                fn my_cross_entropy(logits: &Array2<f32>, targets: &[usize]) -> f32 {
                    let p = softmax(logits);
                    let logs = targets.iter().enumerate().map(|(i, &t)| p[[i, t]].ln());
                    logs.sum::<f32>() / targets.len() as f32
                }

                check::cross_entropy(my_cross_entropy)
            },
        ),
        (
            "sample",
            "A random number times the length is a random index. (All characters equally often.)",
            {
                fn my_sample(probabilities: &Array1<f32>, u: f32) -> usize {
                    (u * probabilities.len() as f32) as usize
                }

                check::sample(my_sample)
            },
        ),
        (
            "sample",
            "The first one whose probability is larger than `u`. (Did not add them up.)",
            {
                fn my_sample(probabilities: &Array1<f32>, u: f32) -> usize {
                    for (i, &p) in probabilities.iter().enumerate() {
                        if u < p {
                            return i;
                        }
                    }
                    probabilities.len() - 1
                }

                check::sample(my_sample)
            },
        ),
        (
            "sample",
            "Add up until `u` is passed. (Compared before adding: one too far.)",
            {
                fn my_sample(probabilities: &Array1<f32>, u: f32) -> usize {
                    let mut end = 0.0_f32;
                    for (i, &p) in probabilities.iter().enumerate() {
                        if u < end {
                            return i;
                        }
                        end += p;
                    }
                    probabilities.len() - 1
                }

                check::sample(my_sample)
            },
        ),
        (
            "sample",
            "Add up until `u` is reached. (`<=`: for `u` = 0 a first character of probability 0 is drawn, and a `u` on a border falls on the left.)",
            {
                fn my_sample(probabilities: &Array1<f32>, u: f32) -> usize {
                    let mut end = 0.0_f32;
                    for (i, &p) in probabilities.iter().enumerate() {
                        end += p;
                        if u <= end {
                            return i;
                        }
                    }
                    probabilities.len() - 1
                }

                check::sample(my_sample)
            },
        ),
        (
            "correction",
            "New maximum, add the new term. (The past is not corrected.)",
            {
                fn my_correction((m, l): (f32, f32), score: f32) -> (f32, f32) {
                    let new_m = m.max(score);
                    (new_m, l + (score - new_m).exp())
                }

                check::correction(my_correction)
            },
        ),
        (
            "correction",
            "Correct by e to the difference, new minus old. (The wrong way round; at the start infinity times 0 is NaN.)",
            {
                fn my_correction((m, l): (f32, f32), score: f32) -> (f32, f32) {
                    let new_m = m.max(score);
                    let factor = (new_m - m).exp();
                    (new_m, l * factor + (score - new_m).exp())
                }

                check::correction(my_correction)
            },
        ),
        (
            "correction",
            "Two cases: a new maximum corrects, anything else adds. (The new maximum itself counts, too: its 1 is missing.)",
            {
                fn my_correction((m, l): (f32, f32), score: f32) -> (f32, f32) {
                    if score > m {
                        (score, l * (m - score).exp())
                    } else {
                        (m, l + (score - m).exp())
                    }
                }

                check::correction(my_correction)
            },
        ),
        (
            "correction",
            "The line from the cell above, from memory. (Slip: the new term still uses the old `m`; infinite at the start.)",
            {
                fn my_correction((m, l): (f32, f32), score: f32) -> (f32, f32) {
                    let new_m = m.max(score);
                    (new_m, l * (m - new_m).exp() + (score - m).exp())
                }

                check::correction(my_correction)
            },
        ),
        (
            "flash_tile",
            "The new maximum of each row is that of the tile's row. (Forgot that the old `m` may be larger.)",
            {
                fn my_flash_tile(
                    scores: &Array2<f32>,
                    values: &Array2<f32>,
                    (m, l, o): (&Array2<f32>, &Array2<f32>, &Array2<f32>),
                ) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
                    let new_m = scores
                        .fold_axis(Axis(1), f32::NEG_INFINITY, |a, b| a.max(*b))
                        .insert_axis(Axis(1));
                    let factor = (m - &new_m).exp();
                    let e = (scores - &new_m).exp();
                    let sums = e.sum_axis(Axis(1)).insert_axis(Axis(1));
                    (new_m, l * &factor + sums, o * &factor + e.dot(values))
                }

                check::flash_tile(my_flash_tile)
            },
        ),
        (
            "flash_tile",
            "Correct the past, that is `l`. (And `o` is not corrected.)",
            {
                fn my_flash_tile(
                    scores: &Array2<f32>,
                    values: &Array2<f32>,
                    (m, l, o): (&Array2<f32>, &Array2<f32>, &Array2<f32>),
                ) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
                    let largest = scores
                        .fold_axis(Axis(1), f32::NEG_INFINITY, |a, b| a.max(*b))
                        .insert_axis(Axis(1));
                    let new_m = Array2::from_shape_fn(m.dim(), |(row, _)| {
                        m[[row, 0]].max(largest[[row, 0]])
                    });
                    let factor = (m - &new_m).exp();
                    let e = (scores - &new_m).exp();
                    let sums = e.sum_axis(Axis(1)).insert_axis(Axis(1));
                    (new_m, l * &factor + sums, o + &e.dot(values))
                }

                check::flash_tile(my_flash_tile)
            },
        ),
        (
            "flash_tile",
            "At the end divide by `l`, that gives the context. (Only after the *last* tile.)",
            {
                fn my_flash_tile(
                    scores: &Array2<f32>,
                    values: &Array2<f32>,
                    (m, l, o): (&Array2<f32>, &Array2<f32>, &Array2<f32>),
                ) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
                    let largest = scores
                        .fold_axis(Axis(1), f32::NEG_INFINITY, |a, b| a.max(*b))
                        .insert_axis(Axis(1));
                    let new_m = Array2::from_shape_fn(m.dim(), |(row, _)| {
                        m[[row, 0]].max(largest[[row, 0]])
                    });
                    let factor = (m - &new_m).exp();
                    let e = (scores - &new_m).exp();
                    let sums = e.sum_axis(Axis(1)).insert_axis(Axis(1));
                    let new_l = l * &factor + sums;
                    let new_o = (o * &factor + e.dot(values)) / &new_l;
                    (new_m, new_l, new_o)
                }

                check::flash_tile(my_flash_tile)
            },
        ),
        (
            "flash_tile",
            "Sum the exponentials. (Wrong axis: one sum for each key; silently wrong if the tile is square, else a panic.)",
            {
                fn my_flash_tile(
                    scores: &Array2<f32>,
                    values: &Array2<f32>,
                    (m, l, o): (&Array2<f32>, &Array2<f32>, &Array2<f32>),
                ) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
                    let largest = scores
                        .fold_axis(Axis(1), f32::NEG_INFINITY, |a, b| a.max(*b))
                        .insert_axis(Axis(1));
                    let new_m = Array2::from_shape_fn(m.dim(), |(row, _)| {
                        m[[row, 0]].max(largest[[row, 0]])
                    });
                    let factor = (m - &new_m).exp();
                    let e = (scores - &new_m).exp();
                    let sums = e.sum_axis(Axis(0)).insert_axis(Axis(1));
                    (new_m, l * &factor + sums, o * &factor + e.dot(values))
                }

                check::flash_tile(my_flash_tile)
            },
        ),
    ]
}
