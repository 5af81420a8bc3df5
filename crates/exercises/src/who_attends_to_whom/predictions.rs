//! What to guess in the lesson that reads matrices of weights.

use crate::lesson::Lesson;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static ARRIVING_IN_ALL: Prediction = Prediction {
    name: "arriving_in_all",
    lesson: Lesson::WhoAttendsToWhom,
    before: "Self-attention, before the sums of what leaves and what arrives",
    question: "Four tokens attend to each other. How much attention arrives at all of them together?",
    right: Right::Number(|| softmax(&Array2::<f64>::eye(4)).sum(), 0.01),
    reason: "Each token gives away exactly 1, and all that leaves arrives somewhere.",
};

pub(crate) static FIRST_CAUSAL_ROW: Prediction = Prediction {
    name: "first_causal_row",
    lesson: Lesson::WhoAttendsToWhom,
    before: "Causal attention, before the matrix",
    question: "The first token is nah. To which of nah, I, d and win can it attend with a causal mask?",
    right: Right::OneOf(&["nah", "I", "d", "win"], || {
        ["nah", "I", "d", "win"][causal_mask(4)
            .row(0)
            .iter()
            .rposition(|visible| *visible)
            .unwrap_or(0)]
    }),
    reason: "Nothing came before it, so it sees only itself.",
};

pub(crate) static CROSS_ROWS: Prediction = Prediction {
    name: "cross_rows",
    lesson: Lesson::WhoAttendsToWhom,
    before: "Cross attention, before the matrix",
    question: "Four English words look at three Japanese ones. How many rows does the matrix of weights have?",
    right: Right::Number(
        || scores(&Array2::<f64>::zeros((4, 8)), &Array2::zeros((3, 8))).nrows() as f64,
        0.0,
    ),
    reason: "A row for each word that looks, a column for each that is looked at.",
};

pub(crate) static CROSS_RESULT: Prediction = Prediction {
    name: "cross_result",
    lesson: Lesson::WhoAttendsToWhom,
    before: "Cross attention, before the shapes are printed",
    question: "The weights mix the three Japanese values. How many rows does the result have?",
    right: Right::Number(
        || {
            attend(
                &Array2::<f64>::zeros((4, 8)),
                &Array2::zeros((3, 8)),
                &Array2::zeros((3, 8)),
                None,
            )
            .context
            .nrows() as f64
        },
        0.0,
    ),
    reason: "Each of the four words that look gets one mixture of the values.",
};
