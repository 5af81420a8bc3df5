//! One attention computation from its inputs to the context, step by step: as a strip of matrices,
//! and in numbers for one query.

mod arithmetic;
mod block;
mod columns;
mod group;
mod matrices;
mod numbers;
mod options;
mod page;
mod scaling;
mod stages;

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::scene::{Point, Scene};
use crate::markup::text::in_a_line;
use crate::numerics::attend_shapes::check_attend;
use crate::numerics::real::{Real, widened};
use crate::numerics::shape::shape_text;
use block::Block;
use ndarray::{Array2, ArrayRef2};
use numbers::Numbers;
use scaling::Scaling;

/// Larger matrices are refused: drawing them would take more than a second.
const MOST_SCORES: usize = 1 << 22;
const MOST_INPUTS: usize = 1 << 18;

/// One attention computation, step by step. See [`attend_steps`].
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    title: String,
    q: Array2<f64>,
    k: Array2<f64>,
    v: Array2<f64>,
    mask: Option<Array2<bool>>,
    numbers: Numbers,
    scaling: Scaling,
    /// Whether q, k and v, and so everything computed from them, were f32.
    is_f32: bool,
    /// The tokens; numbers if none were given.
    queries: Vec<String>,
    keys: Vec<String>,
    /// The query whose arithmetic is shown, and the key whose score is shown in detail, if one was
    /// chosen.
    query: usize,
    key: Option<usize>,
}

/// Attention as a picture of its steps: q and k, scores, scaled scores, masked
/// scores, weights, v and context, each with its shape; and below them, in numbers,
/// how one query gets its row of the context.
///
/// The arguments and results are those of [`attend`](crate::dot_product::attend()): `q` is (T, D),
/// `k` (S, D), `v` (S, D'), `mask` (T, S). The arithmetic is shown for the last query, or for the
/// one chosen by [`Steps::query`]; the products are shown for its score with the key that has the
/// largest weight, or with the one chosen by [`Steps::key`]. The scores are divided by √D, or
/// multiplied by the factor given to [`Steps::scale`].
///
/// A query without a visible key has exponentials, weights and a context of 0, and a hidden key
/// contributes nothing to a context, whatever its value. For long sequences the arithmetic shows
/// the 12 keys with the largest weights, and the sums of the others. In a matrix with a side longer
/// than 240, several values share a pixel, which shows the one furthest from 0.
///
/// Python: `bertviz.neuron_view.show(...)` for a model's own q and k
///
/// # Panics
///
/// For the same reasons as [`attend`](crate::dot_product::attend()); if there is no query, or a row of `q`
/// or `v` is empty; or if there are more than 4,194,304 (2048 x 2048) scores, or more than 262,144
/// (2048 x 128) numbers in `q`, `k` or `v`.
///
/// ```
/// use attention::dot_product::causal_mask;
/// use attention::figures::attend_steps;
/// use ndarray::array;
///
/// let x = array![[1.0_f32, 0.0], [0.0, 2.0]];
/// let mask = causal_mask(2);
/// let steps = attend_steps(&x, &x, &x, Some(&mask)).tokens(&["one", "step"]).query(1);
/// assert!(steps.text().contains("4.0000 ÷ 1.4142 = 2.8284"));
/// ```
#[track_caller]
#[inline(never)]
pub fn attend_steps<A: Real>(
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
) -> Steps {
    let shape_of_mask = mask.map(|mask| ("mask", mask.shape()));
    check_attend(
        "attend_steps",
        q.shape(),
        k.shape(),
        v.shape(),
        shape_of_mask,
    );
    for (name, matrix) in [("q", q), ("v", v)] {
        assert!(
            !matrix.is_empty(),
            "attend_steps: {name} is {}: there is nothing to draw",
            shape_text(matrix.shape()),
        );
    }
    let scores = [q.nrows(), k.nrows()];
    for (name, shape, most) in [
        ("scores", &scores[..], MOST_SCORES),
        ("q", q.shape(), MOST_INPUTS),
        ("k", k.shape(), MOST_INPUTS),
        ("v", v.shape(), MOST_INPUTS),
    ] {
        assert!(
            shape[0].saturating_mul(shape[1]) <= most,
            "attend_steps: {name} is {}: at most {most} numbers are drawn; take a part of the \
             sequence, as with .slice(s![..64, ..])",
            shape_text(shape),
        );
    }
    steps_of(q, k, v, mask)
}

fn steps_of<A: Real>(
    q: &ArrayRef2<A>,
    k: &ArrayRef2<A>,
    v: &ArrayRef2<A>,
    mask: Option<&Array2<bool>>,
) -> Steps {
    let scale = A::one_over_sqrt(q.ncols());
    let labels = |length: usize| (0..length).map(|index| index.to_string()).collect();
    Steps {
        title: String::new(),
        q: widened(q),
        k: widened(k),
        v: widened(v),
        mask: mask.cloned(),
        numbers: Numbers::of([q, k, v], mask, scale),
        scaling: Scaling::Root(q.ncols()),
        is_f32: size_of::<A>() == size_of::<f32>(),
        queries: labels(q.nrows()),
        keys: labels(k.nrows()),
        query: q.nrows() - 1,
        key: None,
    }
}

impl Steps {
    /// Whether the mask lets query `query` look at key `key`.
    fn may_look(&self, query: usize, key: usize) -> bool {
        self.mask.as_ref().is_none_or(|mask| mask[[query, key]])
    }

    /// Whether the mask hides every key from query `query`.
    fn sees_nothing(&self, query: usize) -> bool {
        self.numbers
            .weights
            .row(query)
            .iter()
            .all(|&weight| weight == 0.0)
    }

    /// The key whose score is shown in detail: the chosen one, or the one with the largest weight.
    fn chosen_key(&self) -> usize {
        let weights = self.numbers.weights.row(self.query);
        let largest = (0..weights.len()).rev().max_by(|&a, &b| {
            let number = |index: usize| {
                if weights[index].is_nan() {
                    -1.0
                } else {
                    weights[index]
                }
            };
            number(a).total_cmp(&number(b))
        });
        self.key.or(largest).unwrap_or(0)
    }

    /// The picture in a few sentences.
    fn description(&self) -> String {
        let (query, key) = (self.query, self.chosen_key());
        let shape = |matrix: &Array2<f64>| shape_text(matrix.shape());
        format!(
            "Attention step by step: q {} and k {} give scores {}{}{}; the \
             softmax makes weights of them, and these mix v {} to the context {}. For query {}, key \
             {} has the weight {:.4}{}.",
            shape(&self.q),
            shape(&self.k),
            shape(&self.numbers.scores),
            self.scaling.in_words(),
            if self.mask.is_some() {
                ", which are masked"
            } else {
                ""
            },
            shape(&self.v),
            shape(&self.numbers.context),
            in_a_line(&self.queries[query]),
            in_a_line(&self.keys[key]),
            self.numbers.weights[[query, key]],
            if self.sees_nothing(query) {
                ", as every other: it may look at none"
            } else {
                ""
            },
        )
    }
}

impl Figure for Steps {
    fn scene(&self) -> Result<Scene, Error> {
        page::scene(self)
    }

    /// In HTML the arithmetic is text, and whatever does not fit side by side wraps.
    fn html_around(&self, _svg: &str, _size: Point) -> Result<String, Error> {
        page::html(self)
    }

    fn plain_text(&self) -> String {
        let blocks = arithmetic::blocks(self);
        let blocks: Vec<String> = blocks.iter().map(Block::text).collect();
        let matrices = matrices::matrices(self);
        titled(
            &self.title,
            &format!("{matrices}\n\n{}", blocks.join("\n\n")),
        )
    }
}

figure_methods!(
    Steps,
    "attend_steps(&ndarray::array![[1.0_f32]], &ndarray::array![[1.0]], &ndarray::array![[1.0]], None)"
);
