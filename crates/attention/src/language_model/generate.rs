//! Generates text, token by token.

use super::config::Config;
use super::model::LanguageModel;
use super::pass::Pass;
use crate::error::Error;
use crate::numerics::matmul::rows;
use notebook::interrupted;
use torch_random::torch::Generator;

impl LanguageModel {
    /// The `prompt`, followed by `count` tokens, each drawn from the probabilities the model
    /// predicts from the last T tokens before it. Stops early and returns what it has when the
    /// notebook's stop button is pressed.
    ///
    /// PyTorch: the lesson's `generate`, with `torch.multinomial`
    ///
    /// # Errors
    ///
    /// If the prompt is empty, or if a probability is NaN because training has gone wrong.
    ///
    /// # Panics
    ///
    /// If a token is outside the vocabulary, or if the computation does not fit into memory.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let mut rng = Generator::manual_seed(1);
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut rng);
    /// let tokens = model.generate(&[3], 10, &mut rng)?;
    /// assert_eq!((tokens.len(), tokens[0]), (11, 3));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn generate(
        &self,
        prompt: &[usize],
        count: usize,
        rng: &mut Generator,
    ) -> Result<Vec<usize>, Error> {
        self.draw("LanguageModel::generate", 1.0, (prompt, count), rng)
    }

    /// Like [`LanguageModel::generate`], but with all logits divided by `temperature` before a
    /// token is drawn: below 1, the likely tokens become likelier; above 1, the others do.
    ///
    /// PyTorch: nanoGPT's `generate(idx, max_new_tokens, temperature)`
    ///
    /// # Errors
    ///
    /// Same as [`LanguageModel::generate`].
    ///
    /// # Panics
    ///
    /// Same as [`LanguageModel::generate`], and if `temperature` is not above 0.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let mut rng = Generator::manual_seed(1);
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut rng);
    /// // So cold that it always takes the likeliest: the generator makes no difference.
    /// let tokens = model.generate_at(0.001, &[3], 4, &mut rng)?;
    /// assert_eq!(model.generate_at(0.001, &[3], 4, &mut rng)?, tokens);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn generate_at(
        &self,
        temperature: f32,
        prompt: &[usize],
        count: usize,
        rng: &mut Generator,
    ) -> Result<Vec<usize>, Error> {
        let function = "LanguageModel::generate_at";
        assert!(
            temperature > 0.0,
            "{function}: the temperature is {temperature}, but it must be above 0"
        );
        self.draw(function, temperature, (prompt, count), rng)
    }

    #[track_caller]
    fn draw(
        &self,
        function: &str,
        temperature: f32,
        (prompt, count): (&[usize], usize),
        rng: &mut Generator,
    ) -> Result<Vec<usize>, Error> {
        let Config {
            vocabulary,
            context,
            ..
        } = self.config;
        if prompt.is_empty() {
            return Err(Error::EmptyPrompt);
        }
        self.check_vocabulary(function, prompt);
        let longest = context.min(prompt.len().saturating_add(count.saturating_sub(1)));
        self.check_pass(function, 1, longest);
        let parameters = self.transposed();
        let mut tokens = prompt.to_vec();
        let mut pass = Pass::new(self.config, 1, context.min(tokens.len()));
        for _ in 0..count {
            if interrupted() {
                break;
            }
            let time = context.min(tokens.len());
            if time != pass.time() {
                pass = Pass::new(self.config, 1, time);
            }
            pass.forward(&self.layout, &parameters, &tokens[tokens.len() - time..]);
            for logit in &mut pass.logits {
                *logit /= temperature;
            }
            pass.log_softmax();
            let log_probabilities = rows(&pass.logits, vocabulary);
            let probabilities = log_probabilities
                .row(log_probabilities.nrows() - 1)
                .mapv(f32::exp);
            if probabilities.iter().any(|p| p.is_nan()) {
                return Err(Error::NanProbabilities);
            }
            tokens.push(rng.multinomial(&probabilities, 1)[0]);
        }
        Ok(tokens)
    }
}
