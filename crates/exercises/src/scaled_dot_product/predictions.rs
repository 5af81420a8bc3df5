//! Predictions for the lesson on the formula.

use crate::prediction::{Prediction, Right};
use crate::scaled_dot_product::LESSON;
use attention::prelude::*;

pub(crate) static VARIANCE_OF_SCORES: Prediction = Prediction {
    name: "variance_of_scores",
    lesson: LESSON,
    before: "Why scores are scaled, before their variance",
    question: "The numbers of Q and K have a variance of 1, and a key has 64 of them. Roughly what variance will the scores have?",
    right: Right::Number(|| 64.0, 7.0),
    reason: "A score adds up 64 independent products, each with a variance of 1, and then variances add up.",
};

pub(crate) static VARIANCE_WHEN_SCALED: Prediction = Prediction {
    name: "variance_when_scaled",
    lesson: LESSON,
    before: "Why scores are scaled, before the scaled variance",
    question: "Now the scores are divided by 8, the square root of 64. Roughly what is their variance?",
    right: Right::Number(|| 64.0 / 8.0_f64.powi(2), 0.2),
    reason: "Dividing by 8 divides the variance by 64.",
};

pub(crate) static LEAD_OF_ONE: Prediction = Prediction {
    name: "lead_of_one",
    lesson: LESSON,
    before: "Why scores are scaled, before the weights with and without scaling",
    question: "One score is 1 larger than another. How many times as large is its weight?",
    right: Right::Number(
        || {
            let weights = softmax(&array![1.0_f64, 0.0]);
            weights[0] / weights[1]
        },
        0.05,
    ),
    reason: "Differences between scores become ratios between weights: e to the power of 1.",
};

pub(crate) static ROW_WITHOUT_KEYS: Prediction = Prediction {
    name: "row_without_keys",
    lesson: LESSON,
    before: "The mask, before it is added to the scores",
    question: "A faulty mask hides every key from one query. What does the softmax give that row?",
    right: Right::OneOf(&["zeros", "equal shares", "NaN"], || {
        let row = softmax(&array![f64::NEG_INFINITY, f64::NEG_INFINITY]);
        match row[0] {
            share if share.is_nan() => "NaN",
            0.0 => "zeros",
            _ => "equal shares",
        }
    }),
    reason: "Every exponential is 0, and so is their sum: 0 / 0 is not a number. A causal mask is safe, since each token sees itself.",
};

pub(crate) static WEIGHTS_WITHOUT_THE_MASK: Prediction = Prediction {
    name: "weights_without_the_mask",
    lesson: LESSON,
    before: "The result, before the mask is left out",
    question: "Leave the mask out. Can a weight that was above 0 become larger?",
    right: Right::OneOf(&["yes", "no"], || {
        let scores = array![[1.0_f64, 3.0, 2.0], [2.0, -1.0, 5.0], [0.0, 1.0, 2.0]];
        let masked = softmax(&mask_scores(&scores, &causal_mask(3)));
        let open = softmax(&scores);
        let grows = masked
            .iter()
            .zip(&open)
            .any(|(masked, open)| *masked > 0.0 && open > masked);
        if grows { "yes" } else { "no" }
    }),
    reason: "A weight is an exponential over the sum of its row, and without the mask the sum only gains terms. So every weight that was above 0 shrinks, all of a row by the same factor; only the last row, which saw everything before, stays.",
};

pub(crate) static ONES_AND_ZEROS: Prediction = Prediction {
    name: "ones_and_zeros",
    lesson: LESSON,
    before: "The result, before the mask of 0 and 1 is added",
    question: "A mask of ones and zeros is added to the scores, instead of a mask of zeros and minus \
               infinities. Is the future hidden?",
    right: Right::OneOf(&["yes", "no"], || {
        if softmax(&array![[1.0_f64, 0.0]])[[0, 1]] > 0.0 {
            "no"
        } else {
            "yes"
        }
    }),
    reason: "Nothing is minus infinity, so everything gets a share: what may be seen only gains a \
             lead of 1.",
};
