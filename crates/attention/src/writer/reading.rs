//! Everything that a model computes for some tokens.

use super::model::Writer;
use super::next_token::NextToken;
use super::parameters::Parameters;
use super::recording::Recording;
use crate::error::Error;
use ndarray::{Array2, Array3, Array4, s};

/// The results of a [`Writer`] for T tokens, with L layers of H heads of width D that share G keys
/// and values, and vectors of width C.
///
/// Transformers: `model(tokens, output_attentions=True, output_hidden_states=True)`
#[derive(Clone, Debug)]
pub struct Reading {
    /// The T tokens.
    pub tokens: Vec<usize>,
    /// The tokens as [`BytePairs::show`](crate::writer::BytePairs::show) shows them.
    pub labels: Vec<String>,
    /// (L, H, T, D): before rotation by their positions.
    pub queries: Array4<f32>,
    /// (L, G, T, D): before rotation by their positions.
    pub keys: Array4<f32>,
    /// (L, G, T, D)
    pub values: Array4<f32>,
    /// (L, H, T, T): one row per query token; 0 for the tokens after it.
    pub weights: Array4<f32>,
    /// (L + 1, T, C): the residual stream before the first layer, and after each.
    pub hidden: Array3<f32>,
    model: Writer,
}

impl Writer {
    /// Everything that the model computes for some tokens.
    ///
    /// Transformers: `model(tokens, output_attentions=True, output_hidden_states=True)`
    ///
    /// # Errors
    ///
    /// If there is no token, or more than 8,192.
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary, or the weights of all heads do not fit into memory: they
    /// take 1,080 · T² bytes.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let reading = model.read(&model.pieces.encode("The capital of France is"))?;
    /// assert_eq!(reading.weights.dim(), (30, 9, 5, 5));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn read(&self, tokens: &[usize]) -> Result<Reading, Error> {
        let function = "Writer::read";
        self.check(function, tokens)?;
        let Parameters {
            blocks,
            heads,
            width,
            ..
        } = &*self.parameters;
        let mut recording = Recording::new(function, blocks.len(), *heads, tokens.len(), *width);
        let mut caches = self.empty_caches();
        self.forward(tokens, 0, &mut caches, Some(&mut recording));
        Ok(Reading::new(self.clone(), tokens, recording))
    }
}

impl Reading {
    fn new(model: Writer, tokens: &[usize], recording: Recording) -> Reading {
        let Recording {
            queries,
            keys,
            values,
            weights,
            hidden,
        } = recording;
        Reading {
            tokens: tokens.to_vec(),
            labels: model.pieces.show(tokens),
            queries,
            keys,
            values,
            weights,
            hidden,
            model,
        }
    }

    /// The weights of one head, (T, T): which token looks at which. Layers and heads are
    /// numbered from 0.
    ///
    /// Transformers: `output.attentions[layer][0, head]`
    ///
    /// # Panics
    ///
    /// If there is no such layer or head.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let reading = model.read(&model.pieces.encode("The cat sat."))?;
    /// assert_eq!(reading.head(18, 6).dim(), (4, 4));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn head(&self, layer: usize, head: usize) -> Array2<f32> {
        let (layers, heads, ..) = self.weights.dim();
        assert!(
            layer < layers && head < heads,
            "Reading::head: there is no head {layer}.{head}: layers are 0 to {}, heads 0 to {}",
            layers - 1,
            heads - 1
        );
        self.weights.slice(s![layer, head, .., ..]).to_owned()
    }

    /// The place of the first token with this label, with or without its leading space.
    ///
    /// # Panics
    ///
    /// If there is none.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let reading = model.read(&model.pieces.encode("The cat sat."))?;
    /// assert_eq!(reading.place("cat"), 1);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn place(&self, label: &str) -> usize {
        let fits =
            |found: &String| found.trim_start_matches('␣') == label.trim_start_matches([' ', '␣']);
        let place = self.labels.iter().position(fits);
        place.unwrap_or_else(|| {
            let labels = self.labels.join(" ");
            panic!("Reading::place: there is no token {label:?} among {labels}")
        })
    }

    /// The model's prediction of the token after the last one.
    ///
    /// Transformers: `output.logits[0, -1]`
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let reading = model.read(&model.pieces.encode("The capital of France is"))?;
    /// assert_eq!(model.pieces.decode(&[reading.next_token().best()]), " Paris");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn next_token(&self) -> NextToken {
        let (blocks, tokens, _) = self.hidden.dim();
        self.lens(blocks - 1, tokens - 1)
    }

    /// The logit lens: what the model would predict after the token at a place if it stopped after
    /// this many blocks. The residual stream at that point goes through the final norm and the output
    /// layer, which were trained for the result of the last block.
    ///
    /// Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    ///
    /// # Panics
    ///
    /// If there are fewer blocks, or no such place.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let reading = model.read(&model.pieces.encode("The capital of France is"))?;
    /// let paris = model.pieces.encode(" Paris")[0];
    /// assert_eq!((reading.lens(25, 4).rank(paris), reading.lens(30, 4).rank(paris)), (92, 1));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn lens(&self, blocks: usize, place: usize) -> NextToken {
        let (states, tokens, _) = self.hidden.dim();
        assert!(
            blocks < states && place < tokens,
            "Reading::lens: {blocks} blocks, place {place}: there are {} blocks, and places 0 to {}",
            states - 1,
            tokens - 1
        );
        self.model
            .next_token(&self.hidden.slice(s![blocks, place..=place, ..]))
    }

    /// The length of the residual stream before the first layer and after each, (L + 1, T).
    ///
    /// PyTorch: `torch.stack(output.hidden_states).norm(dim=-1)`, except for the last row: there,
    /// the last hidden state has already been through the final norm.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let reading = model.read(&model.pieces.encode("The cat sat."))?;
    /// assert!(reading.residual_lengths()[[12, 0]] > 20_000.0);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn residual_lengths(&self) -> Array2<f32> {
        self.hidden.map_axis(ndarray::Axis(2), |x| x.dot(&x).sqrt())
    }
}
