//! How well one word matches each word.

use crate::coding_attention::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, &Array2<f32>) -> Array1<f32>> = Exercise {
    name: "scores",
    title: "Scores of one word",
    lesson: LESSON,
    after: "Step 1: scores, before journey is compared with all six words",
    task: "Compare a query with every word (a row of `words`): one score for each, their dot \
           product. Do not use the crate's `scores`.",
    effort: Effort {
        difficulty: 1,
        minutes: 5,
    },
    without: &[Step::Scores],
    source: include_str!("scores.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[1, 2] and one word [3, 5]",
            run: |f| f(&array![1.0, 2.0], &array![[3.0, 5.0]]).output(),
        },
        Probe {
            what: "[1, 2] and the words [3, 5] and [4, -1]",
            run: |f| f(&array![1.0, 2.0], &array![[3.0, 5.0], [4.0, -1.0]]).output(),
        },
        Probe {
            what: "5 words of three numbers",
            run: |f| f(&vector(3, 3), &matrix(4, 5, 3)).output(),
        },
        Probe {
            what: "2 words of seven numbers",
            run: |f| f(&vector(5, 7), &matrix(6, 2, 7)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |q, words| q * &words.sum_axis(Axis(0)),
            says: "There is one number for each place of the query, not one for each word: the \
                   words were added up before anything was compared.",
        },
        Mutant {
            code: |q, words| {
                let length = q.dot(q).sqrt();
                words.map_axis(Axis(1), |word| {
                    word.dot(q) / (length * word.dot(&word).sqrt())
                })
            },
            says: "These are cosines, all between -1 and 1: the lengths of the vectors were \
                   divided out.",
        },
        Mutant {
            code: |q, words| softmax(&words.dot(q)),
            says: "These add up to 1: they are already weights. Scores are what comes before the \
                   softmax.",
        },
        Mutant {
            code: |q, words| words.dot(q) / (q.len() as f32).sqrt(),
            says: "All scores were divided by the square root of the width: that comes in the \
                   next lesson.",
        },
        Mutant {
            code: |q, words| Array1::from_elem(words.nrows(), words.row(0).dot(q)),
            says: "Every word has the score of the first one. Which row does the loop read?",
        },
        Mutant {
            code: |q, words| words.map_axis(Axis(1), |word| word.sum()) * q.sum(),
            says: "Sums were multiplied; products have to be added.",
        },
        Mutant {
            code: |_, words| words.dot(&words.row(0)),
            says: "The words were compared with the first word: the query is not used.",
        },
        Mutant {
            code: |q, words| words.map_axis(Axis(1), |word| (&word - q).mapv(|d| d * d).sum()),
            says: "These are squared distances: a word that is like the query gets a small number, \
                   and should get a large score.",
        },
        Mutant {
            code: |q, words| words.map_axis(Axis(1), |word| (&word * q).mean().unwrap_or(0.0)),
            says: "These are means of the products, not sums: each is divided by how many numbers \
                   a word has.",
        },
    ],
    hints: &[
        "There is one score for each row of `words`. How many is that?",
        "`words.row(i).dot(query)` compares word `i` with the query; make an array of zeros, one \
         for each word, and fill it in a loop.",
        "A matrix times a vector does it all: each row of the matrix meets the vector. Which of \
         the two arguments goes to the left of `.dot`?",
    ],
    explanation: "The query stays the same and meets each word once. As a product: a matrix of \
                  (words, dimensions) times a vector of (dimensions). The check sees only results: \
                  whether you wrote the loop by hand, only you know.",
    pytorch: "PyTorch: `words @ query`.",
};

fn solution(query: &Array1<f32>, words: &Array2<f32>) -> Array1<f32> {
    words.dot(query)
}

fn another(query: &Array1<f32>, words: &Array2<f32>) -> Array1<f32> {
    let mut attn_scores = Array1::zeros(words.nrows());
    for (i, word) in words.rows().into_iter().enumerate() {
        attn_scores[i] = word.dot(query);
    }
    attn_scores
}
