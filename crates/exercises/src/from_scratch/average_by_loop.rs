//! The average of each token and all those before it (V1).

use crate::exercise::*;
use crate::from_scratch::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>) -> Array2<f32>> = Exercise {
    name: "average_by_loop",
    title: "V1: the average so far",
    lesson: LESSON,
    after: "V1: averages, by a loop",
    task: "`x` has a row for each token. Row `t` of the result is the mean of the rows 0 to `t`, \
           row `t` included. Use a loop.",
    effort: Effort {
        difficulty: 2,
        minutes: 8,
    },
    without: &[Step::AverageSoFar, Step::RunningAverage],
    source: include_str!("average_by_loop.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one token: its own mean",
            run: |f| f(&array![[2.0, 7.0]]).output(),
        },
        Probe {
            what: "[2], [4], [9]: the means 2, 3, 5",
            run: |f| f(&array![[2.0], [4.0], [9.0]]).output(),
        },
        Probe {
            what: "5 tokens of three numbers",
            run: |f| f(&matrix(82, 5, 3)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |x| {
                let mean = x.mean_axis(Axis(0)).unwrap_or_default();
                Array2::from_shape_fn(x.dim(), |(_, c)| mean[c])
            },
            says: "Every token got the mean of all: the first one sees the last one.",
        },
        Mutant {
            code: |x| {
                let mut sums = x.clone();
                sums.accumulate_axis_inplace(Axis(0), |before, now| *now += before);
                sums
            },
            says: "These are sums: 2, 6, 15. They were not divided.",
        },
        Mutant {
            code: |x| {
                let mut sums = x.clone();
                sums.accumulate_axis_inplace(Axis(0), |before, now| *now += before);
                sums / x.nrows() as f32
            },
            says: "Every sum was divided by the number of all tokens. How many has token `t` \
                   seen?",
        },
        Mutant {
            code: |x| {
                let of = |t: usize, c: usize| x.slice(s![..t, c]).sum() / t as f32;
                Array2::from_shape_fn(x.dim(), |(t, c)| of(t, c))
            },
            says: "Each row is the mean of the rows before it, without itself: so the first one \
                   has nothing, and 0 / 0 is NaN. Does `..t` include `t`?",
        },
        Mutant {
            code: |x| {
                let of = |t: usize, c: usize| x.slice(s![..=t, c]).sum() / t.max(1) as f32;
                Array2::from_shape_fn(x.dim(), |(t, c)| of(t, c))
            },
            says: "The sums are right, but were divided by `t`: the rows 0 to `t` are `t + 1` \
                   rows.",
        },
        Mutant {
            code: |x| {
                let mut kept = x.clone();
                kept.accumulate_axis_inplace(Axis(0), |before, now| *now = (*now + before) / 2.0);
                kept
            },
            says: "Each row is the mean of itself and the result before: the newest token counts \
                   for half of it, however many there were.",
        },
        Mutant {
            code: |x| {
                let of = |t: usize, c: usize| x.slice(s![t.., c]).mean().unwrap_or(0.0);
                Array2::from_shape_fn(x.dim(), |(t, c)| of(t, c))
            },
            says: "Each row is the mean of itself and what comes after: it looks at the future.",
        },
        Mutant {
            code: |x| {
                let before = |t: usize, c: usize| x[[t.saturating_sub(1), c]];
                Array2::from_shape_fn(x.dim(), |(t, c)| (x[[t, c]] + before(t, c)) / 2.0)
            },
            says: "Only the token itself and the one before count: what came earlier is forgotten.",
        },
        Mutant {
            code: |x| {
                let mut sums = x.clone();
                sums.accumulate_axis_inplace(Axis(0), |before, now| *now += before);
                for (t, mut row) in sums.rows_mut().into_iter().enumerate() {
                    row /= t as f32;
                }
                sums
            },
            says: "The sums were divided by `t`, which is 0 in the first row: that gives \
                   infinity. The rows 0 to `t` are `t + 1` rows.",
        },
        Mutant {
            code: |x| {
                let mut sum = Array1::<f32>::zeros(x.ncols());
                let mut means = x.clone();
                for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                    sum += &row;
                    sum /= (t + 1) as f32;
                    row.assign(&sum);
                }
                means
            },
            says: "The running sum itself was divided in each step, so the next step starts from a \
                   mean instead.",
        },
        Mutant {
            code: |x| {
                let mut sum = Array1::<f32>::zeros(x.ncols());
                let mut means = x.clone();
                for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                    sum += &(&row / (t + 1) as f32);
                    row.assign(&sum);
                }
                means
            },
            says: "Each token was divided by the number of tokens so far when it was added. As \
                   more arrive, its share should keep shrinking.",
        },
        Mutant {
            code: |x| {
                let means = x.sum_axis(Axis(1)) / x.ncols() as f32;
                Array2::from_shape_fn(x.dim(), |(t, _)| means[t])
            },
            says: "The mean was taken along each row, over the numbers of one token; it should \
                   run over tokens.",
        },
        Mutant {
            code: |x| {
                let mut sums = x.clone();
                sums.accumulate_axis_inplace(Axis(0), |before, now| *now += before);
                for (t, mut row) in sums.rows_mut().into_iter().enumerate() {
                    row /= (t + 2) as f32;
                }
                sums
            },
            says: "Every sum was divided by one too many.",
        },
    ],
    hints: &[
        "Begin with zeros of the same shape, and fill one row in each step of a loop over `t`.",
        "`x.slice(s![..=t, ..])` has the rows up to `t`, row `t` included.",
        "`x.slice(s![..=t, ..]).mean_axis(Axis(0)).unwrap()` is their mean; put it in place with \
         `result.row_mut(t).assign(&...)`.",
    ],
    explanation: "Token `t` has seen `t + 1` tokens, itself included, and all of them count \
                  equally: the simplest way to let tokens exchange information.",
    pytorch: "PyTorch: `x[:t + 1].mean(0)` in a loop over `t`.",
};

fn solution(x: &Array2<f32>) -> Array2<f32> {
    let mut means = Array2::zeros(x.dim());
    for t in 0..x.nrows() {
        let seen = x.slice(s![..=t, ..]);
        means
            .row_mut(t)
            .assign(&(seen.sum_axis(Axis(0)) / (t + 1) as f32));
    }
    means
}

fn another(x: &Array2<f32>) -> Array2<f32> {
    Array2::from_shape_fn(x.dim(), |(t, column)| {
        let so_far = x.slice(s![..=t, column]);
        so_far.sum() / so_far.len() as f32
    })
}
