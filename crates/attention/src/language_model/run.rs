//! The training loop: steps under one progress bar, with pauses for measurements.

use super::training::Training;
use crate::error::Error;
use crate::text::corpus::fill_batch;
use notebook::{Progress, interrupted};
use torch_random::torch::Generator;

impl Training {
    /// Trains for `steps` more steps on batches drawn from `tokens`, showing progress; returns
    /// the loss of the last step taken.
    ///
    /// Pressing the notebook's stop button ends training early but cleanly: everything learned so
    /// far is kept, and another `run` continues from there. The result does not depend
    /// on the number of threads.
    ///
    /// PyTorch: the lesson's training loop
    ///
    /// # Errors
    ///
    /// If there are too few tokens for a sequence; if the stop button is pressed before the very
    /// first step, so that there is no loss to return; or if the loss becomes NaN or infinite, in
    /// which case the step is not taken.
    ///
    /// # Panics
    ///
    /// If `steps` is 0, if a token is outside the vocabulary, or if `model` was replaced by one
    /// with a different [`Config`](crate::language_model::Config).
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing, Training};
    /// # use attention::rng::torch::Generator;
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
        self.run_paused("Training::run", (tokens, rng), (steps, steps), |_| Ok(()))
    }

    /// Like [`Training::run`], but with a pause after every `every` steps and after the last one.
    /// In each pause, `measure` is called with the training run so far: to compute the loss on
    /// another text, say, or to generate text. One progress bar covers everything, and the pauses
    /// do not affect what is learned.
    ///
    /// Lightning: `Trainer(max_steps=steps, val_check_interval=every)` with `validation_step`
    ///
    /// # Errors
    ///
    /// Same as [`Training::run`], and if `measure` returns an error, which ends training.
    ///
    /// # Panics
    ///
    /// Same as [`Training::run`], and if `every` is 0.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing, Training};
    /// # use attention::rng::torch::Generator;
    /// # let mut rng = Generator::manual_seed(1);
    /// # let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// # let mut training = Training::new(LanguageModel::new(config, &mut rng), 4, 0.01);
    /// let tokens = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4];
    /// let mut curve = Vec::new();
    /// training.run_and_measure(&tokens, 200, &mut rng, 50, |training| {
    ///     let loss = training.model.losses_by_position(&tokens)?.mean().unwrap_or(0.0);
    ///     curve.push((training.steps(), loss));
    ///     Ok(())
    /// })?;
    /// assert_eq!(curve.len(), 4);
    /// assert!(curve[3].0 == 200 && curve[3].1 < curve[0].1);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn run_and_measure(
        &mut self,
        tokens: &[usize],
        steps: usize,
        rng: &mut Generator,
        every: usize,
        measure: impl FnMut(&Training) -> Result<(), Error>,
    ) -> Result<f32, Error> {
        let function = "Training::run_and_measure";
        assert!(
            every > 0,
            "{function}: every is 0, but there is a step or more between two measurements"
        );
        self.run_paused(function, (tokens, rng), (steps, every), measure)
    }

    /// The loop of [`Training::run`] and [`Training::run_and_measure`].
    #[track_caller]
    fn run_paused(
        &mut self,
        function: &str,
        (tokens, rng): (&[usize], &mut Generator),
        (steps, every): (usize, usize),
        mut measure: impl FnMut(&Training) -> Result<(), Error>,
    ) -> Result<f32, Error> {
        self.check_run(function, tokens, steps)?;
        let context = self.model.config.context;
        let mut progress = Progress::new("training", steps);
        for step in 1..=steps {
            if interrupted() {
                let left = steps - step + 1;
                progress.stop(&format!(
                    "stopped with {left} steps left: another run continues from here"
                ));
                break;
            }
            fill_batch(tokens, context, rng, &mut self.inputs, &mut self.targets);
            let loss = self.step()?;
            // Measured before the step is shown as done, because after the last step the bar
            // reports the total time.
            if step.is_multiple_of(every) || step == steps {
                measure(self)?;
            }
            progress.step(&format!("loss {loss:.4}"));
        }
        self.losses.last().copied().ok_or(Error::Stopped)
    }

    #[track_caller]
    fn check_run(&self, function: &str, tokens: &[usize], steps: usize) -> Result<(), Error> {
        let context = self.model.config.context;
        assert!(
            steps > 0,
            "{function}: steps is 0, but training takes 1 step or more"
        );
        self.check_model(function);
        if tokens.len() <= context {
            return Err(Error::TextTooShort {
                tokens: tokens.len(),
                context,
            });
        }
        self.model.check_vocabulary(function, tokens);
        Ok(())
    }
}
