//! Attention weights from scaled scores of queries and keys.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>, &Array2<f32>) -> Array2<f32>> = Exercise {
    name: "scaled_weights",
    title: "Scores, scaled, then weights",
    lesson: LESSON,
    after: "The three steps again, before the scores are divided by the root of d_k",
    task: "From queries and keys to weights: the scores, divided by the square root of the width \
           of a key (how many numbers it has), then a softmax of each row. You may use the crate's `softmax`.",
    effort: Effort {
        difficulty: 2,
        minutes: 4,
    },
    without: &[],
    source: include_str!("scaled_weights.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the query [2] and the keys [1] and [0]: with one number, scaling changes nothing",
            run: |f| f(&array![[2.0]], &array![[1.0], [0.0]]).output(),
        },
        Probe {
            what: "the query [1, 1, 1, 1] and two keys of four numbers: the scores 4 and 2",
            run: |f| {
                let keys = array![[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]];
                f(&array![[1.0, 1.0, 1.0, 1.0]], &keys).output()
            },
        },
        Probe {
            what: "2 queries and 5 keys of three numbers",
            run: |f| f(&matrix(23, 2, 3), &matrix(24, 5, 3)).output(),
        },
        Probe {
            what: "4 queries and 4 keys of seven numbers",
            run: |f| f(&matrix(25, 4, 7), &matrix(26, 4, 7)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |q, k| softmax(&q.dot(&k.t())),
            says: "The weights are too sharp: the scores were not scaled. It is right only for \
                   keys of one number.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / k.ncols() as f32)),
            says: "The weights are too even: the scores were divided by the width of a key. The \
                   divisor should grow more slowly than that.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / (k.nrows() as f32).sqrt())),
            says: "The scores were divided by the square root of the number of keys. A score is a \
                   sum of products: of how many?",
        },
        Mutant {
            code: |q, k| softmax(&q.dot(&k.t())) / (k.ncols() as f32).sqrt(),
            says: "The rows do not add up to 1: the division came after the softmax, so it divided \
                   the weights instead of the scores.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) * (k.ncols() as f32).sqrt())),
            says: "The weights are nearly all or nothing: the scores were multiplied by the root, \
                   and grew.",
        },
        Mutant {
            code: |q, k| softmax(&(k.dot(&q.t()) / (k.ncols() as f32).sqrt())),
            says: "Queries and keys are swapped: there is a row for each key. Whose shares should \
                   a row hold?",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / (q.nrows() as f32).sqrt())),
            says: "The scores were divided by the square root of the number of queries. Which \
                   size makes scores grow?",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / 2.0_f32.sqrt())),
            says: "The divisor is always the root of 2: that is right only for the lesson's \
                   example, whose keys have two numbers.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / 2.0)),
            says: "The divisor is 2, whatever the width of a key is.",
        },
        Mutant {
            code: |q, k| {
                softmax(&(q.dot(&k.t()).reversed_axes() / (k.ncols() as f32).sqrt()))
                    .reversed_axes()
            },
            says: "The columns add up to 1 instead of the rows: each query should have its own \
                   100% to give.",
        },
        Mutant {
            code: |q, k| q.dot(&k.t()) / (k.ncols() as f32).sqrt(),
            says: "These are the scaled scores: the last of the three steps is missing.",
        },
        Mutant {
            code: |q, k| softmax(&(softmax(&q.dot(&k.t())) / (k.ncols() as f32).sqrt())),
            says: "There is one softmax before the division and another after it: the weights are \
                   nearly equal.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / (k.ncols() as f32).powi(2))),
            says: "The scores were divided by the square of the width of a key instead of its \
                   root.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / (k.len() as f32).sqrt())),
            says: "The scores were divided by the root of the number of entries in all keys \
                   together: `len` counts the whole matrix.",
        },
    ],
    hints: &[
        "Three steps: all scores, the division, the softmax. In which order?",
        "`k.ncols()` is the width of a key, as a `usize`; `(n as f32).sqrt()` is the root of a \
         number `n`.",
        "Scores are `q.dot(&k.t())`. Divide the matrix by the root, and give it to `softmax`, with \
         `&(...)` around it.",
    ],
    explanation: "A score adds up d_k products, so it spreads like the square root of d_k. \
                  Divided by that, scores spread equally whatever the width of a key, and the \
                  softmax does not become all or nothing.",
    pytorch: "PyTorch: `torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1)`.",
};

fn solution(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    let attn_scores = q.dot(&k.t());
    softmax(&(attn_scores / (k.ncols() as f32).sqrt()))
}

fn another(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    let scale = 1.0 / (k.ncols() as f32).sqrt();
    softmax(&scores(&(q * scale), k))
}
