//! A whole text as one vector.

use crate::exercise::*;
use crate::trained_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>) -> Array1<f32>> = Exercise {
    name: "sentence_vector",
    title: "A sentence as one vector",
    lesson: LESSON,
    after: "The whole sentence as one vector, after what the model does in the end",
    task: "Make one vector of a sentence, as the model does: the mean of its tokens' vectors, \
           divided by its own length (the root of the sum of its squares). `hidden` is (tokens, \
           channels).",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[],
    source: include_str!("sentence_vector.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one token, [3, 4], whose length is 5: [0.6, 0.8]",
            run: |f| f(&array![[3.0, 4.0]]).output(),
        },
        Probe {
            what: "two tokens, [6, 0] and [0, 8]",
            run: |f| f(&array![[6.0, 0.0], [0.0, 8.0]]).output(),
        },
        Probe {
            what: "three tokens of four channels, with negative numbers",
            run: |f| f(&matrix(110, 3, 4)).output(),
        },
        Probe {
            what: "five tokens of three channels, one of them very long",
            run: |f| {
                let mut hidden = matrix(111, 5, 3);
                hidden.row_mut(2).mapv_inplace(|x| x * 20.0);
                f(&hidden).output()
            },
        },
        Probe {
            what: "two tokens of seven channels",
            run: |f| f(&matrix(112, 2, 7)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |h| mean(h),
            says: "This is the mean, not yet divided by its length: the dot product of two such \
                   vectors is not a cosine.",
        },
        Mutant {
            code: |h| &h.row(0) / length(&h.row(0).to_owned()),
            says: "This is the first token's vector, `[CLS]`, divided by its length. Other models \
                   use it for the whole sentence; this one uses all tokens.",
        },
        Mutant {
            code: |h| {
                let last = h.row(h.nrows() - 1).to_owned();
                &last / length(&last)
            },
            says: "This is the last token's vector, `[SEP]`, divided by its length. What do the \
                   other tokens say?",
        },
        Mutant {
            code: |h| {
                let mut rows = h.clone();
                for mut row in rows.rows_mut() {
                    let by = length(&row.to_owned());
                    row /= by;
                }
                mean(&rows)
            },
            says: "Each token was divided by its length, and then the mean was taken: its length \
                   is not 1, and long vectors count no more than short ones. Which comes first?",
        },
        Mutant {
            code: |h| {
                let mut rows = h.clone();
                for mut row in rows.rows_mut() {
                    let by = length(&row.to_owned());
                    row /= by;
                }
                &mean(&rows) / length(&mean(&rows))
            },
            says: "Each token was divided by its length before the mean, so long vectors count no \
                   more than short ones.",
        },
        Mutant {
            code: |h| &mean(h) / mean(h).sum(),
            says: "The mean was divided by the sum of its numbers: they add up to 1 as weights do. \
                   What is the length of a vector?",
        },
        Mutant {
            code: |h| &mean(h) / mean(h).dot(&mean(h)),
            says: "The mean was divided by the sum of its squares: a root is missing.",
        },
        Mutant {
            code: |h| {
                let means = mean(&h.t().to_owned());
                &means / length(&means)
            },
            says: "There is a number for each token, and there should be one for each channel: the \
                   mean runs along the wrong axis.",
        },
        Mutant {
            code: |h| h.sum_axis(Axis(0)),
            says: "This is the sum of the tokens' vectors, which grows with the text. What is \
                   missing?",
        },
        Mutant {
            code: |h| {
                let most = h.fold_axis(Axis(0), f32::NEG_INFINITY, |a, &b| a.max(b));
                &most / length(&most)
            },
            says: "The largest number of each channel was taken instead of the mean. Some models \
                   do that; this one takes the mean.",
        },
        Mutant {
            code: |h| mean(h) / h.nrows() as f32,
            says: "The mean was divided by the number of tokens once more. Its length here is the \
                   root of the sum of its squares.",
        },
        Mutant {
            code: |h| mean(h) / h.ncols() as f32,
            says: "The mean was divided by the number of channels. The length of a vector here is \
                   the root of the sum of its squares.",
        },
        Mutant {
            code: |h| &mean(h) / mean(h).iter().copied().fold(f32::MIN, f32::max),
            says: "The mean was divided by its largest number, which then becomes 1. The length is \
                   the root of the sum of its squares.",
        },
    ],
    hints: &[
        "Two steps: first from (tokens, channels) to (channels,), then every number of that \
         divided by one number.",
        "`hidden.sum_axis(Axis(0))` adds up the rows. The length of a vector `v` is \
         `v.dot(&v).sqrt()`.",
        "Divide the sum of the rows by `hidden.nrows()`, call the result `mean`, and divide that \
         by the root of its dot product with itself.",
    ],
    explanation: "Now the dot product of two sentences is their cosine. Since you divide by the \
                  length at the end, the sum would do as well as the mean: a common factor \
                  cancels.",
    pytorch: "PyTorch: `F.normalize(hidden.mean(dim=0), dim=0)`. With padding the mean runs over \
              the real tokens only.",
};

fn mean(hidden: &Array2<f32>) -> Array1<f32> {
    hidden.sum_axis(Axis(0)) / hidden.nrows() as f32
}

fn length(vector: &Array1<f32>) -> f32 {
    vector.dot(vector).sqrt()
}

fn solution(hidden: &Array2<f32>) -> Array1<f32> {
    let mean = hidden.sum_axis(Axis(0)) / hidden.nrows() as f32;
    let length = mean.dot(&mean).sqrt();
    mean / length
}

fn another(hidden: &Array2<f32>) -> Array1<f32> {
    let mut total = Array1::zeros(hidden.ncols());
    for row in hidden.rows() {
        total += &row;
    }
    let mut squares = 0.0;
    for x in &total {
        squares += x * x;
    }
    total / f32::sqrt(squares)
}
