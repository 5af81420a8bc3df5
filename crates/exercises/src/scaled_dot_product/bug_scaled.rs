//! Find the bug: a scale in the wrong place.

use crate::exercise::*;
use crate::scaled_dot_product::LESSON;

type Formula = fn(&Array2<f64>, &Array2<f64>, &Array2<f64>) -> Array2<f64>;

pub(crate) static EXERCISE: Exercise<Formula> = Exercise {
    name: "bug_scaled",
    title: "Find the bug: nearly the formula",
    lesson: LESSON,
    after: "The result, after the mask is left out",
    task: "This function should compute attention without a mask. It was tested with four tokens \
           of four numbers, and every digit was right. Then came a longer text. Find the mistake.",
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    without: &[],
    source: include_str!("bug_scaled.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "4 tokens of four numbers, as in the test",
            run: |f| {
                f(
                    &matrix64(73, 4, 4),
                    &matrix64(74, 4, 4),
                    &matrix64(75, 4, 4),
                )
                .output()
            },
        },
        Probe {
            what: "7 tokens of four numbers",
            run: |f| {
                f(
                    &matrix64(76, 7, 4),
                    &matrix64(77, 7, 4),
                    &matrix64(78, 7, 4),
                )
                .output()
            },
        },
        Probe {
            what: "2 queries, 5 keys of three numbers, values of six",
            run: |f| {
                f(
                    &matrix64(79, 2, 3),
                    &matrix64(80, 5, 3),
                    &matrix64(81, 5, 6),
                )
                .output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: given,
            says: "With four tokens of four numbers the bug is invisible: two sizes that differ for \
                   other texts happen to be the same. Which sizes does the function use?",
        },
        Mutant {
            code: |q, k, v| softmax(&q.dot(&k.t())).dot(v),
            says: "Now the scores are not scaled at all, and not even the old test passes.",
        },
        Mutant {
            code: |q, k, v| softmax(&(q.dot(&k.t()) / (q.nrows() as f64).sqrt())).dot(v),
            says: "Now the scale is the root of the number of queries: still a size that grows \
                   with the text.",
        },
        Mutant {
            code: |q, k, v| softmax(&(q.dot(&k.t()) / (v.ncols() as f64).sqrt())).dot(v),
            says: "Right only if values are as wide as keys: the scale is the root of the width of \
                   a value. How many products does a score add up?",
        },
        Mutant {
            code: |q, k, v| softmax(&(q.dot(&k.t()) / k.ncols() as f64)).dot(v),
            says: "Now it is the right size, but without the root.",
        },
        Mutant {
            code: |q, k, v| softmax(&(q.dot(&k.t()) / 2.0)).dot(v),
            says: "Now the divisor is 2: right for keys of four numbers, and for no others.",
        },
        Mutant {
            code: |q, k, v| softmax(&(q.dot(&k.t()) / (k.len() as f64).sqrt())).dot(v),
            says: "Now the scale is the root of the number of entries in all keys together: `len` \
                   counts the whole matrix.",
        },
    ],
    hints: &[
        "Compare the first probe with the second: what has changed, and what has not?",
        "The formula has one size in it, d_k. Which axis of which matrix is that?",
        "The width of a key is the number of columns of `k`. The function uses the other size of `k`.",
    ],
    explanation: "A test whose sizes are all the same cannot tell them apart. That is why the \
                  last probe uses sizes that all differ.",
    pytorch: "PyTorch: `k.size(-1)` is right, `k.size(0)` was the bug.",
};

fn given(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
    let scale = (k.nrows() as f64).sqrt();
    let attn_weights = softmax(&(q.dot(&k.t()) / scale));
    attn_weights.dot(v)
}

fn solution(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
    let scale = (k.ncols() as f64).sqrt();
    let attn_weights = softmax(&(q.dot(&k.t()) / scale));
    attn_weights.dot(v)
}

fn another(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
    attend(q, k, v, None).context
}
