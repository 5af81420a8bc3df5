//! Joins the contexts of all heads into one wide matrix.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

/// The numbers 0, 1, 2 ... in memory order.
fn counted(heads: usize, tokens: usize, width: usize) -> Array3<f32> {
    Array3::from_shape_fn((heads, tokens, width), |(h, t, i)| {
        ((h * tokens + t) * width + i) as f32
    })
}

pub(crate) static EXERCISE: Exercise<fn(&Array3<f32>) -> Array2<f32>> = Exercise {
    name: "join_heads",
    title: "Join the heads",
    lesson: LESSON,
    after: "Several heads, after their context vectors were joined",
    task: "Join the contexts of all heads, (heads, tokens, width of a head): row `t` of the result \
           holds token `t` of head 0, then of head 1, and so on. Return (tokens, heads times \
           width).",
    effort: Effort {
        difficulty: 4,
        minutes: 10,
    },
    without: &[],
    source: include_str!("join_heads.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "2 heads, 1 token: [0, 1] and [2, 3] become [0, 1, 2, 3]",
            run: |f| f(&counted(2, 1, 2)).output(),
        },
        Probe {
            what: "1 head: the same matrix",
            run: |f| f(&counted(1, 3, 2)).output(),
        },
        Probe {
            what: "2 heads, 3 tokens, two numbers each",
            run: |f| f(&counted(2, 3, 2)).output(),
        },
        Probe {
            what: "3 heads, 5 tokens, two numbers each",
            run: |f| f(&counted(3, 5, 2)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |x| {
                let (h, t, d) = x.dim();
                let mut values = x.iter().copied();
                Array2::from_shape_fn((t, h * d), |_| values.next().unwrap_or(f32::NAN))
            },
            says: "The numbers were read in the order of memory, head after head: rows hold \
                   numbers of several tokens. With one token it makes no difference, with three it \
                   does.",
        },
        Mutant {
            code: |x| {
                let (h, t, d) = x.dim();
                Array2::from_shape_fn((t, h * d), |(t, i)| x[[i % h, t, i / h]])
            },
            says: "The heads take turns in a row, one number each; they should stand side by side.",
        },
        Mutant {
            code: |x| {
                let (h, t, d) = x.dim();
                Array2::from_shape_fn((t, h * d), |(t, i)| x[[h - 1 - i / d, t, i % d]])
            },
            says: "The heads are joined in the wrong order, the last one first.",
        },
        Mutant {
            code: |x| {
                let (h, t, d) = x.dim();
                Array2::from_shape_fn((h * t, d), |(i, d)| x[[i / t, i % t, d]])
            },
            says: "The heads are stacked on top of each other: there are more rows than tokens. \
                   Along which axis should they be joined?",
        },
        Mutant {
            code: |x| x.sum_axis(Axis(0)),
            says: "The heads were added up: a token has only as many numbers as one head. What \
                   each head found can no longer be told apart.",
        },
        Mutant {
            code: |x| x.mean_axis(Axis(0)).unwrap_or_default(),
            says: "The mean of the heads was taken: a token has only as many numbers as one head.",
        },
        Mutant {
            code: |x| x.index_axis(Axis(0), 0).to_owned(),
            says: "Only the first head is in the result.",
        },
        Mutant {
            code: |x| {
                let (h, t, d) = x.dim();
                let mut joined = Array2::zeros((t, h * d));
                joined
                    .slice_mut(s![.., ..d])
                    .assign(&x.index_axis(Axis(0), h - 1));
                joined
            },
            says: "Every head was written into the same columns, the first ones, so only the last \
                   one is left. Where does head `h` start?",
        },
        Mutant {
            code: |x| {
                let (h, t, d) = x.dim();
                Array2::from_shape_fn((h * d, t), |(i, t)| x[[i / d, t, i % d]])
            },
            says: "The heads are side by side, but rows and columns are swapped: there should be a \
                   row for each token.",
        },
    ],
    hints: &[
        "The result has one row for each token. What goes into its first columns, what into the \
         next?",
        "Make an array of zeros of the right shape, and copy each head into its block of columns: \
         `joined.slice_mut(s![.., first..end]).assign(&head)`.",
        "`Array2::from_shape_fn(shape, |(token, column)| ...)`: the head is `column / width`, and \
         the place within it `column % width`.",
    ],
    explanation: "Joining undoes splitting: each head writes into its own columns. The layer after \
                  it mixes them. The next exercise can use your function.",
    pytorch: "PyTorch: `x.transpose(0, 1).contiguous().view(T, -1)`; or `torch.cat(list(x), dim=-1)`.",
};

fn solution(heads: &Array3<f32>) -> Array2<f32> {
    let (count, tokens, width) = heads.dim();
    Array2::from_shape_fn((tokens, count * width), |(token, column)| {
        heads[[column / width, token, column % width]]
    })
}

fn another(heads: &Array3<f32>) -> Array2<f32> {
    let (count, tokens, width) = heads.dim();
    let mut joined = Array2::zeros((tokens, count * width));
    for (head, context) in heads.outer_iter().enumerate() {
        let first = head * width;
        joined
            .slice_mut(s![.., first..first + width])
            .assign(&context);
    }
    joined
}
