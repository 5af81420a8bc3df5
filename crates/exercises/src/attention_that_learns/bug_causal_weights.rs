//! Find the bug: the rows of these causal weights add up to 1, but they are wrong.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>, &Array2<f32>) -> Array2<f32>> = Exercise {
    name: "bug_causal_weights",
    title: "Find the bug: causal weights",
    lesson: LESSON,
    after: "Hiding the future, at the end",
    task: "This function should compute causal weights. It compiles, its rows add up to 1, and it \
           is wrong. Run it, look at what the verdict shows, find the mistake and fix it.",
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    without: &[],
    source: include_str!("bug_causal_weights.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token: its weight is 1",
            run: |f| f(&matrix(33, 1, 3), &matrix(34, 1, 3)).output(),
        },
        Probe {
            what: "2 tokens of four numbers",
            run: |f| f(&matrix(35, 2, 4), &matrix(36, 2, 4)).output(),
        },
        Probe {
            what: "5 tokens of three numbers",
            run: |f| f(&matrix(37, 5, 3), &matrix(38, 5, 3)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: given,
            says: "The rows add up to 1, and yet tokens see the future: a hidden score of 0 is an \
                   ordinary score. What does the softmax give it?",
        },
        Mutant {
            code: |q, k| softmax(&mask_scores(&scores(q, k), &causal_mask(q.nrows()))),
            says: "The future is hidden now, but the scores are no longer scaled.",
        },
        Mutant {
            code: |q, k| {
                let scaled = scores(q, k) / (k.ncols() as f32).sqrt();
                softmax(&scaled) * causal_mask(q.nrows()).mapv(f32::from)
            },
            says: "The future has no weight now, but the rows no longer add up to 1.",
        },
        Mutant {
            code: |q, k| {
                let s = q.dot(&k.t()) / (k.ncols() as f32).sqrt();
                softmax(&(s + causal_mask(q.nrows()).mapv(f32::from)))
            },
            says: "Now ones and zeros are added: what may be seen has a lead of 1, and nothing is \
                   hidden.",
        },
        Mutant {
            code: |q, k| {
                let s = q.dot(&k.t()) / (k.ncols() as f32).sqrt();
                let m = causal_mask(q.nrows());
                softmax(&mask_scores(&s, &m.t()))
            },
            says: "Now the past is hidden, and the future is seen.",
        },
        Mutant {
            code: |q, k| softmax(&(q.dot(&k.t()) / (k.ncols() as f32).sqrt())),
            says: "The mask is gone altogether: every token sees the future.",
        },
        Mutant {
            code: |q, k| {
                let s = q.dot(&k.t()) / (k.ncols() as f32).sqrt();
                let m = causal_mask(q.nrows());
                softmax(&(&s * &m.mapv(|yes| if yes { 1.0 } else { f32::NEG_INFINITY })))
            },
            says: "The scores are still multiplied: a negative score times minus infinity is plus \
                   infinity, and its whole row becomes NaN.",
        },
    ],
    hints: &[
        "Look at the first row of the picture: the first token should see only itself.",
        "What share does a softmax give to a score of 0, next to a score of 1?",
        "The multiplication by ones and zeros does not hide. Put minus infinity where the mask is \
         `false`; the crate has `mask_scores`.",
    ],
    explanation: "Multiplying scores by 0 makes them 0, and e to the power of 0 is 1: the hidden \
                  tokens take part. Rows that add up to 1 prove nothing here, since the softmax \
                  makes every row add up to 1.",
    pytorch: "PyTorch: `attn_scores * mask` is the bug, `attn_scores.masked_fill(~mask, \
              float('-inf'))` the fix.",
};

fn given(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    let attn_scores = q.dot(&k.t()) / (k.ncols() as f32).sqrt();
    let visible = causal_mask(q.nrows()).mapv(f32::from);
    let masked = attn_scores * visible;
    softmax(&masked)
}

fn solution(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    let attn_scores = q.dot(&k.t()) / (k.ncols() as f32).sqrt();
    let masked = mask_scores(&attn_scores, &causal_mask(q.nrows()));
    softmax(&masked)
}

fn another(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32> {
    attend(q, k, k, Some(&causal_mask(q.nrows()))).weights
}
