//! A language model: from tokens to logits for the token that follows each of them.

use super::config::{Config, Mixing};
use super::kernels::cross_entropy::losses;
use super::parameters::{ParameterLayout, initial};
use super::pass::Pass;
use crate::measure::step::Step;
use crate::numerics::matmul::rows;
use crate::numerics::shape::shape_text;
use crate::text::corpus::Batch;
use ndarray::{Array2, Array3};
use torch_random::torch::Generator;

/// A language model of the kind and size that a [`Config`] describes.
///
/// PyTorch: the modules of the lesson, such as `SimpleLMWithAttention`
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageModel {
    pub(super) config: Config,
    pub(super) layout: ParameterLayout,
    pub(super) parameters: Vec<f32>,
}

impl LanguageModel {
    /// A model with the random parameters that PyTorch would give it, drawn in
    /// PyTorch's order: embeddings are standard normal, linear layers uniform within
    /// `±1 / sqrt(inputs)`.
    ///
    /// # Panics
    ///
    /// If a length in `config` is 0, if the width is not divisible by the number of heads, if the
    /// number of blocks is not from 1 to 1000, or if the model does not fit into memory.
    ///
    /// ```
    /// use attention::language_model::{Config, LanguageModel, Mixing};
    /// use attention::rng::torch::Generator;
    ///
    /// let mixing = Mixing::Attention { blocks: 3, heads: 1 };
    /// let config = Config { vocabulary: 65, context: 8, width: 64, mixing };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1337));
    /// assert_eq!(model.count(), 145_793);
    /// ```
    #[track_caller]
    pub fn new(config: Config, rng: &mut Generator) -> LanguageModel {
        if let Err(reason) = config.check() {
            panic!("LanguageModel::new: {reason}");
        }
        LanguageModel {
            config,
            layout: ParameterLayout::of(config),
            parameters: initial(config, rng),
        }
    }

    /// The configuration the model was created with.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.config(), config);
    /// ```
    pub fn config(&self) -> Config {
        self.config
    }

    /// How many numbers the model learns.
    ///
    /// PyTorch: `sum(p.numel() for p in model.parameters())`
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.count(), 5 * 4 + 4 * 5 + 5); // a table, a weight and a bias
    /// ```
    pub fn count(&self) -> usize {
        self.parameters.len()
    }

    /// The logits of the next token for each token of one sequence: (T,) becomes
    /// (T, V).
    ///
    /// PyTorch: `model(tokens[None])[0][0]`
    ///
    /// # Panics
    ///
    /// If there are no tokens or more than the context holds, if one is outside the vocabulary, or
    /// if the computation does not fit into memory.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.logits(&[3, 0]).dim(), (2, 5));
    /// ```
    #[track_caller]
    pub fn logits(&self, tokens: &[usize]) -> Array2<f32> {
        Step::Logits.called();
        let pass = self.run_sequence("LanguageModel::logits", tokens);
        let logits = rows(&pass.logits, self.config.vocabulary);
        let tokens_per_row = tokens.len() / logits.nrows();
        Array2::from_shape_fn((tokens.len(), self.config.vocabulary), |(t, token)| {
            logits[[t / tokens_per_row, token]]
        })
    }

    /// The attention weights of every block for one sequence, (H, T, T) each; for a
    /// model without attention, the weights equivalent to its mixing.
    ///
    /// # Panics
    ///
    /// Same as [`LanguageModel::logits`].
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::Average };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// let weights = model.weights(&[3, 0]);
    /// assert!(weights[0].iter().all(|&weight| weight == 0.5));
    /// ```
    #[track_caller]
    pub fn weights(&self, tokens: &[usize]) -> Vec<Array3<f32>> {
        let pass = self.run_sequence("LanguageModel::weights", tokens);
        let time = tokens.len();
        let shape = (self.config.heads(), time, time);
        match self.config.mixing {
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
        }
    }

    /// The mean loss of a batch.
    ///
    /// PyTorch: `model(xb, yb)[1]`
    ///
    /// # Panics
    ///
    /// Same as [`LanguageModel::logits`], and if there is no sequence or inputs and targets
    /// differ in shape.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// # use attention::text::Batch;
    /// use ndarray::array;
    ///
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// let batch = Batch { inputs: array![[3, 0]], targets: array![[0, 1]] };
    /// assert!(model.loss(&batch) > 0.0);
    /// ```
    #[track_caller]
    pub fn loss(&self, batch: &Batch) -> f32 {
        let (pass, [_, targets]) = self.run_batch("LanguageModel::loss", batch);
        let losses = losses(&pass.logits, self.config.vocabulary, &targets);
        (losses.map(f64::from).sum::<f64>() / targets.len() as f64) as f32
    }

    /// The mean loss of a batch and its gradients, which are returned as a model with a gradient in
    /// place of each parameter.
    ///
    /// PyTorch: `model(xb, yb)[1].backward()`, then `p.grad`
    ///
    /// # Panics
    ///
    /// Same as [`LanguageModel::loss`].
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// # use attention::text::Batch;
    /// use ndarray::array;
    ///
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// let batch = Batch { inputs: array![[3, 0]], targets: array![[0, 1]] };
    /// let (_, d) = model.gradients(&batch);
    /// // Probabilities sum to 1, so raising all logits equally changes nothing.
    /// assert!(d.parameter("proj.bias")?.sum().abs() < 1e-6);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn gradients(&self, batch: &Batch) -> (f32, LanguageModel) {
        let (mut pass, [inputs, targets]) = self.run_batch("LanguageModel::gradients", batch);
        let mut gradients = LanguageModel {
            parameters: vec![0.0; self.count()],
            ..self.clone()
        };
        let factor = 1.0 / inputs.len() as f32;
        let tokens = (&inputs[..], &targets[..]);
        let d_parameters = &mut gradients.parameters;
        let loss = pass.backward(&self.layout, &self.parameters, tokens, factor, d_parameters);
        ((loss / inputs.len() as f64) as f32, gradients)
    }

    /// Runs a batch up to the log probabilities; returns the pass, the inputs and the targets.
    #[track_caller]
    fn run_batch(&self, function: &str, batch: &Batch) -> (Pass, [Vec<usize>; 2]) {
        let (sequences, time) = batch.inputs.dim();
        assert!(
            batch.targets.dim() == (sequences, time),
            "{function}: inputs is {} but targets is {}: each token needs the one that follows it",
            shape_text(batch.inputs.shape()),
            shape_text(batch.targets.shape()),
        );
        assert!(
            sequences > 0,
            "{function}: the batch is empty: there is no sequence in it"
        );
        self.check_length(function, time);
        let (inputs, targets) = (flat(&batch.inputs), flat(&batch.targets));
        self.check_vocabulary(function, &inputs);
        self.check_vocabulary(function, &targets);
        self.check_pass(function, sequences, time);
        let mut pass = Pass::new(self.config, sequences, time);
        pass.forward(&self.layout, &self.transposed(), &inputs);
        pass.log_softmax();
        (pass, [inputs, targets])
    }

    /// The parameters in the layout that [`Pass::forward`] expects.
    pub(super) fn transposed(&self) -> Vec<f32> {
        let mut transposed = Vec::new();
        self.layout.transpose(&self.parameters, &mut transposed);
        transposed
    }

    /// Runs one sequence up to the logits.
    #[track_caller]
    fn run_sequence(&self, function: &str, tokens: &[usize]) -> Pass {
        self.check_length(function, tokens.len());
        self.check_vocabulary(function, tokens);
        self.check_pass(function, 1, tokens.len());
        let mut pass = Pass::new(self.config, 1, tokens.len());
        pass.forward(&self.layout, &self.transposed(), tokens);
        pass
    }

    /// Panics unless a sequence has at least one token and fits into the context.
    #[track_caller]
    fn check_length(&self, function: &str, time: usize) {
        let context = self.config.context;
        assert!(
            time > 0,
            "{function}: there is no token: the model needs at least one to continue from"
        );
        assert!(
            time <= context,
            "{function}: {time} tokens are more than the model sees at once: its context is \
             {context}"
        );
    }

    /// Panics if a token is outside the vocabulary.
    #[track_caller]
    pub(super) fn check_vocabulary(&self, function: &str, tokens: &[usize]) {
        let vocabulary = self.config.vocabulary;
        if let Some(token) = tokens.iter().find(|&&token| token >= vocabulary) {
            panic!(
                "{function}: token {token} is outside the vocabulary of {vocabulary}: tokens are \
                 0 to {}",
                vocabulary - 1
            );
        }
    }

    /// Panics if the computation of a pass does not fit into memory.
    #[track_caller]
    pub(super) fn check_pass(&self, function: &str, sequences: usize, time: usize) {
        if let Err(reason) = self.config.check_pass(sequences, time) {
            panic!("{function}: {reason}");
        }
    }
}

fn flat(tokens: &Array2<usize>) -> Vec<usize> {
    tokens.iter().copied().collect()
}
