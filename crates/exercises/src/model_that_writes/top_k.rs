//! Probabilities of the next token, limited to the likeliest tokens.

use crate::exercise::*;
use crate::model_that_writes::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, usize, f32) -> Array1<f32>> = Exercise {
    name: "top_k",
    title: "Temperature and top-k",
    lesson: LESSON,
    after: "Probabilities, not an answer, after the temperature",
    task: "`logits` has a number for each token. Divide them by the temperature `t`, keep the `k` \
           largest (where two are equal, the one that comes first in `logits`), and return the \
           probabilities of all tokens: 0 for those left out, and 1 in total.",
    effort: Effort {
        difficulty: 3,
        minutes: 12,
    },
    without: &[],
    source: include_str!("top_k.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "logits ln [1, 2, 4, 8] at temperature 1, k = 4: [1, 2, 4, 8] / 15",
            run: |f| f(&array![1_f32, 2.0, 4.0, 8.0].mapv(f32::ln), 4, 1.0).output(),
        },
        Probe {
            what: "logits ln [1, 2, 4, 8] at temperature 1, k = 2: [0, 0, 4, 8] / 12",
            run: |f| f(&array![1_f32, 2.0, 4.0, 8.0].mapv(f32::ln), 2, 1.0).output(),
        },
        Probe {
            what: "logits ln [8, 1, 4, 2] at temperature 0.5, k = 2: [64, 0, 16, 0] / 80",
            run: |f| f(&array![8_f32, 1.0, 4.0, 2.0].mapv(f32::ln), 2, 0.5).output(),
        },
        Probe {
            what: "four equal logits, k = 3: [1, 1, 1, 0] / 3",
            run: |f| f(&array![5.0, 5.0, 5.0, 5.0], 3, 1.0).output(),
        },
        Probe {
            what: "logits below 0, k = 1",
            run: |f| f(&array![-3.0, -1.0, -2.0], 1, 2.0).output(),
        },
        Probe {
            what: "nine logits at temperature 2, k = 5",
            run: |f| f(&vector(120, 9), 5, 2.0).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |x, k, t| kept(&plain_softmax(&(x / t)), &best(x, k)),
            says: "What is kept does not add up to 1: the probabilities of the tokens left out are \
                   missing from the sum. Divide by the sum of those that are kept.",
        },
        Mutant {
            code: |x, k, t| of_best(&(x * t), &best(x, k)),
            says: "The logits were multiplied by the temperature. A high temperature should make \
                   the probabilities more even, and a low one less.",
        },
        Mutant {
            code: |x, k, _| of_best(x, &best(x, k)),
            says: "The temperature has no effect here. Dividing probabilities by it changes nothing, \
                   because it cancels: divide the logits, before the exponential.",
        },
        Mutant {
            code: |x, _, t| plain_softmax(&(x / t)),
            says: "All tokens are kept. `k` says how many should be.",
        },
        Mutant {
            code: |x, k, t| of_best(&(x / t), &best(&-x, k)),
            says: "These are the `k` smallest logits: the sort goes the wrong way.",
        },
        Mutant {
            code: |x, k, t| of_best(&(x / t), &best(x, k + 1)),
            says: "One token too many is kept.",
        },
        Mutant {
            code: |x, k, t| of_best(&(x / t), &(0..k.min(x.len())).collect::<Vec<_>>()),
            says: "These are the first `k` tokens, not those with the largest logits.",
        },
        Mutant {
            code: |x, k, t| {
                let lowest = best(x, k)
                    .into_iter()
                    .map(|i| x[i])
                    .fold(f32::INFINITY, f32::min);
                let all: Vec<usize> = (0..x.len()).filter(|&i| x[i] >= lowest).collect();
                of_best(&(x / t), &all)
            },
            says: "With equal logits, more than `k` tokens are kept: everything that is not below \
                   the `k`-th was kept.",
        },
        Mutant {
            code: |x, k, t| {
                let zeroed = kept(&(x / t), &best(x, k));
                plain_softmax(&zeroed)
            },
            says: "The logits of the tokens left out were set to 0, and e^0 is 1. What logit has \
                   the probability 0?",
        },
        Mutant {
            code: |x, k, t| {
                let p = kept(&(x / t), &best(x, k));
                let sum = p.sum();
                p / sum
            },
            says: "The logits themselves were divided by their sum. Probabilities come from their \
                   exponentials.",
        },
        Mutant {
            code: |x, k, t| {
                let best = best(x, k);
                let p = of_best(&(x / t), &best);
                best.iter().map(|&i| p[i]).collect()
            },
            says: "Only the tokens that are kept have a probability, and in another order. The \
                   result should have one for every token, in its place.",
        },
    ],
    hints: &[
        "Sort the numbers 0, 1, 2, ... of the tokens by their logit, the largest first: \
         `order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]))`. This sort leaves equal ones \
         in their order.",
        "Begin with zeros for all tokens, and put the exponential of logit / t at the \
         first `k` of that order.",
        "Finally divide by the sum. Exponentials of large logits overflow: subtract the largest \
         logit first.",
    ],
    explanation: "A fixed k cuts too much where many tokens are possible, and too little where one \
                  is. Top-p leaves as many as it takes to reach a probability p. In the crate: \
                  `next.temperature(t).top_k(k)`.",
    pytorch: "PyTorch: `v, i = (logits / t).topk(k)`, then `torch.zeros_like(logits).scatter(0, i, \
              v.softmax(0))`.",
};

/// The tokens of the `k` largest logits; equal logits stay in the order of their tokens.
fn best(logits: &Array1<f32>, k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    order.truncate(k);
    order
}

/// The values at these places, and zeros elsewhere.
fn kept(values: &Array1<f32>, places: &[usize]) -> Array1<f32> {
    let mut kept = Array1::zeros(values.len());
    places.iter().for_each(|&i| kept[i] = values[i]);
    kept
}

fn plain_softmax(logits: &Array1<f32>) -> Array1<f32> {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps = logits.mapv(|logit| (logit - max).exp());
    &exps / exps.sum()
}

fn of_best(logits: &Array1<f32>, places: &[usize]) -> Array1<f32> {
    let p = kept(&plain_softmax(logits), places);
    &p / p.sum()
}

fn solution(logits: &Array1<f32>, k: usize, t: f32) -> Array1<f32> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    let largest = logits[order[0]];
    let mut probabilities = Array1::zeros(logits.len());
    for &token in order.iter().take(k) {
        probabilities[token] = ((logits[token] - largest) / t).exp();
    }
    let sum = probabilities.sum();
    probabilities / sum
}

fn another(logits: &Array1<f32>, k: usize, t: f32) -> Array1<f32> {
    let mut left = Array1::from_elem(logits.len(), f32::NEG_INFINITY);
    for _ in 0..k.min(logits.len()) {
        let mut best = None;
        for (token, &logit) in logits.iter().enumerate() {
            let is_open = left[token] == f32::NEG_INFINITY;
            if is_open && best.is_none_or(|best: usize| logit > logits[best]) {
                best = Some(token);
            }
        }
        let best = best.unwrap_or(0);
        left[best] = logits[best] / t;
    }
    softmax(&left)
}
