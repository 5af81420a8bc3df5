//! Scores that favour nearby tokens.

use crate::exercise::*;
use crate::from_scratch::LESSON;
use std::f32::consts::LN_2;

pub(crate) static EXERCISE: Exercise<fn(usize) -> Array2<f32>> = Exercise {
    name: "fading_scores",
    title: "Scores that prefer what is near",
    lesson: LESSON,
    after: "V3: the same with a softmax, after its table turned out to be that of V2",
    task: "Make scores for `tokens` tokens that favour what is near: after the softmax, every \
           visible token has twice the weight of the token before it, and the future has none.",
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    without: &[],
    source: include_str!("fading_scores.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the softmax of the scores of 2 tokens: in the second row 1/3 and 2/3",
            run: |f| softmax(&f(2)).output(),
        },
        Probe {
            what: "the softmax of the scores of 3 tokens: in the last row 1/7, 2/7 and 4/7",
            run: |f| softmax(&f(3)).output(),
        },
        Probe {
            what: "the softmax of the scores of 6 tokens",
            run: |f| softmax(&f(6)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |t| scores_of(t, |_| 0.0),
            says: "These are the scores of V3: all visible tokens get the same.",
        },
        Mutant {
            code: |t| scores_of(t, |back| -back),
            says: "A score that is lower by 1 gives a weight that is smaller by a factor of e, \
                   2.718. Which difference gives 2?",
        },
        Mutant {
            code: |t| scores_of(t, |back| -2.0 * back),
            says: "A score that is lower by 2 gives a weight that is smaller by a factor of e \
                   squared, 7.4. Which difference gives 2?",
        },
        Mutant {
            code: |t| scores_of(t, |back| -0.5 * back),
            says: "A score that is lower by one half gives a weight that is smaller by a factor \
                   of the root \
                   of e, 1.65. Which difference gives 2?",
        },
        Mutant {
            code: |t| scores_of(t, |back| 0.5_f32.powf(back)),
            says: "These scores halve with each token further back, but the weights are to halve: \
                   the softmax raises e to the power of each score first.",
        },
        Mutant {
            code: |t| scores_of(t, |back| 1.0 / (back + 1.0)),
            says: "These scores fall as 1, 1/2, 1/3. The softmax turns differences of scores into \
                   ratios of weights, so equal ratios need equal differences.",
        },
        Mutant {
            code: |t| scores_of(t, |back| back * LN_2),
            says: "Distant tokens are favoured: every token has half the weight of the one before \
                   it.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(t, s)| (s as f32 - t as f32) * LN_2),
            says: "The future is not hidden, and has the largest weights of all.",
        },
        Mutant {
            code: |t| Array2::from_shape_fn((t, t), |(t, s)| t.abs_diff(s) as f32 * -LN_2),
            says: "The future fades as the past does, but it is not hidden.",
        },
        Mutant {
            code: |t| {
                let score = |(t, s)| {
                    if s <= t {
                        (s as f32 - t as f32) * LN_2
                    } else {
                        0.0
                    }
                };
                Array2::from_shape_fn((t, t), score)
            },
            says: "The future has a score of 0, which is as much as a token gives itself. Which \
                   score leaves no weight?",
        },
        Mutant {
            code: |t| softmax(&scores_of(t, |back| -back * LN_2)),
            says: "These are the weights already. What goes into the softmax?",
        },
        Mutant {
            code: |t| {
                let back = |t: usize, s: usize| match s.checked_sub(t) {
                    Some(back) => back,
                    None => panic!("attempt to subtract with overflow"),
                };
                Array2::from_shape_fn((t, t), |(t, s)| back(t, s) as f32)
            },
            says: "The difference of the two places would be negative, which a `usize` cannot be. \
                   Convert each to `f32` before you subtract.",
        },
        Mutant {
            code: |t| {
                let score = |(t, s)| match s < t {
                    true => (s as f32 - t as f32) * LN_2,
                    false => f32::NEG_INFINITY,
                };
                Array2::from_shape_fn((t, t), score)
            },
            says: "A token does not see itself, and the first sees nothing at all: its softmax is \
                   NaN.",
        },
    ],
    hints: &[
        "The softmax turns differences of scores into ratios of weights: a lead of 1 makes a \
         weight e times as large. Which lead makes it twice as large?",
        "e to the power of ln 2 is 2, and `2.0_f32.ln()` is ln 2. Token `s` lies `t - s` places \
         before token `t`.",
        "`Array2::from_shape_fn((tokens, tokens), |(t, s)| if ... { ... } else { \
         f32::NEG_INFINITY })`: each place back costs ln 2. Write `t as f32` and `s as f32` before \
         you subtract.",
    ],
    explanation: "A slope in the scores is a ratio in the weights. ALiBi gives attention its sense \
                  of position this way: such a slope is added to the scores of queries and keys, a \
                  steep one in some heads, which attend to nearby tokens, and a gentle one in \
                  others.",
    pytorch: "PyTorch: `(torch.arange(T) - torch.arange(T)[:, None]) * math.log(2)`, then \
              `masked_fill`.",
};

/// Scores that depend on how far back a token is, with the future hidden.
fn scores_of(tokens: usize, score: fn(f32) -> f32) -> Array2<f32> {
    let all = Array2::from_shape_fn((tokens, tokens), |(t, s)| score(t as f32 - s as f32));
    mask_scores(&all, &causal_mask(tokens))
}

fn solution(tokens: usize) -> Array2<f32> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| {
        if s <= t {
            (s as f32 - t as f32) * 2.0_f32.ln()
        } else {
            f32::NEG_INFINITY
        }
    })
}

fn another(tokens: usize) -> Array2<f32> {
    // Softmax ignores a constant added to a row, so the scores may depend on the key alone.
    let by_key = Array2::from_shape_fn((tokens, tokens), |(_, s)| s as f32 * 2.0_f32.ln());
    mask_scores(&by_key, &causal_mask(tokens))
}
