//! The model itself, from the embedding to the last layer.

use super::gelu::gelu;
use super::head::attend_into;
use crate::layers::layer_norm::LayerNorm;
use crate::layers::linear::Linear;
use crate::numerics::matmul::matmul;
use crate::numerics::product::Store;
use ndarray::{Array1, Array2, ArrayRef2, ArrayView2, ArrayViewMut2, ArrayViewMut3, Axis, s};
use rayon::prelude::*;

/// The step before the layers: one vector per piece and one per position, added up and
/// normalised to mean 0 and variance 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// (V, C): a vector for each piece of the vocabulary.
    pub pieces: Array2<f32>,
    /// (T, C): a vector for each position, up to the longest text.
    pub places: Array2<f32>,
    /// (C,): added everywhere. BERT has a second one, for the second text of a pair.
    pub first_text: Array1<f32>,
    /// Applied to the sum.
    pub norm: LayerNorm,
}

impl Embedding {
    /// The input of the first layer: T tokens become (T, C).
    ///
    /// Transformers: `BertEmbeddings`
    ///
    /// # Panics
    ///
    /// If there are more tokens than positions, a token is not in the vocabulary, or the fields
    /// differ in width.
    ///
    /// ```
    /// use attention::layers::LayerNorm;
    /// use attention::minilm::Embedding;
    /// use ndarray::array;
    ///
    /// let embedding = Embedding {
    ///     pieces: array![[1.0, 3.0], [5.0, 1.0]],
    ///     places: array![[0.0, 0.0], [1.0, 1.0]],
    ///     first_text: array![0.0, 0.0],
    ///     norm: LayerNorm { epsilon: 0.0, ..LayerNorm::new(2) },
    /// };
    /// assert_eq!(embedding.forward(&[0, 1]), array![[-1.0, 1.0], [1.0, -1.0]]);
    /// ```
    #[track_caller]
    pub fn forward(&self, tokens: &[usize]) -> Array2<f32> {
        self.check("Embedding");
        let (size, places) = (self.pieces.nrows(), self.places.nrows());
        assert!(
            tokens.len() <= places,
            "Embedding: {} tokens, but there are {places} places",
            tokens.len()
        );
        if let Some(token) = tokens.iter().find(|token| **token >= size) {
            panic!("Embedding: token {token} is not in a vocabulary of {size}");
        }
        let mut x = self.pieces.select(Axis(0), tokens);
        for (mut x, place) in x.rows_mut().into_iter().zip(self.places.rows()) {
            x += &(&place + &self.first_text);
        }
        self.norm.forward(&x)
    }
}

/// One layer: every token looks at all tokens, then each is processed on its own. Each time, the
/// result is added to the input, and the sum is normalised.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderLayer {
    /// x to the queries of all heads
    pub query: Linear,
    /// x to the keys of all heads
    pub key: Linear,
    /// x to the values of all heads
    pub value: Linear,
    /// joined heads to the result
    pub projection: Linear,
    /// Applied to x plus the result of the heads.
    pub attention_norm: LayerNorm,
    /// (C,) to (4 C,), before the GELU
    pub wider: Linear,
    /// (4 C,) to (C,), after it
    pub narrower: Linear,
    /// Applied to the final sum.
    pub norm: LayerNorm,
    /// How many heads share the columns.
    pub heads: usize,
}

/// The result of a layer.
pub(crate) struct LayerResult {
    /// (T, C)
    pub x: Array2<f32>,
    /// All heads side by side, (T, C).
    pub queries: Array2<f32>,
    /// All heads side by side, (T, C).
    pub keys: Array2<f32>,
}

impl EncoderLayer {
    /// The result for x, (T, C); the weights of the heads go to `weights`, (H, T, T). Heads
    /// that are `off` contribute zeros.
    ///
    /// Source: Devlin et al. 2019, "BERT", section 3; Vaswani et al. 2017, "Attention Is All You
    /// Need", sections 3.1 to 3.3.
    pub(crate) fn run(
        &self,
        x: &ArrayRef2<f32>,
        off: &[usize],
        mut weights: ArrayViewMut3<f32>,
    ) -> LayerResult {
        let queries = product(x, &self.query);
        let keys = product(x, &self.key);
        let values = product(x, &self.value);
        let mut joined = Array2::zeros(values.raw_dim());
        let size = values.ncols() / self.heads;
        let columns = joined.axis_chunks_iter_mut(Axis(1), size);
        let heads: Vec<_> = weights.outer_iter_mut().zip(columns).enumerate().collect();
        heads
            .into_par_iter()
            .for_each(|(head, (weights, mut context))| {
                let columns = s![.., head * size..(head + 1) * size];
                let [q, k, v] = [&queries, &keys, &values].map(|all| all.slice(columns));
                attend_into(q, k, v, weights, context.view_mut());
                if off.contains(&head) {
                    context.fill(0.0);
                }
            });
        let x = self
            .attention_norm
            .forward(&(product(&joined, &self.projection) + x));
        let wide = gelu(product(&x, &self.wider));
        let x = self.norm.forward(&(product(&wide, &self.narrower) + &x));
        LayerResult { x, queries, keys }
    }
}

/// `x weightᵀ + bias`, (T, in) to (T, out): [`Linear::forward`] in parallel.
fn product(x: &ArrayRef2<f32>, layer: &Linear) -> Array2<f32> {
    let Linear { weight, bias } = layer;
    let mut y = Array2::zeros((x.nrows(), weight.nrows()));
    if let Some(bias) = bias {
        y += bias;
    }
    let columns = weight.nrows().div_ceil(rayon::current_num_threads());
    add_product(x.view(), weight.view(), y.view_mut(), columns);
    y
}

/// Adds `x weightᵀ` to `y`; each thread handles `columns` columns at a time.
fn add_product(x: ArrayView2<f32>, weight: ArrayView2<f32>, y: ArrayViewMut2<f32>, columns: usize) {
    if y.ncols() <= columns {
        return matmul(x, weight.reversed_axes(), y, Store::Accumulate);
    }
    let (first_rows, other_rows) = weight.split_at(Axis(0), columns);
    let (first, others) = y.split_at(Axis(1), columns);
    rayon::join(
        || add_product(x, first_rows, first, columns),
        || add_product(x, other_rows, others, columns),
    );
}

/// One vector for a whole text: the mean over its tokens, (T, C) to (C,), scaled to length 1.
///
/// Source: Reimers, Gurevych 2019, "Sentence-BERT", section 3.
pub(crate) fn sentence_embedding(x: &Array2<f32>) -> Array1<f32> {
    let mean = x.mean_axis(Axis(0)).expect("at least [CLS] and [SEP]");
    let length = mean.dot(&mean).sqrt();
    mean / length
}
