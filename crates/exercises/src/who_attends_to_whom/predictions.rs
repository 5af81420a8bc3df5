//! Predictions for the lesson that reads matrices of weights.

use crate::prediction::{Prediction, Right};
use crate::who_attends_to_whom::LESSON;
use attention::prelude::*;

pub(crate) static ARRIVING_IN_ALL: Prediction = Prediction {
    name: "arriving_in_all",
    lesson: LESSON,
    before: "Self-attention, before the sums of what leaves and what arrives",
    question: "Four tokens attend to each other. Add up all sixteen weights of the matrix: what \
               is the sum?",
    right: Right::Number(|| softmax(&Array2::<f64>::eye(4)).sum(), 0.01),
    reason: "Each token gives away exactly 1, and everything that leaves arrives somewhere.",
};

pub(crate) static UNCHANGED_BY_THE_MASK: Prediction = Prediction {
    name: "unchanged_by_the_mask",
    lesson: LESSON,
    before: "Causal attention, before the matrix",
    question: "Which word's row of weights stays as it is when the causal mask is added?",
    right: Right::OneOf(&["nah", "I", "d", "win"], || {
        let sees_all = |row: &usize| causal_mask(4).row(*row).iter().all(|visible| *visible);
        ["nah", "I", "d", "win"][(0..4).find(sees_all).unwrap_or(0)]
    }),
    reason: "It is the last word: nothing comes after it, so nothing is hidden from it. The first word loses the most, and sees only itself.",
};

pub(crate) static MASK_FOR_READING: Prediction = Prediction {
    name: "mask_for_reading",
    lesson: LESSON,
    before: "Cross attention, before the matrix",
    question: "A translation model writes the English sentence word by word. Does a mask have to \
               hide any of the Japanese words from the model?",
    right: Right::OneOf(&["yes", "no"], || "no"),
    reason: "The Japanese sentence is complete: none of it lies in the future. Only the English words still to come do.",
};

pub(crate) static ONE_MORE_TO_READ: Prediction = Prediction {
    name: "one_more_to_read",
    lesson: LESSON,
    before: "Cross attention, before the shapes are printed",
    question: "The Japanese sentence gets a fourth token. What happens to the shape of the matrix \
               of context vectors?",
    right: Right::OneOf(
        &["it gets a row", "it gets a column", "it stays the same"],
        || {
            let shape = |read: usize| {
                let (queries, read) = (Array2::<f64>::zeros((4, 8)), Array2::zeros((read, 8)));
                attend(&queries, &read, &read, None).context.dim()
            };
            match (shape(3), shape(4)) {
                (three, four) if three == four => "it stays the same",
                (three, four) if three.0 < four.0 => "it gets a row",
                _ => "it gets a column",
            }
        },
    ),
    reason: "The weights get a column, and each sum over the keys gets one more term. There is still one context for each English word.",
};
