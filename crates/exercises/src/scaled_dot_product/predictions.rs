//! What to guess in the lesson on the formula.

use crate::lesson::Lesson;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static VARIANCE_OF_SCORES: Prediction = Prediction {
    name: "variance_of_scores",
    lesson: Lesson::ScaledDotProduct,
    before: "Why scores are scaled, before their variance",
    question: "The numbers of Q and K have a variance of 1, and a key has 64 of them. About what variance will the scores have?",
    right: Right::Number(|| 64.0, 7.0),
    reason: "A score adds up 64 products, each with a variance of 1, and variances add up.",
};

pub(crate) static VARIANCE_WHEN_SCALED: Prediction = Prediction {
    name: "variance_when_scaled",
    lesson: Lesson::ScaledDotProduct,
    before: "Why scores are scaled, before the scaled variance",
    question: "Now the scores are divided by 8, the square root of 64. About what is their variance now?",
    right: Right::Number(|| 64.0 / 8.0_f64.powi(2), 0.2),
    reason: "Dividing by 8 divides the variance by 64.",
};

pub(crate) static LEAD_OF_ONE: Prediction = Prediction {
    name: "lead_of_one",
    lesson: Lesson::ScaledDotProduct,
    before: "Why scores are scaled, before the weights with and without scaling",
    question: "A score is larger than another one by 1. How many times as large is its weight?",
    right: Right::Number(
        || {
            let weights = softmax(&array![1.0_f64, 0.0]);
            weights[0] / weights[1]
        },
        0.05,
    ),
    reason: "Differences become ratios: e to the power of 1.",
};

pub(crate) static VISIBLE_PAIRS: Prediction = Prediction {
    name: "visible_pairs",
    lesson: Lesson::ScaledDotProduct,
    before: "The mask, before the table",
    question: "A causal mask of four tokens: how many of its 16 entries are yes?",
    right: Right::Number(
        || causal_mask(4).iter().filter(|visible| **visible).count() as f64,
        0.0,
    ),
    reason: "1 + 2 + 3 + 4.",
};

pub(crate) static ROWS_THAT_CHANGE: Prediction = Prediction {
    name: "rows_that_change",
    lesson: Lesson::ScaledDotProduct,
    before: "What you can do now, before the mask is left out",
    question: "Leave the mask out. How many of the four rows of weights change?",
    right: Right::Number(
        || {
            causal_mask(4)
                .rows()
                .into_iter()
                .filter(|row| row.iter().any(|visible| !visible))
                .count() as f64
        },
        0.0,
    ),
    reason: "The last token could see everything before, too; all others get more to look at.",
};

pub(crate) static ONES_AND_ZEROS: Prediction = Prediction {
    name: "ones_and_zeros",
    lesson: Lesson::ScaledDotProduct,
    before: "Errata, before the mask of 0 and 1 is added",
    question: "A mask of ones and zeros is added to the scores, instead of one of 0 and minus infinity. Is the future hidden?",
    right: Right::OneOf(&["yes", "no"], || {
        if softmax(&array![[1.0_f64, 0.0]])[[0, 1]] > 0.0 {
            "no"
        } else {
            "yes"
        }
    }),
    reason: "Nothing is minus infinity, so everything has a share: what may be seen only has a lead of 1.",
};
