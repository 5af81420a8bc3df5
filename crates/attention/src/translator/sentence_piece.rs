//! Converts text to tokens and back: pieces of words, chosen to make the whole text most likely.

use super::normaliser::{Normaliser, SPACE};
use super::protobuf::{Value, fields};
use std::collections::HashMap;

/// The id of the token that ends every text.
pub(crate) const END: usize = 0;
/// The id of the token for text that cannot be assembled from pieces.
const UNKNOWN: usize = 1;
/// The kind of an ordinary piece. No other kind is looked for in a text.
const NORMAL: u64 = 1;
/// How much lower the score of an unknown character is than that of the rarest piece.
const PENALTY: f32 = 10.0;

/// SentencePiece with a unigram model: each piece has a score, the logarithm of its probability,
/// and a text is split into the pieces with the largest sum. A piece that begins a word starts
/// with `▁`.
///
/// The time is proportional to the length of the text.
///
/// Python: `sentencepiece.SentencePieceProcessor`
///
/// Source: Kudo 2018, "Subword Regularization", section 3.2; Kudo, Richardson 2018,
/// "SentencePiece".
#[derive(Clone, Debug, PartialEq)]
pub struct SentencePiece {
    normaliser: Normaliser,
    pieces: Vec<String>,
    /// The pieces that are looked for in a text, with ids and scores.
    normal: HashMap<String, (usize, f32)>,
    /// The length of the longest of these, in characters.
    longest: usize,
    unknown_score: f32,
}

impl SentencePiece {
    /// Parses a SentencePiece model file (`.spm`, `.model`).
    pub(crate) fn read(file: &[u8]) -> Result<SentencePiece, String> {
        let mut model = SentencePiece {
            normaliser: Normaliser::default(),
            pieces: Vec::new(),
            normal: HashMap::new(),
            longest: 0,
            unknown_score: 0.0,
        };
        for field in fields(file)? {
            match field {
                (1, Value::Bytes(piece)) => model.add(piece)?,
                (3, Value::Bytes(normaliser)) => {
                    for field in fields(normaliser)? {
                        if let (2, Value::Bytes(table)) = field {
                            model.normaliser = Normaliser::new(table)?;
                        }
                    }
                }
                _ => {}
            }
        }
        let scores = model.normal.values().map(|(_, score)| *score);
        model.unknown_score = scores.fold(0.0, f32::min) - PENALTY;
        match model.pieces.len() > UNKNOWN {
            true => Ok(model),
            false => Err(format!("it has {} pieces", model.pieces.len())),
        }
    }

    fn add(&mut self, piece: &[u8]) -> Result<(), String> {
        let (mut text, mut score, mut kind) = ("", 0.0, NORMAL);
        for field in fields(piece)? {
            match field {
                (1, Value::Bytes(bytes)) => {
                    text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
                }
                (2, Value::Float(value)) => score = value,
                (3, Value::Integer(value)) => kind = value,
                _ => {}
            }
        }
        if kind == NORMAL {
            let id = self.pieces.len();
            self.normal.insert(text.to_owned(), (id, score));
            self.longest = self.longest.max(text.chars().count());
        }
        self.pieces.push(text.to_owned());
        Ok(())
    }

    /// V: the number of pieces.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// assert_eq!(model.pieces().size(), 32_000);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.pieces.len()
    }

    /// The T tokens of a text, without one for its end. Characters that cannot be assembled from
    /// pieces become token 1, `<unk>`; adjacent ones share one token.
    ///
    /// Python: `processor.encode(text)`
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// assert_eq!(model.pieces().encode("The red house."), [38, 2584, 1277, 3]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn encode(&self, text: &str) -> Vec<usize> {
        let normal = self.normaliser.normalise(text);
        let mut tokens: Vec<usize> = Vec::new();
        for id in self.split(&normal) {
            // Adjacent unknown characters become one token.
            if id != UNKNOWN || tokens.last() != Some(&UNKNOWN) {
                tokens.push(id);
            }
        }
        tokens
    }

    /// The pieces that tokens stand for; one that begins a word starts with `▁`.
    ///
    /// Python: `processor.id_to_piece(ids)`
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// assert_eq!(model.pieces().pieces_of(&[38, 2584, 0]), ["▁The", "▁red", "</s>"]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn pieces_of(&self, tokens: &[usize]) -> Vec<String> {
        let piece = |&token: &usize| self.piece("SentencePiece::pieces_of", token).to_owned();
        tokens.iter().map(piece).collect()
    }

    /// The text that the tokens stand for; `<unk>` becomes `⁇`, and `</s>` is left out.
    ///
    /// Python: `processor.decode(ids)`
    ///
    /// # Panics
    ///
    /// If a token is not in the vocabulary.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// assert_eq!(model.pieces().decode(&[38, 2584, 1277, 3, 0]), "The red house.");
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn decode(&self, tokens: &[usize]) -> String {
        let mut text = String::new();
        for &token in tokens {
            let piece = self.piece("SentencePiece::decode", token);
            match token {
                END => {}
                UNKNOWN => text.push_str(" ⁇ "),
                _ if text.is_empty() => {
                    text.push_str(&spaced(piece.strip_prefix(SPACE).unwrap_or(piece)))
                }
                _ => text.push_str(&spaced(piece)),
            }
        }
        text
    }

    #[track_caller]
    fn piece(&self, function: &str, token: usize) -> &str {
        let size = self.size();
        match self.pieces.get(token) {
            Some(piece) => piece,
            None => panic!("{function}: token {token} is not in a vocabulary of {size}"),
        }
    }

    /// The best split of a normalised text. For each place in the text, finds the last piece of the
    /// best split up to there (Viterbi's algorithm).
    fn split(&self, text: &str) -> Vec<usize> {
        let mut best: Vec<Option<Step>> = vec![None; text.len() + 1];
        for (start, first) in text.char_indices() {
            let before = best[start].map_or(0.0, |step| step.score);
            let one = start + first.len_utf8();
            let mut is_known = false;
            let rest = text[start..].char_indices();
            for end in rest
                .take(self.longest)
                .map(|(at, c)| start + at + c.len_utf8())
            {
                if let Some(&(id, score)) = self.normal.get(&text[start..end]) {
                    let score = before + score;
                    improve(&mut best[end], Step { start, id, score });
                    is_known |= end == one;
                }
            }
            if !is_known {
                let (id, score) = (UNKNOWN, before + self.unknown_score);
                improve(&mut best[one], Step { start, id, score });
            }
        }
        let mut ids = Vec::new();
        let mut end = text.len();
        while let Some(step) = best[end] {
            ids.push(step.id);
            end = step.start;
        }
        ids.reverse();
        ids
    }
}

/// The last piece of the best split up to a place.
#[derive(Clone, Copy)]
struct Step {
    start: usize,
    id: usize,
    /// The sum of the scores up to that place.
    score: f32,
}

fn improve(best: &mut Option<Step>, step: Step) {
    if best.is_none_or(|best| step.score > best.score) {
        *best = Some(step);
    }
}

fn spaced(piece: &str) -> String {
    piece.replace(SPACE, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model with these pieces and scores after `</s>` and `<unk>`, without a table of
    /// replacements.
    fn model(pieces: &[(&str, f32)]) -> SentencePiece {
        let message = |number: u8, content: &[u8]| {
            let mut message = vec![(number << 3) | 2, content.len() as u8];
            message.extend(content);
            message
        };
        let mut file = Vec::new();
        for (text, score, kind) in [("</s>", 0.0, 3), ("<unk>", 0.0, 2)]
            .into_iter()
            .chain(pieces.iter().map(|&(text, score)| (text, score, 1)))
        {
            let mut piece = message(1, text.as_bytes());
            piece.push((2 << 3) | 5);
            piece.extend(f32::to_le_bytes(score));
            piece.extend([3 << 3, kind]);
            file.extend(message(1, &piece));
        }
        SentencePiece::read(&file).expect("a model")
    }

    #[test]
    fn the_most_likely_pieces_are_chosen_not_the_longest() {
        let model = model(&[
            ("▁", -3.0),
            ("a", -2.0),
            ("b", -2.0),
            ("ab", -5.0),
            ("▁ab", -6.0),
        ]);
        // ▁ + a + b: -7; ▁ + ab: -8; ▁ab: -6.
        assert_eq!(model.encode("ab"), [6]);
        // The second time there is no space: a + b, -4, beats ab, -5.
        assert_eq!(model.encode("abab"), [6, 3, 4]);
        assert_eq!(model.decode(&[6, 3, 4, END]), "abab");
        assert_eq!(model.pieces_of(&[6, 3, END]), ["▁ab", "a", "</s>"]);
    }

    #[test]
    fn unknown_neighbours_are_one_token_and_control_tokens_are_text() {
        let model = model(&[("▁", -3.0), ("a", -2.0)]);
        assert_eq!(model.encode("東京a東"), [2, 1, 3, 1]);
        assert_eq!(model.encode("</s>"), [2, 1]);
        assert_eq!(model.decode(&[1, 3]), " ⁇ a");
        assert!(model.encode(" \t ").len() <= 2); // without a table, a tab is a character
        assert!(model.encode("").is_empty());
    }

    #[test]
    fn an_unknown_character_costs_more_than_any_piece() {
        // ▁ + ab: -8; ▁ + a + an unknown b: -20, because an unknown character scores 10 less than
        // the rarest piece.
        let model = model(&[("▁", -3.0), ("a", -2.0), ("ab", -5.0)]);
        assert_eq!(model.encode("ab"), [2, 4]);
    }

    #[test]
    fn an_unknown_character_may_begin_a_piece_that_is_known() {
        // ▁ + an unknown a + bc: -22; ▁ + ab + an unknown c: -23.
        let model = model(&[("▁", -3.0), ("ab", -5.0), ("bc", -4.0)]);
        assert_eq!(model.encode("abc"), [2, 1, 4]);
    }

    #[test]
    fn of_two_equally_likely_splits_the_longer_piece_is_kept() {
        let model = model(&[("▁", -1.0), ("a", -1.0), ("b", -1.0), ("ab", -2.0)]);
        assert_eq!(model.encode("ab"), [2, 5]);
    }

    #[test]
    fn a_damaged_file_is_refused() {
        assert!(SentencePiece::read(b"").is_err());
        assert!(SentencePiece::read(b"not a model").is_err());
        assert!(SentencePiece::read(b"\x0a\x03\x0a\x01a").is_err()); // a single piece
    }

    #[test]
    fn long_texts_take_time_in_proportion_to_their_length() {
        let model = model(&[("▁", -3.0), ("a", -2.0), ("aaaaaaaaaaaaaaaa", -2.0)]);
        assert_eq!(model.encode(&"a".repeat(160_000)).len(), 10_001);
        assert_eq!(model.encode(&"東".repeat(200_000)).len(), 2);
    }
}
