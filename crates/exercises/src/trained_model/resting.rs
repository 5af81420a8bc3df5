//! How much of a head's attention rests on the first and the last token of a text.

use crate::exercise::*;
use crate::trained_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>) -> f32> = Exercise {
    name: "resting",
    title: "How much of it rests?",
    lesson: LESSON,
    after: "When there is nothing to find, after the contribution of `[CLS]`",
    task: "`[CLS]` is the first token and `[SEP]` the last one. How much do the tokens between \
           them give to these two together, on average? The rows of `[CLS]` and `[SEP]` themselves \
           do not count.",
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    without: &[],
    source: include_str!("resting.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one word between them, [0.5, 0.25, 0.25]: 0.75 rests",
            run: |f| f(&array![[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]).output(),
        },
        Probe {
            what: "two words that rest on [CLS] alone; the marks look at the words",
            run: |f| {
                let weights = array![
                    [0.0, 0.5, 0.5, 0.0],
                    [1.0, 0.0, 0.0, 0.0],
                    [1.0, 0.0, 0.0, 0.0],
                    [0.0, 0.5, 0.5, 0.0],
                ];
                f(&weights).output()
            },
        },
        Probe {
            what: "two words that rest on [SEP], one of them only half; the marks look at \
            themselves",
            run: |f| {
                let weights = array![
                    [1.0, 0.0, 0.0, 0.0],
                    [0.0, 0.0, 0.0, 1.0],
                    [0.0, 0.5, 0.0, 0.5],
                    [0.0, 0.0, 0.0, 1.0],
                ];
                f(&weights).output()
            },
        },
        Probe {
            what: "weights of six tokens",
            run: |f| f(&softmax(&matrix(90, 6, 6))).output(),
        },
        Probe {
            what: "weights of nine tokens",
            run: |f| f(&softmax(&(matrix(91, 9, 9) * 2.0))).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |w| of_rows(w, 0, w.nrows(), true, true),
            says: "The rows of `[CLS]` and `[SEP]` were counted, too. Which rows belong to the \
                   tokens between them?",
        },
        Mutant {
            code: |w| of_rows(w, 1, w.nrows() - 1, true, false),
            says: "This is what rests on `[CLS]` alone: `[SEP]` is missing.",
        },
        Mutant {
            code: |w| of_rows(w, 1, w.nrows() - 1, false, true),
            says: "This is what rests on `[SEP]` alone: `[CLS]` is missing.",
        },
        Mutant {
            code: |w| of_rows(w, 0, w.nrows(), true, false),
            says: "This is the mean of the first column, as in the cell above: all tokens, and \
                   `[CLS]` alone.",
        },
        Mutant {
            code: |w| of_rows(w, 1, w.nrows(), true, true),
            says: "The row of `[SEP]` was counted, too. Where should the loop end?",
        },
        Mutant {
            code: |w| of_rows(w, 0, w.nrows() - 1, true, true),
            says: "The row of `[CLS]` was counted, too. Where should the loop begin?",
        },
        Mutant {
            code: |w| of_rows(w, 1, w.nrows() - 1, true, true) * (w.nrows() - 2) as f32,
            says: "This is the sum over the tokens, not yet the mean.",
        },
        Mutant {
            code: |w| {
                let words = (w.nrows() - 2) as f32;
                of_rows(w, 1, w.nrows() - 1, true, true) * words / (words + 2.0)
            },
            says: "The sum was divided by the number of all tokens. How many are there between the \
                   two marks?",
        },
        Mutant {
            code: |w| of_rows(w, 1, w.nrows() - 1, true, true) / 2.0,
            says: "This is half of it: the mean of the two columns. What do they get together?",
        },
        Mutant {
            code: |w| of_rows(&w.t().to_owned(), 1, w.nrows() - 1, true, true),
            says: "This is what `[CLS]` and `[SEP]` give to the tokens between them: rows and \
                   columns are swapped. What does a row stand for?",
        },
        Mutant {
            code: |w| 1.0 - of_rows(w, 1, w.nrows() - 1, true, true),
            says: "This is what the tokens give to each other: the other share of the row.",
        },
    ],
    hints: &[
        "Draw the matrix: which two columns count, and which rows?",
        "With 15 tokens the words stand in rows 1 to 13. In each of these rows two numbers count, \
         the first and the last.",
        "Let `t` run over `1..last`, where `last` is `weights.nrows() - 1`; add up \
         `weights[[t, 0]]` and `weights[[t, last]]`, and divide by the number of words.",
    ],
    explanation: "In head 2.7 the words of the lesson's sentence give 0.90 of their attention to \
                  these two, nearly all of it to `[CLS]`. A strong column suggests that the head \
                  is idle in this sentence; the short value of `[CLS]` confirms it. In another \
                  sentence, it may find what it looks for.",
    pytorch: "PyTorch: `(weights[1:-1, 0] + weights[1:-1, -1]).mean()`.",
};

/// The mean over these rows of the weight of the first token, the last token, or both.
fn of_rows(weights: &Array2<f32>, from: usize, to: usize, first: bool, last: bool) -> f32 {
    let end = weights.ncols() - 1;
    let mut sum = 0.0;
    for t in from..to {
        sum += f32::from(first) * weights[[t, 0]] + f32::from(last) * weights[[t, end]];
    }
    sum / (to - from) as f32
}

fn solution(weights: &Array2<f32>) -> f32 {
    let last = weights.nrows() - 1;
    let mut total = 0.0;
    for t in 1..last {
        total += weights[[t, 0]] + weights[[t, last]];
    }
    total / (last - 1) as f32
}

fn another(weights: &Array2<f32>) -> f32 {
    let last = weights.nrows() - 1;
    let words = weights.slice(s![1..last, ..]);
    let rests = words.column(0).sum() + words.column(last).sum();
    rests / words.nrows() as f32
}
