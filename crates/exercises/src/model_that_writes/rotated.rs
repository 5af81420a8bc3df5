//! A query or a key, rotated by its position.

use crate::exercise::*;
use crate::model_that_writes::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, usize) -> Array1<f32>> = Exercise {
    name: "rotated",
    title: "Turn a vector by its position",
    lesson: LESSON,
    after: "Order as angles, after the pairs",
    task: "`x` is a query or a key of D numbers. Numbers `2j` and `2j + 1` are a pair (a, b). Turn \
           each pair by the angle `position` times 100000^(-2j/D): (a, b) becomes (a cos - b sin, \
           a sin + b cos). `100_000_f32.powf(...)`, `.cos()` and `.sin()` will help.",
    effort: Effort {
        difficulty: 3,
        minutes: 12,
    },
    without: &[Step::Rotary],
    source: include_str!("rotated.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[1, 0] at position 0: nothing turns",
            run: |f| f(&array![1.0, 0.0], 0).output(),
        },
        Probe {
            what: "[1, 0] at position 1: [cos 1, sin 1]",
            run: |f| f(&array![1.0, 0.0], 1).output(),
        },
        Probe {
            what: "[0, 1] at position 2: [-sin 2, cos 2]",
            run: |f| f(&array![0.0, 1.0], 2).output(),
        },
        Probe {
            what: "two pairs at position 3",
            run: |f| f(&array![1.0, 2.0, 3.0, 4.0], 3).output(),
        },
        Probe {
            what: "three pairs at position 7",
            run: |f| f(&vector(110, 6), 7).output(),
        },
        Probe {
            what: "eight pairs at position 20",
            run: |f| f(&vector(111, 16), 20).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |x, position| with(x, position, &|j, d| -2.0 * j / d, halves, 1.0),
            says: "The pairs are numbers j and j + D/2. That is right for other files, but in this \
                   one a pair is two neighbours.",
        },
        Mutant {
            code: |x, position| with(x, position, &|j, d| -2.0 * j / d, neighbours, -1.0),
            says: "The pairs turn the other way round: which of the two products is subtracted, \
                   and in which of the two numbers?",
        },
        Mutant {
            code: |x, position| with(x, position, &|j, d| 2.0 * j / d, neighbours, 1.0),
            says: "Later pairs turn faster here: the exponent has lost its minus.",
        },
        Mutant {
            code: |x, position| with(x, position, &|j, d| -j / d, neighbours, 1.0),
            says: "The exponent is -j/D. A pair has two numbers: where is the 2?",
        },
        Mutant {
            code: |x, position| with(x, position, &|j, d| -4.0 * j / d, neighbours, 1.0),
            says: "The exponent is -4j/D: `j` counts pairs, so it was doubled twice.",
        },
        Mutant {
            code: |x, position| with(x, position, &|_, _| 0.0, neighbours, 1.0),
            says: "Every pair turns by the same angle, the position itself. Is the exponent 0? With \
                   whole numbers, `2 * j / d` loses its fraction.",
        },
        Mutant {
            code: |x, position| with(x, position + 1, &|j, d| -2.0 * j / d, neighbours, 1.0),
            says: "Position 0 turns, too: positions count from 0.",
        },
        Mutant {
            code: |x, position| {
                let radians = std::f32::consts::PI / 180.0;
                let d = x.len() as f32;
                pairwise(x, neighbours, |j, a, b| {
                    let angle = position as f32 * 100_000_f32.powf(-2.0 * j / d) * radians;
                    (
                        a * angle.cos() - b * angle.sin(),
                        a * angle.sin() + b * angle.cos(),
                    )
                })
            },
            says: "The angles were taken for degrees. They are radians, as `cos` and `sin` expect.",
        },
        Mutant {
            code: |x, position| {
                let d = x.len() as f32;
                pairwise(x, neighbours, |j, a, b| {
                    let angle = position as f32 * 100_000_f32.powf(-2.0 * j / d);
                    let a = a * angle.cos() - b * angle.sin();
                    (a, a * angle.sin() + b * angle.cos())
                })
            },
            says: "The second number of a pair was computed from the new first one. Keep the old \
                   one until both are done.",
        },
        Mutant {
            code: |x, position| {
                let d = x.len() as f32;
                pairwise(x, neighbours, |j, a, b| {
                    let angle = position as f32 * 10_000_f32.powf(-2.0 * j / d);
                    (
                        a * angle.cos() - b * angle.sin(),
                        a * angle.sin() + b * angle.cos(),
                    )
                })
            },
            says: "The base is 10000, as in the first paper. This model was trained with 100000.",
        },
        Mutant {
            code: |x, _| x.clone(),
            says: "Nothing has turned: this is `x`.",
        },
    ],
    hints: &[
        "With D = 4 there are two pairs. The first turns by `position` times 1: what is the factor \
         of the second?",
        "Loop over `j` in `0..x.len() / 2`, and compute the angle with `j as f32` and `x.len() as \
         f32`.",
        "With `(a, b) = (x[2 * j], x[2 * j + 1])`, the two new numbers go to places `2 * j` and \
         `2 * j + 1` of a copy of `x`.",
    ],
    explanation: "Turning changes no length, and the score of a turned query with a turned key \
                  depends on the difference of their positions alone: both turn together. The \
                  model's own function is `rotary`.",
    pytorch: "PyTorch: `torch.view_as_real(torch.view_as_complex(x.reshape(-1, 2)) * \
              torch.polar(torch.ones(D // 2), angles)).flatten()`",
};

type Pairs = fn(usize, usize) -> (usize, usize);

fn neighbours(j: usize, _: usize) -> (usize, usize) {
    (2 * j, 2 * j + 1)
}

fn halves(j: usize, d: usize) -> (usize, usize) {
    (j, j + d / 2)
}

/// `x` with each of its pairs replaced by the results of `new`.
fn pairwise(
    x: &Array1<f32>,
    pairs: Pairs,
    new: impl Fn(f32, f32, f32) -> (f32, f32),
) -> Array1<f32> {
    let mut y = x.clone();
    for j in 0..x.len() / 2 {
        let (first, second) = pairs(j, x.len());
        (y[first], y[second]) = new(j as f32, x[first], x[second]);
    }
    y
}

fn with(
    x: &Array1<f32>,
    position: usize,
    exponent: &dyn Fn(f32, f32) -> f32,
    pairs: Pairs,
    direction: f32,
) -> Array1<f32> {
    let d = x.len() as f32;
    pairwise(x, pairs, |j, a, b| {
        let angle = direction * position as f32 * 100_000_f32.powf(exponent(j, d));
        (
            a * angle.cos() - b * angle.sin(),
            a * angle.sin() + b * angle.cos(),
        )
    })
}

fn solution(x: &Array1<f32>, position: usize) -> Array1<f32> {
    let d = x.len() as f32;
    let mut turned = x.clone();
    for j in 0..x.len() / 2 {
        let angle = position as f32 * 100_000_f32.powf(-2.0 * j as f32 / d);
        let (a, b) = (x[2 * j], x[2 * j + 1]);
        turned[2 * j] = a * angle.cos() - b * angle.sin();
        turned[2 * j + 1] = a * angle.sin() + b * angle.cos();
    }
    turned
}

fn another(x: &Array1<f32>, position: usize) -> Array1<f32> {
    let d = x.len();
    Array1::from_shape_fn(d, |i| {
        let pair = i / 2;
        let angle = position as f32 / 100_000_f32.powf(2.0 * pair as f32 / d as f32);
        let (a, b) = (x[2 * pair], x[2 * pair + 1]);
        match i % 2 {
            0 => a * angle.cos() - b * angle.sin(),
            _ => a * angle.sin() + b * angle.cos(),
        }
    })
}
