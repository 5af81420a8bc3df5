//! The project, fourth milestone: attention and feed-forward, each added to its input.

use super::feed_forward::SOLUTION as my_feed_forward;
use super::layer_norm::SOLUTION as my_layer_norm;
use crate::exercise::*;
use crate::language_model::LESSON;

type Block = fn(&LanguageModel, usize, &Array2<f32>) -> Array2<f32>;

/// A model with one head, a vocabulary of 7 and a context of 6, whose norms have scales and shifts
/// as if they were learned.
pub(super) fn model(seed: u64, blocks: usize, width: usize) -> LanguageModel {
    let mixing = Mixing::Attention { blocks, heads: 1 };
    let config = Config {
        vocabulary: 7,
        context: 6,
        width,
        mixing,
    };
    let mut model = LanguageModel::new(config, &mut torch::Generator::manual_seed(seed));
    let names = model.parameter_names();
    let norms = names.iter().filter(|name| name.contains(".ln"));
    for (number, name) in (seed + 1..).zip(norms) {
        let learned = model.vector(name) + vector(number, width) * 0.5;
        let set = model.set_parameter(name, &learned.into_dyn());
        set.expect("a name of the model's own");
    }
    model
}

fn probe(f: Block, [blocks, block]: [usize; 2], tokens: usize, width: usize) -> Output {
    let model = model(150, blocks, width);
    f(&model, block, &matrix(151, tokens, width)).output()
}

/// The ways in which a block can differ from the right one.
#[derive(Clone, Copy)]
struct Done {
    norms: [&'static str; 2],
    added: [bool; 2],
    roles: [&'static str; 3],
    masked: bool,
    scale: f32,
}

const RIGHT: Done = Done {
    norms: ["ln1", "ln2"],
    added: [true, true],
    roles: ["query", "key", "value"],
    masked: true,
    scale: 1.0,
};

fn norm(model: &LanguageModel, block: usize, name: &str, x: &Array2<f32>) -> Array2<f32> {
    let vector = |what: &str| model.vector(&format!("blocks.{block}.{name}.{what}"));
    match name {
        "" => x.clone(),
        _ => my_layer_norm(x, &vector("weight"), &vector("bias")),
    }
}

fn looked(model: &LanguageModel, block: usize, normed: &Array2<f32>, done: Done) -> Array2<f32> {
    let name = |role: &str| format!("blocks.{block}.sa.{role}.weight");
    let [q, k, v] = done
        .roles
        .map(|role| normed.dot(&model.matrix(&name(role)).t()));
    let mask = causal_mask(normed.nrows());
    let scale = done.scale / (q.ncols() as f32).sqrt();
    attend_with_scale(&q, &k, &v, done.masked.then_some(&mask), scale).context
}

fn thought(model: &LanguageModel, block: usize, normed: &Array2<f32>) -> Array2<f32> {
    let name = |what: &str| format!("blocks.{block}.ffwd.net.{what}");
    let [up, down] = ["0.weight", "2.weight"].map(|what| model.matrix(&name(what)));
    let [bias_up, bias_down] = ["0.bias", "2.bias"].map(|what| model.vector(&name(what)));
    my_feed_forward(normed, [&up, &down], [&bias_up, &bias_down])
}

fn variant(model: &LanguageModel, block: usize, x: &Array2<f32>, done: Done) -> Array2<f32> {
    let mut x = x.clone();
    let found = looked(model, block, &norm(model, block, done.norms[0], &x), done);
    x = if done.added[0] { x + found } else { found };
    let found = thought(model, block, &norm(model, block, done.norms[1], &x));
    if done.added[1] { x + found } else { found }
}

/// Used by later milestones in place of the learner's function.
pub(super) const SOLUTION: Block = solution;

pub(crate) static EXERCISE: Exercise<Block> = Exercise {
    name: "block",
    title: "Project, 4 of 6: a block",
    lesson: LESSON,
    after: "The project, after the feed-forward layer",
    task: "Compute the output of block `block` for `x`: attention on the normalised vectors, \
           added to `x`; then feed-forward on that sum, normalised again, added to the sum. The \
           model has one \
           head. `model.matrix(\"blocks.0.sa.query.weight\")` and \
           `model.vector(\"blocks.0.ln1.bias\")` give its parameters by the names that \
           `show_parameters` lists; `format!(\"blocks.{block}.ln1.bias\")` puts the number in. \
           Use your `my_layer_norm` and `my_feed_forward`, and the crate's `attend`.",
    without: &[],
    effort: Effort {
        difficulty: 4,
        minutes: 30,
    },
    source: include_str!("block.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token, which sees only itself",
            run: |f| probe(f, [1, 0], 1, 4),
        },
        Probe {
            what: "3 tokens of four numbers",
            run: |f| probe(f, [1, 0], 3, 4),
        },
        Probe {
            what: "5 tokens of six numbers",
            run: |f| probe(f, [1, 0], 5, 6),
        },
        Probe {
            what: "4 tokens in the second of two blocks",
            run: |f| probe(f, [2, 1], 4, 5),
        },
    ],
    mutants: &[
        Mutant {
            code: |model, block, x| {
                let added = [false, true];
                variant(model, block, x, Done { added, ..RIGHT })
            },
            says: "What attention found replaces the vectors: it was not added to `x`, so a token \
                   forgets what it was.",
        },
        Mutant {
            code: |model, block, x| {
                let added = [true, false];
                variant(model, block, x, Done { added, ..RIGHT })
            },
            says: "The feed-forward result replaces the vectors: it was not added to what attention \
                   left.",
        },
        Mutant {
            code: |model, block, x| {
                let added = [false, false];
                variant(model, block, x, Done { added, ..RIGHT })
            },
            says: "Nothing is added to what was there: both residual connections are missing.",
        },
        Mutant {
            code: |model, block, x| {
                let norms = ["", ""];
                variant(model, block, x, Done { norms, ..RIGHT })
            },
            says: "The vectors were not normalised, neither for attention nor for feed-forward.",
        },
        Mutant {
            code: |model, block, x| {
                let norms = ["", "ln2"];
                variant(model, block, x, Done { norms, ..RIGHT })
            },
            says: "Attention got the vectors as they are: the first norm is missing.",
        },
        Mutant {
            code: |model, block, x| {
                let norms = ["ln1", ""];
                variant(model, block, x, Done { norms, ..RIGHT })
            },
            says: "Feed-forward got the vectors as they are: the second norm is missing.",
        },
        Mutant {
            code: |model, block, x| {
                let norms = ["ln1", "ln1"];
                variant(model, block, x, Done { norms, ..RIGHT })
            },
            says: "The first norm was used twice: each has a scale and a shift of its own.",
        },
        Mutant {
            code: |model, block, x| {
                let masked = false;
                variant(model, block, x, Done { masked, ..RIGHT })
            },
            says: "The future is not hidden: only the last token, which may see everything, is \
                   right.",
        },
        Mutant {
            code: |model, block, x| {
                let roles = ["key", "query", "value"];
                variant(model, block, x, Done { roles, ..RIGHT })
            },
            says: "Queries and keys are swapped: `show_parameters` lists the keys first.",
        },
        Mutant {
            code: |model, block, x| {
                let scale = 1.0 / (x.ncols() as f32).sqrt();
                variant(model, block, x, Done { scale, ..RIGHT })
            },
            says: "The scores were scaled twice. What does `attend` do by itself?",
        },
        Mutant {
            code: |model, block, x| {
                let scale = (x.ncols() as f32).sqrt();
                variant(model, block, x, Done { scale, ..RIGHT })
            },
            says: "The scores were not scaled.",
        },
        Mutant {
            code: |model, _, x| variant(model, 0, x, RIGHT),
            says: "Every block is block 0: the number in the names does not change.",
        },
        Mutant {
            code: |model, block, x| {
                let found = looked(model, block, &norm(model, block, "ln1", x), RIGHT);
                let also = thought(model, block, &norm(model, block, "ln2", x));
                x + &found + &also
            },
            says: "Feed-forward worked on the vectors as they came into the block: it should work \
                   on the sum of `x` and what attention found.",
        },
        Mutant {
            code: |model, block, x| {
                let normed = norm(model, block, "ln1", x);
                let x = looked(model, block, &normed, RIGHT) + &normed;
                let normed = norm(model, block, "ln2", &x);
                thought(model, block, &normed) + &normed
            },
            says: "The results were added to the normalised vectors; they belong to the vectors \
                   themselves.",
        },
        Mutant {
            code: |model, block, x| {
                let x = x + &looked(model, block, x, RIGHT);
                let x = norm(model, block, "ln1", &x);
                let x = &x + &thought(model, block, &x);
                norm(model, block, "ln2", &x)
            },
            says: "The norms stand after the sums, as in the original transformer (2017). This \
                   model \
                   normalises before attention and before feed-forward.",
        },
    ],
    hints: &[
        "Two lines of the form `x + part(norm(x))`. In the second, `x` is the result of the first.",
        "For attention: `normed.dot(&w_query.t())` gives the queries, with the matrix that \
         `model.matrix` finds under `sa.query.weight` of this block. The same for keys and values.",
        "A closure saves writing: `let name = |part: &str| format!(\"blocks.{block}.{part}\");`. \
         Then `attend(&q, &k, &v, Some(&causal_mask(x.nrows()))).context` is what attention found. \
         The second part takes `ln2`, `ffwd.net.0` and `ffwd.net.2`.",
    ],
    explanation: "Both parts only *add* to a vector, so what one block writes, every later block \
                  can still read.",
    pytorch: "PyTorch: `x = x + self.sa(self.ln1(x)); x = x + self.ffwd(self.ln2(x))`.",
};

fn solution(model: &LanguageModel, block: usize, x: &Array2<f32>) -> Array2<f32> {
    let matrix = |part: &str| model.matrix(&format!("blocks.{block}.{part}.weight"));
    let scale = |part: &str| model.vector(&format!("blocks.{block}.{part}.weight"));
    let bias = |part: &str| model.vector(&format!("blocks.{block}.{part}.bias"));
    let normed = my_layer_norm(x, &scale("ln1"), &bias("ln1"));
    let [q, k, v] = ["sa.query", "sa.key", "sa.value"].map(|part| normed.dot(&matrix(part).t()));
    let mask = causal_mask(x.nrows());
    let x = x + &attend(&q, &k, &v, Some(&mask)).context;
    let normed = my_layer_norm(&x, &scale("ln2"), &bias("ln2"));
    let (up, down) = (matrix("ffwd.net.0"), matrix("ffwd.net.2"));
    let biases = (bias("ffwd.net.0"), bias("ffwd.net.2"));
    x + my_feed_forward(&normed, [&up, &down], [&biases.0, &biases.1])
}

fn another(model: &LanguageModel, block: usize, x: &Array2<f32>) -> Array2<f32> {
    let vector = |part: &str| model.vector(&format!("blocks.{block}.{part}"));
    let layer = |x: &Array2<f32>, part: &str| {
        let weight = model.matrix(&format!("blocks.{block}.{part}.weight"));
        x.dot(&weight.t())
    };
    let normed = my_layer_norm(x, &vector("ln1.weight"), &vector("ln1.bias"));
    let (q, k) = (layer(&normed, "sa.query"), layer(&normed, "sa.key"));
    let scaled = scores(&q, &k) / (x.ncols() as f32).sqrt();
    let attn_weights = softmax(&mask_scores(&scaled, &causal_mask(x.nrows())));
    let x = x + &context(&attn_weights, &layer(&normed, "sa.value"));
    let normed = my_layer_norm(&x, &vector("ln2.weight"), &vector("ln2.bias"));
    let hidden = layer(&normed, "ffwd.net.0") + &vector("ffwd.net.0.bias");
    let hidden = hidden.mapv(|n| n.max(0.0));
    &x + &layer(&hidden, "ffwd.net.2") + &vector("ffwd.net.2.bias")
}
