//! Predictions for the lesson that builds self-attention from averages.

use crate::from_scratch::LESSON;
use crate::prediction::{Prediction, Right};
use attention::prelude::*;

pub(crate) static AVERAGE_OF_NOISE: Prediction = Prediction {
    name: "average_of_noise",
    lesson: LESSON,
    before: "V1, before the averages of all tokens",
    question: "The numbers of each token are random, with a standard deviation of 1. Roughly what is the standard deviation of the averages of 256 tokens?",
    right: Right::Number(|| 1.0 / 256.0_f64.sqrt(), 0.013),
    reason: "Independent noise partly cancels: the average of n numbers has a standard deviation of 1 / sqrt(n), here 1/16.",
};

pub(crate) static MOST_USED_TOKEN: Prediction = Prediction {
    name: "most_used_token",
    lesson: LESSON,
    before: "V2, before the table of 256 tokens",
    question: "Every row of the table shares 1 equally among the tokens so far. Which token gets the most from all rows together?",
    right: Right::OneOf(&["the first", "the last", "all get the same"], || {
        let table = renormalise(&Array2::<f32>::ones((16, 16)), &causal_mask(16));
        let received = table.sum_axis(Axis(0));
        match received[0].total_cmp(&received[15]) {
            std::cmp::Ordering::Greater => "the first",
            std::cmp::Ordering::Less => "the last",
            std::cmp::Ordering::Equal => "all get the same",
        }
    }),
    reason: "Every row includes it, and the first rows share among few. The last token is in one row only. Rows add up to 1; columns need not.",
};

pub(crate) static WORK_OF_THE_TABLE: Prediction = Prediction {
    name: "work_of_the_table",
    lesson: LESSON,
    before: "V5, before the work is counted",
    question: "The text becomes twice as long. How many times as much work does the product with \
               the table take, and how many times as much the running sum?",
    right: Right::OneOf(&["2 and 2", "4 and 2", "4 and 4"], || {
        let products = |tokens: usize| tokens * tokens;
        let grows = |work: &dyn Fn(usize) -> usize| work(512) / work(256);
        match (grows(&products), grows(&|tokens| tokens)) {
            (4, 2) => "4 and 2",
            (4, 4) => "4 and 4",
            _ => "2 and 2",
        }
    }),
    reason: "The table has a weight for each pair of tokens, so it grows with their square; the running sum adds each token once.",
};

pub(crate) static OTHER_ORDER: Prediction = Prediction {
    name: "other_order",
    lesson: LESSON,
    before: "Five facts about attention, before the tokens are reordered",
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

pub(crate) static TEXTS_JOINED: Prediction = Prediction {
    name: "texts_joined",
    lesson: LESSON,
    before: "Five facts about attention, before two texts of the batch are joined",
    question: "The texts of a batch have 256 tokens each. Now put text 1 after text 0, instead of \
               beside it: one text of 512 tokens, with a causal mask. How many of the 512 results \
               change?",
    right: Right::Number(
        || {
            let joined = causal_mask(512);
            let apart =
                Array2::from_shape_fn((512, 512), |(t, s)| joined[[t, s]] && t / 256 == s / 256);
            let rows = joined.rows().into_iter().zip(apart.rows());
            rows.filter(|(joined, apart)| joined != apart).count() as f64
        },
        0.0,
    ),
    reason: "Text 0 still sees only itself. Every token of text 1, its first one included, now sees all of text 0 as well.",
};

pub(crate) static LEAKS_TO_THE_PAST: Prediction = Prediction {
    name: "leaks_to_the_past",
    lesson: LESSON,
    before: "Five facts about attention, before the last token is changed",
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
