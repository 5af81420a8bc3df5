//! How much attention each token gets.

use crate::exercise::*;
use crate::who_attends_to_whom::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f64>) -> Array1<f64>> = Exercise {
    name: "popularity",
    title: "How much attention arrives?",
    lesson: LESSON,
    after: "Self-attention, before the sums of what leaves and what arrives",
    task: "For each key, add up what every query gives it, i.e. the widths of its incoming arrows. \
           `weights` has a row for each query and a column for each key.",
    without: &[],
    effort: Effort {
        difficulty: 1,
        minutes: 3,
    },
    source: include_str!("popularity.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one query, [0.25, 0.75]: what leaves is what arrives",
            run: |f| f(&array![[0.25, 0.75]]).output(),
        },
        Probe {
            what: "[[1, 0], [0.5, 0.5]]",
            run: |f| f(&array![[1.0, 0.0], [0.5, 0.5]]).output(),
        },
        Probe {
            what: "5 queries and 3 keys",
            run: |f| f(&softmax(&matrix64(40, 5, 3))).output(),
        },
        Probe {
            what: "2 queries and 4 keys",
            run: |f| f(&softmax(&matrix64(41, 2, 4))).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |w| w.sum_axis(Axis(1)),
            says: "This is what leaves: one number for each query, all of them 1. In the table, \
                   where are all the arrows that arrive at one key?",
        },
        Mutant {
            code: |w| w.mean_axis(Axis(0)).unwrap_or_default(),
            says: "These add up to 1: what arrives was divided by the number of queries, as for a \
                   mean.",
        },
        Mutant {
            code: |w| w.row(0).to_owned(),
            says: "This is the first row: what one query gives, not what all of them give.",
        },
        Mutant {
            code: |w| w.fold_axis(Axis(0), 0.0, |a, &b| a.max(b)),
            says: "This is the largest weight that arrives, not the sum of all.",
        },
        Mutant {
            code: |w| {
                Array1::from_shape_fn(w.ncols(), |k| {
                    (0..w.nrows()).filter(|q| *q != k).map(|q| w[[q, k]]).sum()
                })
            },
            says: "What a token gives to itself was left out.",
        },
        Mutant {
            code: |w| {
                let mut counts = Array1::zeros(w.ncols());
                for row in w.rows() {
                    let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]));
                    counts[best.unwrap_or(0)] += 1.0;
                }
                counts
            },
            says: "This counts how many queries like a key best: small weights, which arrive as \
                   well, are lost.",
        },
    ],
    hints: &[
        "The result has one number for each key, that is, for each column.",
        "In a loop over the rows, add each row to what has arrived so far. Start with zeros.",
        "`sum_axis` adds along an axis, and that axis is gone afterwards. `Axis(0)` runs over the \
         rows, `Axis(1)` over the columns: which one should be gone?",
    ],
    explanation: "Every query gives away exactly 1, but nothing says how much a key gets. \
                  Everything that arrives adds up to the number of queries.",
    pytorch: "PyTorch: `weights.sum(dim=0)`.",
};

fn solution(weights: &Array2<f64>) -> Array1<f64> {
    weights.sum_axis(Axis(0))
}

fn another(weights: &Array2<f64>) -> Array1<f64> {
    let mut arriving = Array1::zeros(weights.ncols());
    for row in weights.rows() {
        arriving += &row;
    }
    arriving
}
