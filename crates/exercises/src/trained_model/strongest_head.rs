//! Which head looks back at the previous token most strongly.

use crate::exercise::*;
use crate::trained_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array4<f32>) -> (usize, usize)> = Exercise {
    name: "strongest_head",
    title: "Which head looks back most?",
    lesson: LESSON,
    after: "All heads at once, after the exercise on looking ahead",
    task: "Find the head in which a token gives most to the one **before** it, on average. Return \
           its layer and its number, both counted from 0. `weights` is (layers, heads, tokens, \
           tokens), like `tired.weights`.",
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    without: &[],
    source: include_str!("strongest_head.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one layer of two heads: head 1 looks back, head 0 at itself",
            run: |f| f(&heads((1, 2, 4), (0, 1), 80)).output(),
        },
        Probe {
            what: "two layers of three heads: 1.0 looks back",
            run: |f| f(&heads((2, 3, 5), (1, 0), 81)).output(),
        },
        Probe {
            what: "three layers of two heads: 0.1 looks back",
            run: |f| f(&heads((3, 2, 6), (0, 1), 82)).output(),
        },
        Probe {
            what: "three layers of four heads: 2.1 looks back",
            run: |f| f(&heads((3, 4, 5), (2, 1), 83)).output(),
        },
        Probe {
            what: "four layers of three heads: 1.2 looks back, and others look ahead",
            run: |f| f(&heads((4, 3, 7), (1, 2), 84)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |w| {
                let (layer, head) = best(w, &back);
                (head, layer)
            },
            says: "The two numbers are swapped: the layer comes first, as in 0.2.",
        },
        Mutant {
            code: |w| best(w, &|one| -back(one)),
            says: "This is the head that looks back least. Which of the two numbers should you \
                   keep?",
        },
        Mutant {
            code: |w| best(w, &ahead),
            says: "This is the head that looks at the next token most, and not at the one before.",
        },
        Mutant {
            code: |w| best(w, &|one| one.iter().copied().fold(0.0, f32::max)),
            says: "This is the head with the largest single weight, wherever it stands. One weight \
                   is not a habit.",
        },
        Mutant {
            code: |w| best(w, &|one| one.diag().sum()),
            says: "This is the head whose tokens look at themselves most: the diagonal. Where does \
                   the token before stand?",
        },
        Mutant {
            code: |w| (0, best(&w.slice(s![..1, .., .., ..]).to_owned(), &back).1),
            says: "Only the heads of layer 0 were compared.",
        },
        Mutant {
            code: |w| (best(&w.slice(s![.., ..1, .., ..]).to_owned(), &back).0, 0),
            says: "Only head 0 of each layer was compared.",
        },
        Mutant {
            code: |w| {
                let (layers, heads, ..) = w.dim();
                (layers - 1, heads - 1)
            },
            says: "This is always the last head: each round of the loop replaces what was found \
                   before, even with something weaker.",
        },
        Mutant {
            code: |w| {
                let (layer, head) = best(w, &back);
                (layer + 1, head + 1)
            },
            says: "Both numbers are too large by 1: formulas count from 1, and code from 0.",
        },
        Mutant {
            code: |w| {
                let (layer, head) = best(w, &back);
                (0, layer * w.dim().1 + head)
            },
            says: "The heads were numbered through all layers. Which layer is it, and which of its \
                   heads?",
        },
        Mutant {
            code: |w| best(w, &|one| one.column(0).sum()),
            says: "This is the head that rests on the first token most.",
        },
    ],
    hints: &[
        "The exercise before this one measures the next token in one head. What changes for the \
         token before, and which two loops go around it?",
        "Keep three numbers: the largest mean so far, and the layer and the head that it came \
         from. Start with a mean that no head can have, such as -1.",
        "`weights[[layer, head, t, t - 1]]` for `t` in `1..tokens` is what one head gives; all \
         four lengths come from `weights.dim()`. Where a sum is larger than the largest so far, \
         replace all three.",
    ],
    explanation: "All heads see the same number of tokens here, so the sum finds the same head as \
                  the mean. \
                  In the sentence of the lesson it is 0.2, with 1.00. A search over all heads \
                  always finds a winner, so look at the number, too: is it large, and is it large \
                  in other sentences?",
    pytorch: "PyTorch: `m = weights.diagonal(-1, dim1=2, dim2=3).mean(-1)`, and the place of its \
              largest number by `torch.unravel_index(m.argmax(), m.shape)`.",
};

/// The weights of several heads: the one at `at` looks back. Each of the others looks at itself, at
/// the first token or ahead, or has a single sharp weight.
fn heads(
    (layers, heads, tokens): (usize, usize, usize),
    at: (usize, usize),
    seed: u64,
) -> Array4<f32> {
    let mut weights = Array4::zeros((layers, heads, tokens, tokens));
    for layer in 0..layers {
        for head in 0..heads {
            let mut scores = matrix(seed + (10 * layer + head) as u64, tokens, tokens);
            let kind = (layer * heads + head + layers) % 4;
            for t in 0..tokens {
                let (place, strength) = match kind {
                    _ if (layer, head) == at => (t.max(1) - 1, 3.0),
                    0 => (t, 3.0),
                    1 => (0, 2.0),
                    2 => ((t + 1).min(tokens - 1), 3.5),
                    _ => (tokens / 2, if t == 1 { 9.0 } else { 0.0 }),
                };
                scores[[t, place]] += strength;
            }
            let mut one = weights.slice_mut(s![layer, head, .., ..]);
            one.assign(&softmax(&scores));
        }
    }
    weights
}

fn back(weights: &Array2<f32>) -> f32 {
    (1..weights.nrows()).map(|t| weights[[t, t - 1]]).sum()
}

fn ahead(weights: &Array2<f32>) -> f32 {
    (1..weights.nrows()).map(|t| weights[[t - 1, t]]).sum()
}

/// The head with the largest `number`.
fn best(weights: &Array4<f32>, number: &dyn Fn(&Array2<f32>) -> f32) -> (usize, usize) {
    let (layers, heads, ..) = weights.dim();
    let (mut found, mut most) = ((0, 0), f32::NEG_INFINITY);
    for layer in 0..layers {
        for head in 0..heads {
            let here = number(&weights.slice(s![layer, head, .., ..]).to_owned());
            if here > most {
                (found, most) = ((layer, head), here);
            }
        }
    }
    found
}

fn solution(weights: &Array4<f32>) -> (usize, usize) {
    let (layers, heads, tokens, _) = weights.dim();
    let (mut best, mut largest) = ((0, 0), -1.0);
    for layer in 0..layers {
        for head in 0..heads {
            let mut total = 0.0;
            for t in 1..tokens {
                total += weights[[layer, head, t, t - 1]];
            }
            let mean = total / (tokens - 1) as f32;
            if mean > largest {
                best = (layer, head);
                largest = mean;
            }
        }
    }
    best
}

fn another(weights: &Array4<f32>) -> (usize, usize) {
    let (layers, heads, ..) = weights.dim();
    let back = |&(layer, head): &(usize, usize)| {
        let before = weights.slice(s![layer, head, 1.., ..-1]);
        before.diag().sum()
    };
    let all = (0..layers).flat_map(|layer| (0..heads).map(move |head| (layer, head)));
    let best = all.max_by(|one, other| back(one).total_cmp(&back(other)));
    best.unwrap_or((0, 0))
}
