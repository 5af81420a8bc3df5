//! Normalises text to the form that the pieces expect: NFKC, with some changes, and `▁` for spaces.

use crate::numerics::bytes::Bytes;

/// Stands for a space, so that it can be part of a piece.
pub const SPACE: char = '▁';

/// SentencePiece's table of replacements: a trie of the sequences to replace, as a double array over
/// their bytes, and the replacements.
///
/// Source: Yata 2008, <https://github.com/s-yata/darts-clone>; the table is part of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Normaliser {
    units: Vec<u32>,
    replacements: String,
}

impl Normaliser {
    /// Reads the table: the size of the trie in bytes, the trie, and the replacements, each ending
    /// with a NUL.
    pub fn new(table: &[u8]) -> Result<Normaliser, String> {
        let mut bytes = Bytes(table);
        let size = bytes.u32()? as usize;
        let (units, _) = bytes.take(size)?.as_chunks::<4>();
        let replacements = str::from_utf8(bytes.0).map_err(|error| error.to_string())?;
        Ok(Normaliser {
            units: units.iter().map(|unit| u32::from_le_bytes(*unit)).collect(),
            replacements: replacements.to_owned(),
        })
    }

    /// The normal form: one `▁` at the start and in place of each run of spaces, and none at the
    /// end. Empty if there are only spaces.
    pub fn normalise(&self, text: &str) -> String {
        let mut normal = String::from(' ');
        let mut rest = text;
        while !rest.is_empty() {
            let (length, replacement) = self.replacement(rest);
            let replacement = match normal.ends_with(' ') {
                true => replacement.trim_start_matches(' '),
                false => replacement,
            };
            normal.push_str(replacement);
            rest = &rest[length..];
        }
        let kept = normal.trim_end_matches([' ', SPACE]);
        kept.replace(' ', SPACE.encode_utf8(&mut [0; 4]))
    }

    /// How many bytes at the start of a text are replaced together, and by what. A character that
    /// is not in the table stays as it is.
    fn replacement<'a>(&'a self, text: &'a str) -> (usize, &'a str) {
        self.longest(text.as_bytes()).unwrap_or_else(|| {
            let first = text.chars().next().map_or(0, char::len_utf8);
            (first, &text[..first])
        })
    }

    /// The length of the longest sequence of the table that a text begins with, and its
    /// replacement.
    fn longest(&self, text: &[u8]) -> Option<(usize, &str)> {
        let mut longest = None;
        let mut place = offset(*self.units.first()?);
        for (index, &byte) in text.iter().enumerate() {
            place ^= usize::from(byte);
            let Some(&unit) = self.units.get(place) else {
                break;
            };
            if unit & (LEAF | 0xff) != u32::from(byte) {
                break;
            }
            place ^= offset(unit);
            if (unit >> 8) & 1 == 1 {
                let start = (self.units.get(place)? & !LEAF) as usize;
                let replacement = self.replacements.get(start..)?.split('\0').next()?;
                longest = Some((index + 1, replacement));
            }
        }
        longest
    }
}

/// Marks a unit that holds a value instead of a byte.
const LEAF: u32 = 1 << 31;

/// The offset of the units that follow this one.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_table_only_spaces_change() {
        let plain = Normaliser::default();
        assert_eq!(plain.normalise("  two  words "), "▁two▁words");
        assert_eq!(plain.normalise("é😀"), "▁é😀");
        for nothing in ["", "   "] {
            assert_eq!(plain.normalise(nothing), "");
        }
    }

    /// A trie with the single sequence "a", replaced by "bc". Its units are the root, whose
    /// children are at offset 1 xor their byte, and the unit for "a", whose value is at offset 2
    /// from it.
    fn one_replacement() -> Vec<u8> {
        let place = 1 ^ usize::from(b'a');
        let mut units = vec![0_u32; 128];
        units[0] = 1 << 10;
        units[place] = (2 << 10) | (1 << 8) | u32::from(b'a');
        units[place ^ 2] = LEAF;
        let mut table = (4 * units.len() as u32).to_le_bytes().to_vec();
        table.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        table.extend(b"bc\0");
        table
    }

    #[test]
    fn what_the_table_contains_is_replaced() {
        let normaliser = Normaliser::new(&one_replacement()).expect("a table");
        assert_eq!(normaliser.normalise("xay a"), "▁xbcy▁bc");
    }

    #[test]
    fn a_marked_offset_is_256_times_as_far() {
        assert_eq!(offset((5 << 10) | 0x1ff), 5);
        assert_eq!(offset((5 << 10) | (1 << 9)), 5 << 8);
    }

    #[test]
    fn a_damaged_table_is_refused_or_harmless() {
        let table = one_replacement();
        for end in 0..table.len() {
            if let Ok(normaliser) = Normaliser::new(&table[..end]) {
                normaliser.normalise("xay a"); // must not panic
            }
        }
        assert!(Normaliser::new(&table[..100]).is_err());
        for wild in [0x1ff, u32::MAX, 1 << 30] {
            let units = vec![wild; 300];
            let replacements = String::new();
            let normaliser = Normaliser {
                units,
                replacements,
            };
            normaliser.normalise("xay aé");
        }
    }
}
