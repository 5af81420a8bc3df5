//! A translation, with everything that led to it.

use super::normaliser::SPACE;
use crate::layers::check_head::check_head;
use ndarray::{Array1, Array2, Array3, Array4, s};

/// A text of S tokens, translated to T tokens by an encoder and a decoder with vectors of width C.
/// Both counts include the token that ends a text, `</s>`; the translation lacks it if the model
/// reached the maximum length first.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The translation.
    pub text: String,
    /// The S tokens of the source, as text; one that begins a word starts with `▁`.
    pub source: Vec<String>,
    /// The T tokens of the translation, as text.
    pub target: Vec<String>,
    /// The tokens of the translation as numbers.
    pub tokens: Vec<usize>,
    /// (T,): the probability that the model gave each token before it was written.
    pub probabilities: Array1<f32>,
    /// (L, H, S, S): the weights of the encoder's heads.
    pub self_attention: Array4<f32>,
    /// (S, C): the result of the encoder, from which keys and values are computed.
    pub encoded: Array2<f32>,
    /// (L, T, C): the vectors in each layer of the decoder from which the queries are computed.
    pub written: Array3<f32>,
    /// (L, H, T, S): the weights of the decoder's heads. Row t is from the step that wrote token t.
    pub cross_attention: Array4<f32>,
    /// (T, C): the decoder's last vector at each step, from which the next token is predicted.
    pub hidden: Array2<f32>,
}

impl Translation {
    /// The weights of one head of the decoder, (T, S): which token of the source it looked at while
    /// each token was written. Layers and heads are numbered from 0.
    ///
    /// Transformers: `output.cross_attentions[layer][0, head]`
    ///
    /// # Panics
    ///
    /// If there is no such layer or head.
    ///
    /// ```no_run
    /// let translation = attention::translator::translator()?.translate("The red house.")?;
    /// assert_eq!(translation.head(1, 0).dim(), (5, 5));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn head(&self, layer: usize, head: usize) -> Array2<f32> {
        let (layers, heads, ..) = self.cross_attention.dim();
        check_head("Translation::head", (layer, head), (layers, heads));
        self.cross_attention
            .slice(s![layer, head, .., ..])
            .to_owned()
    }

    /// The position of the first token of the source that is this word or piece of a word, with or
    /// without its `▁`.
    ///
    /// Python: `source.index(word)`
    ///
    /// # Panics
    ///
    /// If there is none.
    ///
    /// ```no_run
    /// let translation = attention::translator::translator()?.translate("The red house.")?;
    /// assert_eq!(translation.source_place("house"), 2);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn source_place(&self, word: &str) -> usize {
        place("Translation::source_place", &self.source, word)
    }

    /// The position of the first token of the translation that is this word or piece of a word,
    /// with or without its `▁`.
    ///
    /// # Panics
    ///
    /// If there is none.
    ///
    /// ```no_run
    /// let translation = attention::translator::translator()?.translate("The red house.")?;
    /// assert_eq!(translation.target_place("casa"), 1);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn target_place(&self, word: &str) -> usize {
        place("Translation::target_place", &self.target, word)
    }

    /// The loss of the translation, which says how surprised the model was by it: the mean of
    /// `-log(probability)` over its tokens.
    ///
    /// PyTorch: `F.cross_entropy(logits, tokens)`
    ///
    /// ```no_run
    /// let translation = attention::translator::translator()?.translate("The red house.")?;
    /// assert_eq!(format!("{:.3}", translation.loss()), "0.111");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn loss(&self) -> f32 {
        let losses = self.probabilities.mapv(|probability| -probability.ln());
        losses.mean().unwrap_or(0.0)
    }
}

#[track_caller]
fn place(function: &str, pieces: &[String], word: &str) -> usize {
    let is_it = |piece: &String| piece == word || piece.strip_prefix(SPACE) == Some(word);
    let place = pieces.iter().position(is_it);
    place.unwrap_or_else(|| {
        let pieces = pieces.join(" ");
        panic!("{function}: there is no piece {word:?} among {pieces}")
    })
}
