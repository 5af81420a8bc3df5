//! The cross-entropy: how surprised a model is.

use crate::exercise::*;
use crate::language_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>, &[usize]) -> f32> = Exercise {
    name: "cross_entropy",
    title: "The loss",
    lesson: LESSON,
    after: "The loss: how surprised the model is",
    task: "`logits` has a row for each position and a column for each character; `targets` holds \
           the characters that actually came next. Return the mean of -ln p, where p is the \
           probability \
           each target got. You may use the crate's `softmax`, but not the crate's \
           `cross_entropy`.",
    without: &[Step::CrossEntropy],
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    source: include_str!("cross_entropy.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "logits [0, 0]: one half, so ln 2 = 0.6931",
            run: |f| f(&array![[0.0, 0.0]], &[1]).output(),
        },
        Probe {
            what: "logits [1, 2, 4], character 0 came",
            run: |f| f(&array![[1.0, 2.0, 4.0]], &[0]).output(),
        },
        Probe {
            what: "3 positions, 5 characters",
            run: |f| f(&matrix(84, 3, 5), &[4, 0, 2]).output(),
        },
        Probe {
            what: "the large logits [100, 0]: the model is sure of character 0, and it came next",
            run: |f| f(&array![[100.0, 0.0]], &[0]).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |l, t| -of(l, t).mapv(f32::ln).sum(),
            says: "This is the sum over all positions, not the mean: three positions give three \
                   times as much.",
        },
        Mutant {
            code: |l, t| of(l, t).mapv(f32::ln).mean().unwrap_or(0.0),
            says: "The sign is wrong: the logarithm of a probability is negative, and a loss \
                   should not be.",
        },
        Mutant {
            code: |l, t| -of(l, t).mapv(f32::log2).mean().unwrap_or(0.0),
            says: "This is the logarithm to base 2: one half gives 1, not 0.6931. It measures \
                   bits; the lesson uses the natural logarithm.",
        },
        Mutant {
            code: |l, t| -of(l, t).mean().unwrap_or(0.0).ln(),
            says: "This is the logarithm of the mean, not the mean of the logarithms: right for a \
                   single position only.",
        },
        Mutant {
            code: |l, t| of(l, t).mapv(|p| 1.0 - p).mean().unwrap_or(0.0),
            says: "One minus the probability: also a surprise, but at most 1. What does a \
                   probability of 0.0001 cost in the lesson?",
        },
        Mutant {
            code: |l, t| {
                let logits: Array1<f32> = t.iter().enumerate().map(|(i, &t)| l[[i, t]]).collect();
                -logits.mean().unwrap_or(0.0)
            },
            says: "Minus the logits themselves: they have not become probabilities yet.",
        },
        Mutant {
            code: |l, t| {
                let all = l.mapv(f32::exp);
                let p: Array1<f32> = t
                    .iter()
                    .enumerate()
                    .map(|(i, &t)| all[[i, t]] / all.sum())
                    .collect();
                -p.mapv(f32::ln).mean().unwrap_or(0.0)
            },
            says: "The probabilities of all positions together add up to 1: each position has its \
                   own.",
        },
        Mutant {
            code: |l, _| {
                let p = softmax(l);
                (&p * &p.mapv(f32::ln)).sum() / -(l.nrows() as f32)
            },
            says: "This is the entropy of what the model expects, whatever actually came: \
                   `targets` is not used.",
        },
        Mutant {
            code: |l, t| {
                let p: Array1<f32> = t.iter().enumerate().map(|(i, &t)| l[[i, t]].ln()).collect();
                -p.mean().unwrap_or(0.0)
            },
            says: "This takes the logarithm of the logits themselves, which may be negative: they \
                   have not become probabilities yet.",
        },
        Mutant {
            code: |l, t| -of(&softmax(l), t).mapv(f32::ln).mean().unwrap_or(0.0),
            says: "There are two softmaxes: the second, applied to probabilities, makes them \
                   nearly equal. Does what you call contain one?",
        },
        Mutant {
            code: |l, t| {
                let l = softmax(&l.t().to_owned()).reversed_axes();
                let p: Array1<f32> = t.iter().enumerate().map(|(i, &t)| l[[i, t]].ln()).collect();
                -p.mean().unwrap_or(0.0)
            },
            says: "The softmax ran down the columns: the probabilities of the characters at one \
                   position should add up to 1.",
        },
        Mutant {
            code: |l, t| {
                let p = softmax(l);
                let swapped = |(i, &target): (usize, &usize)| p[[target, i]].ln();
                -t.iter().enumerate().map(swapped).sum::<f32>() / t.len() as f32
            },
            says: "The two indices are swapped: the row is the position, the column is the \
                   character that came.",
        },
        Mutant {
            code: |l, t| -of(l, t)[0].ln(),
            says: "Only the first position counts.",
        },
        Mutant {
            code: |l, t| -of(l, t)[t.len() - 1].ln(),
            says: "Only the last position counts: each step of the loop overwrites the one before.",
        },
        Mutant {
            code: |l, t| -of(l, t)[t.len() - 1].ln() / t.len() as f32,
            says: "Only the last position counts, divided by the number of positions: does the \
                   loop add, or overwrite?",
        },
        Mutant {
            code: |l, t| of(l, t).mean().unwrap_or(0.0),
            says: "This is the mean probability of what came: the logarithm is missing.",
        },
        Mutant {
            code: |l, _| -softmax(l).mapv(f32::ln).sum() / l.nrows() as f32,
            says: "The costs of all characters were added up, not just that of the one that came: \
                   `targets` is not used.",
        },
        Mutant {
            code: |l, _| -softmax(l).mapv(f32::ln).mean().unwrap_or(0.0),
            says: "This is the mean cost of all characters, not just of the one that came: \
                   `targets` is not used.",
        },
        Mutant {
            code: |l, t| (-of(l, t).mapv(f32::ln).mean().unwrap_or(0.0)).exp(),
            says: "This is the exponential of the loss, the perplexity.",
        },
    ],
    hints: &[
        "Four steps: logits to probabilities, pick one for each position, logarithm, mean.",
        "`softmax(logits)` has the probabilities; `probabilities[[i, targets[i]]]` is that of the \
         character which came at position `i`.",
        "Add up `-probabilities[[i, targets[i]]].ln()` in a loop over the positions, and divide by \
         how many there are.",
    ],
    explanation: "A character that was given the probability p costs -ln p: nothing for 1, and \
                  more and more as p shrinks. Training makes the mean smaller.",
    pytorch: "PyTorch: `F.cross_entropy(logits, targets)`, which takes logits, not probabilities.",
};

/// The probabilities of the tokens that really came next.
fn of(logits: &Array2<f32>, targets: &[usize]) -> Array1<f32> {
    let probabilities = softmax(logits);
    let pairs = targets.iter().enumerate();
    pairs
        .map(|(i, &target)| probabilities[[i, target]])
        .collect()
}

fn solution(logits: &Array2<f32>, targets: &[usize]) -> f32 {
    let probabilities = softmax(logits);
    let mut loss = 0.0;
    for (i, &target) in targets.iter().enumerate() {
        loss += -probabilities[[i, target]].ln();
    }
    loss / targets.len() as f32
}

fn another(logits: &Array2<f32>, targets: &[usize]) -> f32 {
    let surprise = |(row, &target): (ndarray::ArrayView1<f32>, &usize)| {
        let largest = row.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        row.mapv(|logit| (logit - largest).exp()).sum().ln() + largest - row[target]
    };
    let surprises: Array1<f32> = logits
        .rows()
        .into_iter()
        .zip(targets)
        .map(surprise)
        .collect();
    surprises.mean().unwrap_or(f32::NAN)
}
