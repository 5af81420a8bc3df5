//! What to guess in the lesson on averages.

use crate::lesson::Lesson;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static THIRD_MEAN: Prediction = Prediction {
    name: "third_mean",
    lesson: Lesson::FromScratch,
    before: "V1, before the averages",
    question: "The tokens are 2, 4 and 9. What is the average so far at the third one?",
    right: Right::Number(
        || f64::from(average_so_far(&array![[[2.0_f32], [4.0], [9.0]]])[[0, 2, 0]]),
        0.001,
    ),
    reason: "15 / 3.",
};

pub(crate) static WEIGHT_IN_ROW_NINE: Prediction = Prediction {
    name: "weight_in_row_nine",
    lesson: Lesson::FromScratch,
    before: "V2, before the table of 256 tokens",
    question: "In the table of weights, what is each visible weight in row 9, counted from 0?",
    right: Right::Number(
        || f64::from(renormalise(&Array2::<f32>::ones((16, 16)), &causal_mask(16))[[9, 0]]),
        0.001,
    ),
    reason: "Token 9 has seen ten tokens, itself included.",
};

pub(crate) static WORK_OF_THE_TABLE: Prediction = Prediction {
    name: "work_of_the_table",
    lesson: Lesson::FromScratch,
    before: "V5, before the work is counted",
    question: "With 256 tokens, how many times the work of one running sum does the product with a table do?",
    right: Right::Number(|| (256 * 256 / 256) as f64, 0.0),
    reason: "It multiplies each token by 256 weights, where the running sum adds each token once.",
};

pub(crate) static OTHER_ORDER: Prediction = Prediction {
    name: "other_order",
    lesson: Lesson::FromScratch,
    before: "What attention does not know, before the tokens are reordered",
    question: "Reverse the order of the keys, together with their values. What happens to the result of a query, without a mask?",
    right: Right::OneOf(&["it changes", "it stays the same"], || {
        let (q, k) = (array![[1.0_f64, 2.0]], array![[1.0, 0.0], [0.5, 2.0]]);
        let reversed = k.select(Axis(0), &[1, 0]);
        let one = attend(&q, &k, &k, None).context;
        let other = attend(&q, &reversed, &reversed, None).context;
        if (&one - &other)
            .iter()
            .all(|difference| difference.abs() < 1e-9)
        {
            "it stays the same"
        } else {
            "it changes"
        }
    }),
    reason: "A sum does not depend on the order of its terms: attention mixes a set.",
};

pub(crate) static OTHER_TEXT: Prediction = Prediction {
    name: "other_text",
    lesson: Lesson::FromScratch,
    before: "What attention does not know, before text 1 of the batch is changed",
    question: "Change text 1 of a batch. What happens to the result for text 0?",
    right: Right::OneOf(&["it changes", "it stays the same"], || "it stays the same"),
    reason: "The texts of a batch are computed side by side, and do not meet.",
};

pub(crate) static LEAKS_TO_THE_PAST: Prediction = Prediction {
    name: "leaks_to_the_past",
    lesson: Lesson::FromScratch,
    before: "What attention does not know, before the last token is changed",
    question: "With a causal mask over 256 tokens, change the key and the value of the last one. How many of the 256 results change?",
    right: Right::Number(
        || {
            causal_mask(256)
                .column(255)
                .iter()
                .filter(|visible| **visible)
                .count() as f64
        },
        0.0,
    ),
    reason: "Only the last token may look at the last token.",
};
