//! A mask that leaves a window of tokens visible.

use crate::exercise::*;
use crate::from_scratch::LESSON;

pub(crate) static EXERCISE: Exercise<fn(usize, usize) -> Array2<bool>> = Exercise {
    name: "window_mask",
    title: "A window into the past",
    lesson: LESSON,
    after: "It is a directed graph, after each token saw itself and the token before it",
    task: "Make a mask for `tokens` tokens in which each sees the last `window` tokens: itself and \
           the `window - 1` before it, where they exist. The future stays hidden.",
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    without: &[],
    source: include_str!("window_mask.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "3 tokens, a window of 1: each sees itself",
            run: |f| f(3, 1).output(),
        },
        Probe {
            what: "4 tokens, a window of 2: itself and the one before",
            run: |f| f(4, 2).output(),
        },
        Probe {
            what: "6 tokens, a window of 3",
            run: |f| f(6, 3).output(),
        },
        Probe {
            what: "3 tokens, a window of 9: the causal mask",
            run: |f| f(3, 9).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |t, window| Array2::from_shape_fn((t, t), |(t, s)| s <= t && t - s <= window),
            says: "Off by one: the window is one token too wide. With a window of 1, how many does \
                   a token see?",
        },
        Mutant {
            code: |t, window| Array2::from_shape_fn((t, t), |(t, s)| t.abs_diff(s) < window),
            says: "The window reaches into the future as far as into the past.",
        },
        Mutant {
            code: |t, _| causal_mask(t),
            says: "This is the whole past: the width of the window is not used.",
        },
        Mutant {
            code: |t, window| Array2::from_shape_fn((t, t), |(t, s)| t <= s && s - t < window),
            says: "The window looks into the future.",
        },
        Mutant {
            code: |t, window| Array2::from_shape_fn((t, t), |(t, s)| s <= t && s < window),
            says: "Every token sees the first tokens of the text, not the ones just before itself: \
                   the window does not move.",
        },
        Mutant {
            code: |t, window| {
                let back = |t: usize, s: usize| match t.checked_sub(s) {
                    Some(back) => back,
                    None => panic!("attempt to subtract with overflow"),
                };
                Array2::from_shape_fn((t, t), |(t, s)| back(t, s) < window)
            },
            says: "For the future `t - s` would be negative, which a `usize` cannot be. What must \
                   you check first?",
        },
        Mutant {
            code: |t, window| Array2::from_shape_fn((t, t), |(t, s)| t.saturating_sub(s) < window),
            says: "The future is all visible: for what comes later the difference stops at 0, \
                   which is a small distance.",
        },
        Mutant {
            code: |t, window| {
                Array2::from_shape_fn((t, t), |(t, s)| s <= t && t / window == s / window)
            },
            says: "The text is cut into blocks, and a token sees those of its own block: the \
                   window should move with each token.",
        },
        Mutant {
            code: |t, window| Array2::from_shape_fn((t, t), |(t, s)| s <= t && t - s >= window),
            says: "The window itself is hidden, and everything before it is visible.",
        },
        Mutant {
            code: |t, window| Array2::from_shape_fn((t, t), |(t, s)| s < t && t - s <= window),
            says: "Off by one: a token does not see itself, but sees one token too many before it.",
        },
        Mutant {
            code: |t, window| {
                let first = |t: usize| match (t + 1).checked_sub(window) {
                    Some(first) => first,
                    None => panic!("attempt to subtract with overflow"),
                };
                Array2::from_shape_fn((t, t), |(t, s)| s <= t && s >= first(t))
            },
            says: "The window begins at `t + 1 - window`, which would be negative for the first \
        tokens, and a `usize` cannot be. How can you say the same with an addition?",
        },
    ],
    hints: &[
        "Two conditions: not in the future, and not too far back.",
        "Token `s` lies `t - s` places back. Do not compute that where `s` comes after `t`: a \
         `usize` has no negative numbers. `&&` looks at its second part only if the first is true.",
        "`s <= t` is the first condition. The second one compares `t - s` with `window`: for the \
         token itself it is 0.",
    ],
    explanation: "Any pattern of arrows can be a mask. With a window the work grows as T times the \
                  window; anything further back arrives only through several layers.",
    pytorch: "PyTorch: `torch.tril(ones) & ~torch.tril(ones, -window)`; Mistral calls it \
              sliding-window attention.",
};

fn solution(tokens: usize, window: usize) -> Array2<bool> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| s <= t && t - s < window)
}

fn another(tokens: usize, window: usize) -> Array2<bool> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| (s..s + window).contains(&t))
}
