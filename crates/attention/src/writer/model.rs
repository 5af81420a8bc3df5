//! The model together with its tokeniser, loaded from its file.

use super::block::Pass;
use super::byte_pairs::BytePairs;
use super::cached_attention::Cache;
use super::interventions::Interventions;
use super::next_token::NextToken;
use super::parameters::Parameters;
use super::quantised::products;
use super::recording::Recording;
use super::rms_norm::rms_norm;
use super::rotary::Turns;
use crate::error::Error;
use ndarray::{Array1, Array2, ArrayRef2, Axis, s};
use std::fmt;
use std::sync::Arc;

/// The number of tokens whose logits are computed at a time: these take 200 kB per token.
const LOGITS_AT_ONCE: usize = 32;

/// SmolLM2-135M-Instruct: a decoder of 30 layers with 9 heads each, width 576, 134.5 million
/// parameters, trained to predict the next token.
///
/// Three heads share each key and value. The weights stay in the file's format, 4 bits each, or 8
/// for those of the embedding, 98 MB in all; the arithmetic is in f32. Clones share the weights.
///
/// Transformers: `AutoModelForCausalLM.from_pretrained("HuggingFaceTB/SmolLM2-135M-Instruct")`
///
/// Source: Allal et al. 2025, "SmolLM2: When Smol Goes Big"; Touvron et al. 2023, "LLaMA: Open and
/// Efficient Foundation Language Models", section 2.2. The model's licence is Apache-2.0.
#[derive(Clone)]
pub struct Writer {
    /// The tokeniser, which turns text into tokens and back.
    pub pieces: Arc<BytePairs>,
    pub(super) parameters: Arc<Parameters>,
    interventions: Interventions,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layers = self.parameters.blocks.len();
        f.debug_struct("Writer")
            .field("layers", &layers)
            .field("interventions", &self.interventions)
            .finish_non_exhaustive()
    }
}

impl Writer {
    pub(super) fn new(pieces: BytePairs, parameters: Parameters) -> Writer {
        Writer {
            pieces: Arc::new(pieces),
            parameters: Arc::new(parameters),
            interventions: Interventions::default(),
        }
    }

    /// L and H: the number of layers, and of heads in each.
    ///
    /// ```no_run
    /// assert_eq!(attention::writer::writer()?.layers_and_heads(), (30, 9));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn layers_and_heads(&self) -> (usize, usize) {
        let Parameters { blocks, heads, .. } = &*self.parameters;
        (blocks.len(), heads.queries)
    }

    /// The loss of each token except the first, (T - 1,), which says how surprising the token was:
    /// -ln of the probability that the model gave it.
    ///
    /// Transformers: `F.cross_entropy(model(tokens).logits[0, :-1], tokens[0, 1:], reduction="none")`
    ///
    /// # Errors
    ///
    /// If there are fewer than two tokens, or more than 8,192.
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let losses = model.losses(&model.pieces.encode("lives in the White House"))?;
    /// assert!(losses[3] < 1.0 && losses[3] < losses[0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn losses(&self, tokens: &[usize]) -> Result<Array1<f32>, Error> {
        self.check("Writer::losses", tokens)?;
        if tokens.len() < 2 {
            return Err(Error::TextTooShort {
                tokens: 1,
                context: 1,
            });
        }
        let x = self.forward(tokens, 0, &mut self.empty_caches(), None);
        let mut losses = Vec::new();
        let inputs = x.slice(s![..-1, ..]);
        let parts = inputs.axis_chunks_iter(Axis(0), LOGITS_AT_ONCE);
        for (x, next) in parts.zip(tokens[1..].chunks(LOGITS_AT_ONCE)) {
            let logits = self.logits(&x);
            let rows = logits.rows().into_iter().zip(next);
            losses.extend(rows.map(|(logits, &next)| {
                let max = logits.fold(f32::NEG_INFINITY, |max, logit| max.max(*logit));
                let sum: f64 = logits
                    .iter()
                    .map(|logit| f64::from((logit - max).exp()))
                    .sum();
                (sum.ln() - f64::from(logits[next] - max)) as f32
            }));
        }
        Ok(Array1::from(losses))
    }

    /// The same model with some heads switched off, each given as layer and head: their contexts
    /// are replaced by zeros.
    ///
    /// Source: Michel, Levy, Neubig 2019, "Are Sixteen Heads Really Better than One?", section 2.3.
    ///
    /// # Panics
    ///
    /// If there is no such head.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let without = model.without_heads(&[(18, 6), (17, 3)]);
    /// let tokens = model.pieces.encode("red green red green red");
    /// assert_ne!(without.losses(&tokens)?, model.losses(&tokens)?);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn without_heads(&self, off: &[(usize, usize)]) -> Writer {
        let (layers, heads) = self.layers_and_heads();
        for (layer, head) in off {
            assert!(
                *layer < layers && *head < heads,
                "Writer::without_heads: there is no head {layer}.{head}: layers are 0 to {}, heads 0 to {}",
                layers - 1,
                heads - 1
            );
        }
        let mut changed = self.clone();
        changed.interventions.off = off.to_vec();
        changed
    }

    /// The same model, except that a token may look at an earlier one only if
    /// `may_look(query, key)` is true for their places, counted from 0. Every token may always look
    /// at itself.
    ///
    /// PyTorch: `attn_mask` of `F.scaled_dot_product_attention`
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let near = model.looking(|query, key| key == 0 || query < key + 16);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn looking(
        &self,
        may_look: impl Fn(usize, usize) -> bool + Send + Sync + 'static,
    ) -> Writer {
        let mut changed = self.clone();
        changed.interventions.may_look = Some(Arc::new(may_look));
        changed
    }

    /// The same model, except that the query and the key of the token at each place, counted from
    /// 0, are rotated by the position `position_of(place)`.
    ///
    /// Transformers: `position_ids`
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let later = model.with_positions(|place| place + 1000);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn with_positions(
        &self,
        position_of: impl Fn(usize) -> usize + Send + Sync + 'static,
    ) -> Writer {
        let mut changed = self.clone();
        changed.interventions.position_of = Some(Arc::new(position_of));
        changed
    }

    /// One cache per block.
    pub(super) fn empty_caches(&self) -> Vec<Cache> {
        vec![Cache::default(); self.parameters.blocks.len()]
    }

    /// The residual stream after the last block, (T, C), of tokens that follow `before` others.
    pub(super) fn forward(
        &self,
        tokens: &[usize],
        before: usize,
        caches: &mut [Cache],
        mut recording: Option<&mut Recording>,
    ) -> Array2<f32> {
        let Parameters {
            embedding,
            blocks,
            heads,
            epsilon,
            base,
            width,
            ..
        } = &*self.parameters;
        let places = before..before + tokens.len();
        let positions: Vec<usize> = places
            .map(|place| self.interventions.position(place))
            .collect();
        let turns = Turns::new(&positions, heads.width, *base);
        let pass = Pass {
            heads: *heads,
            epsilon: *epsilon,
            turns: &turns,
            interventions: &self.interventions,
        };
        let mut x = Array2::zeros((tokens.len(), *width));
        for (token, mut x) in tokens.iter().zip(x.rows_mut()) {
            x.assign(&embedding.row(*token));
        }
        // Everything is called from a thread of the pool, because entering and leaving the pool
        // takes as long as a small matrix product.
        rayon::scope(|_| {
            for (layer, (block, cache)) in blocks.iter().zip(caches).enumerate() {
                if let Some(recording) = &mut recording {
                    recording.residual(layer, &x);
                }
                block.forward((&mut x, cache), &pass, layer, recording.as_deref_mut());
            }
        });
        if let Some(recording) = recording {
            recording.residual(blocks.len(), &x);
        }
        x
    }

    /// Maps residual streams, (T, C), to logits, (T, V): the norm, then a product with the
    /// embedding.
    pub(super) fn logits(&self, x: &ArrayRef2<f32>) -> Array2<f32> {
        let Parameters {
            embedding,
            norm,
            epsilon,
            ..
        } = &*self.parameters;
        let [logits] = products(&rms_norm(x, norm, *epsilon), [embedding]);
        logits
    }

    /// The prediction after a token with this residual stream, (1, C).
    pub(super) fn next_token(&self, x: &ArrayRef2<f32>) -> NextToken {
        NextToken::new(self.pieces.clone(), self.logits(x).row(0).to_vec())
    }

    pub(super) fn check_length(&self, tokens: usize) -> Result<(), Error> {
        let limit = self.parameters.places;
        match tokens <= limit {
            true => Ok(()),
            false => Err(Error::TextTooLong { tokens, limit }),
        }
    }

    /// Fails if there are no tokens, or more than the model has positions; panics if a token is not
    /// in the vocabulary.
    #[track_caller]
    pub(super) fn check(&self, function: &str, tokens: &[usize]) -> Result<(), Error> {
        let size = self.pieces.size();
        if let Some(token) = tokens.iter().find(|token| **token >= size) {
            panic!("{function}: token {token} is not in a vocabulary of {size}");
        }
        match tokens {
            [] => Err(Error::EmptyPrompt),
            _ => self.check_length(tokens.len()),
        }
    }
}
