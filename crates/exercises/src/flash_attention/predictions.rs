//! Predictions for the lesson on flash attention.

use crate::flash_attention::LESSON;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static LENGTHS_THAT_CROSS: Prediction = Prediction {
    name: "lengths_that_cross",
    lesson: LESSON,
    before: "What the matrix costs, before the curves",
    question: "Heads are 64 wide. At how many tokens is the T x T matrix as large as q, k, v and \
               the context together?",
    right: Right::Number(|| (4 * 64) as f64, 1.0),
    reason: "T times T against 4 T D: they are equal at T = 4 D.",
};

pub(crate) static TRAFFIC: Prediction = Prediction {
    name: "traffic",
    lesson: LESSON,
    before: "What the matrix costs, before what is moved is counted",
    question: "For 4096 tokens, attention that stores its scores and its weights computes a \
               context of 1 MB. How much data moves between the processor and its memory in the \
               process?",
    right: Right::OneOf(&["about 4 MB", "about 70 MB", "about 260 MB"], || {
        match naive_bytes(4096, 4096, 64) >> 20 {
            ..20 => "about 4 MB",
            20..200 => "about 70 MB",
            _ => "about 260 MB",
        }
    }),
    reason: "A matrix of 64 MB is written as scores, read by the softmax, written as weights, and read again.",
};

pub(crate) static FACTOR_AT_THE_START: Prediction = Prediction {
    name: "factor_at_the_start",
    lesson: LESSON,
    before: "A softmax that reads one score after another, before the table",
    question: "By what factor is the running sum multiplied when the first score arrives?",
    right: Right::Number(
        || f64::from(online_softmax(&array![2.0_f32], 1)[0].factor),
        0.0,
    ),
    reason: "The maximum was minus infinity, and e to that power is 0: there is no past yet.",
};

pub(crate) static FACTOR_AT_FOUR: Prediction = Prediction {
    name: "factor_at_four",
    lesson: LESSON,
    before: "A softmax that reads one score after another, before the table",
    question: "The scores are 2, 1, 4, 3, 6, 5. By what factor is the running sum multiplied when 4 arrives?",
    right: Right::Number(
        || f64::from(online_softmax(&array![2.0_f32, 1.0, 4.0], 1)[2].factor),
        0.006,
    ),
    reason: "The maximum rises from 2 to 4: e to the power of -2.",
};

pub(crate) static TILES_WITH_A_MASK: Prediction = Prediction {
    name: "tiles_with_a_mask",
    lesson: LESSON,
    before: "In which order, before the pictures",
    question: "320 queries and 320 keys make 25 tiles of 64 x 64. How many are visited with a causal mask?",
    right: Right::Number(|| f64::from(flash_tiles(320, 320, 64, true).sum()), 0.0),
    reason: "1 + 2 + 3 + 4 + 5: the tiles on the diagonal are visited, too.",
};

pub(crate) static IS_IT_EXACT: Prediction = Prediction {
    name: "is_it_exact",
    lesson: LESSON,
    before: "Tiles, before the first comparison with attend",
    question: "Is the context that flash attention computes in tiles the same as that of \
               `attend`, bit for bit?",
    right: Right::OneOf(
        &[
            "yes",
            "no, only up to rounding",
            "no, it is an approximation",
        ],
        || "no, only up to rounding",
    ),
    reason: "It adds the same terms in a different order, and leaves none out: only the last digits can differ.",
};

pub(crate) static KEPT_FOR_TRAINING: Prediction = Prediction {
    name: "kept_for_training",
    lesson: LESSON,
    before: "Learning without the matrix, before log_sum_exp is used",
    question: "Training needs the weights again, 4096 for each query. How many numbers must be \
               kept per query to recompute its weights from its scores?",
    right: Right::OneOf(&["1", "2", "4096"], || "1"),
    reason: "The maximum and the sum combine into one number, m + ln l.",
};

pub(crate) static FLASH_WHEN_DOUBLED: Prediction = Prediction {
    name: "flash_when_doubled",
    lesson: LESSON,
    before: "Memory, measured, before the curves",
    question: "Twice the tokens: by what factor does flash attention's memory grow?",
    right: Right::Number(|| 2.0, 0.1),
    reason: "Only arrays with T rows are left; the tile stays the same.",
};
