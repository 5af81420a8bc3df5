//! One step of AdamW.

use crate::exercise::*;
use crate::language_model::LESSON;

type Step = fn(f32, f32, (f32, f32), i32) -> (f32, f32, f32);

/// A step with this learning rate, this decay, and these divisors, which correct the two means.
fn step(
    (p, g): (f32, f32),
    (m, v): (f32, f32),
    (rate, decay): (f32, f32),
    correction: (f32, f32),
) -> (f32, f32, f32) {
    let (m, v) = (0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g);
    let (m_hat, v_hat) = (m / correction.0, v / correction.1);
    (
        p - rate * decay * p - rate * m_hat / (v_hat.sqrt() + 1e-8),
        m,
        v,
    )
}

fn corrections(step: i32) -> (f32, f32) {
    (1.0 - 0.9_f32.powi(step), 1.0 - 0.999_f32.powi(step))
}

pub(crate) static EXERCISE: Exercise<Step> = Exercise {
    name: "adamw_step",
    title: "One step of AdamW (optional)",
    lesson: LESSON,
    after: "Training, after the optimiser was named",
    task: "Move one parameter. Keep running means of its gradient, `m = 0.9 m + 0.1 g`, and of the \
           square, `v = 0.999 v + 0.001 g g`. They begin at 0, so divide them by `1 - 0.9^step` and \
           `1 - 0.999^step`. With the learning rate 0.1 and the decay 0.01: `p = p - 0.1 * 0.01 * p \
           - 0.1 * m_hat / (sqrt(v_hat) + 1e-8)`. Return the new `p`, `m` and `v`.",
    effort: Effort {
        difficulty: 3,
        minutes: 12,
    },
    without: &[],
    source: include_str!("adamw_step.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the first step from p = 0 with the gradient 2: p moves by just the learning rate",
            run: |f| f(0.0, 2.0, (0.0, 0.0), 1).output(),
        },
        Probe {
            what: "no gradient at all, p = 5: only the decay is left",
            run: |f| f(5.0, 0.0, (0.0, 0.0), 1).output(),
        },
        Probe {
            what: "the third step, p = 1, gradient -0.5, m = 0.2, v = 0.03",
            run: |f| f(1.0, -0.5, (0.2, 0.03), 3).output(),
        },
        Probe {
            what: "step 100, p = -2, gradient 3, m = 1, v = 4",
            run: |f| f(-2.0, 3.0, (1.0, 4.0), 100).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |p, g, mv, _| step((p, g), mv, (0.1, 0.01), (1.0, 1.0)),
            says: "`m` and `v` are right, but the step was taken with the means as they are, not \
                   corrected: at the beginning they are far too small, the second more than the \
                   first.",
        },
        Mutant {
            code: |p, g, mv, n| step((p, g), mv, (0.1, 0.0), corrections(n)),
            says: "The decay is missing: without a gradient a parameter should still shrink a \
                   little.",
        },
        Mutant {
            code: |p, g, mv, n| step((p, g + 0.01 * p), mv, (0.1, 0.0), corrections(n)),
            says: "The decay was added to the gradient. That is Adam with L2: AdamW keeps the \
                   decay out of the gradient, so that the running means do not see it.",
        },
        Mutant {
            code: |p, g, mv, n| {
                let (_, m, v) = step((p, g), mv, (0.1, 0.01), corrections(n));
                let (new, ..) = step((p, -g), (-mv.0, mv.1), (0.1, 0.01), corrections(n));
                (new, m, v)
            },
            says: "The step went uphill: `m` and `v` are right, but the sign of the step is not.",
        },
        Mutant {
            code: |p, g, mv, n| {
                let (m, v) = (0.9 * mv.0 + 0.1 * g, 0.999 * mv.1 + 0.001 * g * g);
                let (a, b) = corrections(n);
                (p - 0.001 * p - 0.1 * (m / a) / (v / b + 1e-8), m, v)
            },
            says: "The square root in the denominator is missing: the step is divided by the \
                   square of the gradient's size.",
        },
        Mutant {
            code: |p, g, _, n| step((p, g), (0.0, 0.0), (0.1, 0.01), corrections(n)),
            says: "The earlier `m` and `v` are not used: every step begins with means of 0.",
        },
        Mutant {
            code: |p, g, mv, n| {
                let (new, ..) = step((p, g), mv, (0.1, 0.01), corrections(n));
                let (m, v) = (0.9 * mv.0 + 0.1 * g, 0.999 * mv.1 + 0.001 * g * g);
                let (a, b) = corrections(n);
                (new, m / a, v / b)
            },
            says: "The parameter is right, but the corrected means were returned. The next step \
                   would correct them again: keep the means themselves.",
        },
        Mutant {
            code: |p, g, mv, _| step((p, g), mv, (0.1, 0.01), corrections(1)),
            says: "The means are corrected as in the first step, whichever step it is.",
        },
        Mutant {
            code: |p, g, _, _| (p - 0.1 * g, 0.0, 0.0),
            says: "This is plain gradient descent: no running means are kept.",
        },
        Mutant {
            code: |p, g, mv, n| step((p, g), mv, (0.1, 0.01), corrections(n - 1)),
            says: "The steps were counted from 0: in the first one the correction divides by 1 - \
                   1 = 0.",
        },
        Mutant {
            code: |p, g, mv, n| step((p, g), mv, (0.1, 0.01), corrections(n + 1)),
            says: "The steps were counted from 2: the means are corrected too little.",
        },
        Mutant {
            code: |p, g, (m, v), n| {
                let (m, v) = (0.1 * m + 0.9 * g, 0.001 * v + 0.999 * g * g);
                let (a, b) = corrections(n);
                (
                    p - 0.001 * p - 0.1 * (m / a) / ((v / b).sqrt() + 1e-8),
                    m,
                    v,
                )
            },
            says: "0.9 and 0.1 are swapped, and so are 0.999 and 0.001: the means follow little \
                   but the newest gradient.",
        },
        Mutant {
            code: |p, g, (m, v), n| {
                let (m, v) = (0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g);
                let (a, b) = corrections(n);
                (
                    p - 0.001 * p - 0.1 * (m / a) / ((v / b).sqrt() + 1e-8),
                    m,
                    v,
                )
            },
            says: "`v` is a mean of the gradients, not of their squares: the root of a negative \
                   one is NaN.",
        },
        Mutant {
            code: |p, g, (m, v), n| {
                let (m, v) = (0.9 * m + g, 0.999 * v + g * g);
                let (a, b) = corrections(n);
                (
                    p - 0.001 * p - 0.1 * (m / a) / ((v / b).sqrt() + 1e-8),
                    m,
                    v,
                )
            },
            says: "The gradient was added in full: these are sums, not means. Which factor belongs \
                   in front of it?",
        },
        Mutant {
            code: |p, g, (m, v), n| {
                let (new, ..) = step((p, g), (m, v), (0.1, 0.01), corrections(n));
                (new, m, v)
            },
            says: "The parameter is right, but `m` and `v` are returned unchanged.",
        },
        Mutant {
            code: |p, g, mv, n| step((p, g), mv, (0.1, 0.1), corrections(n)),
            says: "The decay is ten times too large: the learning rate belongs in that term, too.",
        },
    ],
    hints: &[
        "Five lines, one for each formula: `m`, `v`, the two corrected means, and `p`.",
        "`0.9_f32.powi(step)` is 0.9 to the power of `step`.",
        "`let m_hat = m / (1.0 - 0.9_f32.powi(step));` and the same for `v` with 0.999. Return `p`, \
         and `m` and `v` without the correction.",
    ],
    explanation: "The mean gradient says where to go. Divided by its usual size, it moves every \
                  parameter by about the learning rate, whether the gradients are large or small.",
    pytorch: "PyTorch: `torch.optim.AdamW([p], lr=0.1, weight_decay=0.01).step()`.",
};

fn solution(p: f32, g: f32, (m, v): (f32, f32), step: i32) -> (f32, f32, f32) {
    let m = 0.9 * m + 0.1 * g;
    let v = 0.999 * v + 0.001 * g * g;
    let m_hat = m / (1.0 - 0.9_f32.powi(step));
    let v_hat = v / (1.0 - 0.999_f32.powi(step));
    let moved = p - 0.1 * 0.01 * p - 0.1 * m_hat / (v_hat.sqrt() + 1e-8);
    (moved, m, v)
}

fn another(p: f32, g: f32, (m, v): (f32, f32), step: i32) -> (f32, f32, f32) {
    // Moves each mean a share of the way to the newest value, as PyTorch does.
    let (m, v) = (m + 0.1 * (g - m), v + 0.001 * (g * g - v));
    let step_size = 0.1 / (1.0 - 0.9_f32.powi(step));
    let size = v.sqrt() / (1.0 - 0.999_f32.powi(step)).sqrt() + 1e-8;
    (p * (1.0 - 0.1 * 0.01) - step_size * m / size, m, v)
}
