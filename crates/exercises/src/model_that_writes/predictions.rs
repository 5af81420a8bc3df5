//! The prediction of the lesson on a model that writes.

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
