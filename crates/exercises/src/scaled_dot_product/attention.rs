//! The whole formula of scaled dot-product attention.

use crate::exercise::*;
use crate::scaled_dot_product::LESSON;

type Formula = fn(&Array2<f64>, &Array2<f64>, &Array2<f64>, &Array2<f64>) -> Array2<f64>;

fn root(k: &Array2<f64>) -> f64 {
    (k.ncols() as f64).sqrt()
}

pub(crate) static EXERCISE: Exercise<Formula> = Exercise {
    name: "attention",
    title: "The whole formula",
    lesson: LESSON,
    after: "The result, before the function of three lines",
    task: "Write softmax(Q K^T / sqrt(d_k) + M) V: `q` is (queries, d_k), `k` (keys, d_k), `v` \
           (keys, width of a value), and `mask` holds the numbers to add, (queries, keys). You \
           may use the crate's `softmax`, but not its `attend`.",
    effort: Effort {
        difficulty: 2,
        minutes: 8,
    },
    without: &[Step::Attend],
    source: include_str!("attention.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 query and 1 key: the value comes back",
            run: |f| {
                f(
                    &array![[2.0]],
                    &array![[3.0]],
                    &array![[5.0, 7.0]],
                    &array![[0.0]],
                )
                .output()
            },
        },
        Probe {
            what: "a query of zeros looks at both keys equally: the mean of the values",
            run: |f| {
                let (k, v) = (matrix64(56, 2, 3), array![[1.0, 5.0], [3.0, 9.0]]);
                f(&Array2::zeros((1, 3)), &k, &v, &Array2::zeros((1, 2))).output()
            },
        },
        Probe {
            what: "2 queries, 5 keys of three numbers, values of four; nothing hidden",
            run: |f| {
                let (q, k, v) = (matrix64(57, 2, 3), matrix64(58, 5, 3), matrix64(59, 5, 4));
                f(&q, &k, &v, &Array2::zeros((2, 5))).output()
            },
        },
        Probe {
            what: "4 tokens of three numbers with a causal mask",
            run: |f| {
                let (q, k, v) = (matrix64(60, 4, 3), matrix64(61, 4, 3), matrix64(62, 4, 3));
                f(&q, &k, &v, &additive_mask(&causal_mask(4))).output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |q, k, v, m| softmax(&(q.dot(&k.t()) + m)).dot(v),
            says: "The scores are not scaled: each query leans too heavily on its best key.",
        },
        Mutant {
            code: |q, k, v, m| softmax(&((q.dot(&k.t()) + m) / k.ncols() as f64)).dot(v),
            says: "Divided by d_k itself, not by its root: the result is too close to the plain \
                   mean of the values.",
        },
        Mutant {
            code: |q, k, v, _| softmax(&(q.dot(&k.t()) / root(k))).dot(v),
            says: "The mask is not used: without a mask everything is right, with one only the \
                   last token is.",
        },
        Mutant {
            code: |q, k, v, m| softmax(&(q.dot(&k.t()) / root(k) * m)).dot(v),
            says: "The mask was multiplied, not added: 0 makes every score 0, and a negative score \
                   times minus infinity is plus infinity.",
        },
        Mutant {
            code: |q, k, v, m| (softmax(&(q.dot(&k.t()) / root(k))) + m).dot(v),
            says: "The mask was added after the softmax, to the weights: minus infinity then mixes \
                   the values.",
        },
        Mutant {
            code: |q, k, v, m| (softmax(&(q.dot(&k.t()) + m)) / root(k)).dot(v),
            says: "The weights were divided by the root, after the softmax: they no longer add up \
                   to 1. What should be scaled?",
        },
        Mutant {
            code: |q, k, _, m| softmax(&(q.dot(&k.t()) / root(k) + m)).dot(k),
            says: "The weights mixed the keys instead of the values.",
        },
        Mutant {
            code: |q, k, v, m| {
                let scores = q.dot(&k.t()) / root(k) + m;
                let e = scores.mapv(f64::exp);
                let sums = e.sum_axis(Axis(0));
                (e / sums).dot(v)
            },
            says: "The shares run down the columns: each key shares itself out among the queries. \
                   Which of the two has 100% to give?",
        },
        Mutant {
            code: |q, k, v, m| (q.dot(&k.t()) / root(k) + m).dot(v),
            says: "There is no softmax: the values were mixed by scores instead of weights.",
        },
        Mutant {
            code: |q, k, v, m| {
                let _ = v;
                softmax(&(q.dot(&k.t()) / root(k) + m))
            },
            says: "These are the weights: they have not mixed the values yet.",
        },
        Mutant {
            code: |q, k, v, m| softmax(&softmax(&(q.dot(&k.t()) / root(k) + m))).dot(v),
            says: "There are two softmaxes: the second one, of weights, makes them far more even, \
                   and what was hidden gets a share again.",
        },
        Mutant {
            code: |q, k, v, m| softmax(&((q.dot(&k.t()) + m) * root(k))).dot(v),
            says: "The scores were multiplied by the root, and grew.",
        },
        Mutant {
            code: |q, k, v, m| softmax(&(q.dot(&k.t()) / root(k) - m)).dot(v),
            says: "The mask was subtracted: minus minus infinity is plus infinity, and the \
                   softmax gives NaN.",
        },
    ],
    hints: &[
        "Read the formula from the inside out, and give each step a name.",
        "Scores, scaled scores, the mask added, the softmax, the product with the values: five \
         steps in this order.",
        "`q.dot(&k.t())` divided by `(k.ncols() as f64).sqrt()`, plus `mask`, goes into \
         `softmax(&...)`; the result goes to the left of `v`.",
    ],
    explanation: "Three lines, and nothing in them is learned: a model learns the matrices that \
                  make Q, K and V.",
    pytorch: "PyTorch: `F.scaled_dot_product_attention(q, k, v, attn_mask=mask)`.",
};

fn solution(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>, mask: &Array2<f64>) -> Array2<f64> {
    let scaled = q.dot(&k.t()) / (k.ncols() as f64).sqrt();
    let attn_weights = softmax(&(scaled + mask));
    attn_weights.dot(v)
}

fn another(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>, mask: &Array2<f64>) -> Array2<f64> {
    let mut context_vecs = Array2::zeros((q.nrows(), v.ncols()));
    for (t, mut context_vec) in context_vecs.rows_mut().into_iter().enumerate() {
        let scaled = k.dot(&q.row(t)) / (q.ncols() as f64).sqrt();
        let attn_weights = softmax(&(scaled + mask.row(t)));
        context_vec.assign(&attn_weights.dot(v));
    }
    context_vecs
}
