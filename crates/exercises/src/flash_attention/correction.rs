//! One step of the running softmax.

use crate::exercise::*;
use crate::flash_attention::LESSON;

pub(crate) static EXERCISE: Exercise<fn((f32, f32), f32) -> (f32, f32)> = Exercise {
    name: "correction",
    title: "Correct the past",
    lesson: LESSON,
    after: "A softmax that reads one score after another, after the correction by one factor",
    task: "You keep `(m, l)`: the largest score so far, and the sum so far of `exp(score - m)`. A \
           new score arrives: return the new pair. At the very beginning `m` is minus infinity \
           and `l` is 0.",
    effort: Effort {
        difficulty: 2,
        minutes: 5,
    },
    without: &[],
    source: include_str!("correction.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the first score, 2: m = 2, l = 1",
            run: |f| f((f32::NEG_INFINITY, 0.0), 2.0).output(),
        },
        Probe {
            what: "m = 3, l = 1.5, a smaller score, 1",
            run: |f| f((3.0, 1.5), 1.0).output(),
        },
        Probe {
            what: "m = 3, l = 1.5, a larger score, 5: the past was computed with the wrong maximum",
            run: |f| f((3.0, 1.5), 5.0).output(),
        },
        Probe {
            what: "large scores: m = 1000, l = 2, then 1001",
            run: |f| f((1000.0, 2.0), 1001.0).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                (new, l + (s - new).exp())
            },
            says: "The past is not corrected: after a larger score, one sum holds old terms with \
                   the old maximum and a new term with the new one.",
        },
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                let factor = if m.is_finite() { (new - m).exp() } else { 0.0 };
                (new, l * factor + (s - new).exp())
            },
            says: "The factor is upside down: the past grew, but next to a larger score it should \
                   shrink.",
        },
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                let factor = if m.is_finite() { m - new } else { 0.0 };
                (new, l * factor + (s - new).exp())
            },
            says: "The factor has no exponential: it is just the difference of the maxima, which \
                   is 0 or negative.",
        },
        Mutant {
            code: |(m, l), s| {
                let old = if m.is_finite() { m } else { s };
                (m.max(s), l + (s - old).exp())
            },
            says: "The new term was computed with the old maximum, and the sum was not corrected: \
                   all terms fit together, but not with the new `m`.",
        },
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                (new, (l + (s - new).exp()) * (m - new).exp())
            },
            says: "The factor was applied to the new term, too, which was right already.",
        },
        Mutant {
            code: |(m, l), s| (m.max(s), l + s.exp()),
            says: "The new term is `exp(score)`, without the maximum subtracted: for large scores \
                   that is infinite.",
        },
        Mutant {
            code: |(m, l), s| (m, l * (m - m.max(s)).exp() + (s - m.max(s)).exp()),
            says: "The sum is right, but the maximum returned is still the old one.",
        },
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                (new, l * (new - m).exp() + (s - new).exp())
            },
            says: "The factor is upside down: the past grows, but next to a larger score it should \
                   shrink; and at the start 0 times infinity is NaN.",
        },
        Mutant {
            code: |(m, l), s| {
                if s > m {
                    (s, l * (m - s).exp())
                } else {
                    (m, l + (s - m).exp())
                }
            },
            says: "Where the new score is the largest, it is not counted itself: its term, which \
                   is 1, is missing.",
        },
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                (new, l * (m - new).exp() + (s - m).exp())
            },
            says: "The past was corrected, but the new term was computed with the old maximum: at \
                   the start it is infinite.",
        },
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                (new, l * (m - new).exp() + s.exp())
            },
            says: "The past was corrected, but no maximum was subtracted from the new score.",
        },
        Mutant {
            code: |(m, l), s| (s, l * (m - s).exp() + 1.0),
            says: "The new score is taken for the maximum even where it is smaller than the old \
                   one.",
        },
        Mutant {
            code: |(m, l), s| {
                let new = m.max(s);
                (new, l * (m - new).exp() + 1.0)
            },
            says: "1 is added for every score: right only for a score that is the new maximum.",
        },
    ],
    hints: &[
        "First find the new maximum. By how much has it risen?",
        "Every term of the sum was `exp(score - m)` with the old `m`. By what factor must it be \
         multiplied to become `exp(score - new_m)`?",
        "`l` times `(m - new_m).exp()`, plus the new term with the new maximum.",
    ],
    explanation: "All old terms are wrong by the same factor, so the terms themselves are not \
                  needed. Without a past the factor is e to the power of minus infinity, or 0, so \
                  the start needs no special case.",
    pytorch: "PyTorch has no function for it; `torch.logaddexp(a, b)` does the same on m + ln l.",
};

fn solution((m, l): (f32, f32), score: f32) -> (f32, f32) {
    let new_m = m.max(score);
    let new_l = l * (m - new_m).exp() + (score - new_m).exp();
    (new_m, new_l)
}

fn another((m, l): (f32, f32), score: f32) -> (f32, f32) {
    if score > m {
        (score, l * (m - score).exp() + 1.0)
    } else {
        (m, l + (score - m).exp())
    }
}
