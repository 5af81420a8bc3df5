//! How many tiles have to be computed with a causal mask.

use crate::exercise::*;
use crate::flash_attention::LESSON;

pub(crate) static EXERCISE: Exercise<fn(usize, usize) -> usize> = Exercise {
    name: "visited_tiles",
    title: "Which tiles are visited?",
    lesson: LESSON,
    after: "In which order",
    task: "With a causal mask, how many tiles are visited for `tokens` tokens, in tiles of `side` x \
           `side`? A tile is left out if it lies entirely in the future. If `side` does not \
           divide `tokens`, the last tile of each row and column is smaller, and still counts.",
    effort: Effort {
        difficulty: 2,
        minutes: 8,
    },
    without: &[],
    source: include_str!("visited_tiles.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "64 tokens, tiles of 64: one tile",
            run: |f| f(64, 64).output(),
        },
        Probe {
            what: "128 tokens, tiles of 64: 3 of 4",
            run: |f| f(128, 64).output(),
        },
        Probe {
            what: "320 tokens, tiles of 64, as in the lesson",
            run: |f| f(320, 64).output(),
        },
        Probe {
            what: "150 tokens, tiles of 64: they do not divide evenly",
            run: |f| f(150, 64).output(),
        },
        Probe {
            what: "5 tokens, tiles of 1",
            run: |f| f(5, 1).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |t, side| {
                let firsts = || (0..t).step_by(side);
                let last = |first: usize| (first + side).min(t) - 1;
                let is_past = |query| firsts().filter(move |key| last(*key) <= query).count();
                firsts().map(is_past).sum()
            },
            says: "The tiles that the diagonal runs through are missing: half of such a tile lies \
                   in the future, but the other half has to be computed.",
        },
        Mutant {
            code: |t, side| t.div_ceil(side).pow(2),
            says: "These are all tiles: the mask leaves some out.",
        },
        Mutant {
            code: |t, side| t.div_ceil(side).pow(2) / 2,
            says: "Half of all: but the tiles on the diagonal are visited, so it is more than \
                   half.",
        },
        Mutant {
            code: |t, side| (t / side).pow(2) / 2,
            says: "Half of all whole tiles: the diagonal counts in full, and a last tile that is \
                   smaller counts, too.",
        },
        Mutant {
            code: |t, side| t.div_ceil(side) * (t.div_ceil(side) - 1) / 2,
            says: "This is how many are left out. Does a tile on the diagonal lie entirely in the \
                   future?",
        },
        Mutant {
            code: |t, side| (t / side) * (t / side + 1) / 2,
            says: "Right where the tiles divide evenly. For 150 tokens the last tokens, which do \
                   not fill a tile, have none.",
        },
        Mutant {
            code: |t, _| t * (t + 1) / 2,
            says: "These are the visible scores, not the tiles.",
        },
        Mutant {
            code: |t, side| (t / side).pow(2),
            says: "These are all whole tiles: the mask leaves some out, and the last tiles may be \
                   smaller.",
        },
        Mutant {
            code: |t, side| t.div_ceil(side),
            says: "This is how many tiles lie along one side.",
        },
        Mutant {
            code: |t, side| (t / side) * (t / side - 1) / 2,
            says: "The diagonal is missing, and so is a smaller last tile.",
        },
        Mutant {
            code: |t, side| {
                let n = t / side + 1;
                n * (n + 1) / 2
            },
            says: "One row of tiles too many where the tokens divide evenly: is there always a \
                   remainder?",
        },
    ],
    hints: &[
        "How many tiles are there in a row? `a.div_ceil(b)` divides and rounds up.",
        "The first row of tiles visits 1, the second 2, and so on.",
        "With `n` tiles in a row, add up 1, 2, ... to `n`: there is a formula with `n` and `n + 1`, \
         or a sum over a range.",
    ],
    explanation: "n (n + 1) / 2 of n² tiles are visited: always more than half, but close to half \
                  with many small tiles.",
    pytorch: "PyTorch skips them with `is_causal=True`, but not with a mask that you pass.",
};

fn solution(tokens: usize, side: usize) -> usize {
    let n = tokens.div_ceil(side);
    n * (n + 1) / 2
}

fn another(tokens: usize, side: usize) -> usize {
    flash_tiles(tokens, tokens, side, true).sum() as usize
}
