//! The causal mask: which words each word may look at.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(usize) -> Array2<bool>> = Exercise {
    name: "causal_mask",
    title: "A mask that hides the future",
    lesson: LESSON,
    after: "Hiding the future, after the mask of true and false",
    task: "Make a table of true and false for `tokens` tokens: row `t`, column `s` says whether \
           token `t` may look at token `s`. Each token may look at itself and at what came before. \
           Do not use the crate's `causal_mask`.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[Step::CausalMask],
    source: include_str!("causal_mask.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token, which sees itself",
            run: |f| f(1).output(),
        },
        Probe {
            what: "2 tokens: the second sees the first, the first not the second",
            run: |f| f(2).output(),
        },
        Probe {
            what: "5 tokens",
            run: |f| f(5).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| j < i),
            says: "The diagonal is false: no token may look at itself, and the first token at \
                   nothing at all. What would a softmax make of a row in which everything is \
                   hidden?",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| j >= i),
            says: "This is the upper triangle: each token looks at the future and not at the past. \
                   Which index is the row, and which the column?",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| j > i),
            says: "True and false are swapped: this says which tokens are hidden, but here `true` \
                   means that a token may be looked at.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| j <= i + 1),
            says: "Off by one: each token may also look at the one that comes right after it, \
                   which is the one it should predict.",
        },
        Mutant {
            code: |t| Array2::from_elem((t, t), true),
            says: "Everything is true: nothing is hidden.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| i == j),
            says: "Only the diagonal is true: each token sees only itself, and not what came \
                   before.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| j <= i && i <= j + 1),
            says: "Each token sees itself and the one right before it, but nothing further back.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| j + 1 == i),
            says: "Each token sees the one right before it and nothing else, not even itself.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| i + j < t),
            says: "The triangle lies in the wrong corner: what may be seen depends on the sum of \
                   row and column, when it should depend on which of them is larger.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, _)| i > 0),
            says: "Whole rows are true or false: the column, which says what is looked at, is not \
                   used.",
        },
        Mutant {
            code: |t| Array2::from_elem((t, t), false),
            says: "Everything is false: no token sees anything.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(i, j)| i != j),
            says: "Everything but the diagonal is true: that hides each token from itself, but not \
                   the future.",
        },
    ],
    hints: &[
        "Draw the table for three tokens on paper. Row 0 has one `true`, row 1 has two.",
        "`Array2::from_shape_fn((tokens, tokens), |(t, s)| ...)` makes a table from a rule for row \
         `t` and column `s`.",
        "The rule compares the two indices: true where the column does not come after the row.",
    ],
    explanation: "A model that writes a text predicts what comes next. If it could look ahead, it \
                  would copy and learn nothing. Each token may look at itself, since its target is \
                  the token after it.",
    pytorch: "PyTorch: `torch.tril(torch.ones(t, t)).bool()`. Careful: in PyTorch's modules, \
              `True` in a mask hides.",
};

fn solution(tokens: usize) -> Array2<bool> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| s <= t)
}

fn another(tokens: usize) -> Array2<bool> {
    let mut mask = Array2::from_elem((tokens, tokens), false);
    for (t, mut row) in mask.rows_mut().into_iter().enumerate() {
        row.slice_mut(s![..=t]).fill(true);
    }
    mask
}
