//! The results of running the model on some text.

use crate::layers::check_head::{check_head, numbered};
use ndarray::{Array1, Array2, Array3, Array4, s};

/// The results of a [`MiniLm`](crate::minilm::MiniLm) for a text of T tokens, with L layers of H
/// heads of width D, and vectors of width C.
///
/// Transformers: `model(**tokens, output_attentions=True, output_hidden_states=True)`
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The T tokens, as text.
    pub tokens: Vec<String>,
    /// (L, H, T, D)
    pub queries: Array4<f32>,
    /// (L, H, T, D)
    pub keys: Array4<f32>,
    /// (L, H, T, T): one row per query token.
    pub weights: Array4<f32>,
    /// (L + 1, T, C): before the first layer, and after each layer.
    pub hidden: Array3<f32>,
    /// (C,): the text as one vector of length 1.
    pub embedding: Array1<f32>,
}

impl Encoded {
    /// The weights of one head, (T, T): which token looks at which. Layers and heads are numbered
    /// from 0.
    ///
    /// Transformers: `output.attentions[layer][0, head]`
    ///
    /// # Panics
    ///
    /// If there is no such layer or head.
    ///
    /// ```no_run
    /// let model = attention::minilm::minilm()?;
    /// let encoded = model.encode("The cat sat.")?;
    /// assert_eq!(encoded.head(3, 1).dim(), (6, 6)); // [CLS] the cat sat . [SEP]
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn head(&self, layer: usize, head: usize) -> Array2<f32> {
        let (layers, heads, ..) = self.weights.dim();
        check_head("Encoded::head", (layer, head), (layers, heads));
        self.weights.slice(s![layer, head, .., ..]).to_owned()
    }

    /// The query of a token in one head, (D,): what it is looking for.
    ///
    /// # Panics
    ///
    /// If there is no such layer, head or token.
    ///
    /// ```no_run
    /// let encoded = attention::minilm::minilm()?.encode("The cat sat.")?;
    /// let score = encoded.query(3, 1, 3).dot(&encoded.key(3, 1, 2)) / 32_f32.sqrt();
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn query(&self, layer: usize, head: usize, token: usize) -> Array1<f32> {
        self.row("Encoded::query", &self.queries, (layer, head, token))
    }

    /// The key of a token in one head, (D,): what it can be found by.
    ///
    /// # Panics
    ///
    /// Same as [`Encoded::query`].
    ///
    /// ```no_run
    /// let encoded = attention::minilm::minilm()?.encode("The cat sat.")?;
    /// assert_eq!(encoded.key(3, 1, 2).len(), 32);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn key(&self, layer: usize, head: usize, token: usize) -> Array1<f32> {
        self.row("Encoded::key", &self.keys, (layer, head, token))
    }

    #[track_caller]
    fn row(
        &self,
        function: &str,
        rows: &Array4<f32>,
        (layer, head, token): (usize, usize, usize),
    ) -> Array1<f32> {
        let (layers, heads, tokens, _) = rows.dim();
        check_head(function, (layer, head), (layers, heads));
        assert!(
            token < tokens,
            "{function}: there is no token {token}: {}",
            numbered("they are", tokens)
        );
        rows.slice(s![layer, head, token, ..]).to_owned()
    }

    /// The position of the first occurrence of a token.
    ///
    /// Python: `tokens.index(token)`
    ///
    /// # Panics
    ///
    /// If it does not occur.
    ///
    /// ```no_run
    /// let encoded = attention::minilm::minilm()?.encode("The cat sat.")?;
    /// assert_eq!(encoded.place("cat"), 2);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn place(&self, token: &str) -> usize {
        let place = self.tokens.iter().position(|found| found == token);
        place.unwrap_or_else(|| {
            let tokens = self.tokens.join(" ");
            panic!("Encoded::place: there is no token {token:?} among {tokens}")
        })
    }
}
