//! Splits text into tokens: whole words, or the pieces of a word that is not in the vocabulary.

use crate::error::Error;
use std::collections::HashMap;
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// Stands for a word that cannot be assembled from pieces.
const UNKNOWN: &str = "[UNK]";
/// The first and the last token of every text.
const ENDS: [&str; 2] = ["[CLS]", "[SEP]"];
/// The tokens that are also recognised within a text.
const SPECIAL: [&str; 5] = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"];
/// Maximum number of characters in a word; a longer one becomes `[UNK]`.
const LONGEST_WORD: usize = 100;
/// The prefix of a piece that continues a word.
const INSIDE: &str = "##";

/// Lower-cased WordPiece, as in BERT: text is split into words at spaces and punctuation, and each
/// word into the longest pieces in the vocabulary, from left to right.
///
/// Character classes (accents, punctuation, invisible characters) are looked up in the reference's
/// tables, which are those of Unicode 9; white space and lower case follow Rust's `char`. The time
/// taken is proportional to the length of the text.
///
/// Transformers: `BertTokenizerFast`
///
/// Source: Devlin et al. 2019, "BERT", section 3; Wu et al. 2016, "Google's Neural Machine
/// Translation System", section 4.1.
#[derive(Clone, Debug, PartialEq)]
pub struct WordPiece {
    pieces: Vec<String>,
    ids: HashMap<String, usize>,
    /// The length of the longest piece in bytes.
    longest: usize,
}

impl WordPiece {
    /// Reads the pieces of a vocabulary, one per line. A piece's id is its line number, counted
    /// from 0.
    ///
    /// Transformers: `BertTokenizerFast("vocab.txt")`
    ///
    /// # Errors
    ///
    /// If `[UNK]`, `[CLS]` or `[SEP]` is missing: these pieces are always needed.
    ///
    /// ```
    /// use attention::minilm::WordPiece;
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
            None => Ok(WordPiece {
                longest: pieces.iter().map(String::len).max().unwrap_or(0),
                pieces,
                ids,
            }),
        }
    }

    /// V: the number of pieces.
    ///
    /// ```
    /// # use attention::minilm::WordPiece;
    /// assert_eq!(WordPiece::new("[UNK]\n[CLS]\n[SEP]")?.size(), 3);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.pieces.len()
    }

    /// The tokens of `text`, between `[CLS]` and `[SEP]`. Special tokens in the text, such as
    /// `[MASK]`, are recognised if the vocabulary has them.
    ///
    /// Transformers: `tokenizer(text)["input_ids"]`
    ///
    /// ```
    /// use attention::minilm::WordPiece;
    ///
    /// let pieces = WordPiece::new("[UNK]\n[CLS]\n[SEP]\nplay\n##ing\n##ed\n!")?;
    /// assert_eq!(pieces.encode("Playing, played!"), [1, 3, 4, 0, 3, 5, 6, 2]); // 0 is [UNK]
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

    /// The pieces that tokens stand for; a piece that continues a word begins with `##`.
    ///
    /// Transformers: `tokenizer.convert_ids_to_tokens(ids)`
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```
    /// use attention::minilm::WordPiece;
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

    /// The first special token in `text`, and its position. They all begin with a bracket, so no
    /// text before the first bracket is examined.
    fn next_special(&self, text: &str) -> Option<(usize, &'static str)> {
        text.match_indices('[').find_map(|(start, _)| {
            let mut here = SPECIAL
                .into_iter()
                .filter(|name| text[start..].starts_with(name));
            let name = here.find(|name| self.ids.contains_key(*name))?;
            Some((start, name))
        })
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

    /// Repeatedly takes the longest piece that the rest of the word begins with. Returns whether
    /// this covered the whole word.
    fn encode_word(&self, word: &str, tokens: &mut Vec<usize>) -> bool {
        if word.chars().count() > LONGEST_WORD {
            return false;
        }
        let mut rest = word;
        let mut prefix = "";
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(start, c)| start + c.len_utf8());
            let mut ends = ends
                .rev()
                .skip_while(|end| prefix.len() + end > self.longest);
            let found = ends.find_map(|end| {
                let id = self.ids.get(&format!("{prefix}{}", &rest[..end]))?;
                Some((end, *id))
            });
            let Some((end, id)) = found else {
                return false;
            };
            tokens.push(id);
            rest = &rest[end..];
            prefix = INSIDE;
        }
        true
    }
}

/// The words of a text, in lower case and without accents; each punctuation mark and each
/// Chinese character is a word of its own.
fn words(text: &str) -> Vec<String> {
    words_of(without_accents(text).flat_map(char::to_lowercase))
}

/// The visible characters of a text, with accents split off and dropped.
fn without_accents(text: &str) -> impl Iterator<Item = char> {
    let seen = text.chars().filter(|c| !is_removed(*c));
    let parts = seen.nfd().map(|(c, _)| c);
    parts.filter(|c| !c.is_mark_nonspacing())
}

fn words_of(characters: impl Iterator<Item = char>) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in characters {
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

/// Whether a character is dropped: control characters except tabs and line ends, other invisible
/// or unassigned ones, and U+FFFD.
fn is_removed(c: char) -> bool {
    c == char::REPLACEMENT_CHARACTER || c.is_other() && !matches!(c, '\t' | '\n' | '\r')
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.is_punctuation()
}

/// Whether a character is in one of BERT's blocks of Chinese characters, which exclude kana and
/// Hangul.
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
    use sha2::{Digest, Sha256};

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
        // A hundred letters of three bytes each.
        let kana = WordPiece::new("[UNK]\n[CLS]\n[SEP]\nあ\n##あ")?;
        assert_eq!(kana.encode(&"あ".repeat(100)).len(), 102);
        assert_eq!(kana.encode(&"あ".repeat(101)), [1, 0, 2]);
        Ok(())
    }

    /// Tests every character between two letters, before lower-casing, against the checksum that
    /// `tests/golden/code_points.py` computes with the reference. That script also names any
    /// characters that differ.
    #[test]
    fn all_characters_do_what_they_do_in_the_reference() {
        let mut sum = Sha256::new();
        for c in char::MIN..=char::MAX {
            let words = words_of(without_accents(&format!("x{c}y")));
            sum.update(words.join(" ") + "\n");
        }
        let sum: String = sum.finalize().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(
            sum,
            "aeeb16d9eabbcf89c0d1947065be5f9a3134a860d5e851e6384080baba1f1f3f"
        );
    }

    #[test]
    fn a_vocabulary_needs_its_special_pieces() {
        let error = WordPiece::new("[UNK]\n[CLS]\na").unwrap_err();
        assert!(error.to_string().contains("[SEP]"), "{error}");
    }
}
