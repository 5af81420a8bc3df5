//! How well two vectors match.

use crate::coding_attention::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, &Array1<f32>) -> f32> = Exercise {
    name: "dot_product",
    title: "A dot product, by hand",
    lesson: LESSON,
    after: "Step 1: scores, before the loop over the three numbers",
    task: "Multiply two vectors number by number, and add up the products. Use a loop or an \
           iterator; the method `dot` comes next. Your function should work for vectors of any \
           size.",
    effort: Effort {
        difficulty: 1,
        minutes: 3,
    },
    without: &[],
    source: include_str!("dot_product.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[2] and [3]: one number each",
            run: |f| f(&array![2.0], &array![3.0]).output(),
        },
        Probe {
            what: "[1, 2, 4] and [3, -1, 0.5]",
            run: |f| f(&array![1.0, 2.0, 4.0], &array![3.0, -1.0, 0.5]).output(),
        },
        Probe {
            what: "the same the other way round",
            run: |f| f(&array![3.0, -1.0, 0.5], &array![1.0, 2.0, 4.0]).output(),
        },
        Probe {
            what: "journey and Your of the lesson, three numbers each",
            run: |f| f(&array![0.55, 0.87, 0.66], &array![0.43, 0.15, 0.89]).output(),
        },
        Probe {
            what: "two vectors of seven numbers",
            run: |f| f(&vector(1, 7), &vector(2, 7)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |a, b| a.sum() * b.sum(),
            says: "This is the product of two sums: for [1, 2, 4] and [3, -1, 0.5] it is 7 times \
                   2.5. What has to happen first, adding or multiplying?",
        },
        Mutant {
            code: |a, b| (a + b).sum(),
            says: "Here the pairs are added, not multiplied: [2] and [3] give 5.",
        },
        Mutant {
            code: |a, b| (a * b).mean().unwrap_or(0.0),
            says: "This is the mean of the products: right for one number; for more, the result \
                   is divided by how many there are.",
        },
        Mutant {
            code: |a, b| a.dot(b) / (a.dot(a) * b.dot(b)).sqrt(),
            says: "This is the cosine, which is never above 1: the lengths of the vectors were \
                   divided out. Should a long vector count for more?",
        },
        Mutant {
            code: |a, b| a.iter().zip(b).take(3).map(|(a, b)| a * b).sum(),
            says: "Only the first three numbers count: right for the words of the lesson, wrong \
                   for vectors of seven.",
        },
        Mutant {
            code: |a, b| (1..a.len()).map(|i| a[i] * b[i]).sum(),
            says: "The first place is left out: [2] and [3] give 0. At which index does the loop \
                   start?",
        },
        Mutant {
            code: |a, _| a.sum(),
            says: "Only the first vector was added up: the second one is not used.",
        },
        Mutant {
            code: |a, b| a[a.len() - 1] * b[b.len() - 1],
            says: "This is the last product alone: the result is replaced in each step of the \
                   loop. What keeps the earlier products?",
        },
        Mutant {
            code: |a, _| a.dot(a),
            says: "The first vector was multiplied by itself: the second one is not used.",
        },
        Mutant {
            code: |a, b| (a - b).mapv(|d| d * d).sum(),
            says: "This is the squared distance between the two: it is 0 for equal vectors, where \
                   the dot product is the square of their length.",
        },
        Mutant {
            code: |a, b| a.iter().zip(b).map(|(a, b)| a * b).product(),
            says: "The products were multiplied together. What should happen to them?",
        },
        Mutant {
            code: |a, b| a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum(),
            says: "The products lost their signs before they were added: a place where the signs \
                   differ should count against the match.",
        },
        Mutant {
            code: |a, b| {
                a.iter()
                    .zip(b)
                    .map(|(a, b)| a * b)
                    .fold(f32::NEG_INFINITY, f32::max)
            },
            says: "This is the largest of the products, and not their sum.",
        },
    ],
    hints: &[
        "Begin with a sum of 0 and go through both vectors together, one place at a time.",
        "`a.len()` says how many places there are, and `a[i]` is the number at place `i`.",
        "In the loop `for i in 0..a.len()`, add the product of `a[i]` and `b[i]` to the sum; \
         return the sum after the loop.",
    ],
    explanation: "A place where either vector has a 0 counts for nothing. Long vectors tend to \
                  have large dot products; vectors that point away from each other have negative \
                  ones. The check sees only results: whether you wrote it by hand, only you know.",
    pytorch: "PyTorch: `torch.dot(a, b)`. NumPy and ndarray: `a.dot(b)`.",
};

fn solution(a: &Array1<f32>, b: &Array1<f32>) -> f32 {
    let mut total = 0.0;
    for i in 0..a.len() {
        total += a[i] * b[i];
    }
    total
}

fn another(a: &Array1<f32>, b: &Array1<f32>) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
