//! Splits a wide matrix into one matrix for each head.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

/// The numbers 0, 1, 2 ... row by row, so that each shows where it came from.
fn counted(rows: usize, columns: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, columns), |(row, column)| {
        (row * columns + column) as f32
    })
}

/// The values of a matrix, read in memory order into another shape.
fn reshaped(x: &Array2<f32>, shape: (usize, usize, usize)) -> Array3<f32> {
    let mut values = x.iter().copied();
    Array3::from_shape_fn(shape, |_| values.next().unwrap_or(f32::NAN))
}

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>, usize) -> Array3<f32>> = Exercise {
    name: "split_heads",
    title: "Split into heads",
    lesson: LESSON,
    after: "Several heads, after one large layer whose columns are split among the heads",
    task: "Split the columns of `x`, (tokens, width), among the heads: head 0 gets the first block \
           of columns, head 1 the next, and so on. Return (heads, tokens, width of a head).",
    effort: Effort {
        difficulty: 4,
        minutes: 12,
    },
    without: &[],
    source: include_str!("split_heads.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token [0, 1, 2, 3] and 2 heads: [0, 1] and [2, 3]",
            run: |f| f(&counted(1, 4), 2).output(),
        },
        Probe {
            what: "3 tokens and 1 head: the same matrix",
            run: |f| f(&counted(3, 2), 1).output(),
        },
        Probe {
            what: "3 tokens of four numbers and 2 heads",
            run: |f| f(&counted(3, 4), 2).output(),
        },
        Probe {
            what: "5 tokens of six numbers and 3 heads",
            run: |f| f(&counted(5, 6), 3).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                reshaped(x, (heads, t, c / heads))
            },
            says: "The numbers were read row by row into the new shape: each head got different \
                   tokens instead of different columns. With one token it makes no difference, \
                   with three it does.",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                Array3::from_shape_fn((heads, t, c / heads), |(h, t, d)| x[[t, d * heads + h]])
            },
            says: "Each head got every second or third column instead of neighbouring columns.",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                reshaped(x, (t, heads, c / heads))
            },
            says: "The pieces are right, but the axes are in the order (tokens, heads, width): \
                   here the heads come first. With 1 token, only the shape gives it away.",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                let d = c / heads;
                Array3::from_shape_fn((heads, t, d), |(h, t, i)| x[[t, (heads - 1 - h) * d + i]])
            },
            says: "The heads are in the wrong order: the last columns came first.",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                Array3::from_shape_fn((heads, t, c / heads), |(_, t, i)| x[[t, i]])
            },
            says: "Every head has the same columns, the first ones. Where does the number of the \
                   head come in?",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                Array3::from_shape_fn((heads, t, c / heads), |(h, t, i)| x[[t, h * heads + i]])
            },
            says: "Head `h` begins at column `h * heads`: how many columns does each head before \
                   it take? The mistake is invisible when a head is as wide as there are heads.",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                let d = c / heads;
                Array3::from_shape_fn((heads, d, t), |(h, i, t)| x[[t, h * d + i]])
            },
            says: "Each head is transposed: the axes are (heads, width, tokens).",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                let d = c / heads;
                Array3::from_shape_fn((heads, t, d), |(h, t, i)| x[[t, (h + i).min(c - 1)]])
            },
            says: "Head `h` begins at column `h`: the heads overlap. How many columns does each \
                   head before it take?",
        },
        Mutant {
            code: |x, heads| {
                let (t, c) = x.dim();
                Array3::from_shape_fn((heads, t, c), |(_, t, i)| x[[t, i]])
            },
            says: "Every head has all columns: the width was not divided by the number of heads.",
        },
    ],
    hints: &[
        "Which columns belong to head 1, if a head is three numbers wide?",
        "Make an array of zeros, (heads, tokens, width of a head), and copy a block of columns for \
         each head: `x.slice(s![.., first..end])`.",
        "`Array3::from_shape_fn(shape, |(head, token, i)| ...)`: number `i` of a head comes from \
         column `i` of `x`, shifted to the right by the heads before it.",
    ],
    explanation: "No number is changed: splitting only says which columns a head works with. So \
                  one product with a wide matrix does the work of several narrow ones.",
    pytorch: "PyTorch: `x.view(T, heads, -1).transpose(0, 1)`. Careful: `x.view(heads, T, -1)` has \
              the same shape but mixes the tokens.",
};

fn solution(x: &Array2<f32>, heads: usize) -> Array3<f32> {
    let (tokens, width) = x.dim();
    let head_width = width / heads;
    Array3::from_shape_fn((heads, tokens, head_width), |(head, token, i)| {
        x[[token, head * head_width + i]]
    })
}

fn another(x: &Array2<f32>, heads: usize) -> Array3<f32> {
    let (tokens, width) = x.dim();
    let head_width = width / heads;
    let mut split = Array3::zeros((heads, tokens, head_width));
    for (head, mut part) in split.outer_iter_mut().enumerate() {
        let first = head * head_width;
        part.assign(&x.slice(s![.., first..first + head_width]));
    }
    split
}
