//! The gradient of a softmax.

use crate::exercise::*;
use crate::scaled_dot_product::LESSON;

/// Weights with three rows of four numbers.
fn weights() -> Array2<f64> {
    softmax(&matrix64(63, 3, 4))
}

pub(crate) static EXERCISE: Exercise<fn(&Array2<f64>, &Array2<f64>) -> Array2<f64>> = Exercise {
    name: "softmax_backward",
    title: "Back through a softmax",
    lesson: LESSON,
    after: "What training sees, after the gradient through a saturated softmax",
    task: "You are given `weights`, and in `d_weights` how the loss changes if each of them grows \
           a little. Compute how it changes if each score grows a little. For each row: `d_s_i = \
           w_i (d_w_i - sum_j w_j d_w_j)`. Do not use the crate's \
           `softmax_backward`.",
    effort: Effort {
        difficulty: 4,
        minutes: 12,
    },
    without: &[Step::SoftmaxBackward],
    source: include_str!("softmax_backward.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one key: its weight is always 1, so its score changes nothing",
            run: |f| f(&array![[3.0]], &array![[1.0]]).output(),
        },
        Probe {
            what: "d_weights [1, 0], weights [0.5, 0.5]",
            run: |f| f(&array![[1.0, 0.0]], &array![[0.5, 0.5]]).output(),
        },
        Probe {
            what: "d_weights [2, 2], weights [0.25, 0.75]: the same for all keys changes nothing",
            run: |f| f(&array![[2.0, 2.0]], &array![[0.25, 0.75]]).output(),
        },
        Probe {
            what: "3 rows of four",
            run: |f| f(&matrix64(64, 3, 4), &weights()).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |d, w| w * d,
            says: "The sum is missing: each score was treated as if it changed its own weight \
                   only. But a weight that grows takes from all others. In the correct result, \
                   each row \
                   adds up to 0.",
        },
        Mutant {
            code: |d, w| w * &(1.0 - w) * d,
            says: "This is only the diagonal, w (1 - w), as for a sigmoid: what a score does to \
                   the other weights is missing.",
        },
        Mutant {
            code: |d, w| {
                let sum = (w * d).sum();
                w * &(d - sum)
            },
            says: "One sum was taken over the whole matrix. Each row has its own softmax, and so \
                   its own sum.",
        },
        Mutant {
            code: |d, w| {
                let sums = d.sum_axis(Axis(1)).insert_axis(Axis(1));
                w * &(d - &sums)
            },
            says: "The sum is of `d_weights` alone; in the formula each is multiplied by its \
                   weight first.",
        },
        Mutant {
            code: |d, w| {
                let sums = (w * d).sum_axis(Axis(1)).insert_axis(Axis(1));
                d - &sums
            },
            says: "The factor in front is missing: the bracket is right, but it is not yet \
                   multiplied by the weight.",
        },
        Mutant {
            code: |d, w| {
                let sums = (w * d).sum_axis(Axis(1)).insert_axis(Axis(1));
                w * &(d + &sums)
            },
            says: "The sum was added; it should be subtracted.",
        },
        Mutant {
            code: |d, w| {
                let sums = (w * d).sum_axis(Axis(0));
                w * &(d - &sums)
            },
            says: "The sums run down the columns. The softmax worked along each row.",
        },
        Mutant {
            code: |d, w| w * d - (w * d).sum_axis(Axis(1)).insert_axis(Axis(1)),
            says: "The bracket is missing: the weight in front applies to both terms, the sum as \
                   well.",
        },
        Mutant {
            code: |d, w| w * &(d - d.mean().unwrap_or(0.0)),
            says: "A plain mean was subtracted. In the formula each `d_weights` counts as much as \
                   its weight, and each row has its own sum.",
        },
        Mutant {
            code: |d, w| {
                let means = d.sum_axis(Axis(1)).insert_axis(Axis(1)) / d.ncols() as f64;
                w * &(d - &means)
            },
            says: "The plain mean of each row was subtracted. In the formula each `d_weights` \
                   counts as much as its weight.",
        },
        Mutant {
            code: |d, w| {
                let p = w * d;
                let sums = p.sum_axis(Axis(1)).insert_axis(Axis(1));
                w * &(p - &sums)
            },
            says: "The weight is multiplied twice: once in front of the bracket, and once more \
                   inside it.",
        },
        Mutant {
            code: |d, w| {
                let sums = (w * d).sum_axis(Axis(1)).insert_axis(Axis(1));
                d * &(w - &sums)
            },
            says: "Weights and `d_weights` are swapped: the weight belongs in front of the \
                   bracket, `d_weights` inside it.",
        },
        Mutant {
            code: |d, w| {
                let sums = (w * d).sum_axis(Axis(1)).insert_axis(Axis(1));
                w * d * (1.0 - &sums)
            },
            says: "The sum was subtracted from 1 instead of from `d_weights`.",
        },
    ],
    hints: &[
        "First the sum, one for each row; then the formula, number by number.",
        "`(weights * d_weights)` has all products; `.sum_axis(Axis(1)).insert_axis(Axis(1))` makes \
         a column of their sums, which can be subtracted from a matrix.",
        "Subtract that column from `d_weights`, and multiply the result by `weights`. With the \
         references in place: `weights * &(d_weights - &sums)`.",
    ],
    explanation: "Adding the same number to every score of a row changes no weight, so the \
                  gradients of the scores in a row add up to 0. And the weights always add up to \
                  1, so a gradient that is the same for all weights gives none.",
    pytorch: "PyTorch: `weights.backward(d_weights)`; by hand `weights * (d - (weights * \
              d).sum(-1, keepdim=True))`.",
};

fn solution(d_weights: &Array2<f64>, weights: &Array2<f64>) -> Array2<f64> {
    let sum_of_row = (weights * d_weights).sum_axis(Axis(1)).insert_axis(Axis(1));
    weights * &(d_weights - &sum_of_row)
}

fn another(d_weights: &Array2<f64>, weights: &Array2<f64>) -> Array2<f64> {
    let mut d_scores = Array2::zeros(weights.dim());
    for ((w, d), mut row) in weights
        .rows()
        .into_iter()
        .zip(d_weights.rows())
        .zip(d_scores.rows_mut())
    {
        // All derivatives of one row: w_i ((i = j) - w_j).
        let jacobian = Array2::from_shape_fn((w.len(), w.len()), |(i, j)| {
            w[i] * (f64::from(i == j) - w[j])
        });
        row.assign(&jacobian.dot(&d));
    }
    d_scores
}
