//! A context vector: the weighted sum of the words.

use crate::coding_attention::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, &Array2<f32>) -> Array1<f32>> = Exercise {
    name: "context",
    title: "The context vector of one word",
    lesson: LESSON,
    after: "Step 3: the context vector, before the loop over the six words",
    task: "Mix the words (the rows of `words`): multiply each by its weight and add them up. Do \
           not use the crate's `context`.",
    effort: Effort {
        difficulty: 2,
        minutes: 5,
    },
    without: &[Step::Context],
    source: include_str!("context.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one word [3, 5] with the weight 1: the word itself",
            run: |f| f(&array![1.0], &array![[3.0, 5.0]]).output(),
        },
        Probe {
            what: "the words [4, 0] and [0, 8] with the weights [0.25, 0.75]",
            run: |f| f(&array![0.25, 0.75], &array![[4.0, 0.0], [0.0, 8.0]]).output(),
        },
        Probe {
            what: "5 words of three numbers",
            run: |f| f(&softmax(&vector(7, 5)), &matrix(8, 5, 3)).output(),
        },
        Probe {
            what: "3 words of three numbers: here it is easy to confuse words and dimensions",
            run: |f| f(&softmax(&vector(9, 3)), &matrix(10, 3, 3)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |w, words| match words.is_square() {
                true => words.dot(w),
                false => words.t().dot(w),
            },
            says: "Where there are as many words as dimensions, each word was compared with the \
                   weights: the sum runs along the dimensions, not over the words.",
        },
        Mutant {
            code: |w, words| words.dot(w),
            says: "The weights were applied to the dimensions of each word. There is one weight \
                   for each word: on which side of the product do they belong?",
        },
        Mutant {
            code: |_, words| words.mean_axis(Axis(0)).unwrap_or_default(),
            says: "This is the plain mean of the words: the weights are not used.",
        },
        Mutant {
            code: |_, words| words.sum_axis(Axis(0)),
            says: "This is the sum of the words: the weights are not used.",
        },
        Mutant {
            code: |w, words| w.dot(words) / words.nrows() as f32,
            says: "Right at first, but then divided by the number of words, although the weights \
                   already add up to 1.",
        },
        Mutant {
            code: |w, words| {
                let best = (0..w.len()).max_by(|&a, &b| w[a].total_cmp(&w[b]));
                words.row(best.unwrap_or(0)).to_owned()
            },
            says: "Only the word with the largest weight is there; the others are lost. What \
                   would a mixture look like?",
        },
        Mutant {
            code: |w, words| words.row(0).to_owned() * w[0],
            says: "Only the first word was mixed in; a loop over the others is missing.",
        },
        Mutant {
            code: |w, words| (words * &w.view().insert_axis(Axis(1))).sum_axis(Axis(1)),
            says: "Each word was multiplied by its weight, which is right, and then its own \
                   numbers were summed: there is one number for each word, and there should be one \
                   for each dimension.",
        },
        Mutant {
            code: |w, words| {
                let mut all = words.row(0).to_owned();
                for (w, word) in w.iter().zip(words.rows()) {
                    all += &(&word * *w);
                }
                all
            },
            says: "The sum starts from the first word instead of from zeros: that word counts once \
                   too often.",
        },
    ],
    hints: &[
        "The result has as many numbers as a word. Start with that many zeros.",
        "In a loop over the words, add `weights[i]` times row `i`. `&words.row(i) * weights[i]` is \
         a row in which each number is multiplied.",
        "As a product: the weights are a row on the left, the words the matrix on the right. \
         `a.dot(&b)` multiplies.",
    ],
    explanation: "Weights that are never negative and add up to 1 give a mixture: each of its \
                  numbers lies between the smallest and the largest in its column. As a product \
                  it is `weights.dot(words)`.",
    pytorch: "PyTorch: `weights @ words`.",
};

fn solution(weights: &Array1<f32>, words: &Array2<f32>) -> Array1<f32> {
    let mut context_vec = Array1::zeros(words.ncols());
    for (weight, word) in weights.iter().zip(words.rows()) {
        context_vec += &(&word * *weight);
    }
    context_vec
}

fn another(weights: &Array1<f32>, words: &Array2<f32>) -> Array1<f32> {
    let column = weights.view().insert_axis(Axis(1));
    (words * &column).sum_axis(Axis(0))
}
