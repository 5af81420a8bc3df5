//! The project, last milestone: the model writes.

use super::block::model;
use crate::exercise::*;
use crate::language_model::LESSON;

type Write = fn(&LanguageModel, &[usize], usize) -> Vec<usize>;

fn probe(f: Write, prompt: &[usize], count: usize) -> Output {
    f(&model(170, 2, 6), prompt, count).output()
}

/// The prompt and its continuation, with each token chosen by `next`.
fn written(prompt: &[usize], count: usize, mut next: impl FnMut(&[usize]) -> usize) -> Vec<usize> {
    let mut tokens = prompt.to_vec();
    for _ in 0..count {
        tokens.push(next(&tokens));
    }
    tokens
}

/// The part of a text that the model sees: its end.
fn end<'a>(model: &LanguageModel, tokens: &'a [usize]) -> &'a [usize] {
    &tokens[tokens.len().saturating_sub(model.config().context)..]
}

/// The likeliest token according to one row of the logits.
fn likeliest(row: &Array1<f32>) -> usize {
    let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]));
    best.unwrap_or(0)
}

/// The last row of the logits.
fn last(model: &LanguageModel, seen: &[usize]) -> Array1<f32> {
    let logits = model.logits(seen);
    logits.row(logits.nrows() - 1).to_owned()
}

pub(crate) static EXERCISE: Exercise<Write> = Exercise {
    name: "write",
    title: "Project, 6 of 6: it writes",
    lesson: LESSON,
    after: "The project, at the end",
    task: "Return `prompt`, followed by `count` more tokens. For each of them, let the model see \
           the last `model.config().context` tokens of the text so far (all of them, if there are \
           fewer), and append the one with the largest logit in the *last* row. Use your \
           `my_transformer`, or `model.logits`.",
    without: &[],
    effort: Effort {
        difficulty: 3,
        minutes: 20,
    },
    source: include_str!("write.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the prompt [2] and no more tokens: the prompt",
            run: |f| probe(f, &[2], 0),
        },
        Probe {
            what: "the prompt [4, 1] and 1 more token",
            run: |f| probe(f, &[4, 1], 1),
        },
        Probe {
            what: "the prompt [0, 5, 3] and 3 more tokens",
            run: |f| probe(f, &[0, 5, 3], 3),
        },
        Probe {
            what: "a prompt of 9 tokens, more than the model sees at once, and 5 more",
            run: |f| probe(f, &[0, 5, 3, 1, 6, 2, 4, 0, 2], 5),
        },
        Probe {
            what: "the prompt [6, 1] and 12 more tokens: on the way the text grows too long",
            run: |f| probe(f, &[6, 1], 12),
        },
    ],
    mutants: &[
        Mutant {
            code: |model, prompt, count| {
                let all = written(prompt, count, |tokens| {
                    likeliest(&last(model, end(model, tokens)))
                });
                all[prompt.len()..].to_vec()
            },
            says: "The prompt is missing: the text begins with the first new token.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count, |tokens| {
                    likeliest(&last(model, &tokens[tokens.len() - 1..]))
                })
            },
            says: "The model saw only the last token: that makes it a bigram model.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count, |tokens| {
                    let seen = tokens.len().min(model.config().context);
                    likeliest(&last(model, &tokens[..seen]))
                })
            },
            says: "When the text was too long, the model saw its beginning; it should see its end.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count, |tokens| {
                    let logits = model.logits(end(model, tokens));
                    likeliest(&logits.row(0).to_owned())
                })
            },
            says: "The first row of the logits was used: it says what follows the first token. \
                   Which row says what follows the last one?",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count, |tokens| {
                    likeliest(&-last(model, end(model, tokens)))
                })
            },
            says: "The least likely token was taken.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count + 1, |tokens| {
                    likeliest(&last(model, end(model, tokens)))
                })
            },
            says: "One token too many was written.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count.saturating_sub(prompt.len()), |tokens| {
                    likeliest(&last(model, end(model, tokens)))
                })
            },
            says: "The text has `count` tokens in all; it should have `count` more than the \
                   prompt.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count, |_| {
                    likeliest(&last(model, end(model, prompt)))
                })
            },
            says: "Every new token follows the prompt: what has been written since is not read.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count, |tokens| {
                    let most = model.config().context - 1;
                    let seen = &tokens[tokens.len().saturating_sub(most)..];
                    likeliest(&last(model, seen))
                })
            },
            says: "One token fewer than the model can see was shown to it.",
        },
        Mutant {
            code: |model, prompt, count| {
                written(prompt, count, |tokens| {
                    let logits = model.logits(end(model, tokens));
                    likeliest(&logits.iter().copied().collect()) % logits.ncols()
                })
            },
            says: "The largest logit of all rows was taken. Only the last row is about the next \
                   token.",
        },
    ],
    hints: &[
        "A loop that runs `count` times and makes a text longer. What does each round need, and \
         what does it change?",
        "The part that the model sees begins at `tokens.len().saturating_sub(context)`: 0 if the \
         text is short enough.",
        "`logits.row(logits.nrows() - 1)` is the last row. Go through it with `iter().enumerate()` \
         and keep the index of the largest number; `tokens.push(best)` appends it.",
    ],
    explanation: "Always taking the likeliest token makes a model repeat itself. Draw instead, \
                  with the softmax of the last row and your `my_sample`.",
    pytorch: "In nanoGPT this is `generate`, with `logits.argmax(-1, keepdim=True)` in place of \
    `torch.multinomial`.",
};

fn solution(model: &LanguageModel, prompt: &[usize], count: usize) -> Vec<usize> {
    let mut tokens = prompt.to_vec();
    for _ in 0..count {
        let start = tokens.len().saturating_sub(model.config().context);
        let logits = model.logits(&tokens[start..]);
        let last = logits.row(logits.nrows() - 1);
        let mut best = 0;
        for (token, logit) in last.iter().enumerate() {
            if *logit > last[best] {
                best = token;
            }
        }
        tokens.push(best);
    }
    tokens
}

fn another(model: &LanguageModel, prompt: &[usize], count: usize) -> Vec<usize> {
    let mut tokens = prompt.to_vec();
    while tokens.len() < prompt.len() + count {
        let seen = tokens.len().min(model.config().context);
        let logits = model.logits(&tokens[tokens.len() - seen..]);
        let last = logits.row(seen - 1);
        let best = (0..last.len()).max_by(|&a, &b| last[a].total_cmp(&last[b]));
        tokens.extend(best);
    }
    tokens
}
