//! The attention weights of a whole sentence.

use crate::coding_attention::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>) -> Array2<f32>> = Exercise {
    name: "weights",
    title: "The weights of a sentence",
    lesson: LESSON,
    after: "All weights, before they are computed",
    task: "From the words of a sentence, one per row, to all weights at once: compare every word \
           with every word, then turn each row of scores into shares. Do not use the crate's \
           `softmax`. (`a.sum_axis(Axis(1)).insert_axis(Axis(1))` is a column with the sum of \
           each row of `a`.)",
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    without: &[Step::Softmax],
    source: include_str!("weights.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one word: its weight is 1",
            run: |f| f(&array![[0.5, 2.0, -1.0]]).output(),
        },
        Probe {
            what: "two words, [1, 0] and [0, 2]",
            run: |f| f(&array![[1.0, 0.0], [0.0, 2.0]]).output(),
        },
        Probe {
            what: "5 words of three numbers",
            run: |f| f(&matrix(11, 5, 3)).output(),
        },
        Probe {
            what: "3 words of five numbers",
            run: |f| f(&matrix(12, 3, 5)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |x| softmax(&x.dot(&x.t())).reversed_axes(),
            says: "The columns add up to 1 instead of the rows: each query should share out its \
                   own 100%. Along which axis do the shares run? The sums of the rows form a \
                   column only after `insert_axis(Axis(1))`.",
        },
        Mutant {
            code: |x| x.dot(&x.t()),
            says: "These are the scores, before the softmax: they are symmetric, and the rows do \
                   not add up to 1.",
        },
        Mutant {
            code: |x| softmax(&x.t().dot(x)),
            says: "The matrix compares columns with columns: it has as many rows as a word has \
                   numbers. Which of the two factors is transposed?",
        },
        Mutant {
            code: |x| {
                let e = x.dot(&x.t()).mapv(f32::exp);
                &e / e.sum()
            },
            says: "All numbers together add up to 1, instead of each row: every query has its own \
                   100% to give.",
        },
        Mutant {
            code: |x| softmax(&(x.dot(&x.t()) / (x.ncols() as f32).sqrt())),
            says: "The rows add up to 1, but are too even: the scores were divided by the square \
                   root of the width, which comes in the next lesson.",
        },
        Mutant {
            code: |x| softmax(&softmax(&x.dot(&x.t()))),
            says: "The rows add up to 1, but the weights are nearly equal: a second softmax was \
                   taken, of the weights.",
        },
        Mutant {
            code: |x| {
                let scores = x.dot(&x.t());
                let sums = scores.sum_axis(Axis(1)).insert_axis(Axis(1));
                scores / sums
            },
            says: "Each row adds up to 1, but there are negative shares: the scores were divided \
                   by their sum, without an exponential.",
        },
        Mutant {
            code: |x| {
                let mut weights = softmax(&x.dot(&x.t()));
                weights.diag_mut().fill(0.0);
                weights
            },
            says: "The diagonal is 0: a word may look at itself, too.",
        },
        Mutant {
            code: |x| {
                let mut s = x.dot(&x.t());
                s.diag_mut().fill(f32::NEG_INFINITY);
                softmax(&s)
            },
            says: "The diagonal is 0: each word was hidden from itself, which the task does not \
                   ask for.",
        },
        Mutant {
            code: |x| {
                let s = x.dot(&x.t());
                softmax(&mask_scores(&s, &causal_mask(x.nrows())))
            },
            says: "The future is hidden, which comes in the next lesson: here every word sees \
                   every word.",
        },
        Mutant {
            code: |x| softmax(&(x.dot(&x.t()) / x.ncols() as f32)),
            says: "The rows add up to 1, but are too even: the scores were divided by how many \
                   numbers a word has, as for a mean.",
        },
    ],
    hints: &[
        "Two steps: a table of all dot products, then shares of each row, from exponentials.",
        "The table of all dot products between rows is a matrix product; `x.t()` is `x` with rows \
         and columns swapped.",
        "Scores are the words times the words transposed, in this order. Take exponentials with \
         `mapv(f32::exp)`, and divide the matrix by the column of its row sums.",
    ],
    explanation: "The scores are symmetric, the weights are not: each row has its own sum to \
                  divide by. For large scores, subtract the largest of each row first, as in your \
                  softmax.",
    pytorch: "PyTorch: `torch.softmax(x @ x.T, dim=-1)`.",
};

fn solution(inputs: &Array2<f32>) -> Array2<f32> {
    let exponentials = inputs.dot(&inputs.t()).mapv(f32::exp);
    let sums = exponentials.sum_axis(Axis(1)).insert_axis(Axis(1));
    exponentials / sums
}

fn another(inputs: &Array2<f32>) -> Array2<f32> {
    let mut attn_weights = inputs.dot(&inputs.t());
    for mut row in attn_weights.rows_mut() {
        let largest = row.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        row.mapv_inplace(|score| (score - largest).exp());
        let total = row.sum();
        row /= total;
    }
    attn_weights
}
