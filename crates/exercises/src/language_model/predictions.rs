//! What to guess in the lesson that trains language models.

use crate::lesson::Lesson;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static COST_OF_CERTAINTY: Prediction = Prediction {
    name: "cost_of_certainty",
    lesson: Lesson::LanguageModel,
    before: "The loss, before its curve",
    question: "What does a probability of 1 for what really came cost?",
    right: Right::Number(|| (1.0_f64).ln().abs(), 0.0),
    reason: "The logarithm of 1 is 0: no surprise.",
};

pub(crate) static COST_OF_GUESSING: Prediction = Prediction {
    name: "cost_of_guessing",
    lesson: Lesson::LanguageModel,
    before: "The loss, before the loss of pure guessing",
    question: "About what is the loss of guessing among 65 equally probable characters?",
    right: Right::Number(
        || f64::from(cross_entropy(&Array2::zeros((1, 65)), &[0])),
        0.1,
    ),
    reason: "ln 65: the logarithm of how many there are.",
};

pub(crate) static EXERCISES_IN_NINE: Prediction = Prediction {
    name: "exercises_in_nine",
    lesson: Lesson::LanguageModel,
    before: "The text, before the beginnings are printed",
    question: "How many exercises, predict the next character, do nine characters make?",
    right: Right::Number(|| (9 - 1) as f64, 0.0),
    reason: "One after each character but the last.",
};

pub(crate) static BIGRAM_BY_POSITION: Prediction = Prediction {
    name: "bigram_by_position",
    lesson: Lesson::LanguageModel,
    before: "Counting does the same, before the losses by position",
    question: "Does the loss of a bigram model get smaller with the place in the context?",
    right: Right::OneOf(&["yes", "no"], || "no"),
    reason: "It sees one character wherever it stands.",
};

pub(crate) static DOES_AVERAGING_WRITE: Prediction = Prediction {
    name: "does_averaging_write",
    lesson: Lesson::LanguageModel,
    before: "Model 2: averaging, before it writes",
    question: "Its loss, 2.36, is below the 2.49 of the bigram. Will it write better?",
    right: Right::OneOf(&["yes", "no"], || "no"),
    reason: "It saw what it should predict: the mean has the next character in it. When it writes, that is not there.",
};

pub(crate) static SYMMETRIC_FAVOURITE: Prediction = Prediction {
    name: "symmetric_favourite",
    lesson: Lesson::LanguageModel,
    before: "Model 3: weights from dot products, before its weights",
    question: "Scores are dot products of the vectors with themselves. Whom will a character attend to most?",
    right: Right::OneOf(&["itself", "the one before", "the first one"], || "itself"),
    reason: "A sum of 64 squares is far larger than a sum of products with different signs.",
};

pub(crate) static MOST_OF_THE_PARAMETERS: Prediction = Prediction {
    name: "most_of_the_parameters",
    lesson: Lesson::LanguageModel,
    before: "Model 4: a transformer, before its parameters are shown",
    question: "Which part of a block has the most parameters?",
    right: Right::OneOf(&["attention", "feed-forward", "layer norms"], || {
        if 2 * 4 * 64 * 64 > 4 * 64 * 64 {
            "feed-forward"
        } else {
            "attention"
        }
    }),
    reason: "Two layers between 64 and 256 numbers, against four between 64 and 64.",
};
