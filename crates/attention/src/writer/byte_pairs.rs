//! Converts text to tokens and back, with bytes as the smallest pieces.

use super::words::words;
use std::collections::HashMap;

/// Byte-level BPE, as in GPT-2: a text is split into words, each a sequence of bytes, in which the
/// pairs that were most frequent in training are merged, in the order in which training found them.
///
/// Because bytes are tokens, no token for unknown words is needed; but a token may be only a part
/// of a character.
///
/// Tokenizers: `Tokenizer` with the model `BPE`
///
/// Source: Sennrich, Haddow, Birch 2016, "Neural Machine Translation of Rare Words with Subword
/// Units", section 3.2; Radford et al. 2019, "Language Models are Unsupervised Multitask Learners",
/// section 2.2.
#[derive(Clone, Debug, PartialEq)]
pub struct BytePairs {
    /// The bytes of each token.
    pieces: Vec<Vec<u8>>,
    /// The token of each byte; some have none.
    bytes: Vec<Option<usize>>,
    /// For each pair of tokens that is merged: its rank, and the resulting token.
    merges: HashMap<(usize, usize), Merge>,
    /// Tokens that stand for no text, such as the one that ends a text.
    marks: Vec<(String, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Merge {
    rank: u32,
    joined: usize,
}

impl BytePairs {
    /// A tokeniser for this vocabulary. `pieces` are spelt in the letters that GPT-2 uses for
    /// bytes. Each of `merges`, in the order in which they apply, is two pieces separated by a
    /// space. Tokens numbered below `marks` stand for no text.
    pub(super) fn new(pieces: &[&str], merges: &[&str], marks: usize) -> Result<BytePairs, String> {
        let ids: HashMap<&str, usize> = pieces.iter().copied().zip(0..).collect();
        let bytes = byte_letters().map(|letter| ids.get(letter.to_string().as_str()).copied());
        let of_letter: HashMap<char, u8> = byte_letters().into_iter().zip(0..=255).collect();
        let text = pieces
            .iter()
            .enumerate()
            .map(|(id, piece)| match id < marks {
                true => Ok(piece.as_bytes().to_vec()),
                false => piece
                    .chars()
                    .map(|c| of_letter.get(&c).copied())
                    .collect::<Option<_>>()
                    .ok_or_else(|| format!("its piece {id}, {piece:?}, is not written in bytes")),
            });
        let text = text.collect::<Result<Vec<Vec<u8>>, String>>()?;
        let merge = |(rank, line): (u32, &&str)| {
            let (left, right) = line.split_once(' ')?;
            let joined = *ids.get(format!("{left}{right}").as_str())?;
            Some(((*ids.get(left)?, *ids.get(right)?), Merge { rank, joined }))
        };
        let merges = (0..).zip(merges).map(|(rank, line)| {
            merge((rank, line)).ok_or_else(|| {
                format!("its merge {rank}, {line:?}, does not join two pieces into a third")
            })
        });
        Ok(BytePairs {
            merges: merges.collect::<Result<_, String>>()?,
            pieces: text,
            bytes: bytes.to_vec(),
            marks: pieces
                .iter()
                .take(marks)
                .map(|mark| mark.to_string())
                .zip(0..)
                .collect(),
        })
    }

    /// V: the number of tokens.
    ///
    /// Tokenizers: `tokenizer.get_vocab_size()`
    ///
    /// ```no_run
    /// assert_eq!(attention::writer::writer()?.pieces.size(), 49_152);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.pieces.len()
    }

    /// The tokens of a text. `<|endoftext|>` and other marks are read as ordinary text.
    ///
    /// Tokenizers: `tokenizer.encode(text).ids` with a tokenizer that has no special tokens
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// assert_eq!(model.pieces.encode("Hello, world!"), [19556, 28, 905, 17]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn encode(&self, text: &str) -> Vec<usize> {
        let words = words(text).into_iter();
        words.flat_map(|word| self.merged(word, |_| ())).collect()
    }

    /// Like [`BytePairs::encode`], except that marks in the text, such as `<|endoftext|>` and
    /// `<|im_start|>`, become the tokens that the model was trained with.
    ///
    /// Tokenizers: `tokenizer.encode(text).ids`
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// assert_eq!(model.pieces.encode_with_marks("a<|im_end|>b"), [81, 2, 82]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn encode_with_marks(&self, text: &str) -> Vec<usize> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((start, mark, token)) = self.next_mark(rest) {
            tokens.extend(self.encode(&rest[..start]));
            tokens.push(token);
            rest = &rest[start + mark..];
        }
        tokens.extend(self.encode(rest));
        tokens
    }

    /// The start and length of the first mark in a text, and its token; if two start at the same
    /// place, those of the longer one. All marks begin with `<`.
    fn next_mark(&self, text: &str) -> Option<(usize, usize, usize)> {
        text.match_indices('<').find_map(|(start, _)| {
            let marks = self.marks.iter();
            let here = marks.filter(|(mark, _)| text[start..].starts_with(mark.as_str()));
            let (mark, token) = here.max_by_key(|(mark, _)| mark.len())?;
            Some((start, mark.len(), *token))
        })
    }

    /// The steps by which each word of a text becomes tokens: its bytes, then the word after each
    /// merge, with the pieces written as by [`BytePairs::show`].
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// let steps = model.pieces.merge_steps(" hug");
    /// assert_eq!(steps[0], ["␣", "h", "u", "g"]);
    /// assert_eq!(steps.last().unwrap(), &["␣hug"]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn merge_steps(&self, text: &str) -> Vec<Vec<String>> {
        let mut steps: Vec<Vec<String>> = Vec::new();
        for word in words(text) {
            self.merged(word, |tokens| steps.push(self.show(tokens)));
        }
        steps
    }

    /// Repeatedly merges the pair with the lowest rank. Calls `seen` with the tokens before the
    /// first merge and after each.
    fn merged(&self, word: &str, mut seen: impl FnMut(&[usize])) -> Vec<usize> {
        // A few rare bytes have no token and are dropped, as in the reference.
        let bytes = word
            .bytes()
            .filter_map(|byte| self.bytes[usize::from(byte)]);
        let mut tokens: Vec<usize> = bytes.collect();
        seen(&tokens);
        let rank = |left: usize, right: usize| {
            let merge = self.merges.get(&(left, right));
            merge.map_or(u32::MAX, |merge| merge.rank)
        };
        let mut ranks: Vec<u32> = tokens
            .windows(2)
            .map(|pair| rank(pair[0], pair[1]))
            .collect();
        while let Some(lowest) = ranks.iter().copied().min().filter(|rank| *rank < u32::MAX) {
            let (mut joined, mut new_ranks) = (Vec::new(), Vec::new());
            let (mut at, mut after_joined) = (0, false);
            while at < tokens.len() {
                let is_pair = ranks.get(at) == Some(&lowest);
                let token = match is_pair {
                    true => self.merges[&(tokens[at], tokens[at + 1])].joined,
                    false => tokens[at],
                };
                if let Some(&before) = joined.last() {
                    let is_new = is_pair || after_joined;
                    new_ranks.push(if is_new {
                        rank(before, token)
                    } else {
                        ranks[at - 1]
                    });
                }
                joined.push(token);
                at += 1 + usize::from(is_pair);
                after_joined = is_pair;
            }
            (tokens, ranks) = (joined, new_ranks);
            seen(&tokens);
        }
        tokens
    }

    /// The text that the tokens stand for. Bytes that do not form a character are shown as `�`.
    ///
    /// This is not always the text that was encoded: a few control characters have no token.
    ///
    /// Tokenizers: `tokenizer.decode(ids, skip_special_tokens=False)`
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// assert_eq!(model.pieces.decode(&[19556, 28, 905, 17]), "Hello, world!");
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn decode(&self, tokens: &[usize]) -> String {
        let bytes: Vec<u8> = tokens
            .iter()
            .flat_map(|token| self.piece("decode", *token))
            .copied()
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Each token as a label: a space is written as `␣`, a newline as `⏎`, and a byte that is only
    /// a part of a character as its number, such as `<F0>`.
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::writer::writer()?;
    /// assert_eq!(model.pieces.show(&[19556, 28, 905]), ["Hello", ",", "␣world"]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn show(&self, tokens: &[usize]) -> Vec<String> {
        let label = |token: &usize| {
            let chunks = self.piece("show", *token).utf8_chunks();
            let texts = chunks.map(|chunk| {
                let bytes = chunk.invalid().iter().map(|byte| format!("<{byte:02X}>"));
                chunk.valid().replace(' ', "␣").replace('\n', "⏎") + &bytes.collect::<String>()
            });
            texts.collect()
        };
        tokens.iter().map(label).collect()
    }

    #[track_caller]
    fn piece(&self, function: &str, token: usize) -> &[u8] {
        let size = self.size();
        let piece = self.pieces.get(token);
        piece.unwrap_or_else(|| {
            panic!("BytePairs::{function}: token {token} is not in a vocabulary of {size}")
        })
    }
}

/// The letter that GPT-2 writes for each byte: the byte's own character if it is visible, otherwise
/// the next unused one from U+0100 on.
fn byte_letters() -> [char; 256] {
    let mut next = 0x100;
    std::array::from_fn(|byte| match byte {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => byte as u8 as char,
        _ => {
            next += 1;
            char::from_u32(next - 1).expect("a letter")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vocabulary for a few words: one mark, seven bytes, four merges.
    fn pieces() -> BytePairs {
        let pieces = [
            "<|end|>", "a", "b", "c", "Ġ", "ð", "Ł", "Ċ", "ab", "Ġab", "abc", "abab",
        ];
        let merges = ["a b", "Ġ ab", "ab c", "ab ab"];
        BytePairs::new(&pieces, &merges, 1).expect("a vocabulary")
    }

    #[test]
    fn the_most_frequent_pair_is_joined_first() {
        let pieces = pieces();
        assert_eq!(pieces.encode("abc"), [10]);
        assert_eq!(pieces.encode(" abc"), [9, 3]);
        assert_eq!(pieces.encode("cabab"), [3, 11]);
        assert_eq!(pieces.encode("ababab"), [11, 8]);
        assert_eq!(
            pieces.merge_steps(" abc"),
            [
                vec!["␣", "a", "b", "c"],
                vec!["␣", "ab", "c"],
                vec!["␣ab", "c"]
            ]
        );
    }

    #[test]
    fn marks_are_text_unless_asked_for() {
        let pieces = pieces();
        assert_eq!(pieces.encode_with_marks("ab<|end|>c"), [8, 0, 3]);
        assert_eq!(pieces.encode("ab<|end|>c"), [8, 3]); // the other bytes have no token here
        assert_eq!(pieces.encode_with_marks("<|end"), [0; 0]);
    }

    #[test]
    fn tokens_become_the_text_or_a_label() {
        let pieces = pieces();
        assert_eq!(pieces.decode(&[9, 3, 7]), " abc\n");
        assert_eq!(pieces.decode(&[5, 1]), "�a");
        assert_eq!(pieces.show(&[0, 9, 7, 5]), ["<|end|>", "␣ab", "⏎", "<F0>"]);
    }

    #[test]
    #[should_panic(expected = "BytePairs::show: token 12 is not in a vocabulary of 12")]
    fn an_unknown_token_is_refused() {
        pieces().show(&[12]);
    }

    #[test]
    fn a_file_that_does_not_fit_together_is_refused() {
        let refused = |pieces: &[&str], merges: &[&str]| {
            BytePairs::new(pieces, merges, 0).expect_err("does not fit")
        };
        assert_eq!(
            refused(&["a", "東"], &[]),
            "its piece 1, \"東\", is not written in bytes"
        );
        assert_eq!(
            refused(&["a", "b"], &["a b"]),
            "its merge 0, \"a b\", does not join two pieces into a third"
        );
    }

    #[test]
    fn a_long_word_takes_little_time() {
        let tokens = pieces().encode(&"abc".repeat(100_000));
        assert_eq!(tokens, vec![10; 100_000]);
    }
}
