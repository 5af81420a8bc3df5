//! How strongly a head looks at the token that followed the same word the first time.

use crate::exercise::*;
use crate::what_the_heads_do::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>, usize) -> f32> = Exercise {
    name: "copying",
    title: "How strongly does a head copy?",
    lesson: LESSON,
    after: "Copying, after the list that comes twice",
    task: "A text is a mark, a list of `n` words, and the same list again: 1 + 2n tokens. A head \
           that copies looks, from each word of the **second** list, at the token that \
           **followed** it the first time. How much weight is that on average, over all `n` words \
           of the \
           second list? Row `t` of `weights` holds what token `t` gives to each token.",
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    without: &[],
    source: include_str!("copying.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "mark, A, B, A, B: a head that copies, A to B and B to the A after it",
            run: |f| f(&looking(5, |t| if t < 3 { 0 } else { t - 1 }), 2).output(),
        },
        Probe {
            what: "three words twice, a head that looks at the same word of the first list",
            run: |f| f(&looking(7, |t| if t < 4 { 0 } else { t - 3 }), 3).output(),
        },
        Probe {
            what: "three words twice, a head that rests on the mark",
            run: |f| f(&looking(7, |_| 0), 3).output(),
        },
        Probe {
            what: "four words twice, any weights",
            run: |f| f(&causal(160, 9), 4).output(),
        },
        Probe {
            what: "six words twice, any weights",
            run: |f| f(&causal(161, 13), 6).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n + 1, |t| t - n),
            says: "This is the weight on the same word in the first list. The head looks one \
                   place further: at what followed.",
        },
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n + 1, |t| t - n - 1),
            says: "This is the weight on the word before, in the first list. Copying needs the \
                   word after it.",
        },
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n + 1, |t| t + 2 - n),
            says: "This is one place too far: the word after the one that followed.",
        },
        Mutant {
            code: |w, n| mean(w, n..2 * n, |t| t + 1 - n),
            says: "The mark in front was forgotten: all places are too small by 1. The second list \
                   begins at place n + 1.",
        },
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n + 1, |t| t + 1 - n) * n as f32,
            says: "This is the sum, not yet the mean.",
        },
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n + 1, |t| t + 1 - n) * n as f32 / w.nrows() as f32,
            says: "The sum was divided by the number of all tokens. How many of them were counted?",
        },
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n + 1, |t| t + 1 - n) / 2.0,
            says: "The words of the first list were counted, too, where there is nothing to copy.",
        },
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n, |t| t + 1 - n),
            says: "The last word of the second list is left out.",
        },
        Mutant {
            code: |w, n| mean(w, n + 2..2 * n + 1, |t| t + 1 - n),
            says: "The first word of the second list is left out. Its earlier self is at place 1, \
                   so it should look at place 2.",
        },
        Mutant {
            code: |w, n| mean(w, n + 1..2 * n + 1, |t| t - 1),
            says: "This is the weight on the token just before. The word to look at is in the \
                   first list.",
        },
        Mutant {
            code: |w, n| mean(&w.t().to_owned(), n + 1..2 * n + 1, |t| t + 1 - n),
            says: "Rows and columns are swapped: this is what the first list gives to the second, \
                   which lies in its future.",
        },
    ],
    hints: &[
        "Write down the places for n = 3: the mark is 0, the first list 1, 2, 3, the second 4, 5, \
         6. Word 4 was at place 1 before. What followed there?",
        "The second list is `t` from n + 1 to 2n. The word of `t` was at place t - n before, so \
         what followed it is one further.",
        "Add up `weights[[t, t - n + 1]]`, and divide by `n`.",
    ],
    explanation: "This is called the induction score. On lists of 50 random tokens head 18.6 \
                  reaches 0.85, and on this lesson's words 0.92; there is nothing else in such a \
                  list that it could go \
                  by.",
    pytorch: "PyTorch: `weights.diagonal(1 - n)[-n:].mean()`.",
};

/// Weights by which each token looks at just one token.
fn looking(tokens: usize, at: impl Fn(usize) -> usize) -> Array2<f32> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| f32::from(s == at(t)))
}

/// Random weights with a causal mask.
fn causal(seed: u64, tokens: usize) -> Array2<f32> {
    let scores = matrix(seed, tokens, tokens) * 2.0;
    let masked = Array2::from_shape_fn((tokens, tokens), |(t, s)| match s <= t {
        true => scores[[t, s]],
        false => f32::NEG_INFINITY,
    });
    softmax(&masked)
}

fn mean(
    weights: &Array2<f32>,
    rows: std::ops::Range<usize>,
    column: impl Fn(usize) -> usize,
) -> f32 {
    let count = rows.len().max(1) as f32;
    rows.map(|t| weights[[t, column(t)]]).sum::<f32>() / count
}

fn solution(weights: &Array2<f32>, n: usize) -> f32 {
    let mut total = 0.0;
    for t in n + 1..2 * n + 1 {
        total += weights[[t, t - n + 1]];
    }
    total / n as f32
}

fn another(weights: &Array2<f32>, n: usize) -> f32 {
    let second = weights.slice(s![n + 1.., 2..n + 2]);
    second.diag().sum() / n as f32
}
