//! How well a model predicts a text, by position.

use super::config::Config;
use super::kernels::cross_entropy::losses;
use super::model::LanguageModel;
use super::pass::Pass;
use crate::error::Error;
use ndarray::Array1;
use rayon::prelude::*;

/// Sequences per parallel task.
const SEQUENCES: usize = 64;

impl LanguageModel {
    /// The mean loss at each position of the context, (T,), over `tokens` cut into consecutive
    /// sequences of T tokens; an incomplete last one is left out. The mean of the result is the
    /// loss of the text. Nothing is random, so the result is always the same.
    ///
    /// PyTorch: `F.cross_entropy(logits, targets, reduction='none').mean(dim=0)`
    ///
    /// # Errors
    ///
    /// If there are fewer than T + 1 tokens.
    ///
    /// # Panics
    ///
    /// If a token is outside the vocabulary, or if the computation does not fit into memory.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.losses_by_position(&[0, 1, 2, 3, 4])?.len(), 2);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn losses_by_position(&self, tokens: &[usize]) -> Result<Array1<f32>, Error> {
        let Config {
            vocabulary,
            context,
            ..
        } = self.config;
        if tokens.len() <= context {
            return Err(Error::TextTooShort {
                tokens: tokens.len(),
                context,
            });
        }
        let function = "LanguageModel::losses_by_position";
        self.check_vocabulary(function, tokens);
        let sequences = (tokens.len() - 1) / context;
        let parallel = sequences.min(SEQUENCES * rayon::current_num_threads());
        self.check_pass(function, parallel, context);
        let parameters = self.transposed();
        let tasks: Vec<Vec<f64>> = tokens[..sequences * context]
            .par_chunks(SEQUENCES * context)
            .enumerate()
            .map(|(task, inputs)| {
                let start = task * SEQUENCES * context + 1;
                let targets = &tokens[start..start + inputs.len()];
                let mut pass = Pass::new(self.config, inputs.len() / context, context);
                pass.forward(&self.layout, &parameters, inputs);
                pass.log_softmax();
                let mut sums = vec![0.0; context];
                for (index, loss) in losses(&pass.logits, vocabulary, targets).enumerate() {
                    sums[index % context] += f64::from(loss);
                }
                sums
            })
            .collect();
        let mut means = Array1::zeros(context);
        for sums in &tasks {
            means
                .iter_mut()
                .zip(sums)
                .for_each(|(mean, sum)| *mean += sum);
        }
        Ok(means.mapv(|sum: f64| (sum / sequences as f64) as f32))
    }
}
