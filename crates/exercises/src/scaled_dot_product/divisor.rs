//! The divisor that gives scores a variance of 1.

use crate::exercise::*;
use crate::scaled_dot_product::LESSON;

pub(crate) static EXERCISE: Exercise<fn(usize, f64, f64) -> f64> = Exercise {
    name: "divisor",
    title: "When the variance is not 1",
    lesson: LESSON,
    after: "Why scores are scaled, before scores of seven widths are drawn",
    task: "A key has `d_k` numbers. Now the numbers of the queries have the variance `variance_q` \
           and those of the keys `variance_k`, all independent and with a mean of 0. By what \
           number must the scores be divided so that their variance is 1?",
    effort: Effort {
        difficulty: 2,
        minutes: 5,
    },
    without: &[],
    source: include_str!("divisor.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "64 numbers, both variances 1, as in the question above",
            run: |f| f(64, 1.0, 1.0).output(),
        },
        Probe {
            what: "1 number, variances 4 and 9: every score is a single product",
            run: |f| f(1, 4.0, 9.0).output(),
        },
        Probe {
            what: "16 numbers, variances 4 and 1: the queries are twice as large",
            run: |f| f(16, 4.0, 1.0).output(),
        },
        Probe {
            what: "48 numbers, variances 1/3 and 1/3",
            run: |f| f(48, 1.0 / 3.0, 1.0 / 3.0).output(),
        },
        Probe {
            what: "5 numbers, variances 0.5 and 3",
            run: |f| f(5, 0.5, 3.0).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |d_k, _, _| (d_k as f64).sqrt(),
            says: "This is the formula's root, which is right for variances of 1. If all queries \
                   are twice as large, what happens to the scores?",
        },
        Mutant {
            code: |d_k, q, k| d_k as f64 * q * k,
            says: "This is the variance of the scores. Dividing by a number divides the variance \
                   by its square.",
        },
        Mutant {
            code: |d_k, q, k| (d_k as f64 * (q + k)).sqrt(),
            says: "The two variances were added. Sums add them up; a score begins with products of \
                   a query's and a key's number. What is the variance of one such product?",
        },
        Mutant {
            code: |d_k, q, k| (d_k as f64 * (q + k) / 2.0).sqrt(),
            says: "The mean of the two variances: that is right if both are 1, but not in \
                   general. What \
                   is the variance of a product of two numbers?",
        },
        Mutant {
            code: |d_k, q, k| (d_k as f64).sqrt() * q * k,
            says: "The root was taken of d_k alone. Queries twice as large have four times the \
                   variance, but make scores only twice as large.",
        },
        Mutant {
            code: |d_k, q, k| d_k as f64 * (q * k).sqrt(),
            says: "The root was taken of the variances alone: d_k adds up inside the variance, \
                   too.",
        },
        Mutant {
            code: |d_k, q, _| (d_k as f64 * q).sqrt(),
            says: "The variance of the keys is not used.",
        },
        Mutant {
            code: |d_k, _, k| (d_k as f64 * k).sqrt(),
            says: "The variance of the queries is not used.",
        },
        Mutant {
            code: |_, q, k| (q * k).sqrt(),
            says: "The width is missing: a score adds up d_k products.",
        },
        Mutant {
            code: |d_k, q, k| 1.0 / (d_k as f64 * q * k).sqrt(),
            says: "This is what the scores must be multiplied by. The task asks for the divisor.",
        },
        Mutant {
            code: |d_k, _, _| d_k as f64,
            says: "This is d_k itself: it is the variance of the scores if both variances are 1, \
                   and the divisor is its root.",
        },
    ],
    hints: &[
        "What is the variance of one product of a query's number and a key's? With variances of 1 \
         it was 1 times 1.",
        "A score adds up d_k such products, and the variances of independent numbers add up.",
        "Dividing by a number divides the variance by its square. So the divisor is a square \
         root: what is the variance of the score? `d_k as f64` turns it into a number \
         with decimals.",
    ],
    explanation: "The root of d_k is this divisor for variances of 1. A new layer in PyTorch gives \
                  queries and keys a variance of 1/3 (lesson 04): their scores are a third \
                  of what the formula intends. And in training nothing keeps the variances at \
                  1, which is why some models normalise queries and keys first.",
    pytorch: "PyTorch: `F.scaled_dot_product_attention(q, k, v, scale=1 / divisor)`; without \
              `scale` it divides by the root of `q.size(-1)`.",
};

fn solution(d_k: usize, variance_q: f64, variance_k: f64) -> f64 {
    let of_scores = d_k as f64 * variance_q * variance_k;
    of_scores.sqrt()
}

fn another(d_k: usize, variance_q: f64, variance_k: f64) -> f64 {
    (d_k as f64).sqrt() * variance_q.sqrt() * variance_k.sqrt()
}
