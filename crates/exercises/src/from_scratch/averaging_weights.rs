//! The averages as a matrix of weights (V2).

use crate::exercise::*;
use crate::from_scratch::LESSON;

pub(crate) static EXERCISE: Exercise<fn(usize) -> Array2<f32>> = Exercise {
    name: "averaging_weights",
    title: "V2: the average as a table",
    lesson: LESSON,
    after: "V2: the same as a matrix product",
    task: "Make the table of weights for `tokens` tokens, so that *weights times tokens* is the \
           average so far: row `t` shares 1 equally among tokens 0 to `t`.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[],
    source: include_str!("averaging_weights.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token",
            run: |f| f(1).output(),
        },
        Probe {
            what: "3 tokens",
            run: |f| f(3).output(),
        },
        Probe {
            what: "5 tokens",
            run: |f| f(5).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |t| causal_mask(t).mapv(f32::from),
            says: "These are ones: the rows add up to 1, 2, 3 and so on, so the product would give \
                   sums, not means.",
        },
        Mutant {
            code: |t| Array2::from_elem((t, t), 1.0 / t as f32),
            says: "All weights are equal: each token takes from the future, too.",
        },
        Mutant {
            code: |t| causal_mask(t).mapv(f32::from) / t as f32,
            says: "Every row was divided by the number of all tokens: only the last one adds up \
                   to 1.",
        },
        Mutant {
            code: |t| {
                let ones = causal_mask(t).mapv(f32::from);
                let sums = ones.sum_axis(Axis(0));
                ones / sums
            },
            says: "The columns add up to 1, not the rows: the sums were taken along the wrong \
                   axis.",
        },
        Mutant {
            code: |t| {
                renormalise(
                    &Array2::<f32>::ones((t, t)),
                    &causal_mask(t).reversed_axes(),
                )
            },
            says: "The triangle is the upper one: each token takes from what comes after it.",
        },
        Mutant {
            code: |t| softmax(&causal_mask(t).mapv(f32::from)),
            says: "A softmax of ones and zeros: zeros get a share, too, so the future is not \
                   hidden.",
        },
        Mutant {
            code: |t| Array2::eye(t),
            says: "Only the diagonal is there: each token takes from itself alone.",
        },
        Mutant {
            code: |t| {
                Array2::from_shape_fn((t, t), |(t, s)| if s < t { 1.0 / t as f32 } else { 0.0 })
            },
            says: "The diagonal is 0: a token takes nothing from itself, so the first one takes \
                   nothing at all.",
        },
        Mutant {
            code: |t| {
                Array2::from_shape_fn(
                    (t, t),
                    |(t, s)| if s <= t { 1.0 / (s + 1) as f32 } else { 0.0 },
                )
            },
            says: "The weights depend on the column: 1 divided by the place of the key. Among how \
                   many tokens does a query share?",
        },
        Mutant {
            code: |t| {
                Array2::from_shape_fn((t, t), |(t, s)| if s <= t { 1.0 / t as f32 } else { 0.0 })
            },
            says: "The divisor is `t`, which is one too few, and 0 in the first row: that gives \
                   infinity.",
        },
    ],
    hints: &[
        "Write the table for three tokens on paper: 1; one half twice; one third three times.",
        "Begin with the triangle of ones and zeros. By what must each row be divided?",
        "`Array2::from_shape_fn((tokens, tokens), |(t, s)| ...)`: 0 where `s` is after `t`, and \
         elsewhere 1 divided by how many tokens there are from 0 to `t`.",
    ],
    explanation: "A weighted sum for each row is a matrix product. The average is the table in \
                  which everything visible counts equally.",
    pytorch: "PyTorch: `w = torch.tril(torch.ones(T, T)); w = w / w.sum(1, keepdim=True)`.",
};

fn solution(tokens: usize) -> Array2<f32> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| {
        if s <= t { 1.0 / (t + 1) as f32 } else { 0.0 }
    })
}

fn another(tokens: usize) -> Array2<f32> {
    renormalise(&Array2::<f32>::ones((tokens, tokens)), &causal_mask(tokens))
}
