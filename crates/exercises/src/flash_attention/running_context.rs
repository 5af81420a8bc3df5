//! The weighted sum of the values, computed one score at a time.

use crate::exercise::*;
use crate::flash_attention::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array1<f32>, &Array2<f32>) -> Array1<f32>> = Exercise {
    name: "running_context",
    title: "The context, score by score",
    lesson: LESSON,
    after: "The context, too",
    task: "Compute softmax(scores) times `values` while reading the scores one by one: keep `m`, \
           `l` and `o`, correct both sums when the maximum rises, and divide at the end. Do not \
           use `softmax`, or an array as long as the scores.",
    effort: Effort {
        difficulty: 3,
        minutes: 15,
    },
    without: &[Step::Softmax],
    source: include_str!("running_context.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one score: its value comes back",
            run: |f| f(&array![3.0], &array![[5.0, 7.0]]).output(),
        },
        Probe {
            what: "falling scores, [3, 2, 0]: the maximum never rises",
            run: |f| f(&array![3.0, 2.0, 0.0], &array![[1.0], [2.0], [6.0]]).output(),
        },
        Probe {
            what: "rising scores, [0, 2, 3]: it rises each time",
            run: |f| f(&array![0.0, 2.0, 3.0], &array![[6.0], [2.0], [1.0]]).output(),
        },
        Probe {
            what: "7 scores around 1000, values of three numbers",
            run: |f| f(&(vector(85, 7) * 3.0 + 1000.0), &matrix(86, 7, 3)).output(),
        },
        Probe {
            what: "5 scores around -1000",
            run: |f| f(&(vector(87, 5) - 1000.0), &matrix(88, 5, 3)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |s, v| {
                let largest = s.fold(0.0, |a: f32, &b| a.max(b));
                let e = s.mapv(|s| (s - largest).exp());
                e.dot(v) / e.sum()
            },
            says: "Right unless all scores lie far below 0: `m` began at 0, and there every term \
                   becomes 0. What is smaller than any score?",
        },
        Mutant {
            code: |s, v| {
                let (mut m, mut l) = (f32::NEG_INFINITY, 0.0);
                let mut o = Array1::zeros(v.ncols());
                for (&score, value) in s.iter().zip(v.rows()) {
                    let new_m = m.max(score);
                    let (factor, e) = ((m - new_m).exp(), (score - new_m).exp());
                    l = l * factor + e;
                    o = (o * factor + &value * e) / l;
                    m = new_m;
                }
                o
            },
            says: "`o` was divided in each step, and the divided one went into the next step. It \
                   is a sum, like `l`, until the last score has been read.",
        },
        Mutant {
            code: |s, v| run(s, v, (false, false), true),
            says: "Neither sum was corrected when the maximum rose: falling scores are right, \
                   rising ones are not.",
        },
        Mutant {
            code: |s, v| run(s, v, (true, false), true),
            says: "`l` was corrected, but `o` was not: old values count for too much.",
        },
        Mutant {
            code: |s, v| run(s, v, (false, true), true),
            says: "`o` was corrected, but `l` was not: the result is too small once the maximum \
                   has risen.",
        },
        Mutant {
            code: |s, v| run(s, v, (true, true), false),
            says: "The division at the end is missing: the weights do not add up to 1 yet.",
        },
        Mutant {
            code: |s, v| s.mapv(f32::exp).dot(v) / s.mapv(f32::exp).sum(),
            says: "Right for small scores, but no maximum was subtracted: around 1000 the \
                   exponentials are infinite.",
        },
        Mutant {
            code: |s, v| s.dot(v) / s.sum(),
            says: "The values were weighted with the scores themselves, without an exponential.",
        },
        Mutant {
            code: |s, v| softmax(s).dot(v) * s.len() as f32,
            says: "The result is too large: it was multiplied by the number of scores.",
        },
        Mutant {
            code: |_, v| v.sum_axis(Axis(0)) / v.nrows() as f32,
            says: "This is the plain mean of the values: the scores are not used.",
        },
        Mutant {
            code: |s, v| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                s.mapv(|s| (s - largest).exp()).dot(v) / s.len() as f32
            },
            says: "The divisor is the number of scores, not the sum of the exponentials.",
        },
    ],
    hints: &[
        "`o` is a sum like `l`, with a value as a factor in each term. What has to happen to both \
         when the maximum rises?",
        "Begin with `m` at `f32::NEG_INFINITY`, `l` at 0 and `o` as zeros, as many as a value has. \
         In each step: new maximum, factor, new term.",
        "With `factor = (m - new_m).exp()` and `e = (score - new_m).exp()`: multiply both sums by \
         the factor, add `e` to `l`, and `e` times the value to `o`. Return `o / l`.",
    ],
    explanation: "After each score `o / l` is the context of everything read so far. Nothing else \
                  has to be kept, however long the text.",
    pytorch: "PyTorch: `F.scaled_dot_product_attention` does this in its flash kernel.",
};

/// Reads the scores one by one. The flags say whether to correct `l` and `o` when the maximum
/// changes, and whether to divide at the end.
fn run(
    scores: &Array1<f32>,
    values: &Array2<f32>,
    (corrects_l, corrects_o): (bool, bool),
    divides: bool,
) -> Array1<f32> {
    let (mut m, mut l) = (f32::NEG_INFINITY, 0.0);
    let mut o = Array1::zeros(values.ncols());
    for (&score, value) in scores.iter().zip(values.rows()) {
        let new_m = m.max(score);
        let (factor, e) = ((m - new_m).exp(), (score - new_m).exp());
        l = if corrects_l { l * factor } else { l } + e;
        o *= if corrects_o { factor } else { 1.0 };
        o.scaled_add(e, &value);
        m = new_m;
    }
    if divides { o / l } else { o }
}

fn solution(attn_scores: &Array1<f32>, values: &Array2<f32>) -> Array1<f32> {
    let (mut m, mut l) = (f32::NEG_INFINITY, 0.0);
    let mut o = Array1::zeros(values.ncols());
    for (score, value) in attn_scores.iter().zip(values.rows()) {
        let new_m = m.max(*score);
        let factor = (m - new_m).exp();
        let e = (score - new_m).exp();
        l = l * factor + e;
        o = o * factor + &value * e;
        m = new_m;
    }
    o / l
}

fn another(attn_scores: &Array1<f32>, values: &Array2<f32>) -> Array1<f32> {
    let (mut m, mut l) = (f32::NEG_INFINITY, 0.0);
    let mut o = Array1::zeros(values.ncols());
    for (&score, value) in attn_scores.iter().zip(values.rows()) {
        if score <= m {
            let e = (score - m).exp();
            l += e;
            o.scaled_add(e, &value);
        } else {
            let factor = (m - score).exp();
            l = l * factor + 1.0; // the exponential of the largest score
            o = o * factor + value;
            m = score;
        }
    }
    o / l
}
