//! The project, second milestone: layer norm.

use crate::exercise::*;
use crate::language_model::LESSON;

type Norm = fn(&Array2<f32>, &Array1<f32>, &Array1<f32>) -> Array2<f32>;

fn probe(f: Norm, x: &Array2<f32>) -> Output {
    let width = x.ncols();
    f(x, &(vector(130, width) + 2.0), &vector(131, width)).output()
}

/// Each row minus its mean, then divided by the `size` of the centred row.
fn normalised(x: &Array2<f32>, size: impl Fn(Array1<f32>) -> f32) -> Array2<f32> {
    let mut normed = x.clone();
    for mut row in normed.rows_mut() {
        let mean = row.mean().unwrap_or(0.0);
        row -= mean;
        let size = size(row.to_owned());
        row /= size;
    }
    normed
}

/// The root of the variance plus 1e-5, for a row whose mean is 0.
fn spread(row: &Array1<f32>) -> f32 {
    (row.dot(row) / row.len() as f32 + 1e-5).sqrt()
}

/// Used by later milestones in place of the learner's function.
pub(super) const SOLUTION: Norm = solution;

pub(crate) static EXERCISE: Exercise<Norm> = Exercise {
    name: "layer_norm",
    title: "Project, 2 of 6: layer norm",
    lesson: LESSON,
    after: "The project, after the embeddings",
    task: "Normalise each row of `x`: subtract its mean, and divide by the square root of (its \
           variance + 1e-5); the variance is the mean of the squares of what is left. Then \
           multiply each column by its number in `scale`, and add its number in `shift`. Do not \
           use the crate's `LayerNorm`.",
    without: &[Step::LayerNorm],
    effort: Effort {
        difficulty: 3,
        minutes: 15,
    },
    source: include_str!("layer_norm.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[1, 3] with scales of 1 and shifts of 0: about -1 and 1",
            run: |f| f(&array![[1.0, 3.0]], &array![1.0, 1.0], &array![0.0, 0.0]).output(),
        },
        Probe {
            what: "[2, 2, 2]: no spread, so only the shift is left",
            run: |f| probe(f, &array![[2.0, 2.0, 2.0]]),
        },
        Probe {
            what: "3 rows of four numbers, with scales and shifts",
            run: |f| probe(f, &matrix(132, 3, 4)),
        },
        Probe {
            what: "2 rows of five larger numbers",
            run: |f| probe(f, &(matrix(133, 2, 5) * 7.0 + 3.0)),
        },
    ],
    mutants: &[
        Mutant {
            code: |x, _, _| normalised(x, |row| spread(&row)),
            says: "The rows are normalised, but `scale` and `shift` are not used.",
        },
        Mutant {
            code: |x, scale, _| normalised(x, |row| spread(&row)) * scale,
            says: "The shift is missing.",
        },
        Mutant {
            code: |x, _, shift| normalised(x, |row| spread(&row)) + shift,
            says: "The scale is missing.",
        },
        Mutant {
            code: |x, scale, shift| (normalised(x, |row| spread(&row)) + shift) * scale,
            says: "The shift was added before the scale, so it was scaled, too.",
        },
        Mutant {
            code: |x, scale, shift| normalised(x, |_| 1.0) * scale + shift,
            says: "The mean is subtracted, but nothing is divided: a row with large numbers keeps \
                   them.",
        },
        Mutant {
            code: |x, scale, shift| normalised(x, |row| spread(&row).powi(2)) * scale + shift,
            says: "The rows were divided by the variance, not by its square root.",
        },
        Mutant {
            code: |x, scale, shift| {
                normalised(x, |row| (row.dot(&row) + 1e-5).sqrt()) * scale + shift
            },
            says: "The rows were divided by their length: the squares were added up, but their \
                   mean was not taken.",
        },
        Mutant {
            code: |x, scale, shift| {
                let size = |row: Array1<f32>| {
                    let freedom = (row.len() - 1) as f32;
                    (row.dot(&row) / freedom + 1e-5).sqrt()
                };
                normalised(x, size) * scale + shift
            },
            says: "The sum of squares was divided by one less than the number of values; a layer \
                   norm \
                   divides by their number.",
        },
        Mutant {
            code: |x, scale, shift| {
                let mut normed = x.clone();
                for mut row in normed.rows_mut() {
                    let size = spread(&row.to_owned());
                    row /= size;
                }
                normed * scale + shift
            },
            says: "The mean is still in the rows: only the size was changed.",
        },
        Mutant {
            code: |x, scale, shift| {
                normalised(x, |row| (row.dot(&row) / row.len() as f32).sqrt()) * scale + shift
            },
            says: "A row of equal numbers has a variance of 0, and 0 / 0 is not a number. What is \
                   the 1e-5 for?",
        },
        Mutant {
            code: |x, scale, shift| {
                let columns = x.t().to_owned();
                let normed = normalised(&columns, |row| spread(&row));
                normed.t().to_owned() * scale + shift
            },
            says: "The columns were normalised: each token should be normalised by itself, \
                   whatever the other tokens are.",
        },
        Mutant {
            code: |x, scale, shift| {
                let mean = x.mean().unwrap_or(0.0);
                let variance = x.mapv(|n| (n - mean).powi(2)).mean().unwrap_or(0.0);
                (x - mean) / (variance + 1e-5).sqrt() * scale + shift
            },
            says: "One mean and one variance were taken for all rows together.",
        },
    ],
    hints: &[
        "Work row by row: `for mut row in normed.rows_mut()`. What do you need to know about a row \
         before you change it?",
        "`row.mean().unwrap_or(0.0)` is its mean. Once it is subtracted, the variance is the mean \
         of the squares: `row.mapv(|n| n * n)` makes them.",
        "`row -= mean;` and `row /= (variance + 1e-5).sqrt();` change a row in place. After the \
         loop, `normed * scale + shift` works on all rows: a vector is used once for each row.",
    ],
    explanation: "However large the numbers have become on the way, the next layer sees rows of one \
                  size. A token's norm does not depend on the other tokens, so nothing leaks from \
                  the future.",
    pytorch: "PyTorch: `F.layer_norm(x, (C,), scale, shift)`.",
};

fn solution(x: &Array2<f32>, scale: &Array1<f32>, shift: &Array1<f32>) -> Array2<f32> {
    let mut normed = x.clone();
    for mut row in normed.rows_mut() {
        let mean = row.mean().unwrap_or(0.0);
        row -= mean;
        let variance = row.dot(&row) / row.len() as f32;
        row /= (variance + 1e-5).sqrt();
    }
    normed * scale + shift
}

fn another(x: &Array2<f32>, scale: &Array1<f32>, shift: &Array1<f32>) -> Array2<f32> {
    let n = x.ncols() as f32;
    let centred = x - &(x.sum_axis(Axis(1)) / n).insert_axis(Axis(1));
    let variances = (&centred * &centred).sum_axis(Axis(1)) / n;
    let roots = (variances + 1e-5).sqrt().insert_axis(Axis(1));
    centred / &roots * scale + shift
}
