//! Weights of which some are dropped.

use crate::exercise::*;

type Dropout = fn(&Array2<f32>, &Array2<bool>, f32) -> Array2<f32>;

pub(crate) static EXERCISE: Exercise<Dropout> = Exercise {
    name: "dropout",
    title: "Dropout",
    lesson: Lesson::CodingAttention,
    after: "Dropout, after it was tried on a matrix of ones",
    task: "Drop weights: `keep` says which are kept, drawn with the probability `p` of being \
           *dropped*. Set the others to 0, and make those that are kept larger, so that the sum \
           stays the same on average.",
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
            says: "What was dropped is 0, but what was kept stays as it is: on average the sum is \
                   too small by the share that was dropped.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) / p,
            says: "It was divided by the probability of being dropped: right for one half only, \
                   and with p = 0 it divides by 0. By which probability should it be?",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) * (1.0 - p),
            says: "What was kept became smaller, and should become larger.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(|yes| f32::from(!yes)) / (1.0 - p),
            says: "What should be kept was dropped, and the other way round.",
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
            says: "What was kept is twice as large whatever `p` is: that is right for one half \
                   only.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) - p,
            says: "The probability was subtracted: weights became negative. By what does \
                   something grow in proportion?",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) * (1.0 + p),
            says: "What was kept was multiplied by 1 + p: that is near for a small p only. What \
                   undoes a multiplication by 1 - p?",
        },
        Mutant {
            code: |w, keep, p| {
                Array2::from_shape_fn(
                    w.dim(),
                    |at| if keep[at] { w[at] } else { w[at] / (1.0 - p) },
                )
            },
            says: "What should be dropped grew, and what was kept stayed as it is.",
        },
        Mutant {
            code: |w, keep, _| {
                let kept = keep.mapv(f32::from);
                let share = kept.mean().unwrap_or(1.0);
                w * &kept / share
            },
            says: "It was divided by the share that happened to be kept this time, and not by the \
                   probability of being kept.",
        },
        Mutant {
            code: |w, keep, p| w * &keep.mapv(f32::from) * p,
            says: "What was kept was multiplied by the probability of being dropped, and became \
                   smaller.",
        },
    ],
    hints: &[
        "Two things happen: some weights become 0, the others grow. By how much, if half of them \
         are dropped?",
        "If a weight is kept in 4 of 5 draws, it has to be 5 / 4 as large to be the same on \
         average. Write that with `p`.",
        "`keep.mapv(f32::from)` is 1 where a weight is kept, and 0 elsewhere. Multiply by it, and \
         divide by the probability of being kept.",
    ],
    explanation: "A weight is kept with the probability 1 - p, so it counts 1 / (1 - p) times as \
                  much when it is. Without dropout, after training, nothing has to be changed \
                  then.",
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
