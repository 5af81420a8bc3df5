//! Attention from one sequence to another.

use crate::exercise::*;
use crate::who_attends_to_whom::LESSON;

type CrossAttention = fn(&Array2<f64>, &Array2<f64>, [&Array2<f64>; 3]) -> Array2<f64>;

fn probe(f: CrossAttention, tokens: usize, others: usize) -> Output {
    let matrices = [46, 47, 48].map(|seed| matrix64(seed, 3, 3));
    let [w_query, w_key, w_value] = &matrices;
    let (x, other) = (matrix64(44, tokens, 3), matrix64(45, others, 3));
    f(&x, &other, [w_query, w_key, w_value]).output()
}

pub(crate) static EXERCISE: Exercise<CrossAttention> = Exercise {
    name: "cross_attention",
    title: "Cross attention",
    lesson: LESSON,
    after: "Cross attention, after queries and keys were taken from two sequences",
    task: "The tokens of `writing` look at those of `reading`. Make queries, keys and values with \
           the three matrices, each from the right sequence, and return the contexts. `attend(&q, \
           &k, &v, None).context` does the rest.",
    without: &[],
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    source: include_str!("cross_attention.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "2 tokens look at 1 token: each gets its value",
            run: |f| probe(f, 2, 1),
        },
        Probe {
            what: "1 token looks at 4 tokens",
            run: |f| probe(f, 1, 4),
        },
        Probe {
            what: "5 tokens look at 3 tokens",
            run: |f| probe(f, 5, 3),
        },
        Probe {
            what: "3 tokens look at 3 others: here the shapes give nothing away",
            run: |f| probe(f, 3, 3),
        },
    ],
    mutants: &[
        Mutant {
            code: |x, y, [q, k, v]| {
                let mask = Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| j <= i);
                attend(&x.dot(q), &y.dot(k), &y.dot(v), Some(&mask)).context
            },
            says: "A causal mask hides some of what is read. But all of `reading` is already \
                   there: none of it lies in the future.",
        },
        Mutant {
            code: |x, y, [q, k, v]| attend(&y.dot(q), &x.dot(k), &x.dot(v), None).context,
            says: "The sequences are swapped: there is a row for each token that is read. Which \
                   sequence asks, and which is asked?",
        },
        Mutant {
            code: |x, _, [q, k, v]| attend(&x.dot(q), &x.dot(k), &x.dot(v), None).context,
            says: "The tokens look at themselves: `reading` is not used. That is self-attention.",
        },
        Mutant {
            code: |x, y, [q, k, v]| attend(&x.dot(q), &y.dot(v), &y.dot(k), None).context,
            says: "Keys and values are swapped: tokens are found by their values and hand over \
                   their keys.",
        },
        Mutant {
            code: |x, y, [q, k, v]| attend(&x.dot(k), &y.dot(q), &y.dot(v), None).context,
            says: "The matrices for queries and keys are swapped: the tokens that ask should use \
                   the first one.",
        },
        Mutant {
            code: |x, y, [q, k, _]| attend(&x.dot(q), &y.dot(k), y, None).context,
            says: "The values are the tokens themselves: the third matrix is not used.",
        },
        Mutant {
            code: |x, y, [q, k, v]| {
                attend_with_scale(&x.dot(q), &y.dot(k), &y.dot(v), None, 1.0).context
            },
            says: "The scores were not scaled.",
        },
        Mutant {
            code: |x, y, [q, k, v]| attend(&x.dot(q), &y.dot(k), &x.dot(v), None).context,
            says: "The values come from the tokens that ask. If both sequences have the same length, \
                   nothing complains; but each key should hand over the value of its own token.",
        },
        Mutant {
            code: |x, y, [q, k, v]| attend(&x.dot(q), &y.dot(k), &y.dot(v), None).weights,
            says: "These are the weights: they have not mixed the values yet.",
        },
        Mutant {
            code: |x, y, [q, k, v]| {
                x.dot(q).dot(&y.dot(k).t()).dot(&y.dot(v)) / (k.ncols() as f64).sqrt()
            },
            says: "There is no softmax: the values were mixed by scaled scores instead of weights.",
        },
    ],
    hints: &[
        "The result has one row for each token of `writing`. Which of queries, keys and values \
         decides how many rows there are?",
        "The sequence that asks provides the queries. Each key belongs to a value, so both come \
         from the same sequence.",
        "One product has `writing` on its left, the other two have `reading`. Pass all three to \
         `attend`.",
    ],
    explanation: "Nothing else changes: each query shares out its 100% among the keys, however \
                  many there are, and gets a mixture of their values.",
    pytorch: "PyTorch: `F.scaled_dot_product_attention(writing @ W_q, reading @ W_k, reading @ W_v)`.",
};

fn solution(
    writing: &Array2<f64>,
    reading: &Array2<f64>,
    [w_query, w_key, w_value]: [&Array2<f64>; 3],
) -> Array2<f64> {
    let queries = writing.dot(w_query);
    let (keys, values) = (reading.dot(w_key), reading.dot(w_value));
    attend(&queries, &keys, &values, None).context
}

fn another(
    writing: &Array2<f64>,
    reading: &Array2<f64>,
    [w_query, w_key, w_value]: [&Array2<f64>; 3],
) -> Array2<f64> {
    let attn_scores = writing.dot(w_query).dot(&reading.dot(w_key).t());
    let attn_weights = softmax(&(attn_scores / (w_key.ncols() as f64).sqrt()));
    attn_weights.dot(&reading.dot(w_value))
}
