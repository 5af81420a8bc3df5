//! Attention weights with dropout.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

type Dropout = fn(&Array2<f32>, &Array2<bool>, f32) -> Array2<f32>;

pub(crate) static EXERCISE: Exercise<Dropout> = Exercise {
    name: "dropout",
    title: "Dropout",
    lesson: LESSON,
    after: "Dropout, after it was tried on a matrix of ones",
    task: "Drop weights: `keep` is `true` for the weights to keep; `p` is the probability with \
           which each weight is *dropped*. Set the dropped ones to 0, and enlarge the rest so \
           that the sum stays the same on \
           average.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[],
    source: include_str!("dropout.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "p = 0, everything kept: nothing changes",
            run: |f| {
                let keep = Array2::from_elem((1, 2), true);
                f(&array![[0.25, 0.75]], &keep, 0.0).output()
            },
        },
        Probe {
            what: "p = 0.5 on [1, 1], the first kept",
            run: |f| f(&array![[1.0, 1.0]], &array![[true, false]], 0.5).output(),
        },
        Probe {
            what: "p = 0.2 on [0.5, 0.3, 0.2], the second dropped",
            run: |f| f(&array![[0.5, 0.3, 0.2]], &array![[true, false, true]], 0.2).output(),
        },
        Probe {
            what: "p = 0.1 on 3 x 5 weights",
            run: |f| {
                let keep = matrix(28, 3, 5).mapv(|number| number < 1.0);
                f(&softmax(&matrix(29, 3, 5)), &keep, 0.1).output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |w, keep, _| w * &keep.mapv(f32::from),
            says: "The dropped weights are 0, but the others stay as they are: on average the sum \
                   is too small by the share that was dropped.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) / p,
            says: "The weights were divided by the probability of being dropped: right only for \
                   one half, \
                   and with p = 0 it divides by 0. Which probability should it be?",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) * (1.0 - p),
            says: "The weights that were kept became smaller; they should become larger.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(|yes| f32::from(!yes)) / (1.0 - p),
            says: "What should be kept was dropped, and vice versa.",
        },
        Mutant {
            code: |w, keep, _| {
                let kept = w * &keep.mapv(f32::from);
                let sums = kept.sum_axis(Axis(1)).insert_axis(Axis(1));
                kept / sums
            },
            says: "Each row was made to add up to 1 again. Dropout does not look at the sum: it \
                   stays the same only on average, over many draws.",
        },
        Mutant {
            code: |w, _, p| w / (1.0 - p),
            says: "Everything became larger, and nothing was dropped.",
        },
        Mutant {
            code: |w, keep, _| w * &keep.mapv(f32::from) * 2.0,
            says: "The weights that were kept are doubled, whatever `p` is: that is right only for \
                   one half.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) - p,
            says: "The probability was subtracted, so weights became negative. Which operation \
                   enlarges all of them in proportion?",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) * (1.0 + p),
            says: "The weights that were kept were multiplied by 1 + p: that comes close only for \
                   a small p. What undoes a multiplication by 1 - p?",
        },
        Mutant {
            code: |w, keep, p| {
                Array2::from_shape_fn(
                    w.dim(),
                    |at| if keep[at] { w[at] } else { w[at] / (1.0 - p) },
                )
            },
            says: "The weights to drop were enlarged, and the ones to keep were left as they were.",
        },
        Mutant {
            code: |w, keep, _| {
                let kept = keep.mapv(f32::from);
                let share = kept.mean().unwrap_or(1.0);
                w * &kept / share
            },
            says: "The weights were divided by the share that happened to be kept this time, \
                   instead of the \
                   probability of being kept.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) * p,
            says: "The weights that were kept were multiplied by the probability of being dropped, \
                   and shrank.",
        },
    ],
    hints: &[
        "Two things happen: some weights become 0, the others grow. By how much, if half of them \
         are dropped?",
        "If a weight is kept in 4 draws out of 5, it has to be 5 / 4 times as large to stay the \
         same on average. Write that with `p`.",
        "`keep.mapv(f32::from)` is 1 where a weight is kept, and 0 elsewhere. Multiply by it, and \
         divide by the probability of being kept.",
    ],
    explanation: "A weight is kept with probability 1 - p, so when it is kept, it counts 1 / (1 - \
                  p) times as much. That way nothing has to change after training, when nothing is \
                  dropped.",
    pytorch: "PyTorch: `torch.nn.functional.dropout(weights, p)`, which draws `keep` itself.",
};

fn solution(weights: &Array2<f32>, keep: &Array2<bool>, p: f32) -> Array2<f32> {
    weights * &keep.mapv(f32::from) / (1.0 - p)
}

fn another(weights: &Array2<f32>, keep: &Array2<bool>, p: f32) -> Array2<f32> {
    Array2::from_shape_fn(weights.dim(), |at| match keep[at] {
        true => weights[at] / (1.0 - p),
        false => 0.0,
    })
}
