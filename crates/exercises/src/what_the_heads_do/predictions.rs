//! Predictions for the lesson on what the heads of a model that writes do.

use crate::prediction::{Prediction, Right};
use crate::what_the_heads_do::LESSON;

pub(crate) static HIDDEN_TOKEN: Prediction = Prediction {
    name: "hidden_token",
    lesson: LESSON,
    before: "The first token, before one early token is hidden",
    question: "From token 64 of the story on, no token may look at one particular early token. \
               Which one does the model miss most?",
    right: Right::OneOf(
        &["the first one", "the first noun", "all equally", "none"],
        || "the first one",
    ),
    reason: "Without the first token the loss rises from 3.03 to 4.34; without token 1, 2, 5, 7 \
             or 10 it stays at 3.03 or 3.04. What the model misses is the place to rest, not the \
             word.",
};

pub(crate) static SHUFFLED_PAST: Prediction = Prediction {
    name: "shuffled_past",
    lesson: LESSON,
    before: "One token back, before the past is shuffled",
    question: "The first 160 tokens of a story are cut away, or shuffled. Which is worse for \
               predicting tokens 200 to 259?",
    right: Right::OneOf(&["cut away", "shuffled", "equally bad"], || "shuffled"),
    reason: "With everything in order the loss is 2.57, with the beginning cut away 2.75, and \
             with it shuffled about 3.0. In this story, a past without order is worse than none.",
};

pub(crate) static FIVE_HEADS_OFF: Prediction = Prediction {
    name: "five_heads_off",
    lesson: LESSON,
    before: "Copying, before five heads are switched off",
    question: "The five heads that copy best are switched off, 5 of 270. What happens to repeating a list of words, and what to an ordinary story?",
    right: Right::OneOf(
        &[
            "both get a little worse",
            "both fall apart",
            "only the list suffers",
            "nothing happens",
        ],
        || "only the list suffers",
    ),
    reason: "The loss on the second list rises from 1.8 to 5.1, and on the story it stays where it was. Copying rests on a few heads; the story does not need them.",
};

pub(crate) static IT_CANNOT_KNOW: Prediction = Prediction {
    name: "it_cannot_know",
    lesson: LESSON,
    before: "One sentence, two endings, before the sentences are compared",
    question: "\"The animal did not cross the street because it was too tired\" and \"... too wide\": does \"it\" look at \"animal\" with the same weight in both?",
    right: Right::OneOf(
        &["more in the first", "nearly the same", "exactly the same"],
        || "exactly the same",
    ),
    reason: "The difference is 0.0 in all 270 heads: the last word comes after \"it\", and nothing that comes later can change what came before. MiniLM, in lesson 07, looks both ways.",
};

pub(crate) static WRONG_EXAMPLES: Prediction = Prediction {
    name: "wrong_examples",
    lesson: LESSON,
    before: "Do examples teach?, before the examples are wrong",
    question: "With three right sums in front, the model completes 30 of 33 sums; without, 3. How many if the three sums in front are wrong?",
    right: Right::OneOf(
        &["none", "3, as without", "about half", "nearly 30"],
        || "nearly 30",
    ),
    reason: "29. So it is not the answers in the examples that help. The last line of the next \
             cell shows what does.",
};
