//! A mask as numbers that are added to scores.

use crate::exercise::*;
use crate::scaled_dot_product::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array2<bool>) -> Array2<f64>> = Exercise {
    name: "additive_mask",
    title: "A mask to add",
    lesson: LESSON,
    after: "The mask, before it is made of numbers",
    task: "Turn a table of true and false into numbers to add to scores: where a query may look, \
           nothing changes; everywhere else, nothing is left after the softmax. (In Rust, \
           `if a { x } else { y }` is a value.) Do not use the crate's `additive_mask`.",
    effort: Effort {
        difficulty: 2,
        minutes: 5,
    },
    without: &[Step::AdditiveMask],
    source: include_str!("additive_mask.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "[yes]",
            run: |f| f(&array![[true]]).output(),
        },
        Probe {
            what: "[yes, no]",
            run: |f| f(&array![[true, false]]).output(),
        },
        Probe {
            what: "a causal mask of 4 tokens",
            run: |f| f(&causal_mask(4)).output(),
        },
        Probe {
            what: "2 queries and 3 keys",
            run: |f| f(&array![[false, true, true], [true, false, true]]).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |mask| mask.mapv(f64::from),
            says: "These are ones and zeros: added to the scores, they give what may be seen a \
                   lead of 1, and hide nothing. Which number changes nothing when it is added?",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { f64::NEG_INFINITY } else { 0.0 }),
            says: "True and false are swapped: what may be seen would be hidden.",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 0.0 } else { f64::INFINITY }),
            says: "Plus infinity: it wins against every score, and the softmax, which subtracts \
                   the largest, gives NaN.",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 1.0 } else { f64::NEG_INFINITY }),
            says: "What may be seen gets 1 added. That does no harm, since only differences count, \
                   but it is not nothing.",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 0.0 } else { -1e9 }),
            says: "A large negative number almost always hides, and many programs use one. But \
                   then a query that may see nothing gets its weights as if nothing were hidden, \
                   where minus infinity gives \
                   NaN, which is honest. What does the lesson use?",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| f64::from(yes).ln() * 0.0),
            says: "0 times minus infinity is NaN.",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 0.0 } else { -1.0 }),
            says: "The hidden scores become smaller by 1, and keep a share: e to the power of -1 \
                   is 0.37. Which number leaves nothing?",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 0.0 } else { f64::MIN }),
            says: "The smallest f64 is a large negative number, but a finite one: it almost always \
                   hides. But then a query that may see nothing gets equal shares, where minus \
                   infinity gives NaN, which is honest.",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 0.0 } else { f64::from(f32::MIN) }),
            says: "The smallest f32 is a large negative number, but a finite one. What does the \
                   lesson use?",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 0.0 } else { f64::MIN_POSITIVE }),
            says: "`MIN_POSITIVE` is a tiny number above 0, and adding it changes nothing: \
                   nothing is hidden.",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 0.0 } else { 1.0 }),
            says: "Hidden scores get 1 added: they grow, and nothing is hidden.",
        },
        Mutant {
            code: |mask| mask.mapv(|yes| if yes { 1.0 } else { 0.0 } * f64::NEG_INFINITY),
            says: "0 times minus infinity is NaN; and what may be seen gets minus infinity.",
        },
    ],
    hints: &[
        "Two numbers are needed: one that changes nothing when it is added, and one whose \
         exponential is 0.",
        "The second is `f64::NEG_INFINITY`.",
        "`mask.mapv(|yes| if yes { ... } else { ... })` turns each true and false into a number.",
    ],
    explanation: "Adding minus infinity makes any score minus infinity, and e to that power is \
                  exactly 0. So a mask is one more term in the formula.",
    pytorch: "PyTorch: `torch.zeros(t, t).masked_fill(~mask, float('-inf'))`, or \
              `torch.triu(torch.full((t, t), -math.inf), diagonal=1)`.",
};

fn solution(mask: &Array2<bool>) -> Array2<f64> {
    mask.mapv(|yes| if yes { 0.0 } else { f64::NEG_INFINITY })
}

fn another(mask: &Array2<bool>) -> Array2<f64> {
    mask.mapv(|yes| f64::from(yes).ln()) // ln 1 is 0, and ln 0 is minus infinity
}
