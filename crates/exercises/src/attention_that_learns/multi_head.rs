//! Attention with several heads.

use crate::attention_that_learns::LESSON;
use crate::exercise::*;

type MultiHead = fn(&Array2<f32>, &Array2<f32>, &Array2<f32>, usize) -> Array2<f32>;

/// The joined contexts of several heads, computed with this scale.
fn by_heads([q, k, v]: [&Array2<f32>; 3], heads: usize, scale: f32, causal: bool) -> Array2<f32> {
    let width = q.ncols() / heads;
    let mask = causal_mask(q.nrows());
    let mut joined = Array2::zeros(v.dim());
    for head in 0..heads {
        let columns = s![.., head * width..(head + 1) * width];
        let [q, k, v] = [q, k, v].map(|x| x.slice(columns));
        let found = attend_with_scale(&q, &k, &v, causal.then_some(&mask), scale);
        joined.slice_mut(columns).assign(&found.context);
    }
    joined
}

fn root(width: usize) -> f32 {
    (width as f32).sqrt()
}

fn probe(f: MultiHead, tokens: usize, width: usize, heads: usize) -> Output {
    let [q, k, v] = [30, 31, 32].map(|seed| matrix(seed, tokens, width));
    f(&q, &k, &v, heads).output()
}

pub(crate) static EXERCISE: Exercise<MultiHead> = Exercise {
    name: "multi_head",
    title: "Multi-head attention",
    lesson: LESSON,
    after: "Several heads, at the end",
    task: "Causal attention with several heads: `q`, `k` and `v` are (tokens, width); each head \
           works with its own block of columns, and the contexts of the heads end up side by side. \
           You may use the crate (`attend(&q, &k, &v, Some(&mask))` does its own scaling, and \
           takes slices, too) and your own `my_split_heads` and `my_join_heads`.",
    effort: Effort {
        difficulty: 4,
        minutes: 12,
    },
    without: &[],
    source: include_str!("multi_head.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "1 token: it sees itself alone, so its value comes back",
            run: |f| probe(f, 1, 4, 2),
        },
        Probe {
            what: "3 tokens and 1 head: plain causal attention",
            run: |f| probe(f, 3, 4, 1),
        },
        Probe {
            what: "3 tokens of four numbers and 2 heads",
            run: |f| probe(f, 3, 4, 2),
        },
        Probe {
            what: "5 tokens of six numbers and 3 heads",
            run: |f| probe(f, 5, 6, 3),
        },
    ],
    mutants: &[
        Mutant {
            code: |q, k, v, _| attend(q, k, v, Some(&causal_mask(q.nrows()))).context,
            says: "This is one head over the whole width, however many were asked for: all heads \
                   share one set of weights.",
        },
        Mutant {
            code: |q, k, v, heads| by_heads([q, k, v], heads, 1.0 / root(q.ncols()), true),
            says: "The scores were divided by the root of the model's width instead of the width \
                   of one head: right only for a single head. How many products does a score of \
                   one head add up?",
        },
        Mutant {
            code: |q, k, v, heads| by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), false),
            says: "The future is not hidden: only the last token, which may see everything, is \
                   right.",
        },
        Mutant {
            code: |q, k, v, heads| by_heads([q, k, v], heads, 1.0, true),
            says: "The scores were not scaled: the weights of every head are too sharp.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let joined = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let width = q.ncols() / heads;
                let at = |c: usize| (heads - 1 - c / width) * width + c % width;
                Array2::from_shape_fn(joined.dim(), |(t, c)| joined[[t, at(c)]])
            },
            says: "Every head is right, but they are joined in the wrong order.",
        },
        Mutant {
            code: |q, k, v, heads| by_heads([k, q, v], heads, 1.0 / root(q.ncols() / heads), true),
            says: "Queries and keys are swapped: each token asks with its key.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let width = q.ncols() / heads;
                Array2::from_shape_fn(one.dim(), |(t, c)| one[[t, c % width]])
            },
            says: "Every block holds the first head: the others were lost.",
        },
        Mutant {
            code: |q, k, v, _| attend(q, k, v, None).context,
            says: "One head over the whole width, and the future is not hidden: both the heads and \
                   the mask are missing.",
        },
        Mutant {
            code: |q, k, v, heads| {
                by_heads([q, k, v], heads, heads as f32 / q.ncols() as f32, true)
            },
            says: "The scores were scaled twice: the weights are too even. What else divides by \
                   the root, besides you?",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let d = q.ncols() / heads;
                let t = q.nrows();
                Array2::from_shape_fn((heads * t, d), |(i, j)| one[[i % t, i / t * d + j]])
            },
            says: "The contexts of the heads are stacked on top of each other: there are more rows \
                   than tokens. Along which axis should they be joined?",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let d = q.ncols() / heads;
                let t = q.nrows();
                let mut flat = (0..heads)
                    .flat_map(|h| (0..t).flat_map(move |i| (0..d).map(move |j| (h, i, j))))
                    .map(|(h, i, j)| one[[i, h * d + j]]);
                Array2::from_shape_fn(one.dim(), |_| flat.next().unwrap_or(f32::NAN))
            },
            says: "The heads are right, but their numbers were read in the order of memory, head \
                   after head: changing the shape does not swap axes.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let d = q.ncols() / heads;
                Array2::from_shape_fn(one.dim(), |(t, c)| one[[t, c % heads * d + c / heads]])
            },
            says: "The heads are right, but they take turns within a row; they should stand side \
                   by side.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let d = q.ncols() / heads;
                Array2::from_shape_fn(one.dim(), |(t, c)| if c < d { one[[t, c]] } else { 0.0 })
            },
            says: "Only the first head was written into the result: the other columns are still 0.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let d = q.ncols() / heads;
                let last = q.ncols() - d;
                Array2::from_shape_fn(
                    one.dim(),
                    |(t, c)| if c < d { one[[t, last + c]] } else { 0.0 },
                )
            },
            says: "Every head was written into the same columns, the first ones, so only the last \
                   head is left.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let d = q.ncols() / heads;
                Array2::from_shape_fn((q.nrows(), d), |(t, c)| {
                    (0..heads).map(|h| one[[t, h * d + c]]).sum()
                })
            },
            says: "The contexts of the heads were added up: a token has only as many numbers as \
                   one head.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let one = by_heads([q, k, v], heads, 1.0 / root(q.ncols() / heads), true);
                let d = q.ncols() / heads;
                Array2::from_shape_fn((q.nrows(), d), |(t, c)| {
                    (0..heads).map(|h| one[[t, h * d + c]]).sum::<f32>() / heads as f32
                })
            },
            says: "The mean of the heads was taken: a token has only as many numbers as one head.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let d = q.ncols() / heads;
                let turned = |x: &Array2<f32>| {
                    Array2::from_shape_fn(x.dim(), |(t, c)| x[[t, c % d * heads + c / d]])
                };
                by_heads(
                    [&turned(q), &turned(k), &turned(v)],
                    heads,
                    1.0 / root(d),
                    true,
                )
            },
            says: "Each head took every second or third column instead of a block of neighbouring \
                   columns.",
        },
        Mutant {
            code: |q, k, v, heads| {
                let d = q.ncols() / heads;
                let first = s![.., ..d];
                let mut joined = Array2::zeros(v.dim());
                for h in 0..heads {
                    let at = s![.., h * d..(h + 1) * d];
                    let one = attend(
                        &q.slice(first),
                        &k.slice(first),
                        &v.slice(at),
                        Some(&causal_mask(q.nrows())),
                    );
                    joined.slice_mut(at).assign(&one.context);
                }
                joined
            },
            says: "All heads have the weights of the first: only the values were taken from the \
                   block of each head.",
        },
    ],
    hints: &[
        "Go through the heads in a loop. What do head 0 and head 1 have in common, and what \
         differs? With `my_split_heads`, `.index_axis(Axis(0), head)` is one head; `my_join_heads` \
         puts the contexts together.",
        "Inside the loop: the block of columns of `q`, `k` and `v` that belongs to the head, \
         attention on them, and the context into the same block of the result.",
        "`q.slice(s![.., first..first + width])` is a block, where `width` is `q.ncols() / heads`. \
         `attend(&q_block, &k_block, &v_block, Some(&causal_mask(tokens))).context` is what goes \
         into `result.slice_mut(s![.., first..first + width])`.",
    ],
    explanation: "Heads know nothing of each other: each has its own weights, over its own \
                  columns, scaled by its own width.",
    pytorch: "PyTorch: `F.scaled_dot_product_attention(q, k, v, is_causal=True)` on (heads, T, d); \
              with the layers around it, `nn.MultiheadAttention`.",
};

fn solution(q: &Array2<f32>, k: &Array2<f32>, v: &Array2<f32>, heads: usize) -> Array2<f32> {
    let width = q.ncols() / heads;
    let mask = causal_mask(q.nrows());
    let mut joined = Array2::zeros(v.dim());
    for head in 0..heads {
        let columns = s![.., head * width..(head + 1) * width];
        let found = attend(
            &q.slice(columns),
            &k.slice(columns),
            &v.slice(columns),
            Some(&mask),
        );
        joined.slice_mut(columns).assign(&found.context);
    }
    joined
}

fn another(q: &Array2<f32>, k: &Array2<f32>, v: &Array2<f32>, heads: usize) -> Array2<f32> {
    let width = q.ncols() / heads;
    let mut joined = Array2::zeros((q.nrows(), 0));
    for head in 0..heads {
        let block = |x: &Array2<f32>| {
            Array2::from_shape_fn((x.nrows(), width), |(t, i)| x[[t, head * width + i]])
        };
        let scaled = scores(&block(q), &block(k)) / (width as f32).sqrt();
        let attn_weights = softmax(&mask_scores(&scaled, &causal_mask(q.nrows())));
        let context_vecs = context(&attn_weights, &block(v));
        joined
            .append(Axis(1), context_vecs.view())
            .expect("the same number of tokens");
    }
    joined
}
