//! Mistakes by a reader who reads the text, thinks, and gets one thing wrong. At first, 34 of the
//! 40 got a diagnosis; then the others became known mistakes.

use super::Answer;
use exercises::prelude::*;

pub fn answers() -> Vec<Answer> {
    vec![
        (
            "join_heads",
            "The numbers are already all there, so I only change the shape from (heads, tokens, width) to (tokens, heads times width), like `reshape` in NumPy.",
            {
                fn my_join_heads(heads: &Array3<f32>) -> Array2<f32> {
                    let (n, tokens, width) = heads.dim();
                    heads.to_shape((tokens, n * width)).unwrap().to_owned()
                }

                check::join_heads(my_join_heads)
            },
        ),
        (
            "join_heads",
            "I work out for each column which head and which number it is, by division and remainder, and divide by the number of heads where it should be the width.",
            {
                fn my_join_heads(heads: &Array3<f32>) -> Array2<f32> {
                    let (n, tokens, width) = heads.dim();
                    Array2::from_shape_fn((tokens, n * width), |(t, column)| {
                        heads[[column % n, t, column / n]]
                    })
                }

                check::join_heads(my_join_heads)
            },
        ),
        (
            "join_heads",
            "I know that the tokens must come first before the shape changes, so I swap the axes; I do not know that the swapped view can no longer be reshaped in place.",
            {
                fn my_join_heads(heads: &Array3<f32>) -> Array2<f32> {
                    let (n, tokens, width) = heads.dim();
                    heads
                        .view()
                        .permuted_axes([1, 0, 2])
                        .into_shape_with_order((tokens, n * width))
                        .unwrap()
                        .to_owned()
                }

                check::join_heads(my_join_heads)
            },
        ),
        (
            "join_heads",
            "Each head begins further to the right, so its place is `head * n + i`; I took the number of heads for the width of a head.",
            {
                fn my_join_heads(heads: &Array3<f32>) -> Array2<f32> {
                    let (n, tokens, width) = heads.dim();
                    let mut joined = Array2::<f32>::zeros((tokens, n * width));
                    for head in 0..n {
                        for t in 0..tokens {
                            for i in 0..width {
                                joined[[t, head * n + i]] = heads[[head, t, i]];
                            }
                        }
                    }
                    joined
                }

                check::join_heads(my_join_heads)
            },
        ),
        (
            "multi_head",
            "The scores must be divided by the root of the width of a head, so I divide the queries before I call `attend` (which divides, too).",
            {
                fn my_multi_head(
                    q: &Array2<f32>,
                    k: &Array2<f32>,
                    v: &Array2<f32>,
                    heads: usize,
                ) -> Array2<f32> {
                    let width = q.ncols() / heads;
                    let mask = causal_mask(q.nrows());
                    let mut joined = Array2::<f32>::zeros(v.dim());
                    for head in 0..heads {
                        let (from, to) = (head * width, (head + 1) * width);
                        let scaled = &q.slice(s![.., from..to]) / (width as f32).sqrt();
                        let one = attend(
                            &scaled,
                            &k.slice(s![.., from..to]),
                            &v.slice(s![.., from..to]),
                            Some(&mask),
                        );
                        joined.slice_mut(s![.., from..to]).assign(&one.context);
                    }
                    joined
                }

                check::multi_head(my_multi_head)
            },
        ),
        (
            "multi_head",
            "I want to see the scale in my own code, so I use `attend_with_scale`, with the root of the length of a key: `k.ncols()`.",
            {
                fn my_multi_head(
                    q: &Array2<f32>,
                    k: &Array2<f32>,
                    v: &Array2<f32>,
                    heads: usize,
                ) -> Array2<f32> {
                    let width = q.ncols() / heads;
                    let scale = 1.0 / (k.ncols() as f32).sqrt();
                    let mask = causal_mask(q.nrows());
                    let mut joined = Array2::<f32>::zeros(v.dim());
                    for head in 0..heads {
                        let (from, to) = (head * width, (head + 1) * width);
                        let one = attend_with_scale(
                            &q.slice(s![.., from..to]),
                            &k.slice(s![.., from..to]),
                            &v.slice(s![.., from..to]),
                            Some(&mask),
                            scale,
                        );
                        joined.slice_mut(s![.., from..to]).assign(&one.context);
                    }
                    joined
                }

                check::multi_head(my_multi_head)
            },
        ),
        (
            "multi_head",
            "Columns are dealt out to the heads in turn: with two heads, every second column belongs to head 0. The results then stand side by side.",
            {
                fn my_multi_head(
                    q: &Array2<f32>,
                    k: &Array2<f32>,
                    v: &Array2<f32>,
                    heads: usize,
                ) -> Array2<f32> {
                    let width = q.ncols() / heads;
                    let step = heads as isize;
                    let mask = causal_mask(q.nrows());
                    let mut joined = Array2::<f32>::zeros(v.dim());
                    for head in 0..heads {
                        let one = attend(
                            &q.slice(s![.., head..;step]),
                            &k.slice(s![.., head..;step]),
                            &v.slice(s![.., head..;step]),
                            Some(&mask),
                        );
                        joined
                            .slice_mut(s![.., head * width..(head + 1) * width])
                            .assign(&one.context);
                    }
                    joined
                }

                check::multi_head(my_multi_head)
            },
        ),
        (
            "renormalised",
            "\"Share out again\": what was crossed out is now free, and is given in equal parts to those that are still visible.",
            {
                fn my_renormalised(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
                    let mut result = weights * &mask.mapv(f64::from);
                    for i in 0..result.nrows() {
                        let visible = mask.row(i).iter().filter(|&&yes| yes).count() as f64;
                        let missing = 1.0 - result.row(i).sum();
                        for j in 0..result.ncols() {
                            if mask[[i, j]] {
                                result[[i, j]] += missing / visible;
                            }
                        }
                    }
                    result
                }

                check::renormalised(my_renormalised)
            },
        ),
        (
            "renormalised",
            "Cross out, take the sum of each row, divide. I forget that a vector of sums lies down as a row when it is divided by.",
            {
                fn my_renormalised(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
                    let crossed_out = weights * &mask.mapv(f64::from);
                    let sums = crossed_out.sum_axis(Axis(1));
                    crossed_out / sums
                }

                check::renormalised(my_renormalised)
            },
        ),
        (
            "renormalised",
            "Lesson 01 says that it is safer to put minus infinity and take the softmax, which makes every row add up to 1; so I do that here, with the weights.",
            {
                fn my_renormalised(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
                    let hidden = Array2::from_shape_fn(weights.dim(), |(i, j)| {
                        if mask[[i, j]] {
                            weights[[i, j]]
                        } else {
                            f64::NEG_INFINITY
                        }
                    });
                    softmax(&hidden)
                }

                check::renormalised(my_renormalised)
            },
        ),
        (
            "cross_attention",
            "The reader has the questions: queries come from the text that is being read, and the other text answers with keys and values.",
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
            "Queries are compared with the keys of the other text, but what is mixed belongs to the text being written, because the result has one row for each of its tokens.",
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
            "The text is being written, so it must not see the future: I add a causal mask, and make it (queries, keys) so that it fits.",
            {
                fn my_cross_attention(
                    writing: &Array2<f64>,
                    reading: &Array2<f64>,
                    [w_query, w_key, w_value]: [&Array2<f64>; 3],
                ) -> Array2<f64> {
                    let q = writing.dot(w_query);
                    let k = reading.dot(w_key);
                    let v = reading.dot(w_value);
                    let mask = Array2::from_shape_fn((q.nrows(), k.nrows()), |(i, j)| j <= i);
                    attend(&q, &k, &v, Some(&mask)).context
                }

                check::cross_attention(my_cross_attention)
            },
        ),
        (
            "softmax_backward",
            "I remember that the derivative of a softmax is `w (1 - w)`, and multiply by it (chain rule).",
            {
                fn my_softmax_backward(
                    d_weights: &Array2<f64>,
                    weights: &Array2<f64>,
                ) -> Array2<f64> {
                    let slope = weights * &weights.mapv(|w| 1.0 - w);
                    slope * d_weights
                }

                check::softmax_backward(my_softmax_backward)
            },
        ),
        (
            "softmax_backward",
            "I copy the formula, and take the sum with `.sum()`, which adds up the whole matrix and not each row.",
            {
                fn my_softmax_backward(
                    d_weights: &Array2<f64>,
                    weights: &Array2<f64>,
                ) -> Array2<f64> {
                    let sum = (weights * d_weights).sum();
                    weights * &(d_weights - sum)
                }

                check::softmax_backward(my_softmax_backward)
            },
        ),
        (
            "softmax_backward",
            "`w * d_w` occurs twice in the formula, so I compute it once and subtract the sum of the row from it; the bracket got lost.",
            {
                fn my_softmax_backward(
                    d_weights: &Array2<f64>,
                    weights: &Array2<f64>,
                ) -> Array2<f64> {
                    let product = weights * d_weights;
                    let sums = product.sum_axis(Axis(1)).insert_axis(Axis(1));
                    &product - &sums
                }

                check::softmax_backward(my_softmax_backward)
            },
        ),
        (
            "score_gradients",
            "Backwards everything is undone: forwards it was divided by the root, so now I multiply by it.",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    let root = (k.ncols() as f64).sqrt();
                    let d_q = d_scores.dot(k) * root;
                    let d_k = d_scores.t().dot(q) * root;
                    (d_q, d_k)
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "score_gradients",
            "The scores were divided only once, so the scale belongs into one of the two gradients, that of the queries.",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    let root = (k.ncols() as f64).sqrt();
                    let d_q = d_scores.dot(k) / root;
                    let d_k = d_scores.t().dot(q);
                    (d_q, d_k)
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "score_gradients",
            "The two are symmetric: for the queries multiply by `k`, for the keys by `q`.",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    let scaled = d_scores / (k.ncols() as f64).sqrt();
                    (scaled.dot(k), scaled.dot(q))
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "score_gradients",
            "By the rule for `A B` the gradient of `B` is `A^T` times the gradient of the product, so `q^T d_scores`; I forget that `B` was `k^T` and not `k`.",
            {
                fn my_score_gradients(
                    d_scores: &Array2<f64>,
                    q: &Array2<f64>,
                    k: &Array2<f64>,
                ) -> (Array2<f64>, Array2<f64>) {
                    let scaled = d_scores / (k.ncols() as f64).sqrt();
                    let d_q = scaled.dot(k);
                    let d_k = q.t().dot(&scaled);
                    (d_q, d_k)
                }

                check::score_gradients(my_score_gradients)
            },
        ),
        (
            "bug_running_sum",
            "The division spoils the sum, so I divide the row instead, in the same line as before; the next line then overwrites it with the sum.",
            {
                fn my_bug_running_sum(x: &Array2<f32>) -> Array2<f32> {
                    let mut sum = Array1::<f32>::zeros(x.ncols());
                    let mut means = x.clone();
                    for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                        sum += &row;
                        row /= (t + 1) as f32;
                        row.assign(&sum);
                    }
                    means
                }

                check::bug_running_sum(my_bug_running_sum)
            },
        ),
        (
            "bug_running_sum",
            "After a step `sum` holds a mean, so before the next addition I turn it back into a sum; I multiply by the count of now, not by the count of the step before.",
            {
                fn my_bug_running_sum(x: &Array2<f32>) -> Array2<f32> {
                    let mut sum = Array1::<f32>::zeros(x.ncols());
                    let mut means = x.clone();
                    for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                        sum *= (t + 1) as f32;
                        sum += &row;
                        sum /= (t + 1) as f32;
                        row.assign(&sum);
                    }
                    means
                }

                check::bug_running_sum(my_bug_running_sum)
            },
        ),
        (
            "bug_running_sum",
            "The sum must not be divided while it is still running, so I divide once, at the end, by the number of tokens.",
            {
                fn my_bug_running_sum(x: &Array2<f32>) -> Array2<f32> {
                    let mut sum = Array1::<f32>::zeros(x.ncols());
                    let mut means = x.clone();
                    for mut row in means.rows_mut() {
                        sum += &row;
                        row.assign(&sum);
                    }
                    means / x.nrows() as f32
                }

                check::bug_running_sum(my_bug_running_sum)
            },
        ),
        (
            "fading_scores",
            "A score that is one lower for each place back: halving is what an exponential does.",
            {
                fn my_fading_scores(tokens: usize) -> Array2<f32> {
                    Array2::from_shape_fn((tokens, tokens), |(t, s)| {
                        if s <= t {
                            s as f32 - t as f32
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
            "The nearest is to weigh most, so it gets the largest score, and each one before it half of that.",
            {
                fn my_fading_scores(tokens: usize) -> Array2<f32> {
                    Array2::from_shape_fn((tokens, tokens), |(t, s)| {
                        if s <= t {
                            0.5_f32.powi((t - s) as i32)
                        } else {
                            f32::NEG_INFINITY
                        }
                    })
                }

                check::fading_scores(my_fading_scores)
            },
        ),
        (
            "reach",
            "Each layer sees `window` tokens, and there are `layers` of them; no more than the text has.",
            {
                fn my_reach(tokens: usize, window: usize, layers: usize) -> usize {
                    (window * layers).min(tokens)
                }

                check::reach(my_reach)
            },
        ),
        (
            "reach",
            "Every layer reaches `window - 1` further back, which I add up; I think of the end of the text, but not of the last token.",
            {
                fn my_reach(tokens: usize, window: usize, layers: usize) -> usize {
                    (layers * (window - 1)).min(tokens)
                }

                check::reach(my_reach)
            },
        ),
        (
            "cross_entropy",
            "Look up the probability of each character that came, take the mean, then minus its logarithm.",
            {
                fn my_cross_entropy(logits: &Array2<f32>, targets: &[usize]) -> f32 {
                    let probabilities = softmax(logits);
                    let mut sum = 0.0_f32;
                    for (i, &target) in targets.iter().enumerate() {
                        sum += probabilities[[i, target]];
                    }
                    -(sum / targets.len() as f32).ln()
                }

                check::cross_entropy(my_cross_entropy)
            },
        ),
        (
            "cross_entropy",
            "The softmax takes the exponential and the loss takes the logarithm; they cancel, so what is left is minus the logit. (I forget the sum below the fraction.)",
            {
                fn my_cross_entropy(logits: &Array2<f32>, targets: &[usize]) -> f32 {
                    let mut sum = 0.0_f32;
                    for (i, &target) in targets.iter().enumerate() {
                        sum -= logits[[i, target]];
                    }
                    sum / targets.len() as f32
                }

                check::cross_entropy(my_cross_entropy)
            },
        ),
        (
            "cross_entropy",
            "For the mean I divide by `logits.len()`, which would be the number of rows in Python.",
            {
                fn my_cross_entropy(logits: &Array2<f32>, targets: &[usize]) -> f32 {
                    let probabilities = softmax(logits);
                    let mut sum = 0.0_f32;
                    for (i, &target) in targets.iter().enumerate() {
                        sum -= probabilities[[i, target]].ln();
                    }
                    sum / logits.len() as f32
                }

                check::cross_entropy(my_cross_entropy)
            },
        ),
        (
            "sample",
            "Go through the pieces of the line; `u` falls on a piece if it is smaller than its length. (I forget that each piece starts where the one before it ends.)",
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
            "Add up the pieces, and stop at the first whose end is not below `u`. Whether the end itself still belongs to the piece seems to make no difference.",
            {
                fn my_sample(probabilities: &Array1<f32>, u: f32) -> usize {
                    let mut end = 0.0;
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
            "sample",
            "I keep where a piece starts, and compare before I add its length; so I really compare with the end of the piece before.",
            {
                fn my_sample(probabilities: &Array1<f32>, u: f32) -> usize {
                    let mut so_far = 0.0;
                    for (i, &p) in probabilities.iter().enumerate() {
                        if u < so_far {
                            return i;
                        }
                        so_far += p;
                    }
                    probabilities.len() - 1
                }

                check::sample(my_sample)
            },
        ),
        (
            "running_context",
            "I take over the loop of the text, which corrects `l`, and add a line for `o`; that it needs the same correction escapes me.",
            {
                fn my_running_context(scores: &Array1<f32>, values: &Array2<f32>) -> Array1<f32> {
                    let (mut m, mut l) = (f32::NEG_INFINITY, 0.0_f32);
                    let mut o = Array1::<f32>::zeros(values.ncols());
                    for (i, &score) in scores.iter().enumerate() {
                        let new_m = m.max(score);
                        let factor = (m - new_m).exp();
                        let e = (score - new_m).exp();
                        l = l * factor + e;
                        o.scaled_add(e, &values.row(i));
                        m = new_m;
                    }
                    o / l
                }

                check::running_context(my_running_context)
            },
        ),
        (
            "running_context",
            "Only a new maximum needs a correction, so I put it into an `if`; there I set `m` first, and the old maximum is gone when I compute the factor.",
            {
                fn my_running_context(scores: &Array1<f32>, values: &Array2<f32>) -> Array1<f32> {
                    let (mut m, mut l) = (f32::NEG_INFINITY, 0.0_f32);
                    let mut o = Array1::<f32>::zeros(values.ncols());
                    for (i, &score) in scores.iter().enumerate() {
                        if score > m {
                            m = score;
                            let factor = (m - score).exp();
                            l *= factor;
                            o *= factor;
                        }
                        let e = (score - m).exp();
                        l += e;
                        o.scaled_add(e, &values.row(i));
                    }
                    o / l
                }

                check::running_context(my_running_context)
            },
        ),
        (
            "running_context",
            "The text says that after every step `o / l` is the context so far, so I divide in every step and return the last one.",
            {
                fn my_running_context(scores: &Array1<f32>, values: &Array2<f32>) -> Array1<f32> {
                    let (mut m, mut l) = (f32::NEG_INFINITY, 0.0_f32);
                    let mut o = Array1::<f32>::zeros(values.ncols());
                    for (i, &score) in scores.iter().enumerate() {
                        let new_m = m.max(score);
                        let factor = (m - new_m).exp();
                        let e = (score - new_m).exp();
                        l = l * factor + e;
                        o *= factor;
                        o.scaled_add(e, &values.row(i));
                        o /= l;
                        m = new_m;
                    }
                    o
                }

                check::running_context(my_running_context)
            },
        ),
        (
            "running_context",
            "All three start at 0, the maximum, too; any score larger than that will replace it. (I do not think of rows in which all scores are far below 0.)",
            {
                fn my_running_context(scores: &Array1<f32>, values: &Array2<f32>) -> Array1<f32> {
                    let (mut m, mut l) = (0.0_f32, 0.0_f32);
                    let mut o = Array1::<f32>::zeros(values.ncols());
                    for (i, &score) in scores.iter().enumerate() {
                        let new_m = m.max(score);
                        let factor = (m - new_m).exp();
                        let e = (score - new_m).exp();
                        l = l * factor + e;
                        o *= factor;
                        o.scaled_add(e, &values.row(i));
                        m = new_m;
                    }
                    o / l
                }

                check::running_context(my_running_context)
            },
        ),
        (
            "visited_tiles",
            "`n` tiles in a row, and the lower triangle with its diagonal has `n (n + 1) / 2`. The division throws the smaller last tile away.",
            {
                fn my_visited_tiles(tokens: usize, side: usize) -> usize {
                    let n = tokens / side;
                    n * (n + 1) / 2
                }

                check::visited_tiles(my_visited_tiles)
            },
        ),
        (
            "visited_tiles",
            "The last tile may be smaller, so there is one tile more than `tokens / side`. (Also where it divides evenly.)",
            {
                fn my_visited_tiles(tokens: usize, side: usize) -> usize {
                    let n = tokens / side + 1;
                    n * (n + 1) / 2
                }

                check::visited_tiles(my_visited_tiles)
            },
        ),
        (
            "visited_tiles",
            "The mask leaves `tokens (tokens + 1) / 2` pairs, a tile covers `side * side` of them, so I divide and round up.",
            {
                fn my_visited_tiles(tokens: usize, side: usize) -> usize {
                    let pairs = tokens * (tokens + 1) / 2;
                    pairs.div_ceil(side * side)
                }

                check::visited_tiles(my_visited_tiles)
            },
        ),
        (
            "visited_tiles",
            "I go through all tiles and count those that do not reach into the future: their last key is not after their first query. (Those on the diagonal, half in the future, are lost.)",
            {
                fn my_visited_tiles(tokens: usize, side: usize) -> usize {
                    let mut visited = 0;
                    for first_query in (0..tokens).step_by(side) {
                        for first_key in (0..tokens).step_by(side) {
                            let last_key = (first_key + side).min(tokens) - 1;
                            if last_key <= first_query {
                                visited += 1;
                            }
                        }
                    }
                    visited
                }

                check::visited_tiles(my_visited_tiles)
            },
        ),
    ]
}
