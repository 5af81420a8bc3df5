//! How far back a window reaches through several layers.

use crate::exercise::*;
use crate::from_scratch::LESSON;

pub(crate) static EXERCISE: Exercise<fn(usize, usize, usize) -> usize> = Exercise {
    name: "reach",
    title: "How far a window reaches",
    lesson: LESSON,
    after: "It is a directed graph, after the window was moved",
    task: "A model has `layers` attention layers, one after another: each works on the results of \
           the one before. In each, every token sees the last `window` tokens, itself included. \
           In a text of `tokens` tokens, how many of them can affect the final result of the last \
           one, itself included?",
    effort: Effort {
        difficulty: 3,
        minutes: 8,
    },
    without: &[],
    source: include_str!("reach.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "10 tokens, a window of 3, 1 layer: the window itself",
            run: |f| f(10, 3, 1).output(),
        },
        Probe {
            what: "10 tokens, a window of 2, 2 layers: the neighbour of the neighbour",
            run: |f| f(10, 2, 2).output(),
        },
        Probe {
            what: "100 tokens, a window of 4, 5 layers",
            run: |f| f(100, 4, 5).output(),
        },
        Probe {
            what: "12 tokens, a window of 1, 6 layers: each token sees only itself",
            run: |f| f(12, 1, 6).output(),
        },
        Probe {
            what: "7 tokens, a window of 5, 3 layers: a short text",
            run: |f| f(7, 5, 3).output(),
        },
        Probe {
            what: "1000 tokens, a window of 16, 6 layers",
            run: |f| f(1000, 16, 6).output(),
        },
    ],
    mutants: &[
        Mutant {
            code: |tokens, window, layers| tokens.min(window * layers),
            says: "Every layer adds a whole window here. But each window includes the token that \
                   looks, which was counted before.",
        },
        Mutant {
            code: |_, window, layers| window * layers,
            says: "Every layer adds a whole window here, although each includes the token that \
                   looks, which was counted before. And a short text has fewer tokens than that.",
        },
        Mutant {
            code: |_, window, layers| layers * (window - 1) + 1,
            says: "Right for a long text. A short one has fewer tokens than that.",
        },
        Mutant {
            code: |tokens, window, _| tokens.min(window),
            says: "This is the reach of one layer. The furthest token that it sees has looked \
                   further back in \
                   the layer before.",
        },
        Mutant {
            code: |tokens, window, layers| tokens.min(layers * (window - 1)),
            says: "Off by one: the last token itself counts, too.",
        },
        Mutant {
            code: |tokens, window, layers| tokens.min(window.saturating_pow(layers as u32)),
            says: "The windows were multiplied. They overlap: the furthest token in sight adds \
                   its own window, and all others lie nearer.",
        },
        Mutant {
            code: |tokens, window, layers| tokens.min(window + layers - 1),
            says: "Each further layer adds one token here. How far back does the furthest token in \
                   sight look?",
        },
        Mutant {
            code: |tokens, window, layers| tokens.min(window + layers),
            says: "Each layer adds one token here. How far back does the furthest token in sight \
                   look?",
        },
        Mutant {
            code: |tokens, window, layers| tokens.min(layers * window + 1),
            says: "Every layer reaches back by a whole window here. But a window includes the \
                   token that looks: how many lie before it?",
        },
        Mutant {
            code: |tokens, window, layers| tokens.min((layers - 1) * (window - 1) + 1),
            says: "One layer too few.",
        },
        Mutant {
            code: |tokens, _, _| tokens,
            says: "This is the whole text, whatever the window and the layers are.",
        },
    ],
    hints: &[
        "Draw six tokens and a window of 2. In the last layer the last token sees its neighbour. \
         What had the neighbour seen in the layer before?",
        "Each layer reaches further back, by as many tokens as the window holds besides the one \
         that looks.",
        "Start with 1, the last token itself, and add `window - 1` for every layer. A text cannot \
         give more than it has: `a.min(b)` is the smaller of two numbers.",
    ],
    explanation: "Reach grows with depth. The first Mistral 7B has a window of 4096 and 32 \
                  layers, so that 131,000 tokens could matter, although no layer looks back more \
                  than 4095 tokens. What comes from that far back has passed through every layer, \
                  so little of it may arrive.",
    pytorch: "PyTorch: the mask of one layer is `torch.tril(ones) & ~torch.tril(ones, -window)`; \
              Mistral calls it sliding-window attention.",
};

fn solution(tokens: usize, window: usize, layers: usize) -> usize {
    let back = layers * (window - 1);
    tokens.min(back + 1)
}

fn another(tokens: usize, window: usize, layers: usize) -> usize {
    let mut first = tokens - 1;
    for _ in 0..layers {
        first = first.saturating_sub(window - 1);
    }
    tokens - first
}
