//! The queries, keys and values of words.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

type Projections = fn(&Array2<f32>, [&Array2<f32>; 3]) -> (Array2<f32>, Array2<f32>, Array2<f32>);

/// Calls `f` with inputs and three matrices, which project words from `width` to `to` numbers.
fn projected(f: Projections, words: usize, width: usize, to: usize) -> Output {
    let [w_q, w_k, w_v] = [20, 21, 22].map(|seed| matrix(seed, width, to));
    f(&matrix(19, words, width), [&w_q, &w_k, &w_v]).output()
}

pub(crate) static EXERCISE: Exercise<Projections> = Exercise {
    name: "projections",
    title: "Queries, keys and values",
    lesson: LESSON,
    after: "Three matrices, before all keys and values are computed",
    task: "Make the queries, keys and values of all words (the rows of `inputs`) with three \
           matrices. Each matrix has the shape (numbers per word, numbers per result). Return \
           the queries, keys and values, in this order.",
    effort: Effort {
        difficulty: 1,
        minutes: 4,
    },
    without: &[],
    source: include_str!("projections.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one word [1, 2] and matrices that swap, double and add its numbers",
            run: |f| {
                let swap = array![[0.0, 1.0], [1.0, 0.0]];
                let (double, add) = (array![[2.0, 0.0], [0.0, 2.0]], array![[1.0], [1.0]]);
                f(&array![[1.0, 2.0]], [&swap, &double, &add]).output()
            },
        },
        Probe {
            what: "5 words of three numbers, which become two",
            run: |f| projected(f, 5, 3, 2),
        },
        Probe {
            what: "4 words of three numbers, which stay three",
            run: |f| projected(f, 4, 3, 3),
        },
    ],
    mutants: &[
        Mutant {
            code: |x, [q, k, v]| (x.dot(k), x.dot(q), x.dot(v)),
            says: "Queries and keys are swapped: each is right, but in the place of the other.",
        },
        Mutant {
            code: |x, [q, k, v]| match q.is_square() {
                true => (x.dot(&q.t()), x.dot(&k.t()), x.dot(&v.t())),
                false => (x.dot(q), x.dot(k), x.dot(v)),
            },
            says: "Where the matrices are square, they were transposed. PyTorch's linear layer \
                   stores its matrix transposed, but these are not stored that way.",
        },
        Mutant {
            code: |x, [q, k, v]| (x.dot(&q.t()), x.dot(&k.t()), x.dot(&v.t())),
            says: "The matrices were transposed, as a linear layer of PyTorch stores them. These \
                   have the shape (numbers per word, numbers per result).",
        },
        Mutant {
            code: |x, [q, _, _]| (x.dot(q), x.dot(q), x.dot(q)),
            says: "All three are made with the same matrix: then a word looks for exactly what it \
                   offers. Which matrix makes the keys?",
        },
        Mutant {
            code: |x, [q, k, _]| (x.dot(q), x.dot(k), x.clone()),
            says: "Queries and keys are right, but the values are the words themselves.",
        },
        Mutant {
            code: |x, [q, k, _]| (x.dot(q), x.dot(k), x.dot(k)),
            says: "The values are the keys again: what a word is found by is not what it hands \
                   over.",
        },
    ],
    hints: &[
        "All three are made in the same way, each with its own matrix.",
        "A word is a row, so the words go on the left of the product.",
        "Write `inputs.dot(...)` three times, in a tuple `(..., ..., ...)`, with a different matrix \
         in each.",
    ],
    explanation: "These three matrices are all that one head learns here; many models add a bias \
                  to each. Row `t` of each product belongs to word `t`.",
    pytorch: "PyTorch: `x @ W_q`, or `nn.Linear(d_in, d_out, bias=False)(x)`, which is `x @ W.T`.",
};

fn solution(
    inputs: &Array2<f32>,
    [w_query, w_key, w_value]: [&Array2<f32>; 3],
) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
    (inputs.dot(w_query), inputs.dot(w_key), inputs.dot(w_value))
}

fn another(
    inputs: &Array2<f32>,
    matrices: [&Array2<f32>; 3],
) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
    let project = |matrix: &Array2<f32>| {
        let mut projected = Array2::zeros((inputs.nrows(), matrix.ncols()));
        for (word, mut row) in inputs.rows().into_iter().zip(projected.rows_mut()) {
            row.assign(&word.dot(matrix));
        }
        projected
    };
    let [queries, keys, values] = matrices.map(project);
    (queries, keys, values)
}
