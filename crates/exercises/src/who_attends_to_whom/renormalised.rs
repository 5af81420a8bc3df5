//! Attention weights, renormalised after some are masked out.

use crate::exercise::*;
use crate::who_attends_to_whom::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f64>, &Array2<bool>) -> Array2<f64>> = Exercise {
    name: "renormalised",
    title: "Cross out, then rescale",
    lesson: LESSON,
    after: "Causal attention, after I can no longer look at win",
    task: "Apply a mask to weights: where the mask is `false`, set the weight to 0, then rescale \
           the rest of each row so that it adds up to 1 again. Do not use the crate's \
           `renormalise`.",
    without: &[Step::Renormalise],
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    source: include_str!("renormalised.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[0.25, 0.75], nothing hidden",
            run: |f| f(&array![[0.25, 0.75]], &array![[true, true]]).output(),
        },
        Probe {
            what: "[0.2, 0.3, 0.5], the last one hidden",
            run: |f| f(&array![[0.2, 0.3, 0.5]], &array![[true, true, false]]).output(),
        },
        Probe {
            what: "4 tokens with a causal mask",
            run: |f| f(&softmax(&matrix64(42, 4, 4)), &causal_mask(4)).output(),
        },
        Probe {
            what: "2 queries and 5 keys",
            run: |f| {
                let mask = array![
                    [true, false, true, true, false],
                    [false, true, true, true, true]
                ];
                f(&softmax(&matrix64(43, 2, 5)), &mask).output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |w, mask| w * &mask.mapv(f64::from),
            says: "The crossed-out weights are 0, but the rows add up to less than 1.",
        },
        Mutant {
            code: |w, mask| {
                let left = w * &mask.mapv(f64::from);
                let sum = left.sum();
                left / sum
            },
            says: "All rows together add up to 1. Each row should share out its own 100%.",
        },
        Mutant {
            code: |w, mask| {
                let left = w * &mask.mapv(f64::from);
                let sums = left.sum_axis(Axis(0));
                left / sums
            },
            says: "The columns add up to 1 instead of the rows: the sums were taken along the \
                   wrong axis.",
        },
        Mutant {
            code: |w, mask| {
                let left = w * &mask.mapv(f64::from);
                let sums = left.sum_axis(Axis(1));
                left / sums
            },
            says: "The sums of the rows are right, but they were lined up with the columns: number 0 \
                   of each row was divided by the sum of row 0, number 1 by that of row 1. With a \
                   square table nothing complains. What turns the sums into a column?",
        },
        Mutant {
            code: |w, mask| softmax(&(w * &mask.mapv(f64::from))),
            says: "The softmax was applied to the weights, so a weight of 0 gets a share again. \
                   The \
                   weights are positive already: which of the softmax's two steps is still needed?",
        },
        Mutant {
            code: |w, mask| {
                let left = w * &mask.mapv(|yes| f64::from(!yes));
                let sums = left.sum_axis(Axis(1)).insert_axis(Axis(1));
                left / sums
            },
            says: "What should stay was crossed out. `true` means that a token may look; where \
                   everything may be seen, nothing was left, and 0 / 0 is NaN.",
        },
        Mutant {
            code: |w, mask| {
                let counts = mask.mapv(f64::from).sum_axis(Axis(1)).insert_axis(Axis(1));
                w * &mask.mapv(f64::from) / counts
            },
            says: "Each row was divided by the number of visible keys instead of the sum of their \
                   weights.",
        },
        Mutant {
            code: |_, mask| {
                let counts = mask.mapv(f64::from).sum_axis(Axis(1)).insert_axis(Axis(1));
                mask.mapv(f64::from) / counts
            },
            says: "All visible keys have the same weight: the weights themselves are not used.",
        },
        Mutant {
            code: |w, mask| softmax(&mask_scores(w, mask)),
            says: "The softmax was applied to the weights: the hidden ones stay 0, but the others \
                   are nearly equal now. Weights are positive already.",
        },
        Mutant {
            code: |w, mask| {
                let left = w * &mask.mapv(f64::from);
                let missing = 1.0 - left.sum_axis(Axis(1)).insert_axis(Axis(1));
                let counts = mask.mapv(f64::from).sum_axis(Axis(1)).insert_axis(Axis(1));
                (left + missing / counts) * mask.mapv(f64::from)
            },
            says: "What was taken away was shared out equally among the rest, instead of in \
                   proportion to their weights.",
        },
        Mutant {
            code: |w, mask| {
                let left = w * &mask.mapv(f64::from);
                let most = left
                    .fold_axis(Axis(1), 0.0, |a: &f64, &b| a.max(b))
                    .insert_axis(Axis(1));
                left / most
            },
            says: "Each row was divided by its largest weight, which became 1; the sum should \
                   become 1.",
        },
    ],
    hints: &[
        "Two steps: cross out, then divide each row by something.",
        "`mask.mapv(f64::from)` is 1 and 0: multiply by it. Then you need one sum for each row.",
        "`left.sum_axis(Axis(1)).insert_axis(Axis(1))` is a column with the sum of each row; a \
         matrix divided by it divides each row by its own sum.",
    ],
    explanation: "Dividing a row by one number keeps the ratios between its weights: the visible \
                  weights share what was hidden in the same proportions.",
    pytorch: "PyTorch: `w = weights * mask; w / w.sum(dim=-1, keepdim=True)`.",
};

fn solution(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
    let mut left = weights * &mask.mapv(f64::from);
    for mut row in left.rows_mut() {
        let total = row.sum();
        row /= total;
    }
    left
}

fn another(weights: &Array2<f64>, mask: &Array2<bool>) -> Array2<f64> {
    // Logarithms of weights are scores that result in these weights.
    softmax(&mask_scores(&weights.mapv(f64::ln), mask))
}
