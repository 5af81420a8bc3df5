//! The project, first milestone: from characters to vectors.

use crate::exercise::*;
use crate::language_model::LESSON;

type Embedded = fn(&[usize], &Array2<f32>, &Array2<f32>) -> Array2<f32>;

fn probe(f: Embedded, tokens: &[usize], places: usize) -> Output {
    f(tokens, &matrix(120, 5, 3), &matrix(121, places, 3)).output()
}

/// The embeddings, with row `place(t)` of the position table added to the token at `t`.
fn with_place(
    tokens: &[usize],
    token_table: &Array2<f32>,
    place_table: &Array2<f32>,
    place: impl Fn(usize) -> usize,
) -> Array2<f32> {
    let x = token_table.select(Axis(0), tokens);
    let places: Vec<usize> = (0..tokens.len()).map(place).collect();
    x + place_table.select(Axis(0), &places)
}

/// Used by later milestones in place of the learner's function.
pub(super) const SOLUTION: Embedded = solution;

pub(crate) static EXERCISE: Exercise<Embedded> = Exercise {
    name: "embedded",
    title: "Project, 1 of 6: characters become vectors",
    lesson: LESSON,
    after: "The project, at the beginning",
    task: "Give each token the sum of two vectors: its own row of `token_table`, and the row of \
           `place_table` for its place in the text, counted from 0.",
    without: &[],
    effort: Effort {
        difficulty: 2,
        minutes: 10,
    },
    source: include_str!("embedded.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[2]: a single token, in place 0",
            run: |f| probe(f, &[2], 4),
        },
        Probe {
            what: "[1, 1]: the same token in two places, so two different vectors",
            run: |f| probe(f, &[1, 1], 4),
        },
        Probe {
            what: "[4, 0, 3], with a table of 6 places, three of which are not needed",
            run: |f| probe(f, &[4, 0, 3], 6),
        },
        Probe {
            what: "[3, 3, 1, 0, 4], with a table of 5 places",
            run: |f| probe(f, &[3, 3, 1, 0, 4], 5),
        },
    ],
    mutants: &[
        Mutant {
            code: |tokens, token_table, _| token_table.select(Axis(0), tokens),
            says: "The places are missing: the same token has the same vector wherever it stands.",
        },
        Mutant {
            code: |tokens, _, place_table| place_table.slice(s![..tokens.len(), ..]).to_owned(),
            says: "Only the places are there: all texts of the same length have the same vectors.",
        },
        Mutant {
            code: |tokens, token_table, place_table| {
                with_place(tokens, token_table, place_table, |_| 0)
            },
            says: "Every token got the vector of place 0: a token in two places looks the same.",
        },
        Mutant {
            code: |tokens, token_table, place_table| {
                let last = place_table.nrows() - 1;
                with_place(tokens, token_table, place_table, |t| (t + 1).min(last))
            },
            says: "Places are counted from 1 here; the first token stands in place 0.",
        },
        Mutant {
            code: |tokens, token_table, place_table| {
                let places = place_table.nrows();
                with_place(tokens, token_table, place_table, |t| tokens[t] % places)
            },
            says: "The row of the place table was chosen by the token instead of its place.",
        },
        Mutant {
            code: |tokens, token_table, place_table| {
                let unused = place_table.nrows() - tokens.len();
                with_place(tokens, token_table, place_table, |t| unused + t)
            },
            says: "The last rows of the place table were taken. A text that is shorter than the \
                   table begins in place 0, too.",
        },
        Mutant {
            code: |tokens, token_table, place_table| {
                let x = token_table.select(Axis(0), tokens);
                x * place_table.slice(s![..tokens.len(), ..])
            },
            says: "The two vectors were multiplied.",
        },
        Mutant {
            code: |tokens, token_table, place_table| {
                let mut x = token_table.select(Axis(0), tokens);
                x.append(Axis(1), place_table.slice(s![..tokens.len(), ..]))
                    .expect("as many rows");
                x
            },
            says: "The two vectors stand side by side, so the result is twice as wide.",
        },
    ],
    hints: &[
        "Two lookups and a sum. Which rows does each lookup need?",
        "`table.select(Axis(0), &rows)` looks up rows in any order; a slice gives the first ones.",
        "The tokens themselves are the row numbers for `token_table`. For `place_table` they are 0 \
         to `tokens.len() - 1`, which is what `s![..tokens.len(), ..]` picks.",
    ],
    explanation: "Apart from its mask, attention ignores order, so the place has to enter \
                  somewhere: here, by adding. That looks crude, but in many dimensions a model \
                  finds directions for both.",
    pytorch: "PyTorch: `token_embedding_table(tokens) + position_embedding_table(torch.arange(T))`.",
};

fn solution(tokens: &[usize], token_table: &Array2<f32>, place_table: &Array2<f32>) -> Array2<f32> {
    let places = place_table.slice(s![..tokens.len(), ..]);
    token_table.select(Axis(0), tokens) + places
}

fn another(tokens: &[usize], token_table: &Array2<f32>, place_table: &Array2<f32>) -> Array2<f32> {
    Array2::from_shape_fn((tokens.len(), token_table.ncols()), |(t, i)| {
        token_table[[tokens[t], i]] + place_table[[t, i]]
    })
}
