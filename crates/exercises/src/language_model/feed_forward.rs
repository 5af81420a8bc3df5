//! The project, third milestone: the network that each token passes through by itself.

use crate::exercise::*;
use crate::language_model::LESSON;

type FeedForward = fn(&Array2<f32>, [&Array2<f32>; 2], [&Array1<f32>; 2]) -> Array2<f32>;

fn probe(f: FeedForward, tokens: usize, width: usize, hidden: usize) -> Output {
    let x = matrix(140, tokens, width);
    let (up, down) = (matrix(141, hidden, width), matrix(142, width, hidden));
    let (bias_up, bias_down) = (vector(143, hidden), vector(144, width));
    f(&x, [&up, &down], [&bias_up, &bias_down]).output()
}

/// The result of the first layer, before negative numbers become 0.
fn middle(x: &Array2<f32>, up: &Array2<f32>, bias: &Array1<f32>) -> Array2<f32> {
    x.dot(&up.t()) + bias
}

fn no_negative(x: Array2<f32>) -> Array2<f32> {
    x.mapv(|n| n.max(0.0))
}

/// Used by later milestones in place of the learner's function.
pub(super) const SOLUTION: FeedForward = solution;

pub(crate) static EXERCISE: Exercise<FeedForward> = Exercise {
    name: "feed_forward",
    title: "Project, 3 of 6: feed-forward",
    lesson: LESSON,
    after: "The project, after the layer norm",
    task: "Apply two layers to each token on its own. As in PyTorch, `up` is (hidden, width) and \
           `down` is \
           (width, hidden), so a layer computes `x.dot(&weight.t()) + bias`. Between the two, \
           negative numbers become 0 (ReLU).",
    without: &[],
    effort: Effort {
        difficulty: 2,
        minutes: 10,
    },
    source: include_str!("feed_forward.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token of one number, 3: times 2, minus 1, times 10: 50",
            run: |f| {
                let (up, down) = (array![[2.0]], array![[10.0]]);
                f(&array![[3.0]], [&up, &down], [&array![-1.0], &array![0.0]]).output()
            },
        },
        Probe {
            what: "1 token of one number, -3: the hidden number is negative, so only the bias 0.5 \
            is left",
            run: |f| {
                let (up, down) = (array![[2.0]], array![[10.0]]);
                f(&array![[-3.0]], [&up, &down], [&array![-1.0], &array![0.5]]).output()
            },
        },
        Probe {
            what: "3 tokens of two numbers, 5 hidden ones",
            run: |f| probe(f, 3, 2, 5),
        },
        Probe {
            what: "4 tokens of three numbers, 12 hidden ones",
            run: |f| probe(f, 4, 3, 12),
        },
    ],
    mutants: &[
        Mutant {
            code: |x, [up, down], [b_up, b_down]| middle(x, up, b_up).dot(&down.t()) + b_down,
            says: "Nothing happens between the two layers: two linear layers in a row are only one \
                   linear layer.",
        },
        Mutant {
            code: |x, [up, down], [b_up, b_down]| {
                no_negative(middle(x, up, b_up).dot(&down.t()) + b_down)
            },
            says: "Negative numbers become 0 only at the end; that belongs between the two layers.",
        },
        Mutant {
            code: |x, [up, down], [b_up, b_down]| {
                no_negative(no_negative(middle(x, up, b_up)).dot(&down.t()) + b_down)
            },
            says: "Negative numbers become 0 at the end, too: then the layer can only ever add, \
                   never take away.",
        },
        Mutant {
            code: |x, [up, down], [b_up, b_down]| {
                middle(x, up, b_up).mapv(f32::abs).dot(&down.t()) + b_down
            },
            says: "Negative numbers became positive; they should become 0.",
        },
        Mutant {
            code: |x, [up, down], _| no_negative(x.dot(&up.t())).dot(&down.t()),
            says: "Both biases are missing.",
        },
        Mutant {
            code: |x, [up, down], [_, b_down]| no_negative(x.dot(&up.t())).dot(&down.t()) + b_down,
            says: "The first bias is missing.",
        },
        Mutant {
            code: |x, [up, down], [b_up, _]| no_negative(middle(x, up, b_up)).dot(&down.t()),
            says: "The second bias is missing.",
        },
        Mutant {
            code: |x, [up, down], [b_up, b_down]| {
                (no_negative(x.dot(&up.t())) + b_up).dot(&down.t()) + b_down
            },
            says: "The first bias is added after negative numbers became 0; it belongs to the \
                   layer, before that.",
        },
        Mutant {
            code: |x, [up, down], [b_up, b_down]| {
                x + no_negative(middle(x, up, b_up)).dot(&down.t()) + b_down
            },
            says: "The vector itself was added, too. The block will do that; return only what it \
                   is to add.",
        },
    ],
    hints: &[
        "Three steps: up, cut off, down. What shape does the result of each have?",
        "`x.dot(&up.t()) + bias_up` is (tokens, hidden). `mapv(|n| ...)` changes each number.",
        "`n.max(0.0)` is the larger of a number and 0. Then the same once more with `down` and \
         `bias_down`.",
    ],
    explanation: "Attention moves information between tokens; this is where a token works on what \
                  it has gathered. Without the cut at 0, the two layers could be multiplied into \
                  one.",
    pytorch: "PyTorch: `nn.Sequential(nn.Linear(C, 4 * C), nn.ReLU(), nn.Linear(4 * C, C))`.",
};

fn solution(
    x: &Array2<f32>,
    [up, down]: [&Array2<f32>; 2],
    [bias_up, bias_down]: [&Array1<f32>; 2],
) -> Array2<f32> {
    let hidden = x.dot(&up.t()) + bias_up;
    let hidden = hidden.mapv(|n| n.max(0.0));
    hidden.dot(&down.t()) + bias_down
}

fn another(
    x: &Array2<f32>,
    [up, down]: [&Array2<f32>; 2],
    [bias_up, bias_down]: [&Array1<f32>; 2],
) -> Array2<f32> {
    let mut result = Array2::zeros(x.dim());
    for (row, mut out) in x.rows().into_iter().zip(result.rows_mut()) {
        let hidden = (up.dot(&row) + bias_up).mapv(|n| if n > 0.0 { n } else { 0.0 });
        out.assign(&(down.dot(&hidden) + bias_down));
    }
    result
}
