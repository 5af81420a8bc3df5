//! The project, fifth milestone: the whole model.

use super::block::{SOLUTION as my_block, model};
use super::embedded::SOLUTION as my_embedded;
use crate::exercise::*;
use crate::language_model::LESSON;

type Transformer = fn(&LanguageModel, &[usize]) -> Array2<f32>;

fn probe(f: Transformer, blocks: usize, width: usize, tokens: &[usize]) -> Output {
    f(&model(160, blocks, width), tokens).output()
}

/// The logits after these blocks, with or without positions.
fn after(model: &LanguageModel, tokens: &[usize], blocks: &[usize], places: bool) -> Array2<f32> {
    let token_table = model.matrix("token_embedding_table.weight");
    let place_table = model.matrix("position_embedding_table.weight") * f32::from(places);
    let mut x = my_embedded(tokens, &token_table, &place_table);
    for &block in blocks {
        x = my_block(model, block, &x);
    }
    x.dot(&model.matrix("lm_head.weight").t()) + model.vector("lm_head.bias")
}

/// The indices of all blocks of a model.
fn all(model: &LanguageModel) -> Vec<usize> {
    (0..model.config().blocks()).collect()
}

pub(crate) static EXERCISE: Exercise<Transformer> = Exercise {
    name: "transformer",
    title: "Project, 5 of 6: the whole transformer",
    lesson: LESSON,
    after: "The project, after the block",
    task: "From tokens to logits: embed the tokens, let all blocks work on them one after the \
           other, and multiply by `lm_head.weight`, plus `lm_head.bias`. The tables are called \
           `token_embedding_table.weight` and `position_embedding_table.weight`; \
           `model.config().blocks()` says how many blocks there are. Use your own functions, and \
           not `model.logits`.",
    without: &[Step::Logits],
    effort: Effort {
        difficulty: 3,
        minutes: 15,
    },
    source: include_str!("transformer.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token, 1 block",
            run: |f| probe(f, 1, 4, &[3]),
        },
        Probe {
            what: "3 tokens, 1 block",
            run: |f| probe(f, 1, 4, &[6, 0, 2]),
        },
        Probe {
            what: "4 tokens, 2 blocks",
            run: |f| probe(f, 2, 5, &[1, 5, 5, 4]),
        },
        Probe {
            what: "6 tokens, as many as it sees at once, and 3 blocks",
            run: |f| probe(f, 3, 4, &[0, 3, 6, 2, 2, 1]),
        },
    ],
    mutants: &[
        Mutant {
            code: |model, tokens| after(model, tokens, &all(model), false),
            says: "The place of a token makes no difference: `position_embedding_table` is not \
                   used.",
        },
        Mutant {
            code: |model, tokens| after(model, tokens, &[], true),
            says: "The blocks are missing: embeddings go straight to the logits.",
        },
        Mutant {
            code: |model, tokens| after(model, tokens, &[0], true),
            says: "Only one block was used, however many the model has.",
        },
        Mutant {
            code: |model, tokens| after(model, tokens, &vec![0; all(model).len()], true),
            says: "As many blocks as there should be, but each of them is block 0.",
        },
        Mutant {
            code: |model, tokens| {
                let mut blocks = all(model);
                blocks.reverse();
                after(model, tokens, &blocks, true)
            },
            says: "The blocks come in the opposite order.",
        },
        Mutant {
            code: |model, tokens| {
                let mut blocks = all(model);
                blocks.pop();
                after(model, tokens, &blocks, true)
            },
            says: "The last block is left out.",
        },
        Mutant {
            code: |model, tokens| {
                after(model, tokens, &all(model), true) - model.vector("lm_head.bias")
            },
            says: "The bias of `lm_head` is missing.",
        },
        Mutant {
            code: |model, tokens| softmax(&after(model, tokens, &all(model), true)),
            says: "These are probabilities. The logits are what goes into the softmax.",
        },
        Mutant {
            code: |model, tokens| {
                let token_table = model.matrix("token_embedding_table.weight");
                let place_table = model.matrix("position_embedding_table.weight");
                let first = my_embedded(tokens, &token_table, &place_table);
                let mut x = first.clone();
                for block in all(model) {
                    x = my_block(model, block, &first);
                }
                x.dot(&model.matrix("lm_head.weight").t()) + model.vector("lm_head.bias")
            },
            says: "Every block got the embeddings: each should get what the block before it made.",
        },
    ],
    hints: &[
        "Three parts: your embedding, a loop over the blocks, one more layer. Which variable does \
         the loop change?",
        "`let mut x = my_embedded(...)` before the loop, `for block in 0..model.config().blocks()` \
         around one call of `my_block`.",
        "In the loop: `x = my_block(model, block, ...)`, with the `x` from the round before. \
         At \
         the end `lm_head` is a layer like any other: `x.dot(&weight.t()) + bias`.",
    ],
    explanation: "That is a whole GPT; a large one has more blocks, heads and numbers, and a \
                  norm at the end.",
    pytorch: "PyTorch: `forward` of the lesson's model, up to `logits = self.lm_head(x)`.",
};

fn solution(model: &LanguageModel, tokens: &[usize]) -> Array2<f32> {
    let token_table = model.matrix("token_embedding_table.weight");
    let place_table = model.matrix("position_embedding_table.weight");
    let mut x = my_embedded(tokens, &token_table, &place_table);
    for block in 0..model.config().blocks() {
        x = my_block(model, block, &x);
    }
    x.dot(&model.matrix("lm_head.weight").t()) + model.vector("lm_head.bias")
}

fn another(model: &LanguageModel, tokens: &[usize]) -> Array2<f32> {
    let mut x = model
        .matrix("token_embedding_table.weight")
        .select(Axis(0), tokens);
    let places = model.matrix("position_embedding_table.weight");
    for (mut row, place) in x.rows_mut().into_iter().zip(places.rows()) {
        row += &place;
    }
    let blocks = 0..model.config().blocks();
    let x = blocks.fold(x, |x, block| my_block(model, block, &x));
    let head = model.matrix("lm_head.weight");
    &x.dot(&head.t()) + &model.vector("lm_head.bias")
}
