//! Find the bug: a running sum (V5).

use crate::exercise::*;
use crate::from_scratch::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<f32>) -> Array2<f32>> = Exercise {
    name: "bug_running_sum",
    title: "Find the bug: V5, one running sum",
    lesson: LESSON,
    after: "V5, the averages without a table, before the loop",
    task: "This function should give the average so far with one running sum. The first two rows \
           are right. Find the mistake.",
    effort: Effort {
        difficulty: 2,
        minutes: 6,
    },
    without: &[],
    source: include_str!("bug_running_sum.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token",
            run: |f| f(&array![[3.0, 1.0]]).output(),
        },
        Probe {
            what: "[2], [4], [9]: the means 2, 3, 5",
            run: |f| f(&array![[2.0], [4.0], [9.0]]).output(),
        },
        Probe {
            what: "7 tokens of three numbers",
            run: |f| f(&matrix(83, 7, 3)).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: given,
            says: "From the third row on, the numbers are wrong: [2], [4], [9] end in 4 instead \
                   of 5. What is kept from one step to the next?",
        },
        Mutant {
            code: |x| {
                let mut sum = Array1::<f32>::zeros(x.ncols());
                let mut means = x.clone();
                for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                    sum += &row;
                    row.assign(&(&sum / t.max(1) as f32));
                }
                means
            },
            says: "Now the sum is kept, but it is divided by one too few.",
        },
        Mutant {
            code: |x| {
                let mut sums = x.clone();
                sums.accumulate_axis_inplace(Axis(0), |before, now| *now += before);
                sums
            },
            says: "Now the sum is kept, but it is never divided.",
        },
        Mutant {
            code: |x| {
                let mut sum = Array1::<f32>::zeros(x.ncols());
                let mut means = x.clone();
                for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                    let mean = (&sum + &row) / (t + 1) as f32;
                    sum += &mean;
                    row.assign(&mean);
                }
                means
            },
            says: "What is added to the sum are means, not the tokens themselves.",
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
            says: "Now each token is divided when it is added, and keeps that share. The more \
                   tokens there are, the smaller it should become.",
        },
        Mutant {
            code: |x| {
                let mut sums = x.clone();
                sums.accumulate_axis_inplace(Axis(0), |before, now| *now += before);
                sums / x.nrows() as f32
            },
            says: "Now the sum is kept, but every row is divided by the number of all tokens. How \
                   many has row `t` seen?",
        },
        Mutant {
            code: |x| {
                let mut sum = Array1::<f32>::zeros(x.ncols());
                let mut means = x.clone();
                for (t, mut row) in means.rows_mut().into_iter().enumerate() {
                    sum += &row;
                    sum /= t as f32;
                    row.assign(&sum);
                }
                means
            },
            says: "Now it is divided by `t`, which is 0 in the first row; and the sum is still \
                   not kept.",
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
            says: "Now the sum is kept, but it is divided by `t`, which is 0 in the first row.",
        },
        Mutant {
            code: |x| {
                let mut kept = x.clone();
                kept.accumulate_axis_inplace(Axis(0), |before, now| *now = (*now + before) / 2.0);
                kept
            },
            says: "Now the newest token always counts for one half, however many there were \
                   before.",
        },
    ],
    hints: &[
        "Follow the variable `total` by hand for the tokens 2, 4 and 9. What is it after the \
         second step?",
        "After each step `total` should be the sum of all tokens so far: 2, 6, 15.",
        "The division should change what is written into the result, but not `total` itself.",
    ],
    explanation: "Carry the sum from step to step, and compute the mean from it each time.",
    pytorch: "PyTorch: `x.cumsum(0) / torch.arange(1, T + 1).unsqueeze(1)`.",
};

fn given(x: &Array2<f32>) -> Array2<f32> {
    let mut total = Array1::<f32>::zeros(x.ncols());
    let mut means = x.clone();
    for (t, mut row) in means.rows_mut().into_iter().enumerate() {
        total += &row;
        total /= (t + 1) as f32;
        row.assign(&total);
    }
    means
}

fn solution(x: &Array2<f32>) -> Array2<f32> {
    let mut total = Array1::<f32>::zeros(x.ncols());
    let mut means = x.clone();
    for (t, mut row) in means.rows_mut().into_iter().enumerate() {
        total += &row;
        let mean = &total / (t + 1) as f32;
        row.assign(&mean);
    }
    means
}

fn another(x: &Array2<f32>) -> Array2<f32> {
    let whole = x.clone().insert_axis(Axis(0));
    running_average(&whole).index_axis_move(Axis(0), 0)
}
