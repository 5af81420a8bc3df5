//! Training: batches, gradients, steps.

use super::adamw::AdamW;
use super::config::{Config, fits};
use super::kernels::linear_into::WeightLayout;
use super::model::LanguageModel;
use super::pass::Pass;
use crate::error::Error;
use crate::text::corpus::fill_batch;
use notebook::Progress;
use notebook::interrupted;
use rayon::prelude::*;
use torch_random::torch::Generator;

/// A batch is cut into parts of at least so many rows, and into at most so many parts.
/// That does not depend on the number of threads, and so neither does the result.
const ROWS: usize = 256;
const MAX_PARTS: usize = 8;

/// The training of a language model with AdamW.
///
/// PyTorch: `torch.optim.AdamW(model.parameters(), lr)` and the lesson's loop
#[derive(Clone, Debug)]
pub struct Training {
    /// The model, as far as it has learned.
    pub model: LanguageModel,
    /// The loss of each step so far.
    pub losses: Vec<f32>,
    pub(super) optimizer: AdamW,
    pub(super) batch: usize,
    /// The tokens of a batch, and what follows each, (B T).
    inputs: Vec<usize>,
    targets: Vec<usize>,
    parts: Vec<Part>,
}

/// Some sequences of a batch, their pass and their gradients.
#[derive(Clone, Debug)]
struct Part {
    pass: Pass,
    gradients: Vec<f32>,
    loss: f64,
}

impl Training {
    /// A training with `batch` sequences in a step.
    ///
    /// PyTorch: `torch.optim.AdamW(model.parameters(), lr=learning_rate)`
    ///
    /// # Panics
    ///
    /// If `batch` is 0, if the learning rate is not above 0 or not finite, or if a step does not
    /// fit into memory.
    ///
    /// ```
    /// # use attention::{Config, LanguageModel, Mixing, Training, rng::torch::Generator};
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

    /// [`Training::new`], or why there can be no such training.
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
        })
    }

    /// How many steps are done.
    ///
    /// ```
    /// # use attention::{Config, LanguageModel, Mixing, Training, rng::torch::Generator};
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

    /// `steps` more steps on batches drawn from `tokens`, with their progress; returns
    /// the loss of the last one.
    ///
    /// Ends early, and in order, when the notebook's stop button is pressed: what was
    /// learned stays, and another `run` goes on from there. The result does not depend
    /// on the number of threads.
    ///
    /// PyTorch: the lesson's training loop
    ///
    /// # Errors
    ///
    /// If there are too few tokens for a sequence; if the stop button is pressed before the
    /// first step of the training, so that there is no loss to return; or if the loss becomes
    /// NaN or infinite: then the step is not made.
    ///
    /// # Panics
    ///
    /// If `steps` is 0, if a token is outside the vocabulary, or if `model` was replaced by one of
    /// another [`Config`](crate::Config).
    ///
    /// ```
    /// # use attention::{Config, LanguageModel, Mixing, Training, rng::torch::Generator};
    /// let mut rng = Generator::manual_seed(1);
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut rng);
    /// let mut training = Training::new(model, 4, 0.01);
    /// let tokens = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]; // 1 always follows 0, and so on
    /// assert!(training.run(&tokens, 200, &mut rng)? < training.losses[0] / 2.0);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn run(
        &mut self,
        tokens: &[usize],
        steps: usize,
        rng: &mut Generator,
    ) -> Result<f32, Error> {
        let context = self.model.config.context;
        assert!(
            steps > 0,
            "Training::run: steps is 0, but training takes 1 step or more"
        );
        self.check_model("Training::run");
        if tokens.len() <= context {
            return Err(Error::TextTooShort {
                tokens: tokens.len(),
                context,
            });
        }
        self.model.check_vocabulary("Training::run", tokens);
        let mut progress = Progress::new("training", steps);
        for step in 0..steps {
            if interrupted() {
                progress.show(&format!("stopped; run({} ..) goes on", steps - step));
                break;
            }
            fill_batch(tokens, context, rng, &mut self.inputs, &mut self.targets);
            let loss = self.step()?;
            progress.step(&format!("loss {loss:.4}"));
        }
        self.losses.last().copied().ok_or(Error::Stopped)
    }

    /// Panics if the model is another one than the training has its memory for.
    #[track_caller]
    pub(super) fn check_model(&self, function: &str) {
        let (model, training) = (self.model.config, self.parts[0].pass.config());
        assert!(
            model == training,
            "{function}: the model is {model:?}, but the training was made for {training:?}: make \
             a new Training"
        );
    }

    /// One step on the batch that lies in `inputs` and `targets`.
    fn step(&mut self) -> Result<f32, Error> {
        let (layout, parameters) = (&self.model.layout, &self.model.parameters);
        let factor = 1.0 / self.inputs.len() as f32;
        let rows = self.parts[0].pass.rows();
        let parts = self.parts.par_iter_mut();
        let tokens = self
            .inputs
            .par_chunks(rows)
            .zip(self.targets.par_chunks(rows));
        parts.zip(tokens).for_each(|(part, tokens)| {
            part.gradients.fill(0.0);
            part.pass
                .forward(layout, (parameters, WeightLayout::OutIn), tokens.0);
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

/// Why there can be no training of a model of this shape, as far as the shape says.
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
