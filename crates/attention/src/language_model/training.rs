//! Training: gradients and steps.

use super::adamw::AdamW;
use super::config::{Config, fits};
use super::model::LanguageModel;
use super::pass::Pass;
use crate::error::Error;
use rayon::prelude::*;

/// Minimum rows per part of a batch, and maximum parts per batch. Neither depends on the number of
/// threads, so the result does not either.
const ROWS: usize = 256;
const MAX_PARTS: usize = 8;

/// The training of a language model with AdamW.
///
/// PyTorch: `torch.optim.AdamW(model.parameters(), lr)` and the lesson's loop
#[derive(Clone, Debug)]
pub struct Training {
    /// The model in its current state.
    pub model: LanguageModel,
    /// The loss of each step so far.
    pub losses: Vec<f32>,
    pub(super) optimizer: AdamW,
    pub(super) batch: usize,
    /// The tokens of a batch, and the token that follows each, (B T).
    pub(super) inputs: Vec<usize>,
    pub(super) targets: Vec<usize>,
    parts: Vec<Part>,
    /// The parameters of the current step, laid out by [`ParameterLayout::transpose`].
    transposed: Vec<f32>,
}

/// Some sequences of a batch, with their pass and their gradients.
#[derive(Clone, Debug)]
struct Part {
    pass: Pass,
    gradients: Vec<f32>,
    loss: f64,
}

impl Training {
    /// Prepares to train `model` with `batch` sequences per step.
    ///
    /// PyTorch: `torch.optim.AdamW(model.parameters(), lr=learning_rate)`
    ///
    /// # Panics
    ///
    /// If `batch` is 0, if the learning rate is not positive or not finite, or if a step does not
    /// fit into memory.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing, Training};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert!(Training::new(model, 128, 1e-3).losses.is_empty());
    /// ```
    #[track_caller]
    pub fn new(model: LanguageModel, batch: usize, learning_rate: f64) -> Training {
        match Training::try_new(model, batch, learning_rate) {
            Ok(training) => training,
            Err(reason) => panic!("Training::new: {reason}"),
        }
    }

    /// Like [`Training::new`], but with an error message instead of a panic.
    pub(super) fn try_new(
        model: LanguageModel,
        batch: usize,
        learning_rate: f64,
    ) -> Result<Training, String> {
        let (config, count) = (model.config, model.count());
        check(config, batch, learning_rate)?;
        fits(
            "the gradients",
            &[batch.min(MAX_PARTS), count],
            size_of::<f32>(),
        )?;
        let sequences = ROWS.div_ceil(config.context).max(batch.div_ceil(MAX_PARTS));
        let part = |part: usize| {
            let sequences = sequences.min(batch - part * sequences);
            Part {
                pass: Pass::new(config, sequences, config.context),
                gradients: vec![0.0; count],
                loss: 0.0,
            }
        };
        Ok(Training {
            model,
            losses: Vec::new(),
            optimizer: AdamW::new(count, learning_rate),
            batch,
            inputs: vec![0; batch * config.context],
            targets: vec![0; batch * config.context],
            parts: (0..batch.div_ceil(sequences)).map(part).collect(),
            transposed: Vec::new(),
        })
    }

    /// How many steps have been taken.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing, Training};
    /// # use attention::rng::torch::Generator;
    /// # let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// # let mut rng = Generator::manual_seed(1);
    /// # let mut training = Training::new(LanguageModel::new(config, &mut rng), 4, 1e-3);
    /// training.run(&[0, 1, 2, 3, 4, 0, 1, 2, 3, 4], 3, &mut rng)?;
    /// assert_eq!(training.steps(), 3);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn steps(&self) -> usize {
        self.losses.len()
    }

    /// Panics if the model's shape differs from the one that memory was allocated for.
    #[track_caller]
    pub(super) fn check_model(&self, function: &str) {
        let (model, training) = (self.model.config, self.parts[0].pass.config());
        assert!(
            model == training,
            "{function}: the model is {model:?}, but the training was made for {training:?}: make \
             a new Training"
        );
    }

    /// Takes one step on the batch in `inputs` and `targets`, and returns its loss. Fails, and
    /// leaves the model unchanged, if the loss is not finite.
    pub(super) fn step(&mut self) -> Result<f32, Error> {
        let (layout, parameters) = (&self.model.layout, &self.model.parameters);
        layout.transpose(parameters, &mut self.transposed);
        let transposed = &self.transposed;
        let factor = 1.0 / self.inputs.len() as f32;
        let rows = self.parts[0].pass.rows();
        let parts = self.parts.par_iter_mut();
        let tokens = self
            .inputs
            .par_chunks(rows)
            .zip(self.targets.par_chunks(rows));
        parts.zip(tokens).for_each(|(part, tokens)| {
            part.gradients.fill(0.0);
            part.pass.forward(layout, transposed, tokens.0);
            part.pass.log_softmax();
            part.loss = part
                .pass
                .backward(layout, parameters, tokens, factor, &mut part.gradients);
        });
        let sum: f64 = self.parts.iter().map(|part| part.loss).sum();
        let loss = (sum / self.inputs.len() as f64) as f32;
        if !loss.is_finite() {
            return Err(Error::Diverged {
                step: self.losses.len(),
                loss,
                last_good: self.losses.last().copied(),
                learning_rate: self.optimizer.learning_rate,
            });
        }
        let gradients: Vec<&[f32]> = self.parts.iter().map(|part| &part.gradients[..]).collect();
        self.optimizer.step(&mut self.model.parameters, &gradients);
        self.losses.push(loss);
        Ok(loss)
    }
}

/// Checks whether a model of this shape can be trained with these settings.
pub(super) fn check(config: Config, batch: usize, learning_rate: f64) -> Result<(), String> {
    if batch == 0 {
        return Err("batch is 0, but a step needs at least one sequence".to_owned());
    }
    if !(learning_rate > 0.0 && learning_rate.is_finite()) {
        return Err(format!(
            "learning_rate is {learning_rate}, but it must be above 0; 1e-3 is a good start"
        ));
    }
    config.check_pass(batch, config.context)
}
