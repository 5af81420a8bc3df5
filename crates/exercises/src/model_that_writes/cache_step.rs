//! One token with a cache of keys and values.

use crate::exercise::*;
use crate::model_that_writes::LESSON;

pub(crate) static EXERCISE: Exercise<
    fn(&Array2<f32>, &Array2<f32>, &Array2<f32>, &Array2<f32>, &Array2<f32>) -> Array2<f32>,
> = Exercise {
    name: "cache_step",
    title: "One step with a cache",
    lesson: LESSON,
    after: "Order as angles, after the exercise on turning a vector",
    task: "One head processes a new token. `q`, `k` and `v`, each (1, D), are its query, key and value, \
           not turned yet. `keys` and `values`, (T, D), are those of the T tokens before it, whose \
           keys were turned when they came. Return its context, (1, D): turn `q` and `k` by the \
           new token's position with `rotary(q, &[position], 100_000.0)`, let it look at all \
           tokens including itself, and divide the scores by the root of D.",
    effort: Effort {
        difficulty: 4,
        minutes: 15,
    },
    without: &[],
    source: include_str!("cache_step.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "one token before it, two numbers each",
            run: |f| {
                let (q, k, v) = (array![[1.0, 0.0]], array![[0.0, 1.0]], array![[8.0, 2.0]]);
                f(&q, &k, &v, &array![[1.0, 0.0]], &array![[0.0, 4.0]]).output()
            },
        },
        Probe {
            what: "three tokens before it, four numbers each",
            run: |f| {
                let [q, k, v] = new(130, 4);
                f(&q, &k, &v, &matrix(133, 3, 4), &matrix(134, 3, 4)).output()
            },
        },
        Probe {
            what: "five tokens before it, six numbers each",
            run: |f| {
                let [q, k, v] = new(140, 6);
                f(&q, &k, &v, &matrix(143, 5, 6), &matrix(144, 5, 6)).output()
            },
        },
        Probe {
            what: "eight tokens before it, two numbers each",
            run: |f| {
                let [q, k, v] = new(150, 2);
                f(&q, &k, &v, &matrix(153, 8, 2), &matrix(154, 8, 2)).output()
            },
        },
    ],
    mutants: &[
        Mutant {
            code: |q, k, v, keys, values| step((0, 0), [q, k, v, keys, values], true),
            says: "The position starts at 0 again. How many tokens came before this one?",
        },
        Mutant {
            code: |q, k, v, keys, values| {
                let t = keys.nrows();
                step((t + 1, t + 1), [q, k, v, keys, values], true)
            },
            says: "The position is too large by 1: with three tokens at 0, 1 and 2 before it, the \
                   new one is at 3.",
        },
        Mutant {
            code: |q, k, v, keys, values| {
                let t = keys.nrows();
                step((t - 1, t - 1), [q, k, v, keys, values], true)
            },
            says: "This is the position of the token before: with three tokens at 0, 1 and 2, the \
                   new one is at 3.",
        },
        Mutant {
            code: |q, k, v, keys, values| step((keys.nrows(), 0), [q, k, v, keys, values], true),
            says: "The query is turned, and the new key is not.",
        },
        Mutant {
            code: |q, k, v, keys, values| step((0, keys.nrows()), [q, k, v, keys, values], true),
            says: "The new key is turned, and the query is not.",
        },
        Mutant {
            code: |q, k, v, keys, values| {
                step((keys.nrows(), keys.nrows()), [q, k, v, keys, values], false)
            },
            says: "The new token does not see itself: its own key and value must join the others \
                   before the softmax.",
        },
        Mutant {
            code: |q, k, v, keys, values| {
                let t = keys.nrows();
                let v = rotary(v, &[t], 100_000.0);
                step((t, t), [q, k, &v, keys, values], true)
            },
            says: "The value was turned, too. Positions belong in the scores alone.",
        },
        Mutant {
            code: |q, k, v, keys, values| {
                let t = keys.nrows();
                let places: Vec<usize> = (0..t).collect();
                let keys = rotary(keys, &places, 100_000.0);
                step((t, t), [q, k, v, &keys, values], true)
            },
            says: "The keys of the cache were turned a second time.",
        },
        Mutant {
            code: |q, k, v, keys, values| {
                let root = (q.ncols() as f32).sqrt();
                let t = keys.nrows();
                step((t, t), [&(q * root), k, v, keys, values], true)
            },
            says: "The scores were not divided by the root of D.",
        },
        Mutant {
            code: |q, k, v, keys, values| {
                let root = (q.ncols() as f32).sqrt();
                let t = keys.nrows();
                step((t, t), [&(q / root), k, v, keys, values], true)
            },
            says: "The scores were divided by D, not by its root.",
        },
        Mutant {
            code: |_, _, v, _, _| v.clone(),
            says: "This is the new token's own value: it sees nothing but itself. A causal mask \
                   whose first row is used would do this; a single query that comes last needs \
                   no mask at all.",
        },
    ],
    hints: &[
        "The tokens before it have the positions 0 to T - 1. `keys.nrows()` is T.",
        "`ndarray::concatenate(Axis(0), &[keys.view(), k.view()]).unwrap()` puts the turned key \
         below the others; the same for the values.",
        "Scores of the turned query with all keys, divided by the root of D, then `softmax`, then \
         `context`. No mask: all these tokens come before the new one, or are it.",
    ],
    explanation: "With the cache, a new token costs one row in place of T: in the model, 46,080 \
                  bytes of keys and values per token are kept so that nothing is computed twice. \
                  No \
                  mask is needed, because nothing in the cache lies in the future.",
    pytorch: "PyTorch: `K = torch.cat([keys, turn(k)])`, `V = torch.cat([values, v])`, then \
              `F.scaled_dot_product_attention(turn(q), K, V)`; in Transformers, `past_key_values`.",
};

/// The query, key and value of a new token.
fn new(seed: u64, width: usize) -> [Array2<f32>; 3] {
    [0, 1, 2].map(|i| matrix(seed + i, 1, width) * 1.5)
}

/// The step with other positions for query and key, and with or without the token itself.
fn step(
    (q_position, k_position): (usize, usize),
    [q, k, v, keys, values]: [&Array2<f32>; 5],
    sees_itself: bool,
) -> Array2<f32> {
    let q = rotary(q, &[q_position], 100_000.0);
    let k = rotary(k, &[k_position], 100_000.0);
    let (mut keys, mut values) = (keys.clone(), values.clone());
    if sees_itself {
        keys.push_row(k.row(0)).expect("as wide");
        values.push_row(v.row(0)).expect("as wide");
    }
    attend(&q, &keys, &values, None).context
}

fn solution(
    q: &Array2<f32>,
    k: &Array2<f32>,
    v: &Array2<f32>,
    keys: &Array2<f32>,
    values: &Array2<f32>,
) -> Array2<f32> {
    let position = keys.nrows();
    let q = rotary(q, &[position], 100_000.0);
    let k = rotary(k, &[position], 100_000.0);
    let mut keys = keys.clone();
    let mut values = values.clone();
    keys.push_row(k.row(0)).unwrap();
    values.push_row(v.row(0)).unwrap();
    let scores = scores(&q, &keys) / (q.ncols() as f32).sqrt();
    context(&softmax(&scores), &values)
}

fn another(
    q: &Array2<f32>,
    k: &Array2<f32>,
    v: &Array2<f32>,
    keys: &Array2<f32>,
    values: &Array2<f32>,
) -> Array2<f32> {
    let (tokens, width) = keys.dim();
    let turned = rotary(k, &[tokens], 100_000.0);
    let all_keys = Array2::from_shape_fn((tokens + 1, width), |(t, i)| {
        if t < tokens {
            keys[[t, i]]
        } else {
            turned[[0, i]]
        }
    });
    let all_values = Array2::from_shape_fn((tokens + 1, width), |(t, i)| {
        if t < tokens {
            values[[t, i]]
        } else {
            v[[0, i]]
        }
    });
    attend(
        &rotary(q, &[tokens], 100_000.0),
        &all_keys,
        &all_values,
        None,
    )
    .context
}
