//! A translation under changed conditions.

use super::greedy::{Conditions, translate};
use super::model::Translator;
use super::sentence_piece::END;
use super::translation::Translation;
use crate::error::Error;
use crate::layers::check_head::check_head;

/// Maximum number of tokens in a text. With this many, the encoder's attention weights take 50 MB.
const MOST_TOKENS: usize = 512;

/// A translation yet to be made, for which parts of the model can be switched off.
/// See [`Translator::experiment`].
#[derive(Clone, Debug)]
pub struct Experiment<'a> {
    model: &'a Translator,
    /// Ends with [`END`].
    source: Vec<usize>,
    conditions: Conditions,
}

impl<'a> Experiment<'a> {
    /// Switches off these heads of the decoder, each given as layer and head: their results are
    /// replaced by zeros.
    ///
    /// Source: Michel, Levy, Neubig 2019, "Are Sixteen Heads Really Better than One?", section 2.3.
    ///
    /// # Panics
    ///
    /// If there is no such head.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let blind = model.experiment("The red house.")?.without_heads(&[(1, 0)]).translate();
    /// assert_eq!(blind.text, "A casa vermelha.");
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn without_heads(mut self, heads: &[(usize, usize)]) -> Experiment<'a> {
        let decoder = self.model.decoder();
        for &head in heads {
            let shape = (decoder.len(), decoder[0].heads);
            check_head("Experiment::without_heads", head, shape);
        }
        self.conditions.off.extend(heads);
        self
    }

    /// Hides these tokens of the source from all heads of the decoder. (The encoder still reads
    /// them, so the vectors of their neighbours may contain traces of them.)
    ///
    /// # Panics
    ///
    /// If the source has no such token. Tokens are numbered from 0, and the last is `</s>`.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let hidden = model.experiment("The red house.")?.hide(&[1]).translate();
    /// assert_eq!(hidden.text, "A casa.");
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn hide(mut self, tokens: &[usize]) -> Experiment<'a> {
        self.check("Experiment::hide", tokens);
        self.conditions
            .visible
            .retain(|token| !tokens.contains(token));
        self
    }

    /// Hides all tokens of the source except these.
    ///
    /// # Panics
    ///
    /// Same as [`Experiment::hide`].
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let one = model.experiment("The red house.")?.see_only(&[2]).translate();
    /// assert!(one.text.starts_with("casa casa"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn see_only(mut self, tokens: &[usize]) -> Experiment<'a> {
        self.check("Experiment::see_only", tokens);
        self.conditions
            .visible
            .retain(|token| tokens.contains(token));
        self
    }

    /// Sets the beginning of the translation: the model goes on from there, and also computes how
    /// probable it finds each of these tokens. After a `</s>`, token 0, nothing more is written.
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let begun = model.pieces().encode("O carro");
    /// let forced = model.experiment("The red house.")?.begin_with(&begun).translate();
    /// assert!(forced.text.starts_with("O carro"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn begin_with(mut self, tokens: &[usize]) -> Experiment<'a> {
        let size = self.model.pieces().size();
        if let Some(token) = tokens.iter().find(|token| **token >= size) {
            panic!("Experiment::begin_with: token {token} is not in a vocabulary of {size}");
        }
        self.conditions.given = tokens.to_vec();
        self
    }

    /// Switches off the decoder's memory: before each step, its cells are set to 0, so that it
    /// knows only the last token it wrote.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let looping = model.experiment("The dog chased the cat.")?.without_memory().translate();
    /// assert!(looping.text.starts_with("O cão perseguiu o cão"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn without_memory(mut self) -> Experiment<'a> {
        self.conditions.has_memory = false;
        self
    }

    /// Leaves out positions in the encoder and the decoder: a token's vector is then the same
    /// everywhere.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let lost = model.experiment("The dog chased the cat.")?.without_positions().translate();
    /// assert_ne!(lost.text, "O cão perseguiu o gato.");
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn without_positions(mut self) -> Experiment<'a> {
        self.conditions.has_positions = false;
        self
    }

    #[track_caller]
    fn check(&self, function: &str, tokens: &[usize]) {
        let last = self.source.len() - 1;
        if let Some(token) = tokens.iter().find(|token| **token > last) {
            panic!("{function}: the source has no token {token}: they are 0 to {last}");
        }
    }

    /// Makes the translation. After the beginning, if one was set, each step writes the most
    /// probable token, until that is `</s>`, or until there are two and a half times as many tokens
    /// (at least 3) as the source has without `</s>`.
    pub fn translate(&self) -> Translation {
        // Enters rayon's pool once for all steps: entering and leaving it takes as long as a matrix
        // product.
        rayon::scope(|_| translate(self.model, &self.source, &self.conditions))
    }
}

impl Translator {
    /// The translation of a text, with everything that led to it.
    ///
    /// A text is one sequence, however many sentences it has; the model was trained on single
    /// sentences. It mostly leaves out what it does not know (other scripts, emoji). The result for
    /// a text in a language other than English is not a translation.
    ///
    /// Transformers: `model.generate(**tokens, num_beams=1, output_attentions=True)`
    ///
    /// # Errors
    ///
    /// If the text has no words, or more than 512 tokens, including `</s>`.
    ///
    /// ```no_run
    /// let translation = attention::translator::translator()?.translate("The red house.")?;
    /// assert_eq!(translation.text, "A casa vermelha.");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn translate(&self, text: &str) -> Result<Translation, Error> {
        Ok(self.experiment(text)?.translate())
    }

    /// A translation in which parts of the model can be switched off.
    ///
    /// # Errors
    ///
    /// Same as [`Translator::translate`].
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let translation = model.experiment("The red house.")?.hide(&[1]).translate();
    /// assert_eq!(translation.text, "A casa.");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn experiment(&self, text: &str) -> Result<Experiment<'_>, Error> {
        let mut source = self.pieces().encode(text);
        if source.is_empty() {
            return Err(Error::NothingToEncode);
        }
        source.push(END);
        let (tokens, limit) = (source.len(), MOST_TOKENS);
        if tokens > limit {
            return Err(Error::TextTooLong { tokens, limit });
        }
        Ok(Experiment {
            model: self,
            conditions: Conditions::usual(tokens),
            source,
        })
    }
}
