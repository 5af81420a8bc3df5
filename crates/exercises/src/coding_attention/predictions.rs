//! Predictions of the lesson that builds attention from simple arithmetic.

use crate::lesson::Lesson;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

const WORDS: [&str; 6] = ["Your", "journey", "starts", "with", "one", "step"];

/// The sentence of the lesson.
fn inputs() -> Array2<f32> {
    array![
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
}

/// Whether adding 100 to all scores changes the weights.
fn is_shifted() -> bool {
    let scores = inputs().dot(&inputs().row(1));
    let difference = softmax(&scores) - softmax(&(&scores + 100.0));
    difference.iter().any(|difference| difference.abs() > 1e-4)
}

/// Whether the weights of the sentence are symmetric.
fn is_symmetric() -> bool {
    let weights = softmax(&inputs().dot(&inputs().t()));
    (&weights - &weights.t())
        .iter()
        .all(|difference| difference.abs() < 1e-4)
}

pub(crate) static ATTENDED_MOST: Prediction = Prediction {
    name: "attended_most",
    lesson: Lesson::CodingAttention,
    before: "Step 1: scores, before the scores of journey are computed",
    question: "Which word will have the largest dot product with journey, [0.55, 0.87, 0.66]?",
    right: Right::OneOf(&WORDS, || {
        let scores = inputs().dot(&inputs().row(1));
        let best = (0..6).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        WORDS[best.unwrap_or(0)]
    }),
    reason: "A vector points in exactly its own direction, and journey is one of the two longest. \
             (For a short word, a longer one can win.)",
};

pub(crate) static OVERFLOWING_SCORE: Prediction = Prediction {
    name: "overflowing_score",
    lesson: Lesson::CodingAttention,
    before: "Step 2: weights, before 100 is added to every score",
    question: "The largest f32 is 3.4e38. Which is the smallest of these scores whose exponential is too large for it?",
    right: Right::OneOf(&["20", "50", "100", "500"], || {
        let overflows = |score: f32| score.exp().is_infinite();
        let scores = [("20", 20.0), ("50", 50.0), ("100", 100.0), ("500", 500.0)];
        let first = scores.into_iter().find(|(_, score)| overflows(*score));
        first.map_or("none", |(text, _)| text)
    }),
    reason: "e is about 10 to the power of 0.43, so e to the power of 100 has 44 digits. The limit is 88.72.",
};

pub(crate) static SHIFTED_SCORES: Prediction = Prediction {
    name: "shifted_scores",
    lesson: Lesson::CodingAttention,
    before: "Step 2: weights, before the softmax of the shifted scores",
    question: "Add 100 to every score. What happens to the weights of a softmax that does not overflow?",
    right: Right::OneOf(
        &["they grow", "they stay the same", "they become equal"],
        || {
            if is_shifted() {
                "they grow"
            } else {
                "they stay the same"
            }
        },
    ),
    reason: "Every exponential grows by the same factor, and so does their sum: only differences count.",
};

pub(crate) static WEIGHTS_SYMMETRIC: Prediction = Prediction {
    name: "weights_symmetric",
    lesson: Lesson::CodingAttention,
    before: "All weights, before their picture",
    question: "The scores are symmetric: one matches step exactly as well as step matches one. \
               Will the weights be symmetric, too?",
    right: Right::OneOf(&["yes", "no"], || if is_symmetric() { "yes" } else { "no" }),
    reason: "The score is the same, but each row divides by its own sum.",
};

pub(crate) static QUERY_OF_A_REPEATED_WORD: Prediction = Prediction {
    name: "query_of_a_repeated_word",
    lesson: Lesson::CodingAttention,
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
    reason: "A query is the word's own numbers times the matrix. Neither its neighbours nor its place in the sentence come in.",
};

pub(crate) static LOSS_WITHOUT_A_MASK: Prediction = Prediction {
    name: "loss_without_a_mask",
    lesson: Lesson::CodingAttention,
    before: "Hiding the future, before the mask",
    question: "You train a model to predict the next word, but forget to hide the future. What becomes small on the training text?",
    right: Right::OneOf(&["its error", "its vocabulary", "nothing"], || {
        // A head that looks at the next word, which is possible only without a mask.
        let next = Array2::from_shape_fn((5, 5), |(t, s)| 20.0 * f32::from(s == t + 1));
        let error = -softmax(&next)[[0, 1]].ln();
        if error < 0.01 { "its error" } else { "nothing" }
    }),
    reason: "It copies the next word, which it can see, and seems perfect. When it writes, there is no next word to copy.",
};

pub(crate) static FIRST_WORD_ALONE: Prediction = Prediction {
    name: "first_word_alone",
    lesson: Lesson::CodingAttention,
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
    lesson: Lesson::CodingAttention,
    before: "Dropout, before it is tried on the weights",
    question: "With a probability of one half, what does a weight of 0.24 become if it is kept?",
    right: Right::Number(|| 0.24 / (1.0 - 0.5), 0.001),
    reason: "It is divided by the probability of being kept, so that the sum stays the same on average.",
};

pub(crate) static WORK_OF_TWO_HEADS: Prediction = Prediction {
    name: "work_of_two_heads",
    lesson: Lesson::CodingAttention,
    before: "Several heads, before the columns are split",
    question: "One head of width four, or two heads of width two: which needs more multiplications to compare all six words?",
    right: Right::OneOf(&["one head", "two heads", "both the same"], || {
        let multiplications = |heads: usize, width: usize| heads * 6 * 6 * width;
        match multiplications(1, 4).cmp(&multiplications(2, 2)) {
            std::cmp::Ordering::Greater => "one head",
            std::cmp::Ordering::Less => "two heads",
            std::cmp::Ordering::Equal => "both the same",
        }
    }),
    reason: "There are twice as many scores, and each takes half as many multiplications. So several heads cost nothing extra.",
};
