//! What to guess in the lesson that builds attention from simple arithmetic.

use crate::lesson::Lesson;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

const WORDS: [&str; 6] = ["Your", "journey", "starts", "with", "one", "step"];

/// The sentence of the lesson.
fn inputs() -> Array2<f32> {
    array![
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
}

/// Whether adding 100 to all scores changes the weights.
fn is_shifted() -> bool {
    let scores = inputs().dot(&inputs().row(1));
    let difference = softmax(&scores) - softmax(&(&scores + 100.0));
    difference.iter().any(|difference| difference.abs() > 1e-4)
}

/// Whether the weights of the sentence are the same across the diagonal.
fn is_symmetric() -> bool {
    let weights = softmax(&inputs().dot(&inputs().t()));
    (&weights - &weights.t())
        .iter()
        .all(|difference| difference.abs() < 1e-4)
}

pub(crate) static ATTENDED_MOST: Prediction = Prediction {
    name: "attended_most",
    lesson: Lesson::CodingAttention,
    before: "Step 1: scores, before the scores of journey are computed",
    question: "Which word will have the largest dot product with journey, [0.55, 0.87, 0.66]?",
    right: Right::OneOf(&WORDS, || {
        let scores = inputs().dot(&inputs().row(1));
        let best = (0..6).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        WORDS[best.unwrap_or(0)]
    }),
    reason: "A vector points in its own direction, and journey is one of the two longest.",
};

pub(crate) static OVERFLOWING_SCORE: Prediction = Prediction {
    name: "overflowing_score",
    lesson: Lesson::CodingAttention,
    before: "Step 2: weights, before 100 is added to every score",
    question: "At about what score does e to its power overflow an f32?",
    right: Right::Number(|| f64::from(f32::MAX.ln()), 2.0),
    reason: "The largest f32 is 3.4e38, and its logarithm is 88.72. A score of 100 is already too much.",
};

pub(crate) static SHIFTED_SCORES: Prediction = Prediction {
    name: "shifted_scores",
    lesson: Lesson::CodingAttention,
    before: "Step 2: weights, before the softmax of the shifted scores",
    question: "Add 100 to every score. What happens to the weights of a softmax that does not overflow?",
    right: Right::OneOf(
        &["they grow", "they stay the same", "they become equal"],
        || {
            if is_shifted() {
                "they grow"
            } else {
                "they stay the same"
            }
        },
    ),
    reason: "Every exponential grows by the same factor, and so does their sum: only differences count.",
};

pub(crate) static WEIGHTS_SYMMETRIC: Prediction = Prediction {
    name: "weights_symmetric",
    lesson: Lesson::CodingAttention,
    before: "All weights, before their picture",
    question: "The scores are symmetric: one matches step as well as step matches one. Will the weights be symmetric, too?",
    right: Right::OneOf(&["yes", "no"], || if is_symmetric() { "yes" } else { "no" }),
    reason: "The score is the same, but each row divides by its own sum.",
};

pub(crate) static NUMBERS_OF_QUERIES: Prediction = Prediction {
    name: "numbers_of_queries",
    lesson: Lesson::CodingAttention,
    before: "Three matrices, before the queries are computed",
    question: "Six words of three numbers each, times a matrix (3, 2): how many numbers do all queries have together?",
    right: Right::Number(
        || inputs().dot(&Array2::<f32>::zeros((3, 2))).len() as f64,
        0.0,
    ),
    reason: "Six rows of two: each word has a query of two numbers.",
};

pub(crate) static HIDDEN_PAIRS: Prediction = Prediction {
    name: "hidden_pairs",
    lesson: Lesson::CodingAttention,
    before: "Hiding the future, before the mask",
    question: "Six words look at six words, 36 pairs. How many of them does a causal mask hide?",
    right: Right::Number(
        || causal_mask(6).iter().filter(|visible| !**visible).count() as f64,
        0.0,
    ),
    reason: "Everything above the diagonal: 5 + 4 + 3 + 2 + 1.",
};

pub(crate) static FIRST_WORD_ALONE: Prediction = Prediction {
    name: "first_word_alone",
    lesson: Lesson::CodingAttention,
    before: "Hiding the future, before the causal weights",
    question: "With a causal mask, which weight does the first word give to itself?",
    right: Right::Number(
        || f64::from(softmax(&mask_scores(&Array2::<f32>::zeros((6, 6)), &causal_mask(6)))[[0, 0]]),
        0.001,
    ),
    reason: "It sees nothing but itself, and each row adds up to 1.",
};

pub(crate) static KEPT_WEIGHT: Prediction = Prediction {
    name: "kept_weight",
    lesson: Lesson::CodingAttention,
    before: "Dropout, before it is tried on the weights",
    question: "With a probability of one half, what becomes of a weight of 0.24 that is kept?",
    right: Right::Number(|| 0.24 / (1.0 - 0.5), 0.001),
    reason: "It is divided by the probability of being kept, so that the sum stays the same on average.",
};

pub(crate) static JOINED_WIDTH: Prediction = Prediction {
    name: "joined_width",
    lesson: Lesson::CodingAttention,
    before: "Several heads, before two heads are joined",
    question: "Two heads give two numbers each for every word. How many does a word have once they are joined?",
    right: Right::Number(
        || {
            MultiHeadWrapper::new(3, 2, 0.0, 2, &mut torch::Generator::manual_seed(1))
                .forward(&Array3::zeros((1, 6, 3)))
                .dim()
                .2 as f64
        },
        0.0,
    ),
    reason: "They stand side by side: joining adds nothing up.",
};
