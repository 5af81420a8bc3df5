//! Gradients of queries and keys.

use crate::exercise::*;
use crate::scaled_dot_product::LESSON;

type ScoreGradients = fn(&Array2<f64>, &Array2<f64>, &Array2<f64>) -> (Array2<f64>, Array2<f64>);

fn root(k: &Array2<f64>) -> f64 {
    (k.ncols() as f64).sqrt()
}

pub(crate) static EXERCISE: Exercise<ScoreGradients> = Exercise {
    name: "score_gradients",
    title: "Back to queries and keys",
    lesson: LESSON,
    after: "Back through a product",
    task: "The scaled scores were `q k^T / sqrt(d_k)`. Given how the loss changes with each of \
           them, `d_scores`, compute how it changes with the queries and with the keys: return \
           `grad_q` and `grad_k`, with the shapes of `q` and `k`.",
    effort: Effort {
        difficulty: 4,
        minutes: 15,
    },
    without: &[],
    source: include_str!("score_gradients.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one query [2], one key [3], d_scores [1]: grad_q is 3 and grad_k is 2",
            run: |f| f(&array![[1.0]], &array![[2.0]], &array![[3.0]]).output(),
        },
        Probe {
            what: "1 query and 1 key of four numbers: here the scale shows",
            run: |f| f(&array![[1.0]], &matrix64(65, 1, 4), &matrix64(66, 1, 4)).output(),
        },
        Probe {
            what: "2 queries and 5 keys of three numbers",
            run: |f| {
                f(
                    &matrix64(67, 2, 5),
                    &matrix64(68, 2, 3),
                    &matrix64(69, 5, 3),
                )
                .output()
            },
        },
        Probe {
            what: "4 queries and 4 keys of three numbers",
            run: |f| {
                f(
                    &matrix64(70, 4, 4),
                    &matrix64(71, 4, 3),
                    &matrix64(72, 4, 3),
                )
                .output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |d, q, k| (d.dot(k), d.t().dot(q)),
            says: "The factor is missing: the scores were divided by the square root of d_k, so \
                   both gradients are, too.",
        },
        Mutant {
            code: |d, q, k| (d.dot(k) / root(k), d.t().dot(q)),
            says: "`grad_q` is right. In `grad_k` the factor is missing.",
        },
        Mutant {
            code: |d, q, k| (d.dot(k), d.t().dot(q) / root(k)),
            says: "`grad_k` is right. In `grad_q` the factor is missing.",
        },
        Mutant {
            code: |d, q, k| match d.is_square() {
                true => (d.dot(k) / root(k), d.dot(q) / root(k)),
                false => (d.dot(k) / root(k), d.t().dot(q) / root(k)),
            },
            says: "`grad_k` is wrong where there are as many queries as keys: `d_scores` was not \
                   transposed, so each key got the changes of another.",
        },
        Mutant {
            code: |d, q, k| (d.dot(k) / root(k), d.dot(q) / root(k)),
            says: "In `grad_k`, `d_scores` was not transposed: its rows belong to queries, and here \
                   there must be a row for each key.",
        },
        Mutant {
            code: |d, q, k| (d.t().dot(q) / root(k), d.dot(k) / root(k)),
            says: "The two are swapped: the first has the shape of the keys.",
        },
        Mutant {
            code: |d, q, k| (d.dot(k) * root(k), d.t().dot(q) * root(k)),
            says: "Multiplied by the root: both gradients are too large by a factor of d_k. A \
                   factor in the \
                   forward pass is the same factor in the backward pass.",
        },
        Mutant {
            code: |d, q, k| (d.dot(k) / k.ncols() as f64, d.t().dot(q) / k.ncols() as f64),
            says: "Divided by the width of a key itself instead of its root.",
        },
        Mutant {
            code: |d, _, k| (d.dot(k) / root(k), d.t().dot(k) / root(k)),
            says: "`grad_q` is right. `grad_k` was made from the keys; it needs the queries.",
        },
    ],
    hints: &[
        "Look at one score: it is q times k, divided by a root. If q grows a little, by how much \
         does the score grow?",
        "Query `i` takes part in all scores of row `i`, each time with a different key: so row `i` \
         of `grad_q` is a mixture of keys, with `d_scores` in place of weights.",
        "Shapes decide the rest: (queries, keys) times (keys, d_k) is (queries, d_k). For `grad_k`, \
         transpose `d_scores`. Don't forget the root in both.",
    ],
    explanation: "A product hands each factor the other one: in the forward pass `q` meets `k`, so \
                  in the backward pass `grad_q` is made of `k`, and `grad_k` of `q`. The scale stays a factor.",
    pytorch: "PyTorch: `scores.backward(d_scores)`, then `q.grad` and `k.grad`.",
};

fn solution(
    d_scores: &Array2<f64>,
    q: &Array2<f64>,
    k: &Array2<f64>,
) -> (Array2<f64>, Array2<f64>) {
    let d_products = d_scores / (k.ncols() as f64).sqrt();
    (d_products.dot(k), d_products.t().dot(q))
}

fn another(d_scores: &Array2<f64>, q: &Array2<f64>, k: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let scale = 1.0 / (k.ncols() as f64).sqrt();
    let (mut grad_q, mut grad_k) = (Array2::zeros(q.dim()), Array2::zeros(k.dim()));
    for ((i, j), d) in d_scores.indexed_iter() {
        grad_q.row_mut(i).scaled_add(scale * d, &k.row(j));
        grad_k.row_mut(j).scaled_add(scale * d, &q.row(i));
    }
    (grad_q, grad_k)
}
