//! The dot product of two position vectors.

use crate::exercise::*;
use crate::translation::LESSON;

pub(crate) static EXERCISE: Exercise<fn(usize, usize, usize) -> f64> = Exercise {
    name: "places_alike",
    title: "How alike are two places?",
    lesson: LESSON,
    after: "Order, before the likeness to two places is drawn",
    task: "The vector of place `t` has `half` sines, sin(t f), one for each frequency f, and then \
           `half` cosines, cos(t f). The frequencies are 10000 to the power of -i / (`half` - \
           1), for i from 0 to `half` - 1. Return the dot product of the vectors of the places `a` \
           and `b`.",
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    without: &[],
    source: include_str!("places_alike.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "a place and itself, 2 sines and 2 cosines: 2",
            run: |f| f(1, 1, 2).output(),
        },
        Probe {
            what: "places 3 and 0, 2 sines and 2 cosines: cos 3 + cos 0.0003 = 0.0100",
            run: |f| f(3, 0, 2).output(),
        },
        Probe {
            what: "places 2 and 5, 4 sines and 4 cosines",
            run: |f| f(2, 5, 4).output(),
        },
        Probe {
            what: "places 7 and 40, 128 sines and 128 cosines, as in the model",
            run: |f| f(7, 40, 128).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |a, b, half| {
                let frequency = |i: usize| if i + 1 < half { 1.0 } else { 1e-4 };
                alike(a, b, half, frequency)
            },
            says: "All frequencies but the last are 1: divided as integers, i / (half - 1) is 0 \
                   until i reaches `half - 1`. Convert both to `f64` first.",
        },
        Mutant {
            code: |a, b, half| alike(a, b, half, |i| to_the(-(i as f64) / half as f64)),
            says: "The exponents were divided by `half`, so the last frequency is not quite as low \
                   as 1/10000.",
        },
        Mutant {
            code: |a, b, half| alike(a, b, half, |i| to_the(-(i as f64) / (2 * half) as f64)),
            says: "The exponents were divided by the width of the whole vector, so the last \
                   frequency is about 1/100. It should be 1/10000.",
        },
        Mutant {
            code: |a, b, half| alike(a, b, half, |i| 1.0 / of(i, half)),
            says: "The minus of the exponent is missing: the frequencies rise to 10000.",
        },
        Mutant {
            code: |a, b, half| {
                let of_sines = |i| (a as f64 * of(i, half)).sin() * (b as f64 * of(i, half)).sin();
                (0..half).map(of_sines).sum()
            },
            says: "Only the sines count: the other half of each vector is missing.",
        },
        Mutant {
            code: |a, b, half| {
                let of_cosines =
                    |i| (a as f64 * of(i, half)).cos() * (b as f64 * of(i, half)).cos();
                (0..half).map(of_cosines).sum()
            },
            says: "Only the cosines count: the other half of each vector is missing.",
        },
        Mutant {
            code: |a, b, half| {
                (0..half)
                    .map(|i| ((a + b) as f64 * of(i, half)).cos())
                    .sum()
            },
            says: "The product of the sines was subtracted. That is the cosine of the sum of two \
                   angles.",
        },
        Mutant {
            code: |a, b, half| {
                let angle = |t: usize, i| t as f64 * of(i, half);
                (0..half).map(|i| (angle(a, i) - angle(b, i)).sin()).sum()
            },
            says: "These are the sines of the distances: sines were multiplied by cosines, or the \
                   two were confused.",
        },
        Mutant {
            code: |a, b, half| alike(a, b, half, |i| of(i, half)) / half as f64,
            says: "Divided by `half`: this is the cosine of the angle between the two vectors. The \
                   task asks for the dot product.",
        },
        Mutant {
            code: |a, b, half| alike(a, b, half, |i| of(i, half)) / (2 * half) as f64,
            says: "This is the mean of the products. A dot product is their sum.",
        },
        Mutant {
            code: |a, b, half| {
                let apart = |i| {
                    let angles = [a, b].map(|t| t as f64 * of(i, half));
                    let sines = angles[0].sin() - angles[1].sin();
                    let cosines = angles[0].cos() - angles[1].cos();
                    sines * sines + cosines * cosines
                };
                (0..half).map(apart).sum()
            },
            says: "This is the square of the distance between the two vectors: 0 for a place and \
                   itself.",
        },
        Mutant {
            code: |a, b, half| alike(a, b, half - 1, |i| of(i, half)),
            says: "The last sine and cosine are missing: i goes from 0 to `half - 1`, that one \
                   included.",
        },
        Mutant {
            code: |a, b, half| {
                let Some(apart) = a.checked_sub(b) else {
                    panic!("attempt to subtract with overflow");
                };
                alike(apart, 0, half, |i| of(i, half))
            },
            says: "The difference of the places may be negative, which a `usize` cannot be: \
                   `a.abs_diff(b)` is their distance.",
        },
    ],
    hints: &[
        "Write a function or closure for the angle `t f`, given `t` and `i`. Each `i` contributes \
         two products to the dot product: of two sines, and of two cosines.",
        "Between integers, 3 / 7 is 0: write `-(i as f64) / (half - 1) as f64`. \
         `10_000_f64.powf(...)` raises to a power, and `x.sin()` is the sine.",
        "Start with 0 and, for each `i`, add sin(a f) sin(b f) + cos(a f) cos(b f). Can it be said \
         with a single cosine?",
    ],
    explanation: "sin x sin y + cos x cos y is cos(x - y), so only the distance between two places \
                  counts: three words apart is the same thing everywhere in a text. And as a dot \
                  product does not mind in which order the numbers stand, sines and cosines may as \
                  well alternate, as in the paper.",
    pytorch: "PyTorch: `f = 10000 ** (-torch.arange(half) / (half - 1))`, then `torch.cos((a - b) * \
              f).sum()`.",
};

fn to_the(power: f64) -> f64 {
    10_000_f64.powf(power)
}

/// Frequency `i` of `half`, from 1 down to 1/10000.
fn of(i: usize, half: usize) -> f64 {
    to_the(-(i as f64) / (half - 1) as f64)
}

/// The dot product of the position vectors of `a` and `b`, built from these frequencies.
fn alike(a: usize, b: usize, half: usize, frequency: impl Fn(usize) -> f64) -> f64 {
    let distance = a.abs_diff(b) as f64;
    (0..half).map(|i| (distance * frequency(i)).cos()).sum()
}

fn solution(a: usize, b: usize, half: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..half {
        let f = 10_000_f64.powf(-(i as f64) / (half - 1) as f64);
        let (at_a, at_b) = (a as f64 * f, b as f64 * f);
        sum += at_a.sin() * at_b.sin() + at_a.cos() * at_b.cos();
    }
    sum
}

fn another(a: usize, b: usize, half: usize) -> f64 {
    let frequencies: Array1<f64> = (0..half)
        .map(|i| 10_000_f64.powf(-(i as f64) / (half as f64 - 1.0)))
        .collect();
    let (x, y) = (&frequencies * a as f64, &frequencies * b as f64);
    x.mapv(f64::sin).dot(&y.mapv(f64::sin)) + x.mapv(f64::cos).dot(&y.mapv(f64::cos))
}
