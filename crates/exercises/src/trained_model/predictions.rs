//! What to guess in the lesson on a model that others have trained.

use crate::lesson::Lesson;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static FIRST_COLUMN: Prediction = Prediction {
    name: "first_column",
    lesson: Lesson::TrainedModel,
    before: "One head by hand, before its weights",
    question: "Twelve heads share 384 columns, and head 2 gets columns 64 to 95. At which column does head 11 begin?",
    right: Right::Number(|| (11 * (384 / 12)) as f64, 0.0),
    reason: "Each head is 384 / 12 = 32 columns wide, and eleven heads stand before it.",
};

pub(crate) static WEIGHTS_IN_ALL: Prediction = Prediction {
    name: "weights_in_all",
    lesson: Lesson::TrainedModel,
    before: "All heads at once, before the maps",
    question: "6 layers of 12 heads look at 15 tokens. How many weights do the maps show together?",
    right: Right::Number(|| Array4::<f32>::zeros((6, 12, 15, 15)).len() as f64, 0.0),
    reason: "72 maps of 15 x 15. Nobody reads 16,200 numbers: one looks for patterns, and then counts.",
};

pub(crate) static EVEN_SHARE: Prediction = Prediction {
    name: "even_share",
    lesson: Lesson::TrainedModel,
    before: "All heads at once, before the loop over all heads",
    question: "A head looks at all of 15 tokens alike. How much does a token give to the one before it?",
    right: Right::Number(
        || f64::from(softmax(&Array2::<f32>::zeros((1, 15)))[[0, 0]]),
        0.004,
    ),
    reason: "1 divided by 15. So 0.3 is much, and what a head does by chance is about 0.07.",
};

pub(crate) static WHERE_IT_RESTS: Prediction = Prediction {
    name: "where_it_rests",
    lesson: Lesson::TrainedModel,
    before: "Resting places, before the map of head 2.7",
    question: "A head looks for something that this sentence does not have. What does it do with its weights?",
    right: Right::OneOf(
        &[
            "they are all 0",
            "they go to one token that is always there",
            "they go to the token itself",
        ],
        || "they go to one token that is always there",
    ),
    reason: "A softmax never adds up to 0. `[CLS]` and `[SEP]` are in every text, so training could make them a place to rest.",
};

pub(crate) static WHEN_IT_IS_WIDE: Prediction = Prediction {
    name: "when_it_is_wide",
    lesson: Lesson::TrainedModel,
    before: "Who is it?, before the second graph",
    question: "\"Tired\" becomes \"wide\", two places after \"it\". What becomes of the weight that \"it\" gives to \"animal\" in head 3.1?",
    right: Right::OneOf(
        &["it grows", "it shrinks", "it stays the same"],
        || "it shrinks",
    ),
    reason: "Nothing is masked: the layers below have mixed the last word into the vector of \"it\", which asks for something else now.",
};

pub(crate) static HEADS_THAT_MATTER: Prediction = Prediction {
    name: "heads_that_matter",
    lesson: Lesson::TrainedModel,
    before: "What a head does not explain, before every head is switched off",
    question: "One head is switched off. In which layer does that change the result most?",
    right: Right::OneOf(&["the first", "the last", "all alike"], || "the last"),
    reason: "No layer comes after it that could make up for what is gone.",
};

pub(crate) static CLOSEST_SENTENCES: Prediction = Prediction {
    name: "closest_sentences",
    lesson: Lesson::TrainedModel,
    before: "The whole sentence as one vector, before the matrix of cosines",
    question: "Four sentences: A cat sits on the mat. A kitten is sitting on a rug. The animal was tired. Streets can be very wide. Which two are closest?",
    right: Right::OneOf(
        &["cat and kitten", "cat and animal", "animal and streets"],
        || "cat and kitten",
    ),
    reason: "They share only small words, but they mean nearly the same, and that is what the model was trained for.",
};
