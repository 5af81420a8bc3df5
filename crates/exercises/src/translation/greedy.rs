//! The loop that writes a translation.

use crate::exercise::*;
use crate::translation::LESSON;

type Greedy = fn(&Array1<f32>, &Array3<f32>) -> Vec<usize>;

/// Calls `f` with scores for texts of up to `steps + 1` tokens, from a vocabulary of `size`. The
/// larger `later` is, the less likely the end, token 0, becomes.
fn probe(f: Greedy, seed: u64, (steps, size): (usize, usize), later: f32) -> Output {
    let numbers = matrix(seed, steps * size, size);
    let then = Array3::from_shape_fn((steps, size, size), |(t, last, next)| {
        let score = numbers[[t * size + last, next]];
        if next == 0 { score - later } else { score }
    });
    let mut first = vector(seed + 50, size);
    first[0] -= later;
    f(&first, &then).output()
}

fn best<'a>(scores: impl IntoIterator<Item = &'a f32>) -> usize {
    let scores = scores.into_iter().enumerate();
    scores
        .max_by(|a, b| a.1.total_cmp(b.1))
        .map_or(0, |best| best.0)
}

/// A text that begins with the best of `first` and continues with the token that `next` chooses for
/// the text so far, until that is the end or there is no further step.
fn written(
    first: &Array1<f32>,
    steps: usize,
    next: impl Fn(usize, &[usize]) -> usize,
) -> Vec<usize> {
    let mut tokens = vec![best(first)];
    for t in 0..steps {
        if tokens.last() == Some(&0) {
            break;
        }
        tokens.push(next(t, &tokens));
    }
    tokens
}

pub(crate) static EXERCISE: Exercise<Greedy> = Exercise {
    name: "greedy",
    title: "The loop that writes",
    lesson: LESSON,
    after: "The loop, before order and positions",
    task: "A small decoder is given as tables of scores. `first` has a score for each token that \
           could be written first; `then[[t, last, next]]` is the score of token `next` after `t + \
           1` tokens, if `last` is the newest of them. Write greedily: always the token with the \
           largest score. Stop after token 0, `</s>`, which belongs to the result, or when `then` \
           has no further step.",
    effort: Effort {
        difficulty: 3,
        minutes: 12,
    },
    without: &[],
    source: include_str!("greedy.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "`</s>` is the best first token: [0]",
            run: |f| {
                let rising = |(t, last, next)| (4 * t + 2 * last + next) as f32;
                f(&array![2.0, 1.0], &Array3::from_shape_fn((3, 2, 2), rising)).output()
            },
        },
        Probe {
            what: "no step after the first: a single token",
            run: |f| f(&array![0.0, 1.0, 5.0], &Array3::zeros((0, 3, 3))).output(),
        },
        Probe {
            what: "2 steps, 4 tokens, no end in sight",
            run: |f| probe(f, 211, (2, 4), 50.0),
        },
        Probe {
            what: "9 steps, 6 tokens, no end in sight",
            run: |f| probe(f, 212, (9, 6), 50.0),
        },
        Probe {
            what: "12 steps, 5 tokens: it ends before the steps do",
            run: |f| probe(f, 219, (12, 5), 0.6),
        },
        Probe {
            what: "12 steps, 5 tokens, other scores",
            run: |f| probe(f, 222, (12, 5), 0.6),
        },
    ],
    mutants: &[
        Mutant {
            code: |_, then| {
                let (mut tokens, mut last) = (Vec::new(), 0);
                for table in then.outer_iter() {
                    last = best(table.row(last));
                    tokens.push(last);
                    if last == 0 {
                        break;
                    }
                }
                tokens
            },
            says: "It begins as if `</s>` had been written: `first` is not used. (In the model, \
                   that changes 39 of 40 translations.)",
        },
        Mutant {
            code: |first, then| {
                written(first, then.dim().0, |_, tokens| {
                    best(then.slice(s![0, tokens[tokens.len() - 1], ..]))
                })
            },
            says: "The position does not advance: every step uses the scores of the first one.",
        },
        Mutant {
            code: |first, then| {
                written(first, then.dim().0, |t, tokens| {
                    best(then.slice(s![t, tokens[0], ..]))
                })
            },
            says: "Every step follows the first token: what has been written since is not read.",
        },
        Mutant {
            code: |first, then| {
                let mut tokens = vec![best(first)];
                for t in 0..then.dim().0 {
                    let last = tokens[tokens.len() - 1];
                    tokens.push(best(then.slice(s![t, last, ..])));
                }
                tokens
            },
            says: "It goes on after `</s>`. When should it stop?",
        },
        Mutant {
            code: |first, then| {
                let mut tokens = vec![best(first)];
                for table in then.outer_iter() {
                    let next = best(table.row(tokens[tokens.len() - 1]));
                    if next == 0 {
                        break;
                    }
                    tokens.push(next);
                }
                tokens
            },
            says: "`</s>` is missing at the end: it is a token like any other, and belongs to the \
                   result.",
        },
        Mutant {
            code: |first, then| {
                let all = written(first, then.dim().0, |t, tokens| {
                    best(then.slice(s![t, tokens[tokens.len() - 1], ..]))
                });
                all[1..].to_vec()
            },
            says: "The first token is missing: it is part of the translation.",
        },
        Mutant {
            code: |first, then| {
                let mut last = best(first);
                let mut tokens = Vec::new();
                for table in then.outer_iter() {
                    tokens.push(last);
                    if last == 0 {
                        break;
                    }
                    last = best(table.row(last));
                }
                tokens
            },
            says: "The last token that was found never got into the list.",
        },
        Mutant {
            code: |first, then| {
                written(first, then.dim().0, |t, tokens| {
                    best(then.slice(s![t, .., tokens[tokens.len() - 1]]))
                })
            },
            says: "Row and column are exchanged: it asks which token the last one could follow.",
        },
        Mutant {
            code: |first, then| {
                let negated = then.mapv(|score| -score);
                written(&-first, then.dim().0, |t, tokens| {
                    best(negated.slice(s![t, tokens[tokens.len() - 1], ..]))
                })
            },
            says: "The token with the smallest score was written.",
        },
        Mutant {
            code: |first, then| {
                written(first, then.dim().0.saturating_sub(1), |t, tokens| {
                    best(then.slice(s![t, tokens[tokens.len() - 1], ..]))
                })
            },
            says: "The last step was not used: after the first token there are as many as `then` \
                   has tables.",
        },
        Mutant {
            code: |first, then| {
                written(first, then.dim().0.saturating_sub(1), |t, tokens| {
                    best(then.slice(s![t + 1, tokens[tokens.len() - 1], ..]))
                })
            },
            says: "The first table was skipped: `then[[0, ..]]` is for the second token.",
        },
        Mutant {
            code: |first, then| {
                written(first, then.dim().0, |t, tokens| {
                    best(then.slice(s![t, tokens[tokens.len() - 1], ..])).max(1)
                })
            },
            says: "It never writes `</s>`, even when that is best.",
        },
    ],
    hints: &[
        "One token at a time: which scores decide about it, and what has to be remembered for the \
         next one?",
        "Begin with a list of one token, the best of `first`. In a loop over the tables, stop if \
         the newest token is 0; otherwise look at the row of the newest token.",
        "`then.slice(s![t, last, ..])` is that row. Go through it with `iter().enumerate()` and \
         keep the number of the largest score; `tokens.push(best)` appends it.",
    ],
    explanation: "In the model, a table would need more rows than there are atoms in the \
                  universe: the scores \
                  depend on the source and on everything that has been written. But the loop is \
                  the same.",
    pytorch: "Transformers: `model.generate(..., num_beams=1, do_sample=False)`.",
};

fn solution(first: &Array1<f32>, then: &Array3<f32>) -> Vec<usize> {
    let mut tokens = Vec::new();
    let mut row = first.clone();
    for t in 0..=then.dim().0 {
        let mut best = 0;
        for (token, score) in row.iter().enumerate() {
            if *score > row[best] {
                best = token;
            }
        }
        tokens.push(best);
        if best == 0 || t == then.dim().0 {
            break;
        }
        row = then.slice(s![t, best, ..]).to_owned();
    }
    tokens
}

fn another(first: &Array1<f32>, then: &Array3<f32>) -> Vec<usize> {
    let largest = |row: &Array1<f32>| {
        let all = 0..row.len();
        all.max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0)
    };
    let mut tokens = vec![largest(first)];
    for table in then.outer_iter() {
        let last = tokens[tokens.len() - 1];
        if last == 0 {
            return tokens;
        }
        tokens.push(largest(&table.row(last).to_owned()));
    }
    tokens
}
