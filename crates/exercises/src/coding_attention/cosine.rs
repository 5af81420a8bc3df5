//! How close two vectors are in direction.

use crate::coding_attention::LESSON;
use crate::exercise::*;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, &Array1<f32>) -> f32> = Exercise {
    name: "cosine",
    title: "The cosine of any two vectors",
    lesson: LESSON,
    after: "Step 1: scores, after length was seen to matter",
    task: "A dot product grows with the lengths of its vectors. Divide by both lengths, and only \
           the direction counts: that is the cosine of the angle between the two. The length of a \
           vector is the square root of its dot product with itself (`x.sqrt()` is the square root \
           of `x`). Write the cosine of any two vectors.",
    effort: Effort {
        difficulty: 2,
        minutes: 5,
    },
    without: &[],
    source: include_str!("cosine.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[1, 0] and [0.6, 0.8], both of length 1: 0.6",
            run: |f| f(&array![1.0, 0.0], &array![0.6, 0.8]).output(),
        },
        Probe {
            what: "[3, 4] and [6, 8]: the same direction, 1",
            run: |f| f(&array![3.0, 4.0], &array![6.0, 8.0]).output(),
        },
        Probe {
            what: "[2, 0] and [-5, 0]: opposite, -1",
            run: |f| f(&array![2.0, 0.0], &array![-5.0, 0.0]).output(),
        },
        Probe {
            what: "[2, 1, 2] and [3, 0, 4]",
            run: |f| f(&array![2.0, 1.0, 2.0], &array![3.0, 0.0, 4.0]).output(),
        },
        Probe {
            what: "[1, -2, 2] and [2, 6, 3]",
            run: |f| f(&array![1.0, -2.0, 2.0], &array![2.0, 6.0, 3.0]).output(),
        },
        Probe {
            what: "two vectors of eleven numbers",
            run: |f| f(&vector(120, 11), &(vector(121, 11) * 3.0)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |a, b| a.dot(b),
            says: "This is the dot product: [3, 4] and [6, 8] give 50. For vectors of length 1 it \
                   is the cosine; these are longer.",
        },
        Mutant {
            code: |a, b| a.dot(b) / a.dot(a).sqrt(),
            says: "Divided by the length of the first vector only: twice the second vector gives \
                   twice the result.",
        },
        Mutant {
            code: |a, b| a.dot(b) / b.dot(b).sqrt(),
            says: "Divided by the length of the second vector only: twice the first vector gives \
                   twice the result.",
        },
        Mutant {
            code: |a, b| a.dot(b) / a.dot(a).sqrt() * b.dot(b).sqrt(),
            says: "Divided by one length and multiplied by the other: `x / y * z` is computed from \
                   left to right.",
        },
        Mutant {
            code: |a, b| a.dot(b) / (a.dot(a) * b.dot(b)),
            says: "Divided by the squares of both lengths: a root is missing.",
        },
        Mutant {
            code: |a, b| a.dot(b) / (a.dot(a).sqrt() + b.dot(b).sqrt()),
            says: "Divided by the sum of the lengths. It should be divided by one, and then by the \
                   other.",
        },
        Mutant {
            code: |a, b| a.dot(b) / a.len() as f32,
            says: "Divided by how many numbers a vector has. Its length is the root of the sum of \
                   its squares.",
        },
        Mutant {
            code: |a, b| 1.0 - a.dot(b) / (a.dot(a) * b.dot(b)).sqrt(),
            says: "This is 1 minus the cosine, a distance: it is 0 for the same direction.",
        },
        Mutant {
            code: |a, b| (a.dot(b) / (a.dot(a) * b.dot(b)).sqrt()).abs(),
            says: "The sign is lost: opposite vectors should give -1.",
        },
        Mutant {
            code: |a, b| {
                let cosine = a.dot(b) / (a.dot(a) * b.dot(b)).sqrt();
                cosine.clamp(-1.0, 1.0).acos()
            },
            says: "This is the angle itself, in radians, and not its cosine.",
        },
        Mutant {
            code: |a, b| (a - b).mapv(|d| d * d).sum().sqrt(),
            says: "This is the distance between the two ends: it is 0 for equal vectors, and has \
                   no upper limit.",
        },
        Mutant {
            code: |a, b| {
                let (one, other) = (a.mapv(f32::abs).sum(), b.mapv(f32::abs).sum());
                a.dot(b) / (one * other)
            },
            says: "Divided by the sums of the numbers without their signs. The length is the root \
                   of the sum of the squares.",
        },
        Mutant {
            code: |a, b| a.dot(b) / (a.sum() * b.sum()),
            says: "Divided by the sums of the numbers. The length is the root of the sum of the \
                   squares.",
        },
        Mutant {
            code: |a, b| {
                let centred = |v: &Array1<f32>| v - v.mean().unwrap_or(0.0);
                let (a, b) = (centred(a), centred(b));
                a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt()
            },
            says: "The mean of each vector was subtracted first: that is a correlation.",
        },
    ],
    hints: &[
        "What is the length of [3, 4]? What is the dot product of [3, 4] with itself?",
        "The length of `a` is `a.dot(a).sqrt()`. There are two lengths.",
        "Compute the dot product of the two, and the length of each; divide the first by the \
         product \
         of the other two.",
    ],
    explanation: "The lengths are divided out, so only the direction counts: 1 is the same \
                  direction, 0 a right angle, -1 the opposite.",
    pytorch: "PyTorch: `F.cosine_similarity(a, b, dim=0)`.",
};

fn solution(a: &Array1<f32>, b: &Array1<f32>) -> f32 {
    let lengths = a.dot(a).sqrt() * b.dot(b).sqrt();
    a.dot(b) / lengths
}

fn another(a: &Array1<f32>, b: &Array1<f32>) -> f32 {
    let (mut product, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        product += x * y;
        of_a += x * x;
        of_b += y * y;
    }
    product / f32::sqrt(of_a * of_b)
}
