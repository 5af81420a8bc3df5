//! Predictions for the lesson on a model that writes.

use crate::model_that_writes::LESSON;
use crate::prediction::{Prediction, Right};

pub(crate) static ALWAYS_THE_BEST: Prediction = Prediction {
    name: "always_the_best",
    lesson: LESSON,
    before: "Probabilities, not an answer, before the model writes 60 tokens",
    question: "The model continues \"She opened the door and\", and takes the most likely token 60 times. What will the text be like?",
    right: Right::OneOf(
        &["a good story", "nonsense", "the same again and again"],
        || "the same again and again",
    ),
    reason: "It begins well, and then repeats \"my own family\" to the end. What has just been said is the most likely thing to be said next, and without chance there is no way out.",
};

pub(crate) static LONG_TAIL: Prediction = Prediction {
    name: "long_tail",
    lesson: LESSON,
    before: "Probabilities, not an answer, before the five temperatures",
    question: "After \"She opened the door and\", the best 150 of 49,152 tokens have 90% of the \
               probability. How many tokens are needed for 90% at temperature 2?",
    right: Right::OneOf(&["50", "300", "1,000", "10,000"], || "10,000"),
    reason: "Each of the other 49,000 tokens has next to nothing, but there are so many of them. A temperature of 2 takes the square root of every ratio: a token a million times less likely than the best is then only a thousand times less likely.",
};
