//! Text to tokens and back: one token per character.

use crate::error::Error;

/// The characters a model knows, ordered by code point. A token is the index of a
/// character.
///
/// Python: `chars = sorted(list(set(text)))`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    characters: Vec<char>,
}

impl Vocabulary {
    /// The characters of a text.
    ///
    /// Python: `sorted(list(set(text)))`
    ///
    /// ```
    /// assert_eq!(attention::text::Vocabulary::of("banana").characters(), "abn");
    /// ```
    pub fn of(text: &str) -> Vocabulary {
        let mut characters: Vec<char> = text.chars().collect();
        characters.sort_unstable();
        characters.dedup();
        Vocabulary { characters }
    }

    /// All characters, in order.
    ///
    /// ```
    /// assert_eq!(attention::text::Vocabulary::of("hello").characters(), "ehlo");
    /// ```
    pub fn characters(&self) -> String {
        self.characters.iter().collect()
    }

    /// V: the number of tokens.
    ///
    /// ```
    /// assert_eq!(attention::text::Vocabulary::of("hello").size(), 4);
    /// ```
    pub fn size(&self) -> usize {
        self.characters.len()
    }

    /// The tokens of a text.
    ///
    /// Python: `[stoi[c] for c in text]`
    ///
    /// # Errors
    ///
    /// If a character is not in the vocabulary.
    ///
    /// ```
    /// let vocabulary = attention::text::Vocabulary::of("hello");
    /// assert_eq!(vocabulary.encode("hole")?, [1, 3, 2, 0]);
    /// assert!(vocabulary.encode("hi").is_err());
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn encode(&self, text: &str) -> Result<Vec<usize>, Error> {
        let token = |(position, character): (usize, char)| {
            let found = self.characters.binary_search(&character);
            found.map_err(|_| Error::UnknownCharacter {
                character,
                position,
                vocabulary: self.characters(),
            })
        };
        text.chars().enumerate().map(token).collect()
    }

    /// The text that the tokens stand for.
    ///
    /// Python: `''.join(itos[i] for i in tokens)`
    ///
    /// # Panics
    ///
    /// If a token is outside the vocabulary.
    ///
    /// ```
    /// assert_eq!(attention::text::Vocabulary::of("hello").decode(&[1, 3, 2, 0]), "hole");
    /// ```
    #[track_caller]
    pub fn decode(&self, tokens: &[usize]) -> String {
        let size = self.size();
        if let Some(token) = tokens.iter().find(|&&token| token >= size) {
            panic!("decode: token {token} is outside the vocabulary of {size} characters");
        }
        tokens.iter().map(|&token| self.characters[token]).collect()
    }
}
