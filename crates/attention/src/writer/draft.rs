//! A text that grows token by token, with a cache of keys and values.

use super::cached_attention::Cache;
use super::model::Writer;
use super::next_token::NextToken;
use crate::error::Error;
use ndarray::{Array2, s};
use notebook::interrupted;

/// The tokens with which the model ends a text or an answer.
const ENDS: [usize; 2] = [0, 2];

/// A text that a [`Writer`] continues. Each new token passes through all layers by itself; the keys
/// and values of the tokens before it are cached, so that they need not be computed again.
///
/// Transformers: `model(token, past_key_values=cache, use_cache=True)`
#[derive(Clone, Debug)]
pub struct Draft {
    model: Writer,
    tokens: Vec<usize>,
    caches: Vec<Cache>,
    /// (1, C): the residual stream of the last token, after the last block.
    last: Array2<f32>,
}

impl Writer {
    /// A text that begins with these tokens, to be continued token by token.
    ///
    /// # Errors
    ///
    /// If there is no token, or more than 8,192.
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let mut draft = model.draft(&model.pieces.encode("Once upon a"))?;
    /// draft.push(draft.next_token().best())?;
    /// assert_eq!(draft.text(), "Once upon a time");
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn draft(&self, tokens: &[usize]) -> Result<Draft, Error> {
        self.check("Writer::draft", tokens)?;
        Ok(Draft::new(self.clone(), tokens))
    }

    /// The model's continuation of a text by up to `count` tokens, the most probable one each time.
    /// It ends early if the model ends its text, or if the notebook's stop button is pressed.
    ///
    /// Transformers: `model.generate(tokens, max_new_tokens=count, do_sample=False)`
    ///
    /// # Errors
    ///
    /// If the text is empty, or would have more tokens than the model has positions.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// assert_eq!(model.write("The capital of France is", 2)?, " Paris.");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn write(&self, text: &str, count: usize) -> Result<String, Error> {
        let mut draft = self.draft(&self.pieces.encode(text))?;
        let prompt = draft.tokens().len();
        draft.extend(count, NextToken::best)?;
        Ok(self.pieces.decode(&draft.tokens()[prompt..]))
    }
}

impl Draft {
    fn new(model: Writer, tokens: &[usize]) -> Draft {
        let mut caches = model.empty_caches();
        let x = model.forward(tokens, 0, &mut caches, None);
        Draft {
            tokens: tokens.to_vec(),
            caches,
            last: x.slice(s![-1.., ..]).to_owned(),
            model,
        }
    }

    /// All tokens so far.
    pub fn tokens(&self) -> &[usize] {
        &self.tokens
    }

    /// The text so far.
    pub fn text(&self) -> String {
        self.model.pieces.decode(&self.tokens)
    }

    /// The model's prediction of the token after the last one.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let next = model.draft(&model.pieces.encode("I would like a cup of"))?.next_token();
    /// assert_eq!(model.pieces.decode(&next.tokens[..2]), " coffee tea");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn next_token(&self) -> NextToken {
        self.model.next_token(&self.last)
    }

    /// Adds a token, which need not be one that the model considers probable.
    ///
    /// # Errors
    ///
    /// If the text already has as many tokens as the model has positions.
    ///
    /// # Panics
    ///
    /// If the token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let mut draft = model.draft(&model.pieces.encode("Once upon a"))?;
    /// draft.push(model.pieces.encode(" mattress")[0])?;
    /// assert_eq!(draft.text(), "Once upon a mattress");
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn push(&mut self, token: usize) -> Result<(), Error> {
        self.model.check("Draft::push", &[token])?;
        self.model.check_length(self.tokens.len() + 1)?;
        let before = self.tokens.len();
        self.last = self.model.forward(&[token], before, &mut self.caches, None);
        self.tokens.push(token);
        Ok(())
    }

    /// Adds up to `count` tokens, each chosen by `choose` from the model's prediction. Ends early if
    /// the model ends its text, or if the notebook's stop button is pressed.
    ///
    /// # Errors
    ///
    /// If the text would have more tokens than the model has positions.
    ///
    /// # Panics
    ///
    /// If `choose` returns a token that is not in the vocabulary.
    ///
    /// ```no_run
    /// use attention::rng::torch::Generator;
    ///
    /// let model = attention::writer::writer()?;
    /// let mut rng = Generator::manual_seed(1);
    /// let mut draft = model.draft(&model.pieces.encode("Once upon a time"))?;
    /// draft.extend(20, |next| next.temperature(0.7).top_p(0.9).draw(&mut rng))?;
    /// println!("{}", draft.text());
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn extend(
        &mut self,
        count: usize,
        mut choose: impl FnMut(&NextToken) -> usize,
    ) -> Result<(), Error> {
        for _ in 0..count {
            if interrupted() {
                break;
            }
            let token = choose(&self.next_token());
            if ENDS.contains(&token) {
                break;
            }
            self.push(token)?;
        }
        Ok(())
    }
}
