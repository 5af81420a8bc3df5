//! From scores to shares that add up to 1.

use crate::coding_attention::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>) -> Array1<f32>> = Exercise {
    name: "softmax",
    title: "A softmax that does not overflow",
    lesson: LESSON,
    after: "Step 2: weights, after the largest score is subtracted",
    task: "Turn a row of scores into weights: none negative, and adding up to 1. Large scores \
           must not become NaN. Use the exponential, not the crate's `softmax`. \
           (`x.fold(f32::NEG_INFINITY, |a, &b| a.max(b))` is the largest number in a vector `x`.)",
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    without: &[Step::Softmax],
    source: include_str!("softmax.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the scores [5, 5]: two equal shares",
            run: |f| f(&array![5.0, 5.0]).output(),
        },
        Probe {
            what: "the scores [0, 1, 3]",
            run: |f| f(&array![0.0, 1.0, 3.0]).output(),
        },
        Probe {
            what: "negative scores, [-1, -2, -4, 0.5]",
            run: |f| f(&array![-1.0, -2.0, -4.0, 0.5]).output(),
        },
        Probe {
            what: "large scores, [100, 101, 99]: exp(101) is infinite",
            run: |f| f(&array![100.0, 101.0, 99.0]).output(),
        },
        Probe {
            what: "scores far apart, [-100, 100]",
            run: |f| f(&array![-100.0, 100.0]).output(),
        },
        Probe {
            what: "very negative scores, [-200, -201]: exp(-200) is 0",
            run: |f| f(&array![-200.0, -201.0]).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |s| softmax_naive(s),
            says: "The formula is right, but it takes the exponentials of the scores as they are: \
                   from 89 on they are infinite, and infinity divided by infinity is NaN. What may \
                   be subtracted from all scores without changing the weights?",
        },
        Mutant {
            code: |s| s / s.sum(),
            says: "The scores are divided by their sum, without an exponential: a negative score \
                   gets a negative share.",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                s.mapv(|s| (s - largest).exp())
            },
            says: "The largest weight is always 1, and the sum is more than 1: these are the \
                   exponentials before they are made into shares.",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let e = s.mapv(|s| (s - largest).exp());
                &e / s.mapv(f32::exp).sum()
            },
            says: "The largest score was subtracted in the numerator but not in the denominator, \
                   so the shares do not add up to 1.",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let e = s.mapv(|s| 2_f32.powf(s - largest));
                &e / e.sum()
            },
            says: "The base is 2 instead of e: a lead of 1 makes a weight twice as large, not 2.7 \
                   times.",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(0.0_f32, |a, &b| a.max(b));
                let e = s.mapv(|s| (s - largest).exp());
                &e / e.sum()
            },
            says: "Large scores work, but very negative ones become NaN: the search for the \
                   largest score begins at 0, and finds 0 where all scores are below it.",
        },
        Mutant {
            code: |s| {
                let e = (s - s.mean().unwrap_or(0.0)).exp();
                &e / e.sum()
            },
            says: "The mean was subtracted: that helps as long as the scores are close together. \
                   Where the largest is 100 above the mean, its exponential is still infinite.",
        },
        Mutant {
            code: |s| {
                let smallest = s.fold(f32::INFINITY, |a, &b| a.min(b));
                let e = s.mapv(|s| (smallest - s).exp());
                &e / e.sum()
            },
            says: "The order is reversed: the smallest score gets the largest weight. Which sign \
                   does the score have in the exponent?",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let e = s.mapv(|s| (s / largest).exp());
                &e / e.sum()
            },
            says: "The scores were divided by the largest one, which should be subtracted: that \
                   changes the differences between them and, if the largest is negative, their \
                   order.",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let shifted = s - largest;
                shifted.mapv(f32::exp) / shifted.sum()
            },
            says: "The denominator is the sum of the shifted scores, not of their exponentials: it \
                   is 0 or negative.",
        },
        Mutant {
            code: |s| s.mapv(f32::exp) / s.sum(),
            says: "The numerator has exponentials, the denominator the sum of the scores \
                   themselves: the two do not match.",
        },
        Mutant {
            code: |s| s.mapv(f32::exp) / s.sum().exp(),
            says: "The exponentials were divided by the exponential of the sum. Which comes \
                   first, the \
                   exponential or the adding up?",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let e = s.mapv(|s| (s - largest).exp());
                &e / e.len() as f32
            },
            says: "The exponentials were divided by the number of scores: that does not make the \
                   sum 1.",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                s.mapv(|s| if s == largest { 1.0 } else { 0.0 })
            },
            says: "The largest score gets everything, the others nothing. That is a maximum, with \
                   nothing soft about it.",
        },
        Mutant {
            code: |s| s.mapv(f32::abs) / s.mapv(f32::abs).sum(),
            says: "The absolute values of the scores were divided by their sum: a very negative \
                   score gets a large share.",
        },
        Mutant {
            code: |s| s * s / (s * s).sum(),
            says: "The squares were shared out instead of the exponentials: a negative score \
                   counts as much as a positive one.",
        },
        Mutant {
            code: |s| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let smallest = s.fold(f32::INFINITY, |a, &b| a.min(b));
                let scaled = s.mapv(|s| (s - smallest) / (largest - smallest));
                &scaled / scaled.sum()
            },
            says: "The scores were moved and stretched to lie between 0 and 1: the smallest gets \
                   nothing at all, and there is no exponential.",
        },
        Mutant {
            code: |s| {
                let e = s.mapv(|s| 1.0 / (1.0 + (-s).exp()));
                &e / e.sum()
            },
            says: "Each score went through a sigmoid, 1 / (1 + exp(-s)): that levels off at 1, so \
                   all large scores get the same share.",
        },
    ],
    hints: &[
        "Three steps: make all numbers positive, find their sum, divide by it.",
        "`attn_scores.mapv(f32::exp)` takes the exponential of each score. Before that, subtract \
         the same number from every score: which one makes the largest exponential 1?",
        "`attn_scores.fold(f32::NEG_INFINITY, |a, &b| a.max(b))` is the largest score. Subtract \
         it, take exponentials, and divide them by their sum.",
    ],
    explanation: "Only differences between scores count: subtracting one number from all of them \
                  divides every exponential by the same factor, which the division cancels. With \
                  the largest one subtracted, no exponential is above 1 and one of them is 1, so \
                  the sum is neither infinite nor 0.",
    pytorch: "PyTorch: `torch.softmax(attn_scores, dim=-1)`, which subtracts the maximum, too.",
};

fn solution(attn_scores: &Array1<f32>) -> Array1<f32> {
    let largest = attn_scores.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
    let exponentials = attn_scores.mapv(|score| (score - largest).exp());
    let total = exponentials.sum();
    exponentials / total
}

fn another(attn_scores: &Array1<f32>) -> Array1<f32> {
    let mut sorted = attn_scores.to_vec();
    sorted.sort_by(f32::total_cmp);
    let largest = sorted[sorted.len() - 1];
    let log_sum = attn_scores.mapv(|score| (score - largest).exp()).sum().ln();
    attn_scores.mapv(|score| (score - largest - log_sum).exp())
}
