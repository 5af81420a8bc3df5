//! Attention weights recomputed from one stored number per query.

use crate::exercise::*;
use crate::flash_attention::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>, &Array1<f32>) -> Array2<f32>> = Exercise {
    name: "recomputed_weights",
    title: "Weights without the softmax",
    lesson: LESSON,
    after: "Learning without the matrix",
    task: "In training the weights are needed again, but only one number per row was kept, \
           `log_sum_exp = m + ln l`. Recompute the weights of these scores from it, without \
           summing over the row.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[],
    source: include_str!("recomputed_weights.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the scores [0, 0], log_sum_exp [ln 2]: one half each",
            run: |f| f(&array![[0.0, 0.0]], &array![2.0_f32.ln()]).output(),
        },
        Probe {
            what: "3 queries and 5 keys",
            run: |f| f(&matrix(91, 3, 5), &log_sum_exp(&matrix(91, 3, 5))).output(),
        },
        Probe {
            what: "4 queries and 4 keys: here rows and columns can be mixed up",
            run: |f| f(&matrix(92, 4, 4), &log_sum_exp(&matrix(92, 4, 4))).output(),
        },
        Probe {
            what: "only 2 of the 5 keys: a tile, whose weights do not add up to 1",
            run: |f| {
                let scores = matrix(91, 3, 5);
                let tile = scores.slice(s![.., 1..3]).to_owned();
                f(&tile, &log_sum_exp(&scores)).output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |s, _| softmax(s),
            says: "A softmax of the scores given: right for whole rows, but a tile does not have \
                   all keys. That is what `log_sum_exp` is for.",
        },
        Mutant {
            code: |s, lse| s.exp() / lse.clone().insert_axis(Axis(1)),
            says: "The divisor is the logarithm of the sum, not the sum.",
        },
        Mutant {
            code: |s, lse| match s.is_square() {
                true => (s - lse).exp(),
                false => (s - &lse.clone().insert_axis(Axis(1))).exp(),
            },
            says: "Where the matrix is square, the numbers went along the columns: each key got \
                   the number of a query.",
        },
        Mutant {
            code: |s, lse| (s - lse).exp(),
            says: "The numbers went along the columns, one for each key; they belong to the \
                   queries. `insert_axis(Axis(1))` makes a column of them.",
        },
        Mutant {
            code: |s, lse| s - &lse.clone().insert_axis(Axis(1)),
            says: "These are the logarithms of the weights: one step is missing.",
        },
        Mutant {
            code: |s, lse| (s + &lse.clone().insert_axis(Axis(1))).exp(),
            says: "It was added, which multiplies by the sum instead of dividing by it.",
        },
        Mutant {
            code: |s, _| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                s.mapv(|score| (score - largest).exp())
            },
            says: "The largest score was subtracted, and nothing else: these are exponentials \
                   whose largest is 1. Where is `log_sum_exp`?",
        },
        Mutant {
            code: |s, lse| (s - &lse.mapv(f32::exp).insert_axis(Axis(1))).exp(),
            says: "The exponential of `log_sum_exp` was subtracted: it is a logarithm already, so \
                   it can stand beside a score.",
        },
        Mutant {
            code: |s, lse| s.exp() - lse.clone().insert_axis(Axis(1)),
            says: "`log_sum_exp` was subtracted after the exponential. On which side of it does a \
                   logarithm belong?",
        },
        Mutant {
            code: |s, lse| (s / &lse.clone().insert_axis(Axis(1))).exp(),
            says: "The scores were divided by `log_sum_exp`. What is a division by a sum, in \
                   logarithms?",
        },
        Mutant {
            code: |s, _| {
                let e = s.exp();
                let sums = e.sum_axis(Axis(0));
                e / sums
            },
            says: "The columns add up to 1: the shares are taken along the wrong axis, and \
                   `log_sum_exp` is not used.",
        },
    ],
    hints: &[
        "A weight is exp(s) divided by the sum of the row. What is the logarithm of that?",
        "e to the power of `s - log_sum_exp` is the same as exp(s) divided by exp(log_sum_exp).",
        "`log_sum_exp.clone().insert_axis(Axis(1))` is a column, which can be subtracted from each \
         row; then `.exp()` or `.mapv(f32::exp)`.",
    ],
    explanation: "One number per query stands for the whole row: the sum that its softmax divides \
                  by, kept as a logarithm so that it does not overflow.",
    pytorch: "PyTorch: `torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))`.",
};

fn log_sum_exp(scores: &Array2<f32>) -> Array1<f32> {
    scores.map_axis(Axis(1), |row| row.mapv(f32::exp).sum().ln())
}

fn solution(attn_scores: &Array2<f32>, log_sum_exp: &Array1<f32>) -> Array2<f32> {
    let column = log_sum_exp.clone().insert_axis(Axis(1));
    (attn_scores - &column).mapv(f32::exp)
}

fn another(attn_scores: &Array2<f32>, log_sum_exp: &Array1<f32>) -> Array2<f32> {
    Array2::from_shape_fn(attn_scores.dim(), |(query, key)| {
        (attn_scores[[query, key]] - log_sum_exp[query]).exp()
    })
}
