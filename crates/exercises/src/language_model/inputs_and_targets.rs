//! The target for each token of the input.

use crate::exercise::*;
use crate::language_model::LESSON;

/// Tokens that do not simply count up.
const TEXT: [usize; 10] = [12, 5, 19, 3, 8, 14, 1, 17, 6, 11];

pub(crate) static EXERCISE: Exercise<fn(&[usize], usize, usize) -> (Vec<usize>, Vec<usize>)> =
    Exercise {
        name: "inputs_and_targets",
        title: "Inputs and targets",
        lesson: LESSON,
        after: "The text, after the targets were the inputs, shifted by one",
        task: "Cut a training example from a text: the inputs are the `length` tokens from \
               position `start` on; the targets are the tokens that follow each of them.",
        without: &[],
        effort: Effort {
            difficulty: 2,
            minutes: 8,
        },
        source: include_str!("inputs_and_targets.rs"),
        solution,
        another,
        probes: &[
            Probe {
                what: "the text [5, 9, 7], from place 0, 1 token",
                run: |f| f(&[5, 9, 7], 0, 1).output(),
            },
            Probe {
                what: "ten tokens, from place 2, 4 tokens",
                run: |f| f(&TEXT, 2, 4).output(),
            },
            Probe {
                what: "as far as the end: ten tokens, from place 6, 3 tokens",
                run: |f| f(&TEXT, 6, 3).output(),
            },
        ],
        mutants: &[
            Mutant {
                code: |text, at, n| (text[at..at + n].to_vec(), text[at..at + n].to_vec()),
                says: "The targets are the inputs themselves: the model would learn to repeat what \
                       it reads.",
            },
            Mutant {
                code: |text, at, n| (text[at..at + n].to_vec(), vec![text[at + n]]),
                says: "There is one target, the token after the last one. Every beginning of the \
                       inputs is an example, too: how many targets does that make?",
            },
            Mutant {
                code: |text, at, n| (text[at + 1..at + n + 1].to_vec(), text[at..at + n].to_vec()),
                says: "The two are swapped: the model would have to guess what came before from \
                       what comes after.",
            },
            Mutant {
                code: |text, at, n| {
                    let end = (at + 2 * n).min(text.len());
                    (text[at..at + n].to_vec(), text[at + n..end].to_vec())
                },
                says: "The targets are the next window of the text: each is several tokens ahead \
                       instead of one.",
            },
            Mutant {
                code: |text, at, n| (text[at..at + n].to_vec(), text[at + 1..at + n].to_vec()),
                says: "One target is missing: the last input has none.",
            },
            Mutant {
                code: |text, _, n| (text[..n].to_vec(), text[1..n + 1].to_vec()),
                says: "The window always begins at the beginning of the text: `start` is not used.",
            },
            Mutant {
                code: |text, at, n| {
                    (
                        text[at..at + n].to_vec(),
                        text[at..at + n].iter().map(|token| token + 1).collect(),
                    )
                },
                says: "1 was added to each token instead of its position: what follows token 7 is \
                       whatever the text has next.",
            },
            Mutant {
                code: |text, at, n| (text[at..at + n].to_vec(), text[at + 1..].to_vec()),
                says: "The targets run on to the end of the text: there should be one for each \
                       input.",
            },
            Mutant {
                code: |text, at, n| {
                    (
                        text[at..n.max(at)].to_vec(),
                        text[at + 1..n.max(at) + 1].to_vec(),
                    )
                },
                says: "The window ends at place `length` of the text, and should be `length` \
                       tokens long: right only where it starts at 0.",
            },
        ],
        hints: &[
            "How many targets are there, if there are `length` inputs?",
            "`tokens[a..b]` has the tokens from place `a` to just before place `b`; `.to_vec()` \
             makes a `Vec` of it.",
            "The inputs end just before `start + length`. The targets begin one place later, and \
             end one place later.",
        ],
        explanation: "One window of `length + 1` tokens makes `length` examples at once: after \
                      each beginning, predict the next token.",
        pytorch: "PyTorch: `x = data[i:i + n]; y = data[i + 1:i + n + 1]`.",
    };

fn solution(tokens: &[usize], start: usize, length: usize) -> (Vec<usize>, Vec<usize>) {
    let end = start + length;
    (
        tokens[start..end].to_vec(),
        tokens[start + 1..end + 1].to_vec(),
    )
}

fn another(tokens: &[usize], start: usize, length: usize) -> (Vec<usize>, Vec<usize>) {
    let pairs = tokens[start..].windows(2).take(length);
    pairs.map(|pair| (pair[0], pair[1])).unzip()
}
