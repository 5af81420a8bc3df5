//! The steps before and after the layers: from tokens to vectors, and from these to a single vector
//! for the whole text.

use crate::layers::layer_norm::LayerNorm;
use ndarray::{Array1, Array2, Axis};

/// The step before the layers: for each token, it adds the vector of its piece, the vector of its
/// position and `first_text`, and normalises the sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// (V, C): a vector for each piece of the vocabulary.
    pub pieces: Array2<f32>,
    /// (T, C): a vector for each position, up to the longest text.
    pub places: Array2<f32>,
    /// (C,): added at every position. BERT has a second one, for the second text of a pair.
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

/// One vector for a whole text: the mean over its tokens, (T, C) to (C,), scaled to length 1.
///
/// Source: Reimers, Gurevych 2019, "Sentence-BERT", section 3.
pub(crate) fn sentence_embedding(x: &Array2<f32>) -> Array1<f32> {
    let mean = x.mean_axis(Axis(0)).expect("at least [CLS] and [SEP]");
    let length = mean.dot(&mean).sqrt();
    mean / length
}
