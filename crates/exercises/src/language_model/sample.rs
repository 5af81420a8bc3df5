//! Draws the next token.

use crate::exercise::*;
use crate::language_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, f32) -> usize> = Exercise {
    name: "sample",
    title: "Draw the next character",
    lesson: LESSON,
    after: "Model 1: bigram, after it drew the next character by its probabilities",
    task: "Given probabilities that add up to 1, and a random number `u` from 0 to just below 1, \
           choose a character: lay the probabilities side by side on a line from 0 to 1, and \
           return the number of the one on which `u` falls.",
    without: &[],
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    source: include_str!("sample.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[1], u = 0.3: there is only one",
            run: |f| f(&array![1.0], 0.3).output(),
        },
        Probe {
            what: "[0.5, 0.5], u = 0.7: the second half",
            run: |f| f(&array![0.5, 0.5], 0.7).output(),
        },
        Probe {
            what: "[0.2, 0.5, 0.3] with u = 0, 0.1, 0.3, 0.65, 0.75 and 0.99",
            run: |f| {
                let draws = [0.0, 0.1, 0.3, 0.65, 0.75, 0.99];
                draws
                    .map(|u| f(&array![0.2, 0.5, 0.3], u))
                    .to_vec()
                    .output()
            },
        },
        Probe {
            what: "[0, 0.25, 0, 0.75], u = 0 and 0.25: what has no probability is never drawn",
            run: |f| {
                let p = array![0.0, 0.25, 0.0, 0.75];
                vec![f(&p, 0.0), f(&p, 0.25)].output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |p, _| {
                let best = (0..p.len()).max_by(|&a, &b| p[a].total_cmp(&p[b]));
                best.unwrap_or(0)
            },
            says: "It always takes the most probable character: `u` is not used. A model that \
                   writes like this repeats itself.",
        },
        Mutant {
            code: |p, u| (u * p.len() as f32) as usize,
            says: "Every character is drawn equally often: the probabilities are not used.",
        },
        Mutant {
            code: |p, u| {
                let place = p.iter().position(|&p| u < p);
                place.unwrap_or(p.len() - 1)
            },
            says: "`u` was compared with each probability by itself, not with where its piece ends \
                   on the line.",
        },
        Mutant {
            code: |p, u| {
                let mut end = 0.0;
                p.iter()
                    .filter(|&&p| {
                        end += p;
                        end < u
                    })
                    .count()
            },
            says: "On the border between two pieces the wrong one is drawn; with u = 0, a \
                   character whose probability is 0. A piece includes its start, but not its end.",
        },
        Mutant {
            code: |p, u| {
                let mut end = 0.0;
                let place = p.iter().position(|&p| {
                    end += p;
                    u < end
                });
                place.map_or(0, |place| place + 1)
            },
            says: "Always one too far: with a single character there is no second one.",
        },
        Mutant {
            code: |p, u| {
                let mut end = 0.0;
                let place = p.iter().rev().position(|&p| {
                    end += p;
                    u < end
                });
                p.len() - 1 - place.unwrap_or(0)
            },
            says: "The pieces lie on the line in the opposite order.",
        },
        Mutant {
            code: |p, u| {
                let mut end = 0.0;
                for (i, &p) in p.iter().enumerate() {
                    if u < end {
                        return i;
                    }
                    end += p;
                }
                p.len() - 1
            },
            says: "The comparison comes before the piece is added, so a `u` on piece `i` gives \
                   piece `i + 1`, if there is one.",
        },
        Mutant {
            code: |p, u| {
                let mut best = 0;
                for (i, &x) in p.iter().enumerate() {
                    if (x - u).abs() < (p[best] - u).abs() {
                        best = i;
                    }
                }
                best
            },
            says: "This picks the probability nearest to `u`; where a piece lies on the line plays \
                   no part.",
        },
        Mutant {
            code: |p, u| p.iter().rposition(|&p| p > u).unwrap_or(0),
            says: "This picks the last probability larger than `u`; the pieces are not laid side \
                   by side.",
        },
    ],
    hints: &[
        "For [0.2, 0.5, 0.3] the pieces end at 0.2, 0.7 and 1. On which does 0.65 fall?",
        "Go through the probabilities and add them up: the sum so far is where a piece ends.",
        "In a loop with `enumerate`, add the probability to `end`; as soon as `u < end`, return \
         the index. After the loop return the last one, in case of rounding.",
    ],
    explanation: "How often `u` falls on a piece depends only on its length, so each character is \
                  drawn with its probability.",
    pytorch: "PyTorch: `torch.multinomial(p, 1)`. NumPy: `np.searchsorted(np.cumsum(p), u, \
              side='right')`.",
};

fn solution(probabilities: &Array1<f32>, u: f32) -> usize {
    let mut end = 0.0;
    for (character, probability) in probabilities.iter().enumerate() {
        end += probability;
        if u < end {
            return character;
        }
    }
    probabilities.len() - 1
}

fn another(probabilities: &Array1<f32>, u: f32) -> usize {
    let mut ends = probabilities.clone();
    ends.accumulate_axis_inplace(Axis(0), |before, end| *end += before);
    let passed = ends.iter().filter(|end| **end <= u).count();
    passed.min(probabilities.len() - 1)
}
