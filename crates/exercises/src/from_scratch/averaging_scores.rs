//! The average by a softmax (V3).

use crate::exercise::*;
use crate::from_scratch::LESSON;

pub(crate) static EXERCISE: Exercise<fn(usize) -> Array2<f32>> = Exercise {
    name: "averaging_scores",
    title: "V3: scores whose softmax is the average",
    lesson: LESSON,
    after: "V3: the same with a softmax",
    task: "Make the simplest scores for `tokens` tokens whose softmax is the table of V2: visible \
           tokens count equally, and the future is hidden.",
    effort: Effort {
        difficulty: 2,
        minutes: 5,
    },
    without: &[],
    source: include_str!("averaging_scores.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token",
            run: |f| f(1).output(),
        },
        Probe {
            what: "2 tokens",
            run: |f| f(2).output(),
        },
        Probe {
            what: "5 tokens",
            run: |f| f(5).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |t| Array2::zeros((t, t)),
            says: "All scores are 0: then the future counts as much as the past. Which score gets \
                   no share from a softmax?",
        },
        Mutant {
            code: |t| causal_mask(t).mapv(f32::from),
            says: "Ones and zeros: a softmax gives e times as much to the past as to the future, \
                   but hides nothing.",
        },
        Mutant {
            code: |t| softmax(&mask_scores(&Array2::<f32>::zeros((t, t)), &causal_mask(t))),
            says: "These are the weights already. What goes into the softmax?",
        },
        Mutant {
            code: |t| {
                mask_scores(
                    &Array2::<f32>::zeros((t, t)),
                    &causal_mask(t).reversed_axes(),
                )
            },
            says: "The past is hidden, and the future is seen: the triangle is the wrong one.",
        },
        Mutant {
            code: |t| {
                let mask = Array2::from_shape_fn((t, t), |(t, s)| s < t);
                mask_scores(&Array2::<f32>::zeros((t, t)), &mask)
            },
            says: "A token does not see itself, and the first sees nothing at all: its softmax is \
                   NaN.",
        },
        Mutant {
            code: |t| mask_scores(&Array2::<f32>::ones((t, t)), &causal_mask(t)),
            says: "The softmax of these is right, since only differences count. But simpler \
                   ones do the same.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(t, s)| if s <= t { 0.0 } else { -1e9 }),
            says: "A large negative number nearly always works, and many programs use one. Which \
                   value is certain to hide?",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(t, s)| if s <= t { 0.0 } else { f32::MIN }),
            says: "`f32::MIN` is a huge negative number, but a finite one. Which value is certain \
                   to hide?",
        },
        Mutant {
            code: |t| {
                Array2::from_shape_fn((t, t), |(t, s)| if s <= t { 0.0 } else { f32::INFINITY })
            },
            says: "Plus infinity wins against every score, and the softmax, which subtracts the \
                   largest, gives NaN. Which sign hides?",
        },
        Mutant {
            code: |t| {
                Array2::from_shape_fn(
                    (t, t),
                    |(t, s)| if s <= t { f32::NEG_INFINITY } else { 0.0 },
                )
            },
            says: "True and false are swapped: the past and the token itself are hidden, and the \
                   future is visible.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(t, s)| if s <= t { 0.0 } else { -1.0 }),
            says: "The future has the score -1, which is an ordinary one: it gets a smaller \
                   share, but is not hidden.",
        },
        Mutant {
            code: |t| {
                Array2::from_shape_fn((t, t), |(t, s)| {
                    if s <= t {
                        1.0 / (t + 1) as f32
                    } else {
                        f32::NEG_INFINITY
                    }
                })
            },
            says: "The future is hidden. But what may be seen holds weights already, and the task \
                   asks for scores. What is the softmax of equal scores?",
        },
    ],
    hints: &[
        "The table holds only two different numbers: one for visible tokens, one for hidden ones.",
        "e to the power of minus infinity is 0. In Rust minus infinity is `f32::NEG_INFINITY`.",
        "`Array2::from_shape_fn((tokens, tokens), |(t, s)| if ... { 0.0 } else { ... })` with the \
         condition of the causal mask.",
    ],
    explanation: "A table of scores can express a preference, and the average is the table without \
                  any. Attention fills in other scores and changes nothing else.",
    pytorch: "PyTorch: `torch.zeros(T, T).masked_fill(torch.tril(torch.ones(T, T)) == 0, \
              float('-inf'))`.",
};

fn solution(tokens: usize) -> Array2<f32> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| {
        if s <= t { 0.0 } else { f32::NEG_INFINITY }
    })
}

fn another(tokens: usize) -> Array2<f32> {
    mask_scores(
        &Array2::<f32>::zeros((tokens, tokens)),
        &causal_mask(tokens),
    )
}
