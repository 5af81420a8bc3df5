//! Splits a text into the words within which byte pairs are merged.
//!
//! Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2,
//! and the pattern in GPT-2's `encoder.py`; here each digit is a word of its own.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// English contractions, each a word of its own. Only the lower-case forms count.
const CONTRACTIONS: [&str; 7] = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Space,
    /// Punctuation, symbols, accents that are characters of their own, ...
    Other,
}

fn class(c: char) -> Class {
    match c.general_category_group() {
        _ if c.is_whitespace() => Class::Space,
        GeneralCategoryGroup::Letter => Class::Letter,
        GeneralCategoryGroup::Number => Class::Digit,
        _ => Class::Other,
    }
}

/// The words of a text. Joined together, they give the text again: a word includes the space
/// before it, unless it is a digit.
///
/// Tokenizers: `Sequence([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])`
pub(super) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(first_word(rest));
        words.push(word);
        rest = after;
    }
    words
}

/// The length of the first word in bytes.
fn first_word(text: &str) -> usize {
    let contraction = CONTRACTIONS.iter().find(|word| text.starts_with(**word));
    if let Some(contraction) = contraction {
        return contraction.len();
    }
    let mut characters = text.chars();
    let first = characters.next().expect("not empty");
    let second = characters.next().map(class);
    let (space, kind) = match (first, second) {
        (' ', Some(second @ (Class::Letter | Class::Other))) => (1, second),
        _ => (0, class(first)),
    };
    if kind == Class::Digit {
        return first.len_utf8();
    }
    let run = text[space..].chars().take_while(|c| class(*c) == kind);
    let run: Vec<usize> = run.map(char::len_utf8).collect();
    let end = space + run.iter().sum::<usize>();
    let next = text[end..].chars().next().map(class);
    match run[..] {
        // The last space belongs to the next word, unless that is a digit.
        [_, .., last] if kind == Class::Space && !matches!(next, None | Some(Class::Digit)) => {
            end - last
        }
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_with_its_space() {
        assert_eq!(words("Hello, world!"), ["Hello", ",", " world", "!"]);
        assert_eq!(words("a  b \n"), ["a", " ", " b", " \n"]);
        assert_eq!(words("tab\tx  "), ["tab", "\t", "x", "  "]);
        assert!(words("").is_empty());
    }

    #[test]
    fn every_digit_is_a_word_and_takes_no_space() {
        assert_eq!(words("12  34"), ["1", "2", "  ", "3", "4"]);
        assert_eq!(words("x2½ Ⅷ"), ["x", "2", "½", " ", "Ⅷ"]);
    }

    #[test]
    fn contractions_are_split_off() {
        assert_eq!(words("she'll 'tis"), ["she", "'ll", " '", "tis"]);
        assert_eq!(words("I'M"), ["I", "'", "M"]);
        assert_eq!(words("!'s"), ["!'", "s"]);
    }
}
