//! Text to tokens: words, and pieces of those words that the vocabulary does not have.

use crate::error::Error;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Stands in place of a word that cannot be put together from pieces.
const UNKNOWN: &str = "[UNK]";
/// The first and the last token of every text.
const ENDS: [&str; 2] = ["[CLS]", "[SEP]"];
/// These are tokens where they stand in a text, too.
const SPECIAL: [&str; 5] = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"];
/// A longer word is not taken apart.
const LONGEST_WORD: usize = 100;
/// What a piece begins with unless a word begins with it.
const INSIDE: &str = "##";

/// Lower-cased WordPiece, as BERT has it: a text is cut at spaces and punctuation, and each
/// word into the longest pieces that the vocabulary has, from the left to the right.
///
/// Transformers: `BertTokenizerFast`
///
/// Source: Devlin et al. 2019, "BERT", section 3; Wu et al. 2016, "Google's Neural Machine
/// Translation System", section 4.1.
#[derive(Clone, Debug, PartialEq)]
pub struct WordPiece {
    pieces: Vec<String>,
    ids: HashMap<String, usize>,
}

impl WordPiece {
    /// The pieces of a vocabulary, one on each line. The number of a line, from 0, is the id.
    ///
    /// Transformers: `BertTokenizerFast("vocab.txt")`
    ///
    /// # Errors
    ///
    /// If a piece is missing that every text needs: `[UNK]`, `[CLS]` and `[SEP]`.
    ///
    /// ```
    /// use attention::WordPiece;
    ///
    /// let pieces = WordPiece::new("[UNK]\n[CLS]\n[SEP]\nplay\n##ing\n##ed")?;
    /// assert_eq!(pieces.size(), 6);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn new(vocabulary: &str) -> Result<WordPiece, Error> {
        let pieces: Vec<String> = vocabulary.lines().map(str::to_owned).collect();
        let ids: HashMap<String, usize> = pieces.iter().cloned().zip(0..).collect();
        match [UNKNOWN, ENDS[0], ENDS[1]]
            .into_iter()
            .find(|needed| !ids.contains_key(*needed))
        {
            Some(missing) => Err(Error::NoSuchPiece {
                piece: missing.to_owned(),
                pieces: pieces.len(),
            }),
            None => Ok(WordPiece { pieces, ids }),
        }
    }

    /// V: how many pieces there are.
    ///
    /// ```
    /// # use attention::WordPiece;
    /// assert_eq!(WordPiece::new("[UNK]\n[CLS]\n[SEP]")?.size(), 3);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.pieces.len()
    }

    /// The tokens of a text, between `[CLS]` and `[SEP]`.
    ///
    /// Transformers: `tokenizer(text)["input_ids"]`
    ///
    /// ```
    /// use attention::WordPiece;
    ///
    /// let pieces = WordPiece::new("[UNK]\n[CLS]\n[SEP]\nplay\n##ing\n##ed\n!")?;
    /// assert_eq!(pieces.encode("Playing, played!"), [1, 3, 4, 0, 3, 5, 6, 2]); // no comma in it
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn encode(&self, text: &str) -> Vec<usize> {
        let mut tokens = vec![self.ids[ENDS[0]]];
        let mut rest = text;
        while let Some((start, special)) = self.next_special(rest) {
            self.encode_plain(&rest[..start], &mut tokens);
            tokens.push(self.ids[special]);
            rest = &rest[start + special.len()..];
        }
        self.encode_plain(rest, &mut tokens);
        tokens.push(self.ids[ENDS[1]]);
        tokens
    }

    /// The pieces that tokens stand for; a piece inside of a word begins with `##`.
    ///
    /// Transformers: `tokenizer.convert_ids_to_tokens(ids)`
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```
    /// use attention::WordPiece;
    ///
    /// let pieces = WordPiece::new("[UNK]\n[CLS]\n[SEP]\nplay\n##ing")?;
    /// assert_eq!(pieces.decode(&pieces.encode("playing")), ["[CLS]", "play", "##ing", "[SEP]"]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn decode(&self, tokens: &[usize]) -> Vec<String> {
        let size = self.size();
        let piece = |&token: &usize| match self.pieces.get(token) {
            Some(piece) => piece.clone(),
            None => panic!("WordPiece::decode: token {token} is not in a vocabulary of {size}"),
        };
        tokens.iter().map(piece).collect()
    }

    /// The first special token in a text, and where it is.
    fn next_special(&self, text: &str) -> Option<(usize, &'static str)> {
        let known = SPECIAL
            .into_iter()
            .filter(|name| self.ids.contains_key(*name));
        known
            .filter_map(|name| Some((text.find(name)?, name)))
            .min()
    }

    fn encode_plain(&self, text: &str, tokens: &mut Vec<usize>) {
        for word in words(text) {
            let before = tokens.len();
            if !self.encode_word(&word, tokens) {
                tokens.truncate(before);
                tokens.push(self.ids[UNKNOWN]);
            }
        }
    }

    /// Takes the longest piece that the rest of the word begins with, again and again. Returns
    /// whether there always was one.
    fn encode_word(&self, word: &str, tokens: &mut Vec<usize>) -> bool {
        if word.chars().count() > LONGEST_WORD {
            return false;
        }
        let mut rest = word;
        let mut prefix = "";
        while !rest.is_empty() {
            let ends = rest
                .char_indices()
                .map(|(start, c)| start + c.len_utf8())
                .rev();
            let found = ends.filter_map(|end| {
                let id = self.ids.get(&format!("{prefix}{}", &rest[..end]))?;
                Some((end, *id))
            });
            let Some((end, id)) = found.into_iter().next() else {
                return false;
            };
            tokens.push(id);
            rest = &rest[end..];
            prefix = INSIDE;
        }
        true
    }
}

/// The words of a text, in lower case and without accents; each mark of punctuation and each
/// Chinese character is a word of its own.
fn words(text: &str) -> Vec<String> {
    let plain = text.chars().filter(|c| !is_removed(*c)).nfd();
    let plain = plain.filter(|c| c.general_category() != GeneralCategory::NonspacingMark);
    let mut words = vec![String::new()];
    for c in plain.flat_map(char::to_lowercase) {
        match c.is_whitespace() {
            true => words.push(String::new()),
            false if is_punctuation(c) || is_chinese(c) => {
                words.extend([c.to_string(), String::new()]);
            }
            false => words.last_mut().expect("at least one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Control characters and others that are not seen.
fn is_removed(c: char) -> bool {
    let is_unseen = matches!(
        c.general_category(),
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
    );
    c == char::REPLACEMENT_CHARACTER || is_unseen && !matches!(c, '\t' | '\n' | '\r')
}

fn is_punctuation(c: char) -> bool {
    let is_mark = c.general_category_group() == GeneralCategoryGroup::Punctuation;
    c.is_ascii_punctuation() || is_mark
}

/// BERT's blocks of Chinese characters. Kana and Hangul are not among them.
fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_without_accents_and_what_is_unseen() {
        assert_eq!(words("Ünïcödé—dash"), ["unicode", "—", "dash"]);
        assert_eq!(words("\0nul\u{200b}zero"), ["nulzero"]);
        assert_eq!(
            words("  spaces \t and\nlines  "),
            ["spaces", "and", "lines"]
        );
        assert_eq!(words("東京 3.5"), ["東", "京", "3", ".", "5"]);
        assert!(words(" \t").is_empty());
    }

    #[test]
    fn a_word_without_pieces_and_a_very_long_one_are_unknown() -> Result<(), Error> {
        let pieces = WordPiece::new("[UNK]\n[CLS]\n[SEP]\na\n##a\n##b")?;
        assert_eq!(pieces.encode("ab ac b"), [1, 3, 5, 0, 0, 2]);
        assert_eq!(pieces.encode(&"a".repeat(100)).len(), 102);
        assert_eq!(pieces.encode(&"a".repeat(101)), [1, 0, 2]);
        Ok(())
    }

    #[test]
    fn a_vocabulary_needs_its_special_pieces() {
        let error = WordPiece::new("[UNK]\n[CLS]\na").unwrap_err();
        assert!(error.to_string().contains("[SEP]"), "{error}");
    }
}
