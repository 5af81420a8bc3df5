//! Scores whose variance does not grow with the width.

use crate::exercise::*;
use crate::scaled_dot_product::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f64>, &Array2<f64>) -> Array2<f64>> = Exercise {
    name: "scaled_scores",
    title: "Scores, scaled",
    lesson: LESSON,
    after: "Why scores are scaled, before scores of seven widths are drawn",
    task: "The first part of the formula: every query times every key, divided by the square root \
           of d_k.",
    effort: Effort {
        difficulty: 1,
        minutes: 3,
    },
    without: &[],
    source: include_str!("scaled_scores.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the query [1, 1, 1, 1] and the key [1, 2, 3, 4]: 10 / 2",
            run: |f| f(&array![[1.0; 4]], &array![[1.0, 2.0, 3.0, 4.0]]).output(),
        },
        Probe {
            what: "2 queries and 3 keys of four numbers",
            run: |f| f(&matrix64(50, 2, 4), &matrix64(51, 3, 4)).output(),
        },
        Probe {
            what: "5 queries and 2 keys of nine numbers",
            run: |f| f(&matrix64(52, 5, 9), &matrix64(53, 2, 9)).output(),
        },
        Probe {
            what: "4 queries and 4 keys of three numbers",
            run: |f| f(&matrix64(54, 4, 3), &matrix64(55, 4, 3)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |q, k| q.dot(&k.t()),
            says: "The scores are not scaled: they are too large by a factor of 2 for four \
                   numbers, of 3 for nine.",
        },
        Mutant {
            code: |q, k| q.dot(&k.t()) / k.ncols() as f64,
            says: "Divided by d_k itself: for four numbers the scores are half as large as they \
                   should be, for nine a third.",
        },
        Mutant {
            code: |q, k| q.dot(&k.t()) / (k.nrows() as f64).sqrt(),
            says: "Divided by the root of the number of keys. That would go unnoticed with as \
                   many keys as numbers in a key, but here the two differ.",
        },
        Mutant {
            code: |q, k| q.dot(&k.t()) * (k.ncols() as f64).sqrt(),
            says: "Multiplied by the root, so the scores are too large by d_k.",
        },
        Mutant {
            code: |q, k| k.dot(&q.t()) / (k.ncols() as f64).sqrt(),
            says: "There is a row for each key, and a column for each query: queries and keys are \
                   exchanged.",
        },
        Mutant {
            code: |q, k| {
                let scores = q.dot(&k.t());
                let deviation = variance(&scores, 0).sqrt();
                scores / deviation
            },
            says: "The scores were divided by their own standard deviation. Then every input would \
                   get a different scale, and a single score would get none. The formula's factor depends \
                   on the width alone.",
        },
        Mutant {
            code: |q, k| q.dot(&k.t()) / 2.0,
            says: "The divisor is 2 whatever the width is: right for four numbers only.",
        },
    ],
    hints: &[
        "Which axis of K has length d_k?",
        "`k.ncols()` is a `usize`: write `(k.ncols() as f64).sqrt()` for its root.",
        "The product of `q` and `k.t()`, divided by that root: dividing a matrix by a \
         number divides each of its elements.",
    ],
    explanation: "Dividing by a number divides the variance by its square: dividing by the root of \
                  d_k removes exactly the factor d_k by which the variance has grown.",
    pytorch: "PyTorch: `q @ k.T / math.sqrt(k.size(-1))`.",
};

fn solution(q: &Array2<f64>, k: &Array2<f64>) -> Array2<f64> {
    let d_k = k.ncols() as f64;
    q.dot(&k.t()) / d_k.sqrt()
}

fn another(q: &Array2<f64>, k: &Array2<f64>) -> Array2<f64> {
    let scale = (k.ncols() as f64).powf(-0.5);
    Array2::from_shape_fn((q.nrows(), k.nrows()), |(i, j)| {
        scale * q.row(i).dot(&k.row(j))
    })
}
