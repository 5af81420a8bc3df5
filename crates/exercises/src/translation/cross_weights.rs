//! The weights of one head of cross-attention.

use crate::exercise::*;
use crate::translation::LESSON;

type CrossWeights = fn(&Array2<f32>, &Array2<f32>) -> Array2<f32>;

fn probe(f: CrossWeights, queries: usize, keys: usize, width: usize) -> Output {
    f(&matrix(200, queries, width), &matrix(201, keys, width)).output()
}

fn scaled(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    q.dot(&k.t()) / (k.ncols() as f32).sqrt()
}

/// The softmax of each column instead of each row.
fn down_the_columns(scores: &Array2<f32>) -> Array2<f32> {
    softmax(&scores.t().to_owned()).reversed_axes()
}

pub(crate) static EXERCISE: Exercise<CrossWeights> = Exercise {
    name: "cross_weights",
    title: "What one head looks at",
    lesson: LESSON,
    after: "What each word looked at, before the head by hand",
    task: "Compute the weights of one head. `q` has a row for each token of the translation, `k` \
           one for each token of the source; both are as wide as the head. The result has a row \
           for each token of the translation. You may use `scores` and `softmax`, but not `attend`.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[Step::Attend],
    source: include_str!("cross_weights.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 query, 1 key: the weight is 1",
            run: |f| probe(f, 1, 1, 4),
        },
        Probe {
            what: "1 query of zeros, 3 keys: a third each",
            run: |f| f(&Array2::zeros((1, 4)), &matrix(202, 3, 4)).output(),
        },
        Probe {
            what: "3 queries, 5 keys of 32 numbers, as in the model",
            run: |f| probe(f, 3, 5, 32),
        },
        Probe {
            what: "5 queries, 2 keys of 8 numbers: the source is shorter",
            run: |f| probe(f, 5, 2, 8),
        },
        Probe {
            what: "4 queries, 4 keys: here the shapes give nothing away",
            run: |f| probe(f, 4, 4, 6),
        },
    ],
    mutants: &[
        Mutant {
            code: |q, k| softmax(&q.dot(&k.t())),
            says: "The scores are not scaled: each token leans too heavily on its best key.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / (8.0 * k.ncols() as f32).sqrt())),
            says: "Divided by the root of the model's width, as if all 8 heads were one. How wide \
                   are the vectors that were compared?",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / k.ncols() as f32)),
            says: "Divided by the width itself, not by its root: the weights are too even.",
        },
        Mutant {
            code: |q, k| down_the_columns(&scaled(q, k)),
            says: "The columns add up to 1, not the rows: each word of the source shares itself \
                   out among the translation. Which of the two has 100% to give?",
        },
        Mutant {
            code: |q, k| softmax(&scaled(k, q)),
            says: "Queries and keys are swapped: there is a row for each token of the source. \
                   Which side asks?",
        },
        Mutant {
            code: |q, k| softmax(&scaled(q, k)).reversed_axes(),
            says: "The weights are right, but transposed: a row should belong to a token of the \
                   translation.",
        },
        Mutant {
            code: |q, _| softmax(&scaled(q, q)),
            says: "The translation looks at itself: `k` is not used. That is self-attention.",
        },
        Mutant {
            code: |_, k| softmax(&scaled(k, k)),
            says: "The source looks at itself: `q` is not used. That is the encoder's part.",
        },
        Mutant {
            code: |q, k| {
                let mask = Array2::from_shape_fn((q.nrows(), k.nrows()), |(t, s)| s <= t);
                softmax(&mask_scores(&scaled(q, k), &mask))
            },
            says: "A causal mask hides some of the source. But all of the source has been read \
                   before the first word is written: none of it lies in the future.",
        },
        Mutant {
            code: |q, k| scaled(q, k),
            says: "These are the scaled scores: there is no softmax.",
        },
        Mutant {
            code: |q, k| {
                let e = scaled(q, k).mapv(f32::exp);
                let sum = e.sum();
                e / sum
            },
            says: "The whole matrix adds up to 1. Each row should: every token has 100% of its own.",
        },
    ],
    hints: &[
        "It is the attention of lesson 01b. Only the number of rows and of columns may differ now.",
        "Three steps: compare every query with every key, scale, and share out along each row.",
        "`scores(q, k)` is (translation, source). Divide it by the square root of `q.ncols()`, as \
         an f32, and give it to `softmax`.",
    ],
    explanation: "That queries and keys come from two texts is all that is special about \
                  cross-attention. Because the source is known from the start, it needs no mask.",
    pytorch: "PyTorch: `torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1)`.",
};

fn solution(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    let width = k.ncols() as f32;
    softmax(&(scores(q, k) / width.sqrt()))
}

fn another(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    let mut shares = Array2::zeros((q.nrows(), k.nrows()));
    for (query, mut row) in q.rows().into_iter().zip(shares.rows_mut()) {
        let scaled = k.dot(&query) / (query.len() as f32).sqrt();
        row.assign(&softmax(&scaled));
    }
    shares
}
