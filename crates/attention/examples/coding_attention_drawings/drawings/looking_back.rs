//! Attention between two sentences, within one sentence, and what it should achieve.

use super::before_attention::{ENGLISH, GERMAN};
use super::look::{BOLD, FORMULA, NORMAL, SMALL};
use super::numbers::{JOURNEY, Numbers, WORDS, percent, two};
use super::sheet::{CONTEXT, Cell, KEY, PLAIN, QUERY, Sheet, WEIGHT};

/// The decoder looks at every state of the encoder.
pub fn between_sentences() -> Sheet {
    let mut sheet = Sheet::new(
        (740, 322),
        "With attention: look back at every word, at some more than others",
        "Six German words above, the English translation below, of which two words are written. \
         From the word read, yellow lines lead up to all six German words; the lines to habe \
         and gelesen are thick, the others thin.",
    );
    let german = |word: usize| 70 + 120 * word as i32;
    let english = |word: usize| 130 + 120 * word as i32;
    for (index, word) in GERMAN.into_iter().enumerate() {
        let width = if matches!(index, 1 | 5) { 9.0 } else { 1.5 };
        sheet.strand(WEIGHT, width, (german(index), 108), (english(1), 220));
        sheet.boxed((german(index) - 51, 48), (102, 34), PLAIN, &[word]);
        sheet.matrix((german(index) - 51, 86), (34, 22), (1, 3), |_, _| {
            Cell::Shade(KEY, 0.2)
        });
    }
    for (index, word) in ENGLISH.into_iter().enumerate() {
        let place = (english(index) - 51, 220);
        match index {
            0 => sheet.boxed(place, (102, 34), PLAIN, &[word]),
            1 => sheet.boxed(place, (102, 34), QUERY, &[word]),
            _ => sheet.text((english(index), 237), NORMAL.grey(), "…"),
        }
    }
    sheet.text((english(0), 267), SMALL, "written");
    sheet.text((english(1), 267), SMALL, "being written");
    sheet.text((english(3), 267), SMALL, "not written yet");
    let moral = "Every word keeps its own vector, and the decoder can use them all.";
    sheet.text((370, 290), NORMAL, moral);
    sheet.text(
        (370, 308),
        SMALL.grey(),
        "(The widths are an invented example.)",
    );
    sheet
}

/// The sentence twice, and the weights of one word as lines.
pub fn within_a_sentence(numbers: &Numbers) -> Sheet {
    let weights = numbers.simple.weights.row(JOURNEY);
    let shares: Vec<String> = (0..6)
        .map(|word| format!("{} {}", WORDS[word], percent(weights[word])))
        .collect();
    let mut sheet = Sheet::new(
        (740, 302),
        "Self-attention: the words of one sentence look at each other",
        &format!(
            "The same six words twice, above as the words that look and below as those they \
             look at. Thin grey lines lead from each to each. From journey above lead yellow \
             lines as wide as its weights: {}.",
            shares.join(", ")
        ),
    );
    let x = |word: usize| 70 + 120 * word as i32;
    for query in (0..6).filter(|query| *query != JOURNEY) {
        for key in 0..6 {
            sheet.dashes(PLAIN, [(x(query), 103), (x(key), 218)]);
        }
    }
    for key in 0..6 {
        sheet.strand(
            WEIGHT,
            40.0 * weights[key],
            (x(JOURNEY), 103),
            (x(key), 218),
        );
    }
    sheet.text((16, 54), SMALL.starting(), "the word that looks: the query");
    sheet.text(
        (16, 288),
        SMALL.starting(),
        "the words it looks at: the keys, each with its weight for journey",
    );
    for (index, word) in WORDS.into_iter().enumerate() {
        let kind = if index == JOURNEY { QUERY } else { PLAIN };
        sheet.boxed((x(index) - 51, 69), (102, 34), kind, &[word]);
        sheet.boxed(
            (x(index) - 51, 218),
            (102, 52),
            KEY,
            &[word, &percent(weights[index])],
        );
    }
    sheet
}

/// From six vectors to one, with the weights still unknown.
pub fn goal(numbers: &Numbers) -> Sheet {
    let mut sheet = Sheet::new(
        (740, 362),
        "The goal: a vector for journey that knows the whole sentence",
        "Six words, each with its vector of three numbers, x1 to x6. Under each a weight with a \
         question mark. From all weights lines lead down to one purple vector of three unknown \
         numbers: the context vector of journey.",
    );
    let x = |word: usize| 70 + 120 * word as i32;
    for (index, word) in WORDS.into_iter().enumerate() {
        let kind = if index == JOURNEY { QUERY } else { PLAIN };
        sheet.strand(WEIGHT, 2.0, (x(index), 204), (370, 272));
        sheet.text((x(index), 54), BOLD, word);
        sheet.text((x(index), 74), FORMULA, &format!("x^{{({})}}", index + 1));
        sheet.matrix((x(index) - 30, 88), (60, 24), (3, 1), |row, _| {
            Cell::Number(kind, two(numbers.inputs[[index, row]]))
        });
        sheet.boxed(
            (x(index) - 45, 178),
            (90, 26),
            WEIGHT,
            &[&format!("weight {}?", index + 1)],
        );
    }
    let name = "context vector of journey:  z^{(2)}";
    sheet.text((314, 290), FORMULA.ending(), name);
    sheet.matrix((325, 272), (60, 34), (1, 3), |_, _| {
        Cell::Number(CONTEXT, "?".to_owned())
    });
    sheet.text((520, 290), NORMAL.starting(), "three numbers again");
    let question = "How much of each word goes into it? The six weights say.";
    sheet.text((370, 336), NORMAL, question);
    sheet
}
