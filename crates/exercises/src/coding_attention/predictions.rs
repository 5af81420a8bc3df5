//! Predictions for the lesson that builds attention from simple arithmetic.

use crate::coding_attention::LESSON;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

const WORDS: [&str; 6] = ["Your", "journey", "starts", "with", "one", "step"];

/// The lesson's sentence: a row of three numbers for each of its six words.
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

/// The row of the context of "journey", originally row 1, after the words are reversed.
fn place_of_its_context() -> Option<usize> {
    let contexts = |words: &Array2<f32>| attend_with_scale(words, words, words, None, 1.0).context;
    let before = contexts(&inputs());
    let after = contexts(&inputs().select(Axis(0), &[5, 4, 3, 2, 1, 0]));
    let is_it = |row: &usize| {
        let difference = &after.row(*row) - &before.row(1);
        difference.iter().all(|difference| difference.abs() < 1e-4)
    };
    (0..6).find(is_it)
}

/// Whether the weights of the sentence are symmetric.
fn is_symmetric() -> bool {
    let weights = softmax(&inputs().dot(&inputs().t()));
    (&weights - &weights.t())
        .iter()
        .all(|difference| difference.abs() < 1e-4)
}

pub(crate) static ATTENDED_MOST: Prediction = Prediction {
    name: "attended_most",
    lesson: LESSON,
    before: "Step 1: scores, before the scores of journey are computed",
    question: "Which word will have the largest dot product with journey, [0.55, 0.87, 0.66]?",
    right: Right::OneOf(&WORDS, || {
        let scores = inputs().dot(&inputs().row(1));
        let best = (0..6).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        WORDS[best.unwrap_or(0)]
    }),
    reason: "A vector points in exactly its own direction, and the vector of journey is the longest of \
             the six, so no other word can score higher. (A word with a shorter vector can lose \
             to one with a longer vector: starts scores higher with journey than with itself.)",
};

pub(crate) static OVERFLOWING_SCORE: Prediction = Prediction {
    name: "overflowing_score",
    lesson: LESSON,
    before: "Step 2: weights, before 100 is added to every score",
    question: "The largest f32 is 3.4e38. Which of these scores is the smallest whose exponential is too large for an f32?",
    right: Right::OneOf(&["20", "50", "100", "500"], || {
        let overflows = |score: f32| score.exp().is_infinite();
        let scores = [("20", 20.0), ("50", 50.0), ("100", 100.0), ("500", 500.0)];
        let first = scores.into_iter().find(|(_, score)| overflows(*score));
        first.map_or("none", |(text, _)| text)
    }),
    reason: "e is about 10 to the power of 0.43, so e to the power of 100 has 44 digits. The limit is 88.72.",
};

pub(crate) static SHIFTED_SCORES: Prediction = Prediction {
    name: "shifted_scores",
    lesson: LESSON,
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
    lesson: LESSON,
    before: "All weights, before their picture",
    question: "The scores are symmetric: one matches step exactly as well as step matches one. \
               Will the weights be symmetric, too?",
    right: Right::OneOf(&["yes", "no"], || if is_symmetric() { "yes" } else { "no" }),
    reason: "The score is the same, but each row divides by its own sum.",
};

pub(crate) static WORDS_REVERSED: Prediction = Prediction {
    name: "words_reversed",
    lesson: LESSON,
    before: "What attention does not see, before the words are shuffled",
    question: "Write the sentence backwards: step, one, with, starts, journey, Your. What happens \
               to the context vector of journey?",
    right: Right::OneOf(
        &[
            "it gets other numbers",
            "it moves to another row",
            "all of them become equal",
        ],
        || match place_of_its_context() {
            Some(_) => "it moves to another row",
            None => "it gets other numbers",
        },
    ),
    reason: "journey still compares itself with the same six words and mixes the same six vectors. \
             The order in which they are added up makes no difference.",
};
