//! A language model: tokens in, logits for the token that follows each of them out.

use super::config::{Config, Mixing};
use super::kernels::cross_entropy::losses;
use super::kernels::linear_into::Order;
use super::parameters::{Layout, initial};
use super::pass::Pass;
use crate::error::Error;
use crate::numerics::matmul::rows;
use crate::numerics::shape::shape_text;
use crate::text::corpus::Batch;
use ndarray::{Array2, Array3};
use torch_random::torch::Generator;

/// A language model.
///
/// PyTorch: the modules of the lesson, such as `SimpleLMWithAttention`
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageModel {
    pub(super) config: Config,
    pub(super) layout: Layout,
    pub(super) parameters: Vec<f32>,
}

impl LanguageModel {
    /// A model with the random parameters that PyTorch would give it, drawn in
    /// PyTorch's order: embeddings are standard normal, linear layers uniform within
    /// `±1 / sqrt(inputs)`.
    ///
    /// # Errors
    ///
    /// If a length of `config` is 0, if the heads do not share the width evenly, if there is
    /// no block or more than 1000, or if the model does not fit into memory.
    ///
    /// ```
    /// use attention::{Config, LanguageModel, Mixing, rng::torch::Generator};
    ///
    /// let mixing = Mixing::Attention { blocks: 3, heads: 1 };
    /// let config = Config { vocabulary: 65, context: 8, width: 64, mixing };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1337))?;
    /// assert_eq!(model.count(), 145_793);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn new(config: Config, rng: &mut Generator) -> Result<LanguageModel, Error> {
        config.check()?;
        Ok(LanguageModel {
            config,
            layout: Layout::of(config),
            parameters: initial(config, rng),
        })
    }

    /// What the model was made with.
    ///
    /// ```
    /// # use attention::{Config, LanguageModel, Mixing, rng::torch::Generator};
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1))?;
    /// assert_eq!(model.config(), config);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn config(&self) -> Config {
        self.config
    }

    /// How many numbers the model learns.
    ///
    /// PyTorch: `sum(p.numel() for p in model.parameters())`
    ///
    /// ```
    /// # use attention::{Config, LanguageModel, Mixing, rng::torch::Generator};
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1))?;
    /// assert_eq!(model.count(), 5 * 4 + 4 * 5 + 5); // a table, a weight and a bias
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        self.parameters.len()
    }

    /// For each token of one sequence, the logits of the token that follows it:
    /// (T,) becomes (T, V).
    ///
    /// PyTorch: `model(tokens[None])[0][0]`
    ///
    /// # Errors
    ///
    /// If there is no token or more than the context, if one is outside the vocabulary, or
    /// if what is computed does not fit into memory.
    ///
    /// ```
    /// # use attention::{Config, LanguageModel, Mixing, rng::torch::Generator};
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1))?;
    /// assert_eq!(model.logits(&[3, 0])?.dim(), (2, 5));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn logits(&self, tokens: &[usize]) -> Result<Array2<f32>, Error> {
        let pass = self.pass_of(tokens)?;
        let logits = rows(&pass.logits, self.config.vocabulary);
        let each = tokens.len() / logits.nrows();
        Ok(Array2::from_shape_fn(
            (tokens.len(), self.config.vocabulary),
            |(t, token)| logits[[t / each, token]],
        ))
    }

    /// The attention weights of every block for one sequence, (H, T, T) each; of a
    /// model that does not attend, the weights that its mixing amounts to.
    ///
    /// # Errors
    ///
    /// As [`LanguageModel::logits`].
    ///
    /// ```
    /// # use attention::{Config, LanguageModel, Mixing, rng::torch::Generator};
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::Average };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1))?;
    /// let weights = model.weights(&[3, 0])?;
    /// assert!(weights[0].iter().all(|&weight| weight == 0.5));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn weights(&self, tokens: &[usize]) -> Result<Vec<Array3<f32>>, Error> {
        let pass = self.pass_of(tokens)?;
        let time = tokens.len();
        let shape = (self.config.heads(), time, time);
        Ok(match self.config.mixing {
            Mixing::None => vec![Array3::from_shape_fn(shape, |(_, t, s)| {
                f32::from(u8::from(t == s))
            })],
            Mixing::Average => vec![Array3::from_elem(shape, 1.0 / time as f32)],
            Mixing::Symmetric | Mixing::Attention { .. } => {
                let weights = pass.blocks.iter().map(|block| block.weights.clone());
                let array = |weights| Array3::from_shape_vec(shape, weights);
                weights
                    .map(|weights| array(weights).expect("one sequence"))
                    .collect()
            }
        })
    }

    /// The mean loss of a batch.
    ///
    /// PyTorch: `model(xb, yb)[1]`
    ///
    /// # Errors
    ///
    /// If there is no sequence, if inputs and targets differ in shape, and as
    /// [`LanguageModel::logits`].
    ///
    /// ```
    /// # use attention::{Batch, Config, LanguageModel, Mixing, rng::torch::Generator};
    /// use ndarray::array;
    ///
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1))?;
    /// let batch = Batch { inputs: array![[3, 0]], targets: array![[0, 1]] };
    /// assert!(model.loss(&batch)? > 0.0);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn loss(&self, batch: &Batch) -> Result<f32, Error> {
        let (pass, [_, targets]) = self.pass_of_batch(batch)?;
        let losses = losses(&pass.logits, self.config.vocabulary, &targets);
        Ok((losses.map(f64::from).sum::<f64>() / targets.len() as f64) as f32)
    }

    /// The mean loss of a batch and its gradients, in the order and shapes of the
    /// parameters: as a model whose parameters they are.
    ///
    /// PyTorch: `model(xb, yb)[1].backward()`, then `p.grad`
    ///
    /// # Errors
    ///
    /// As [`LanguageModel::loss`].
    ///
    /// ```
    /// # use attention::{Batch, Config, LanguageModel, Mixing, rng::torch::Generator};
    /// use ndarray::array;
    ///
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1))?;
    /// let batch = Batch { inputs: array![[3, 0]], targets: array![[0, 1]] };
    /// let (_, d) = model.gradients(&batch)?;
    /// // Probabilities sum to 1, so raising all logits alike changes nothing.
    /// assert!(d.parameter("proj.bias")?.sum().abs() < 1e-6);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn gradients(&self, batch: &Batch) -> Result<(f32, LanguageModel), Error> {
        let (mut pass, [inputs, targets]) = self.pass_of_batch(batch)?;
        let mut gradients = LanguageModel {
            parameters: vec![0.0; self.count()],
            ..self.clone()
        };
        let factor = 1.0 / inputs.len() as f32;
        let tokens = (&inputs[..], &targets[..]);
        let d_parameters = &mut gradients.parameters;
        let loss = pass.backward(&self.layout, &self.parameters, tokens, factor, d_parameters);
        Ok(((loss / inputs.len() as f64) as f32, gradients))
    }

    /// The pass of a batch, up to the log probabilities; its inputs and targets.
    fn pass_of_batch(&self, batch: &Batch) -> Result<(Pass, [Vec<usize>; 2]), Error> {
        let (sequences, time) = batch.inputs.dim();
        if batch.targets.dim() != (sequences, time) {
            return Err(Error::model(format!(
                "inputs is {} but targets is {}: each token needs the one that follows it",
                shape_text(batch.inputs.shape()),
                shape_text(batch.targets.shape()),
            )));
        }
        if sequences == 0 {
            return Err(Error::model(
                "the batch is empty: there is no sequence in it",
            ));
        }
        for sequence in batch.inputs.rows().into_iter().chain(batch.targets.rows()) {
            self.check(&sequence.to_vec())?;
        }
        let (inputs, targets) = (flat(&batch.inputs), flat(&batch.targets));
        let mut pass = Pass::new(self.config, sequences, time)?;
        pass.forward(&self.layout, (&self.parameters, Order::OutIn), &inputs);
        pass.log_softmax();
        Ok((pass, [inputs, targets]))
    }

    /// The pass of one sequence, up to the logits.
    fn pass_of(&self, tokens: &[usize]) -> Result<Pass, Error> {
        self.check(tokens)?;
        let mut pass = Pass::new(self.config, 1, tokens.len())?;
        pass.forward(&self.layout, (&self.parameters, Order::OutIn), tokens);
        Ok(pass)
    }

    /// # Errors
    ///
    /// If the model cannot take the sequence.
    pub(super) fn check(&self, tokens: &[usize]) -> Result<(), Error> {
        let context = self.config.context;
        if tokens.is_empty() {
            return Err(Error::model(
                "there is no token: the model needs at least one to go on from",
            ));
        }
        if tokens.len() > context {
            let count = tokens.len();
            return Err(Error::model(format!(
                "{count} tokens are more than the model sees at once: its context is {context}"
            )));
        }
        self.check_vocabulary(tokens)
    }

    /// # Errors
    ///
    /// If a token is outside the vocabulary.
    pub(super) fn check_vocabulary(&self, tokens: &[usize]) -> Result<(), Error> {
        let vocabulary = self.config.vocabulary;
        match tokens.iter().find(|&&token| token >= vocabulary) {
            None => Ok(()),
            Some(token) => Err(Error::model(format!(
                "token {token} is outside the vocabulary of {vocabulary}: tokens are 0 to {}",
                vocabulary - 1
            ))),
        }
    }
}

fn flat(tokens: &Array2<usize>) -> Vec<usize> {
    tokens.iter().copied().collect()
}
