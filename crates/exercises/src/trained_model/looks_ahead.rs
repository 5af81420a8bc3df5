//! How strongly a head looks at the next token.

use crate::exercise::*;
use crate::trained_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>) -> f32> = Exercise {
    name: "looks_ahead",
    title: "How strongly does a head look ahead?",
    lesson: LESSON,
    after: "All heads at once, after the entropies",
    task: "A line beside the diagonal can be tested with a number, too. Measure how much a token \
           gives to the **next** one, on average over all tokens that have a next one. Row `t` of \
           `weights` holds what token `t` gives to each token.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[],
    source: include_str!("looks_ahead.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[[0.25, 0.75], [0.5, 0.5]]: one token has a next one, and gives it 0.75",
            run: |f| f(&array![[0.25, 0.75], [0.5, 0.5]]).output(),
        },
        Probe {
            what: "three tokens, and each looks at the next one alone",
            run: |f| f(&array![[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]).output(),
        },
        Probe {
            what: "three tokens, and each looks at the one before alone",
            run: |f| f(&array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).output(),
        },
        Probe {
            what: "weights of five tokens",
            run: |f| f(&softmax(&matrix(70, 5, 5))).output(),
        },
        Probe {
            what: "weights of eight tokens",
            run: |f| f(&softmax(&(matrix(71, 8, 8) * 2.0))).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |w| beside(w, 1, 0) / (w.nrows() - 1) as f32,
            says: "This is what a token gives to the one before it. In which column of row `t` does \
                   the next token stand?",
        },
        Mutant {
            code: |w| beside(w, 0, 1) / w.nrows() as f32,
            says: "The sum was divided by the number of all tokens. The last one has no next one: \
                   how many numbers were added up?",
        },
        Mutant {
            code: |w| beside(w, 0, 1),
            says: "This is the sum, not yet the mean: it grows with the length of the sentence, \
                   whatever the head does.",
        },
        Mutant {
            code: |w| beside(w, 0, 0) / w.nrows() as f32,
            says: "This is what a token gives to itself: the diagonal. How far beside it does the \
                   next token stand?",
        },
        Mutant {
            code: |w| w[[0, 1]],
            says: "Only the first row is asked. What do the others give to their next token?",
        },
        Mutant {
            code: |w| (0..w.nrows() - 1).fold(0.0, |most, t| w[[t, t + 1]].max(most)),
            says: "This is the largest of these weights. One token that looks ahead is not a \
                   habit: what do they give on average?",
        },
        Mutant {
            code: |w| (beside(w, 0, 1) - w[[0, 1]]) / (w.nrows() - 1) as f32,
            says: "The first token is left out, but it has a next one, too. With which `t` does the \
                   loop begin?",
        },
        Mutant {
            code: |w| (beside(w, 0, 1) - w[[0, 1]]) / w.nrows().saturating_sub(2).max(1) as f32,
            says: "This is the mean without the first token, which has a next one, too. With which \
                   `t` does the loop begin?",
        },
        Mutant {
            code: |w| {
                let pairs = w.nrows().saturating_sub(2);
                (0..pairs).map(|t| w[[t, t + 2]]).sum::<f32>() / pairs.max(1) as f32
            },
            says: "This is what a token gives to the one two places ahead. How far beside the \
                   diagonal does the next one stand?",
        },
        Mutant {
            code: |w| {
                let last = w.nrows() - 1;
                (beside(w, 0, 1) + w[[last, 0]]) / w.nrows() as f32
            },
            says: "The last token was given the first as its next. A sentence is not a ring.",
        },
        Mutant {
            code: |w| (beside(w, 0, 1) + beside(w, 1, 0)) / (w.nrows() - 1) as f32,
            says: "Both neighbours were counted, the one before and the one after.",
        },
        Mutant {
            code: |w| {
                let after = |t: usize| w.row(t).iter().skip(t + 1).sum::<f32>();
                (0..w.nrows() - 1).map(after).sum::<f32>() / (w.nrows() - 1) as f32
            },
            says: "This is what a token gives to all that come after it, not to the next one \
                   alone.",
        },
    ],
    hints: &[
        "In row 0 the next token stands in column 1. Where does it stand in row 3?",
        "With 15 tokens, for which `t` is there a row `t` and a column `t + 1`? Let `t` run over \
         these.",
        "Add up `weights[[t, t + 1]]` for `t` in `0..weights.nrows() - 1`, and divide by how many \
         there are.",
    ],
    explanation: "Of the 72 heads, 1.8 does this most: 0.64 in the lesson's sentence. A number \
                  like this tests what the eye suspects, and you can compute it for every head and \
                  every sentence.",
    pytorch: "PyTorch: `weights.diagonal(offset=1).mean()`.",
};

/// The sum along a parallel to the diagonal, this many rows below it or columns to its right.
fn beside(weights: &Array2<f32>, below: usize, right: usize) -> f32 {
    let count = weights.nrows() - below.max(right);
    (0..count).map(|t| weights[[t + below, t + right]]).sum()
}

fn solution(weights: &Array2<f32>) -> f32 {
    let pairs = weights.nrows() - 1;
    let mut total = 0.0;
    for t in 0..pairs {
        total += weights[[t, t + 1]];
    }
    total / pairs as f32
}

fn another(weights: &Array2<f32>) -> f32 {
    let next = weights.slice(s![..-1, 1..]);
    next.diag().sum() / next.nrows() as f32
}
