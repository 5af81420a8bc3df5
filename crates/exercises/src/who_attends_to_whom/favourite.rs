//! Reads a row of weights.

use crate::exercise::*;
use crate::who_attends_to_whom::LESSON;

/// The lesson's weights: self-attention of four tokens.
fn of_the_lesson() -> Array2<f64> {
    array![
        [0.1, 0.2, 0.3, 0.4],
        [0.1, 0.4, 0.3, 0.2],
        [0.3, 0.2, 0.2, 0.3],
        [0.3, 0.5, 0.1, 0.1],
    ]
}

pub(crate) static EXERCISE: Exercise<fn(&Array2<f64>, usize) -> usize> = Exercise {
    name: "favourite",
    title: "Which token does a token attend to most?",
    lesson: LESSON,
    after: "Self-attention, after attends was used to read single weights",
    task: "Find the key to which the token `query` gives the largest weight. Return its index, \
           counted from 0. `weights` has a row for each query and a column for each key.",
    without: &[],
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    source: include_str!("favourite.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one query, [0.2, 0.7, 0.1]: key 1",
            run: |f| f(&array![[0.2, 0.7, 0.1]], 0).output(),
        },
        Probe {
            what: "nah, token 0 of the lesson",
            run: |f| f(&of_the_lesson(), 0).output(),
        },
        Probe {
            what: "I, token 1 of the lesson",
            run: |f| f(&of_the_lesson(), 1).output(),
        },
        Probe {
            what: "win, token 3 of the lesson",
            run: |f| f(&of_the_lesson(), 3).output(),
        },
        Probe {
            what: "2 queries and 3 keys, query 1",
            run: |f| f(&array![[0.8, 0.1, 0.1], [0.2, 0.3, 0.5]], 1).output(),
        },
        Probe {
            what: "4 queries and 2 keys, query 3",
            run: |f| {
                let weights = array![[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.3, 0.7]];
                f(&weights, 3).output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |w, query| most(w.column(query.min(w.ncols() - 1)).iter()),
            says: "It reads a column: that says which token attends most to this one, not which \
                   one this token attends to. What does a row stand for?",
        },
        Mutant {
            code: |w, _| most(w.row(0).iter()),
            says: "It always reads the first row, whichever query is asked for.",
        },
        Mutant {
            code: |w, _| {
                let columns = w.fold_axis(Axis(0), 0.0, |a: &f64, &b| a.max(b));
                most(columns.iter())
            },
            says: "This is the key of the largest weight in the whole table: the answer is the \
                   same for every query.",
        },
        Mutant {
            code: |w, query| most(w.row(query).iter()) + 1,
            says: "Too large by 1: formulas count from 1, and code from 0.",
        },
        Mutant {
            code: |w, query| most(w.row(query).mapv(|weight| -weight).iter()),
            says: "This is the key with the smallest weight.",
        },
        Mutant {
            code: |w, query| {
                let others = w.row(query).to_vec().into_iter().enumerate();
                let others = others.map(|(key, w)| if key == query { 0.0 } else { w });
                most(others.collect::<Vec<f64>>().iter())
            },
            says: "The token itself was left out: a token may attend most to itself.",
        },
        Mutant {
            code: |w, _| most(w.iter()),
            says: "This is the position of the largest weight in the whole table, counted row by \
                   row. Look for it in one row only: which one?",
        },
        Mutant {
            code: |w, query| w.row(query).fold(0.0, |a: f64, &b| a.max(b)) as usize,
            says: "This is always 0: a weight below 1, converted to a whole number, is 0. Return \
                   the position of the largest weight, not the weight itself.",
        },
        Mutant {
            code: |_, query| query,
            says: "This is the query itself, whatever the weights are.",
        },
        Mutant {
            code: |w, _| most(w.row(w.nrows() - 1).iter()),
            says: "It always reads the last row, whichever query is asked for.",
        },
    ],
    hints: &[
        "All weights of one query are in one row.",
        "Go through the row with `weights.row(query).iter().enumerate()`, and remember the \
         position of the largest weight so far.",
        "Start with `best = 0`; in a loop over `0..weights.ncols()`, replace it where \
         `weights[[query, key]]` \
         is larger than `weights[[query, best]]`; return `best`.",
    ],
    explanation: "A row says how one token shares out its attention. The largest share is the \
                  widest arrow that leaves it.",
    pytorch: "PyTorch: `weights[query].argmax()`.",
};

/// The index of the largest number.
fn most<'a>(weights: impl Iterator<Item = &'a f64>) -> usize {
    let best = weights
        .enumerate()
        .fold((0, f64::MIN), |best, (place, &weight)| {
            if weight > best.1 {
                (place, weight)
            } else {
                best
            }
        });
    best.0
}

fn solution(weights: &Array2<f64>, query: usize) -> usize {
    let mut best = 0;
    for key in 0..weights.ncols() {
        if weights[[query, key]] > weights[[query, best]] {
            best = key;
        }
    }
    best
}

fn another(weights: &Array2<f64>, query: usize) -> usize {
    let row = weights.row(query);
    let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]));
    best.unwrap_or(0)
}
