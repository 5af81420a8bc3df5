//! How often each token follows each token.

use crate::exercise::*;
use crate::language_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&[usize], usize) -> Array2<f32>> = Exercise {
    name: "bigram_counts",
    title: "A bigram model by counting",
    lesson: LESSON,
    after: "Counting does the same",
    task: "Count the pairs of neighbours: row `a`, column `b` says how often `b` came right after \
           `a`; `b` may be `a` itself. There are `vocabulary` different tokens.",
    without: &[],
    effort: Effort {
        difficulty: 2,
        minutes: 8,
    },
    source: include_str!("bigram_counts.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the text [0, 1] of 2 tokens: one pair",
            run: |f| f(&[0, 1], 2).output(),
        },
        Probe {
            what: "the text [0, 0, 0]: 0 follows 0 twice",
            run: |f| f(&[0, 0, 0], 2).output(),
        },
        Probe {
            what: "the text [2, 0, 1, 0, 1, 2]",
            run: |f| f(&[2, 0, 1, 0, 1, 2], 3).output(),
        },
        Probe {
            what: "20 tokens of a vocabulary of 5, of which 4 occur",
            run: |f| {
                f(
                    &[3, 1, 0, 1, 1, 2, 3, 3, 0, 0, 1, 2, 2, 3, 1, 0, 2, 1, 3, 0],
                    5,
                )
                .output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |text, v| counted(text, v).reversed_axes(),
            says: "Rows and columns are swapped: the row is the token that comes first.",
        },
        Mutant {
            code: |text, v| {
                let mut table = counted(text, v);
                table[[text[text.len() - 1], text[0]]] += 1.0;
                table
            },
            says: "One pair too many: the last token was paired with the first.",
        },
        Mutant {
            code: |text, v| counted(text, v) + 1.0,
            says: "Every count is too large by 1. Adding 1 to every count helps with pairs never \
                   seen, but it is not part of counting.",
        },
        Mutant {
            code: |text, v| {
                let mut table = Array2::zeros((v, v));
                for pair in text.chunks_exact(2) {
                    table[[pair[0], pair[1]]] += 1.0;
                }
                table
            },
            says: "Only every second pair was counted: each token but the first and the last is \
                   the second of one pair and the first of the next.",
        },
        Mutant {
            code: |text, v| counted(text, v).mapv(|count| f32::from(count > 0.0)),
            says: "There is a 1 wherever a pair occurred: that says whether, not how often.",
        },
        Mutant {
            code: |text, v| {
                let table = counted(text, v);
                let sums = table.sum_axis(Axis(1)).insert_axis(Axis(1));
                table / sums
            },
            says: "These are shares of each row, which is the next step. A token that never \
                   occurred has 0 / 0.",
        },
        Mutant {
            code: |text, v| {
                let table = counted(text, v);
                &table + &table.t()
            },
            says: "The table is symmetric: each pair was counted in both directions.",
        },
        Mutant {
            code: |text, v| {
                let mut table = Array2::zeros((v, v));
                text.iter().for_each(|&token| table[[token, token]] += 1.0);
                table
            },
            says: "Only the diagonal has counts: single tokens were counted, not pairs.",
        },
        Mutant {
            code: |text, v| {
                let mut table = Array2::zeros((v, v));
                for pair in text.windows(3) {
                    table[[pair[0], pair[2]]] += 1.0;
                }
                table
            },
            says: "Tokens two apart were counted, not neighbours.",
        },
        Mutant {
            code: |text, v| {
                let mut table = Array2::zeros((v, v));
                for i in 2..text.len() {
                    table[[text[i - 1], text[i]]] += 1.0;
                }
                table
            },
            says: "The first pair is missing: where does the loop begin?",
        },
        Mutant {
            code: |text, v| {
                let mut table = Array2::zeros((v, v));
                for i in 0..text.len().saturating_sub(2) {
                    table[[text[i], text[i + 1]]] += 1.0;
                }
                table
            },
            says: "The last pair is missing: where does the loop end?",
        },
    ],
    hints: &[
        "How many pairs of neighbours does a text of three tokens have?",
        "`tokens.windows(2)` goes through all pairs of neighbours; `pair[0]` and `pair[1]` are the \
         two.",
        "Begin with `Array2::zeros((vocabulary, vocabulary))`, and add 1.0 at the place of each \
         pair: which of the two is the row?",
    ],
    explanation: "Each row, divided by its sum, is what such a model expects after a token. No \
                  training finds a better bigram model of this text.",
    pytorch: "PyTorch: `counts.index_put_((text[:-1], text[1:]), torch.tensor(1.0), \
    accumulate=True)`.",
};

fn counted(tokens: &[usize], vocabulary: usize) -> Array2<f32> {
    let mut counts = Array2::zeros((vocabulary, vocabulary));
    tokens
        .windows(2)
        .for_each(|pair| counts[[pair[0], pair[1]]] += 1.0);
    counts
}

fn solution(tokens: &[usize], vocabulary: usize) -> Array2<f32> {
    let mut counts = Array2::zeros((vocabulary, vocabulary));
    for pair in tokens.windows(2) {
        counts[[pair[0], pair[1]]] += 1.0;
    }
    counts
}

fn another(tokens: &[usize], vocabulary: usize) -> Array2<f32> {
    let one_hot = |tokens: &[usize]| {
        Array2::from_shape_fn((tokens.len(), vocabulary), |(place, token)| {
            f32::from(tokens[place] == token)
        })
    };
    let last = tokens.len() - 1;
    one_hot(&tokens[..last]).t().dot(&one_hot(&tokens[1..]))
}
