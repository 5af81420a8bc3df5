//! Predictions for the lesson on a trained model.

use crate::prediction::{Prediction, Right};
use crate::trained_model::LESSON;

pub(crate) static SAME_WORD_TWICE: Prediction = Prediction {
    name: "same_word_twice",
    lesson: LESSON,
    before: "One head by hand, before its weights",
    question: "The word \"the\" appears twice in the sentence. Does it have the same query in both places, in the very first layer?",
    right: Right::OneOf(&["yes", "no"], || "no"),
    reason: "The embedding adds a vector for the position to that of the word, so the two ask for different things from the start.",
};

pub(crate) static MOST_EVEN_LAYER: Prediction = Prediction {
    name: "most_even_layer",
    lesson: LESSON,
    before: "All heads at once, before the maps",
    question: "In which layer do most heads look at everything a little, without a clear habit?",
    right: Right::OneOf(
        &["the first", "the middle ones", "the last"],
        || "the first",
    ),
    reason: "Ten of its twelve heads do, as do five of those in the last layer. In the layers \
             between, most heads rest on `[CLS]` or pick out single tokens.",
};

pub(crate) static HABIT_ELSEWHERE: Prediction = Prediction {
    name: "habit_elsewhere",
    lesson: LESSON,
    before: "All heads at once, before head 0.2 reads another sentence",
    question: "In this sentence, head 0.2 gives 1.00 to the token before. About how much will it give in a sentence with entirely different words?",
    right: Right::OneOf(
        &["nearly 0", "about 0.5", "still nearly 1"],
        || "still nearly 1",
    ),
    reason: "It does not look for a word but for a position, and positions are the same in every sentence.",
};

pub(crate) static WHERE_IT_RESTS: Prediction = Prediction {
    name: "where_it_rests",
    lesson: LESSON,
    before: "When there is nothing to find, before the map of head 2.7",
    question: "A head looks for something that is not in this sentence. What happens to its weights?",
    right: Right::OneOf(
        &[
            "they are all 0",
            "they go to one token that is always there",
            "they go to the token itself",
        ],
        || "they go to one token that is always there",
    ),
    reason: "The weights of a row always add up to 1. `[CLS]` begins every text, so training could make it a place to rest.",
};

pub(crate) static WHEN_IT_IS_WIDE: Prediction = Prediction {
    name: "when_it_is_wide",
    lesson: LESSON,
    before: "What is it?, before the second graph",
    question: "\"Tired\" becomes \"wide\", three places after \"it\". What happens to the weight that \"it\" gives to \"animal\" in head 3.1?",
    right: Right::OneOf(
        &["it grows", "it shrinks", "it stays the same"],
        || "it shrinks",
    ),
    reason: "It falls from 0.69 to 0.32. Nothing is masked, so the layers below have mixed the last word into the vectors of \"it\" and \"animal\": both the query and the key are different.",
};

pub(crate) static HEADS_THAT_MATTER: Prediction = Prediction {
    name: "heads_that_matter",
    lesson: LESSON,
    before: "What a head does not explain, before every head is switched off",
    question: "One head is switched off. In which layer does that change the result most?",
    right: Right::OneOf(&["the first", "the last", "all equally"], || "the last"),
    reason: "What the last layer adds goes straight into the mean that is the result.",
};

pub(crate) static CLOSEST_SENTENCES: Prediction = Prediction {
    name: "closest_sentences",
    lesson: LESSON,
    before: "The whole sentence as one vector, before the matrix of cosines",
    question: "Four sentences: A cat sits on the mat. A kitten is sitting on a rug. The animal \
               was tired. A cat does not sit on the mat. Which is closest to the first?",
    right: Right::OneOf(
        &["the kitten", "the tired animal", "the one with not"],
        || "the one with not",
    ),
    reason: "0.89 against 0.69 for the kitten: the vector says what a sentence is about, and \
             hardly whether it says yes or no.",
};
