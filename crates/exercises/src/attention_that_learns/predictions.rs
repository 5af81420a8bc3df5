//! Predictions for the lesson on attention that learns.

use crate::attention_that_learns::LESSON;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static QUERY_OF_A_REPEATED_WORD: Prediction = Prediction {
    name: "query_of_a_repeated_word",
    lesson: LESSON,
    before: "Three matrices, before the queries are computed",
    question: "A sentence contains the same word twice, with the same three numbers. Can its two queries differ?",
    right: Right::OneOf(&["yes", "no"], || {
        let twice = array![[0.22, 0.58, 0.33], [0.22, 0.58, 0.33]];
        let queries = twice.dot(&array![[0.3, 0.5], [0.2, 0.7], [0.1, 0.9]]);
        if queries.row(0) == queries.row(1) {
            "no"
        } else {
            "yes"
        }
    }),
    reason: "A query is the word's own numbers times the matrix. Neither its neighbours nor its \
             place in the sentence comes into it.",
};

pub(crate) static LOSS_WITHOUT_A_MASK: Prediction = Prediction {
    name: "loss_without_a_mask",
    lesson: LESSON,
    before: "Hiding the future, before the mask",
    question: "You train a model to predict the next word, but forget to hide the future. How \
               well does it predict the training text?",
    right: Right::OneOf(
        &[
            "almost perfectly",
            "as well as with a mask",
            "worse than with a mask",
        ],
        || {
            // A head that looks at the next word, which is possible only without a mask.
            let next = Array2::from_shape_fn((5, 5), |(t, s)| 20.0 * f32::from(s == t + 1));
            let error = -softmax(&next)[[0, 1]].ln();
            if error < 0.01 {
                "almost perfectly"
            } else {
                "worse than with a mask"
            }
        },
    ),
    reason: "It copies the next word, which it can see, and seems perfect. When it writes, there is no next word to copy.",
};

pub(crate) static FIRST_WORD_ALONE: Prediction = Prediction {
    name: "first_word_alone",
    lesson: LESSON,
    before: "Hiding the future, before the causal weights",
    question: "With a causal mask, what weight does the first word give itself?",
    right: Right::Number(
        || f64::from(softmax(&mask_scores(&Array2::<f32>::zeros((6, 6)), &causal_mask(6)))[[0, 0]]),
        0.001,
    ),
    reason: "It sees nothing but itself, and each row adds up to 1.",
};

pub(crate) static KEPT_WEIGHT: Prediction = Prediction {
    name: "kept_weight",
    lesson: LESSON,
    before: "Dropout, before it is tried on the weights",
    question: "Each weight is dropped with a probability of one half. What does a weight of 0.24 \
               become if it is kept?",
    right: Right::Number(|| 0.24 / (1.0 - 0.5), 0.001),
    reason: "It is divided by the probability of being kept, so that the sum stays the same on average.",
};

pub(crate) static WORK_OF_TWO_HEADS: Prediction = Prediction {
    name: "work_of_two_heads",
    lesson: LESSON,
    before: "Several heads, before the columns are split",
    question: "One head of width four, or two heads of width two: which needs more \
               multiplications to compare each of the six words with all six?",
    right: Right::OneOf(&["one head", "two heads", "both the same"], || {
        let multiplications = |heads: usize, width: usize| heads * 6 * 6 * width;
        match multiplications(1, 4).cmp(&multiplications(2, 2)) {
            std::cmp::Ordering::Greater => "one head",
            std::cmp::Ordering::Less => "two heads",
            std::cmp::Ordering::Equal => "both the same",
        }
    }),
    reason: "There are twice as many scores, and each takes half as many multiplications. So \
             several heads need no more multiplications, only more softmaxes.",
};
