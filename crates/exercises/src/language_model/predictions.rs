//! Predictions for the lesson that trains language models.

use crate::language_model::LESSON;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static SURE_AND_WRONG: Prediction = Prediction {
    name: "sure_and_wrong",
    lesson: LESSON,
    before: "The loss, before its curve",
    question: "Ten predictions. Model A gives the right character 0.5 each time. Model B gives it 0.99 nine times, and 0.0001 once. Which model has the lower loss?",
    right: Right::OneOf(&["model A", "model B"], || {
        let of_b = (9.0 * 0.99_f64.ln() + 0.0001_f64.ln()) / 10.0;
        if -0.5_f64.ln() < -of_b {
            "model A"
        } else {
            "model B"
        }
    }),
    reason: "0.69 against 0.93: one confident mistake costs 9.2, more than all ten predictions of model A (6.9).",
};

pub(crate) static COST_OF_GUESSING: Prediction = Prediction {
    name: "cost_of_guessing",
    lesson: LESSON,
    before: "The loss, before the loss of pure guessing",
    question: "About how large is the loss of guessing evenly among 65 characters?",
    right: Right::Number(
        || f64::from(cross_entropy(&Array2::zeros((1, 65)), &[0])),
        0.1,
    ),
    reason: "ln 65: the logarithm of the number of characters.",
};

pub(crate) static UNTRAINED_LOSS: Prediction = Prediction {
    name: "untrained_loss",
    lesson: LESSON,
    before: "Model 1: bigram, before its first loss",
    question: "Guessing evenly costs ln 65 = 4.17. What is the loss of a model whose numbers are still random?",
    right: Right::OneOf(
        &["a little below 4.17", "exactly 4.17", "a little above 4.17"],
        || "a little above 4.17",
    ),
    reason: "Its preferences are small and have nothing to do with the text. Random preferences \
             lose more where they are wrong than they gain where they are right.",
};

pub(crate) static BIGRAM_BY_POSITION: Prediction = Prediction {
    name: "bigram_by_position",
    lesson: LESSON,
    before: "Counting does the same, before the losses by position",
    question: "Does a bigram model's loss fall as you move along the context?",
    right: Right::OneOf(&["yes", "no"], || "no"),
    reason: "It sees one character, wherever that is.",
};

pub(crate) static DOES_AVERAGING_WRITE: Prediction = Prediction {
    name: "does_averaging_write",
    lesson: LESSON,
    before: "Model 2: averaging, before it writes",
    question: "Its loss, 2.36, is below the 2.49 of the bigram. Will it write better?",
    right: Right::OneOf(&["yes", "no"], || "no"),
    reason: "In training it saw the answer: the mean contains the next character. When it writes, \
             there is no next character yet.",
};

pub(crate) static SYMMETRIC_FAVOURITE: Prediction = Prediction {
    name: "symmetric_favourite",
    lesson: LESSON,
    before: "Model 3: weights from dot products, before its weights",
    question: "The scores are the dot products of the tokens' own vectors. What will a character attend to most?",
    right: Right::OneOf(&["itself", "the one before", "the first one"], || "itself"),
    reason: "A sum of 64 squares is far larger than a sum of products of mixed signs.",
};

pub(crate) static MOST_OF_THE_PARAMETERS: Prediction = Prediction {
    name: "most_of_the_parameters",
    lesson: LESSON,
    before: "Model 4: a transformer, before its parameters are shown",
    question: "Which part of a block has the most parameters?",
    right: Right::OneOf(&["attention", "feed-forward", "layer norms"], || {
        if 2 * 4 * 64 * 64 > 3 * 64 * 64 {
            "feed-forward"
        } else {
            "attention"
        }
    }),
    reason: "Two layers between 64 and 256 numbers, against three between 64 and 64.",
};
