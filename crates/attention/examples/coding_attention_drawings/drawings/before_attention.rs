//! Why translation works neither word by word nor through a single vector.

use super::look::{NORMAL, SMALL};
use super::sheet::{CONTEXT, Cell, INK, KEY, PLAIN, QUERY, Sheet};

/// A German sentence and its translation, which other drawings use too.
pub const GERMAN: [&str; 6] = ["Ich", "habe", "das", "Buch", "gestern", "gelesen"];
pub const ENGLISH: [&str; 5] = ["I", "read", "the", "book", "yesterday"];
/// Which German and English words belong together.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (5, 1), (2, 2), (3, 3), (4, 4)];

/// Two sentences whose words are in different orders.
pub fn word_for_word() -> Sheet {
    let mut sheet = Sheet::new(
        (740, 282),
        "Word for word does not work",
        "A German sentence above, its English translation below, lines between words that \
         belong together. Two German words, the second and the last, lead to the one English \
         word read. Under the German words stands what a translation word for word would give: \
         I have the book yesterday read.",
    );
    let gloss = ["I", "have", "the", "book", "yesterday", "read"];
    let german = |word: usize| 70 + 120 * word as i32;
    let english = |word: usize| 130 + 120 * word as i32;
    for (index, word) in GERMAN.into_iter().enumerate() {
        let kind = if matches!(index, 1 | 5) { KEY } else { PLAIN };
        sheet.boxed((german(index) - 51, 46), (102, 34), kind, &[word]);
        sheet.text((german(index), 93), SMALL, &format!("“{}”", gloss[index]));
    }
    for (from, to) in PAIRS {
        let kind = if to == 1 { KEY } else { PLAIN };
        let width = if to == 1 { 3.5 } else { 1.5 };
        sheet.strand(kind, width, (german(from), 106), (english(to), 182));
    }
    for (index, word) in ENGLISH.into_iter().enumerate() {
        let kind = if index == 1 { KEY } else { PLAIN };
        sheet.boxed((english(index) - 51, 182), (102, 34), kind, &[word]);
    }
    let wrong = format!("Word for word: “{}”.", gloss.join(" "));
    sheet.text((370, 240), NORMAL, &wrong);
    let why = "To write “read”, a translator must know the second and the last word.";
    sheet.text((370, 261), NORMAL, why);
    sheet
}

/// An encoder that passes a single vector to a decoder.
pub fn one_vector() -> Sheet {
    let mut sheet = Sheet::new(
        (740, 398),
        "Before attention: the whole sentence through one vector",
        "Above, the encoder reads six German words from left to right and updates one state \
         after each. Only its last state leads down into one vector of four numbers. Below, the \
         decoder starts from this vector and writes five English words. A dashed line from an \
         early state of the encoder to the decoder is crossed out: there is no way back.",
    );
    let x = |word: usize| 124 + 112 * word as i32;
    sheet.text((16, 105), SMALL.starting(), "encoder");
    sheet.text((16, 122), SMALL.starting(), "reads");
    for (index, word) in GERMAN.into_iter().enumerate() {
        sheet.text((x(index), 58), NORMAL, word);
        sheet.arrow(PLAIN, &[(x(index), 68), (x(index), 92)]);
        sheet.boxed(
            (x(index) - 40, 94),
            (80, 38),
            KEY,
            &[&format!("state {}", index + 1)],
        );
        if index > 0 {
            sheet.arrow(KEY, &[(x(index) - 71, 113), (x(index) - 42, 113)]);
        }
    }
    sheet.arrow(CONTEXT, &[(x(5), 132), (x(5), 202), (486, 202)]);
    sheet.matrix((376, 188), (27, 28), (1, 4), |_, _| {
        Cell::Shade(CONTEXT, 0.25)
    });
    sheet.text((584, 222), SMALL, "only the last state is passed on");
    sheet.text((430, 233), SMALL, "one vector");
    sheet.arrow(CONTEXT, &[(374, 202), (x(0), 202), (x(0), 286)]);
    sheet.text((16, 299), SMALL.starting(), "decoder");
    sheet.text((16, 316), SMALL.starting(), "writes");
    for (index, word) in ENGLISH.into_iter().enumerate() {
        sheet.boxed((x(index) - 40, 288), (80, 38), QUERY, &["state"]);
        sheet.arrow(PLAIN, &[(x(index), 326), (x(index), 350)]);
        sheet.text((x(index), 362), NORMAL, word);
        if index > 0 {
            sheet.arrow(QUERY, &[(x(index) - 71, 307), (x(index) - 42, 307)]);
        }
    }
    sheet.dashes(PLAIN, [(x(1), 134), (x(1), 286)]);
    sheet.cross(INK, (x(1), 251), 9);
    sheet.text((x(1) + 16, 251), SMALL.starting(), "no way back");
    let moral = "The same few numbers for six words or six hundred: the longer the sentence, the more is lost.";
    sheet.text((370, 384), NORMAL, moral);
    sheet
}
