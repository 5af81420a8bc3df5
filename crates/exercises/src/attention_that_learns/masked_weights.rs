//! Attention weights with a causal mask.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>, &Array2<bool>) -> Array2<f32>> = Exercise {
    name: "masked_weights",
    title: "Mask before the softmax",
    lesson: LESSON,
    after: "Before the softmax: minus infinity",
    task: "From scores and a mask to weights: where the mask is `false`, the weight is 0, and each \
           row still adds up to 1. You may use the crate's `softmax`, but not its `mask_scores`.",
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    without: &[Step::MaskScores],
    source: include_str!("masked_weights.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the scores [[1, 2], [3, 4]], nothing hidden",
            run: |f| {
                let all = Array2::from_elem((2, 2), true);
                f(&array![[1.0, 2.0], [3.0, 4.0]], &all).output()
            },
        },
        Probe {
            what: "the same with a causal mask",
            run: |f| f(&array![[1.0, 2.0], [3.0, 4.0]], &causal_mask(2)).output(),
        },
        Probe {
            what: "negative scores, [[-5, -1], [-3, -4]], with a causal mask",
            run: |f| f(&array![[-5.0, -1.0], [-3.0, -4.0]], &causal_mask(2)).output(),
        },
        Probe {
            what: "a large hidden score, [[0, 200], [0, 0]], with a causal mask",
            run: |f| f(&array![[0.0, 200.0], [0.0, 0.0]], &causal_mask(2)).output(),
        },
        Probe {
            what: "a query that may see nothing, scores [1, 2]: NaN, as in PyTorch",
            run: |f| f(&array![[1.0, 2.0]], &array![[false, false]]).output(),
        },
        Probe {
            what: "5 tokens with a causal mask",
            run: |f| f(&matrix(27, 5, 5), &causal_mask(5)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |s, m| softmax(s) * m.mapv(f32::from),
            says: "The hidden weights are 0, but the rows no longer add up to 1: the mask came \
                   after the softmax, and what it removed was not shared out again.",
        },
        Mutant {
            code: |s, m| {
                let crossed = softmax(s) * m.mapv(f32::from);
                let sums = crossed.sum_axis(Axis(1)).insert_axis(Axis(1));
                crossed / sums
            },
            says: "Mask after the softmax, then a division: right for moderate scores. But where a \
                   hidden score is large, all visible weights are 0, and 0 / 0 is NaN. What did \
                   the softmax see that it should not have?",
        },
        Mutant {
            code: |s, m| softmax(&(s * &m.mapv(f32::from))),
            says: "The hidden scores became 0, and a score of 0 gets a share: e to the power of 0 \
                   is 1. Which score gets none?",
        },
        Mutant {
            code: |s, m| softmax(&(s + &m.mapv(f32::from))),
            says: "Ones and zeros were added to the scores: what may be seen gained a lead of 1, \
                   and nothing is hidden.",
        },
        Mutant {
            code: |s, m| softmax(&(s + &m.mapv(|yes| if yes { f32::NEG_INFINITY } else { 0.0 }))),
            says: "What should be seen is hidden, and vice versa: where everything may be seen, \
                   everything is NaN. Does `true` hide here?",
        },
        Mutant {
            code: |s, m| softmax(&mask_scores(s, &m.t())),
            says: "The mask was transposed: each token sees the future and not the past.",
        },
        Mutant {
            code: |s, m| mask_scores(s, m),
            says: "These are still scores, with minus infinity where nothing may be seen: the last \
                   step is missing.",
        },
        Mutant {
            code: |s, _| softmax(s),
            says: "The mask is not used: every token sees the future.",
        },
        Mutant {
            code: |s, m| softmax(&(s + &m.mapv(|yes| if yes { 0.0 } else { -10.0 }))),
            says: "The hidden scores were lowered by 10, which is not enough: where one of them is \
                   200, it still gets everything.",
        },
        Mutant {
            code: |s, m| softmax(&(s + &(m.mapv(|yes| f32::from(!yes)) * f32::NEG_INFINITY))),
            says: "0 times minus infinity is NaN, and that was added to every visible score.",
        },
        Mutant {
            code: |s, m| softmax(&(s + &m.mapv(|yes| if yes { 0.0 } else { f32::INFINITY }))),
            says: "Plus infinity was put where something is hidden: infinity minus infinity is \
                   NaN, and so is every row in which something is hidden. Which sign hides?",
        },
        Mutant {
            code: |s, m| softmax(&(softmax(s) * m.mapv(f32::from))),
            says: "A softmax, the mask, then a softmax again, this time of weights: there a 0 gets \
                   a share.",
        },
        Mutant {
            code: |s, m| softmax(&mask_scores(s, m).reversed_axes()).reversed_axes(),
            says: "The columns add up to 1 instead of the rows: the softmax ran along the wrong \
                   axis.",
        },
        Mutant {
            code: |s, m| {
                let mut s = s.clone();
                s.zip_mut_with(m, |s, yes| {
                    if !yes {
                        *s = -1.0
                    }
                });
                softmax(&s)
            },
            says: "The hidden scores became -1, which is an ordinary score: e to the power of -1 \
                   is 0.37.",
        },
        Mutant {
            code: |s, m| softmax(&(s * &m.mapv(f32::from))) * m.mapv(f32::from),
            says: "Zeros before the softmax, and zeros after it: nothing hidden is seen, but the \
                   rows no longer add up to 1.",
        },
        Mutant {
            code: |s, m| softmax(&(s + &m.mapv(|yes| if yes { 0.0 } else { -1e9 }))),
            says: "A large negative number almost always hides, and many programs use one. But \
                   then a query that may see nothing gets equal shares, where minus infinity \
                   gives NaN, which is honest. Which number does the lesson use?",
        },
    ],
    hints: &[
        "Which score becomes exactly 0 in a softmax? The lesson names it.",
        "`f32::NEG_INFINITY` is that score. Make a copy of the scores, and change those where the \
         mask is `false`, before the softmax.",
        "`Array2::from_shape_fn(attn_scores.dim(), |at| ...)` builds the masked scores: \
         `attn_scores[at]` where `mask[at]`, minus infinity elsewhere. Then the softmax.",
    ],
    explanation: "Before the softmax nothing has been shared out yet, so the visible scores share \
                  everything, and a hidden score, however large, has no say.",
    pytorch: "PyTorch: `attn_scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)`.",
};

fn solution(attn_scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32> {
    let mut masked = attn_scores.clone();
    for (score, visible) in masked.iter_mut().zip(mask) {
        if !visible {
            *score = f32::NEG_INFINITY;
        }
    }
    softmax(&masked)
}

fn another(attn_scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32> {
    softmax(&(attn_scores + &additive_mask::<f32>(mask)))
}
