//! The context without one of the heads.

use crate::exercise::*;
use crate::trained_model::LESSON;

pub(crate) static EXERCISE: Exercise<fn(&Array3<f32>, usize) -> Array2<f32>> = Exercise {
    name: "without_head",
    title: "Switch a head off",
    lesson: LESSON,
    after: "What a head does not explain, after every head was switched off",
    task: "`contexts` is (heads, tokens, width): what each head has mixed. Join the heads side by \
           side to (tokens, heads times width), but with zeros in place of head `off`, so that the \
           rest of the layer still finds every other head where it was.",
    effort: Effort {
        difficulty: 3,
        minutes: 10,
    },
    without: &[],
    source: include_str!("without_head.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "2 heads, 1 token, [1, 2] and [3, 4], without head 0: [0, 0, 3, 4]",
            run: |f| f(&array![[[1.0, 2.0]], [[3.0, 4.0]]], 0).output(),
        },
        Probe {
            what: "the same without head 1: [1, 2, 0, 0]",
            run: |f| f(&array![[[1.0, 2.0]], [[3.0, 4.0]]], 1).output(),
        },
        Probe {
            what: "3 heads of width 2, 4 tokens, without head 1",
            run: |f| f(&contexts(100, (3, 4, 2)), 1).output(),
        },
        Probe {
            what: "4 heads of width 3, 2 tokens, without head 3",
            run: |f| f(&contexts(101, (4, 2, 3)), 3).output(),
        },
        Probe {
            what: "3 heads of width 4, 5 tokens, without head 0",
            run: |f| f(&contexts(102, (3, 5, 4)), 0).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |c, _| joined(c, &|_| 1.0),
            says: "All heads are still on: these are the joined heads.",
        },
        Mutant {
            code: |c, off| joined(c, &|head| f32::from(head == off)),
            says: "Only head `off` is left, and all others are zeros: it should be the other way \
                   round.",
        },
        Mutant {
            code: |c, _| joined(c, &|head| f32::from(head != 0)),
            says: "Head 0 is switched off, whichever was asked for.",
        },
        Mutant {
            code: |c, off| joined(c, &|head| f32::from(head + 1 != off)),
            says: "The head before the one that was asked for is switched off: heads count from 0.",
        },
        Mutant {
            code: |c, off| {
                let mut kept = Array3::zeros((c.dim().0 - 1, c.dim().1, c.dim().2));
                for head in 0..kept.dim().0 {
                    let from = head + usize::from(head >= off);
                    kept.slice_mut(s![head, .., ..])
                        .assign(&c.slice(s![from, .., ..]));
                }
                joined(&kept, &|_| 1.0)
            },
            says: "The columns of the head are gone instead of zero: those after it moved to the \
                   left, where the next step takes them for another head.",
        },
        Mutant {
            code: |c, off| {
                let mut joined = joined(c, &|_| 1.0);
                if off < joined.nrows() {
                    joined.row_mut(off).fill(0.0);
                }
                joined
            },
            says: "A row became zero: that is a token, for all heads. Where do the numbers of one \
                   head stand after joining?",
        },
        Mutant {
            code: |c, off| {
                let mut joined = joined(c, &|_| 1.0);
                joined.column_mut(off).fill(0.0);
                joined
            },
            says: "One column became zero, but a head has as many columns as it is wide.",
        },
        Mutant {
            code: |c, off| {
                let others = (c.dim().0 - 1) as f32;
                let scale = c.dim().0 as f32 / others;
                joined(c, &|head| scale * f32::from(head != off))
            },
            says: "The other heads were made larger to make up for it, as dropout does. Here you \
                   want to see what is missing.",
        },
        Mutant {
            code: |c, off| {
                let (heads, tokens, width) = c.dim();
                Array2::from_shape_fn((tokens, heads * width), |(t, i)| {
                    let head = i % heads;
                    f32::from(head != off) * c[[head, t, i / heads]]
                })
            },
            says: "The heads take turns, column by column. Each head's columns should stand side \
                   by side.",
        },
    ],
    hints: &[
        "After joining, which columns belong to head 1, if a head is three numbers wide?",
        "Begin with zeros of shape (tokens, heads times width), and copy the block of each head \
         into its columns. Which head is not copied?",
        "In a loop over the heads, skip the round `head == off`; in all others \
         `joined.slice_mut(s![.., from..from + width])` gets the head, which begins at column \
         `from = head * width`.",
    ],
    explanation: "Every head has columns of its own in what the layer does next, so zeros there \
                  remove exactly what this head contributed. This is an experiment; a map is only \
                  an observation.",
    pytorch: "PyTorch: `contexts[off] = 0`, then `contexts.transpose(0, 1).reshape(T, -1)`. Hugging \
              Face called it `head_mask`.",
};

fn contexts(seed: u64, shape: (usize, usize, usize)) -> Array3<f32> {
    let values = matrix(seed, shape.0, shape.1 * shape.2);
    Array3::from_shape_fn(shape, |(head, t, i)| values[[head, t * shape.2 + i]])
}

/// The heads side by side, each multiplied by a number.
fn joined(contexts: &Array3<f32>, times: &dyn Fn(usize) -> f32) -> Array2<f32> {
    let (heads, tokens, width) = contexts.dim();
    Array2::from_shape_fn((tokens, heads * width), |(t, i)| {
        times(i / width) * contexts[[i / width, t, i % width]]
    })
}

fn solution(contexts: &Array3<f32>, off: usize) -> Array2<f32> {
    let (heads, tokens, width) = contexts.dim();
    let mut joined = Array2::zeros((tokens, heads * width));
    for head in 0..heads {
        if head != off {
            let columns = head * width..(head + 1) * width;
            joined
                .slice_mut(s![.., columns])
                .assign(&contexts.slice(s![head, .., ..]));
        }
    }
    joined
}

fn another(contexts: &Array3<f32>, off: usize) -> Array2<f32> {
    let (heads, tokens, width) = contexts.dim();
    Array2::from_shape_fn((tokens, heads * width), |(token, column)| {
        let (head, i) = (column / width, column % width);
        if head == off {
            0.0
        } else {
            contexts[[head, token, i]]
        }
    })
}
