//! Weights in which some keys are hidden.

use crate::exercise::*;
use crate::translation::LESSON;

type HiddenWords = fn(&Array2<f32>, &[usize]) -> Array2<f32>;

/// The softmax after each score was replaced, given its column and whether that is hidden.
fn softmax_of(scores: &Array2<f32>, replaced: impl Fn(usize, f32) -> f32) -> Array2<f32> {
    let shape = scores.dim();
    softmax(&Array2::from_shape_fn(shape, |(t, s)| {
        replaced(s, scores[[t, s]])
    }))
}

/// The weights with those of hidden keys set to 0, and the others left unchanged.
fn zeros_after(scores: &Array2<f32>, hidden: &[usize]) -> Array2<f32> {
    let mut shares = softmax(scores);
    for &key in hidden {
        shares.column_mut(key).fill(0.0);
    }
    shares
}

pub(crate) static EXERCISE: Exercise<HiddenWords> = Exercise {
    name: "hidden_words",
    title: "Hide a word of the source",
    lesson: LESSON,
    after: "One word in sight, before words are hidden from the model",
    task: "`scaled` holds the scaled scores, with a row for each token of the translation and a \
           column for each of the source. `hidden` lists the columns of the tokens that cannot be \
           seen. Return the weights: hidden tokens get 0, and each row still adds up to 1. At \
           least one token is always visible.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[],
    source: include_str!("hidden_words.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "scores [0, 0, 0], token 1 hidden: [0.5, 0, 0.5]",
            run: |f| f(&array![[0.0, 0.0, 0.0]], &[1]).output(),
        },
        Probe {
            what: "casa, from the lesson, cannot see house",
            run: |f| f(&array![[38.672, 39.780, 43.006, 36.578, 38.093]], &[2]).output(),
        },
        Probe {
            what: "nothing is hidden",
            run: |f| f(&matrix(203, 2, 3), &[]).output(),
        },
        Probe {
            what: "3 tokens of the translation, tokens 0 and 3 of 5 hidden",
            run: |f| f(&(matrix(204, 3, 5) * 2.0), &[0, 3]).output(),
        },
        Probe {
            what: "only the last of 4 tokens is visible",
            run: |f| f(&matrix(205, 3, 4), &[0, 1, 2]).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: zeros_after,
            says: "The hidden weights became 0 after the softmax, and their share is missing: the \
                   rows no longer add up to 1.",
        },
        Mutant {
            code: |scaled, hidden| {
                softmax_of(
                    scaled,
                    |s, score| {
                        if hidden.contains(&s) { 0.0 } else { score }
                    },
                )
            },
            says: "The hidden scores became 0, but a score of 0 still gets a weight: e to the 0 is \
                   1. Which score gets none?",
        },
        Mutant {
            code: |scaled, hidden| {
                softmax_of(
                    scaled,
                    |s, score| {
                        if hidden.contains(&s) { -1.0 } else { score }
                    },
                )
            },
            says: "The hidden scores became a small negative number: they still get a weight.",
        },
        Mutant {
            code: |scaled, hidden| {
                softmax_of(scaled, |s, score| {
                    if hidden.contains(&s) || hidden.is_empty() {
                        score
                    } else {
                        f32::NEG_INFINITY
                    }
                })
            },
            says: "It is the other way round: the tokens in the list are the only ones that can be \
                   seen.",
        },
        Mutant {
            code: |scaled, hidden| {
                let hidden = &hidden[..hidden.len().min(1)];
                softmax_of(scaled, |s, score| {
                    if hidden.contains(&s) {
                        f32::NEG_INFINITY
                    } else {
                        score
                    }
                })
            },
            says: "Only the first token of the list is hidden.",
        },
        Mutant {
            code: |scaled, _| softmax(scaled),
            says: "Nothing is hidden: `hidden` is not used.",
        },
        Mutant {
            code: |scaled, hidden| {
                let kept: Vec<usize> = (0..scaled.ncols())
                    .filter(|s| !hidden.contains(s))
                    .collect();
                softmax(&scaled.select(Axis(1), &kept))
            },
            says: "The columns of hidden tokens are gone. The others have the right weights, but \
                   the column of a token should keep its place.",
        },
        Mutant {
            code: |scaled, hidden| {
                let mut shares = softmax(scaled);
                for &token in hidden.iter().filter(|token| **token < scaled.nrows()) {
                    shares.row_mut(token).fill(0.0);
                }
                shares
            },
            says: "Rows became 0, but the source is in the columns.",
        },
        Mutant {
            code: |scaled, hidden| softmax(&zeros_after(scaled, hidden)),
            says: "There are two softmaxes. The second one makes all weights nearly equal, and \
                   what was hidden gets a share again.",
        },
    ],
    hints: &[
        "Which score gets a weight of exactly 0, whatever the others are?",
        "Copy the scores, fill the hidden columns with minus infinity, and only then share out.",
        "In a loop over `hidden`, `copy.column_mut(token).fill(...)` changes a whole column. Minus \
         infinity is `f32::NEG_INFINITY`.",
    ],
    explanation: "Setting weights to 0 after the softmax and dividing each row by its sum would do \
                  the same, unless the hidden token had everything: that is 0 / 0.",
    pytorch: "PyTorch: `scaled[:, hidden] = -torch.inf`, then `torch.softmax(scaled, dim=-1)`.",
};

fn solution(scaled: &Array2<f32>, hidden: &[usize]) -> Array2<f32> {
    let mut visible = scaled.clone();
    for &token in hidden {
        visible.column_mut(token).fill(f32::NEG_INFINITY);
    }
    softmax(&visible)
}

fn another(scaled: &Array2<f32>, hidden: &[usize]) -> Array2<f32> {
    let mask = Array2::from_shape_fn(scaled.dim(), |(_, s)| !hidden.contains(&s));
    softmax(&mask_scores(scaled, &mask))
}
