//! Where attention sits in a language model, and the four kinds of attention.

use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::{Numbers, WORDS, two};
use super::sheet::{CONTEXT, Cell, PLAIN, Pair, Sheet, WEIGHT};
use attention::figures::scene::Role;
use attention::ndarray::Array2;

/// Building, pretraining and finetuning a model, with the inside of the model below.
pub fn stages(numbers: &Numbers) -> Sheet {
    let mut sheet = Sheet::new(
        (740, 366),
        "Where attention sits",
        "Three stages in a row: build the model, pretrain it on a lot of text, finetune it on \
         examples. The first is opened below: five words become vectors of three numbers; in \
         the attention part yellow lines lead from each word to itself and to later words; then \
         each word is processed by itself; from the last one the next word is guessed: step.",
    );
    let stages = [
        (CONTEXT, "1  Build a model", "its main part: attention"),
        (PLAIN, "2  Pretrain it", "guess next words in lots of text"),
        (PLAIN, "3  Finetune it", "examples with the right answer"),
    ];
    for (index, (kind, name, what)) in stages.into_iter().enumerate() {
        let x = 16 + 246 * index as i32;
        sheet.boxed((x, 44), (216, 54), kind, &[name, what]);
        if index > 0 {
            sheet.arrow(PLAIN, &[(x - 27, 71), (x - 3, 71)]);
        }
    }
    sheet.dashes(CONTEXT, [(16, 98), (16, 130)]);
    sheet.dashes(CONTEXT, [(232, 98), (724, 130)]);
    sheet.frame((16, 130), (708, 220), CONTEXT);
    inside(&mut sheet, numbers);
    sheet
}

/// Draws the inside of the model, from left to right.
fn inside(sheet: &mut Sheet, numbers: &Numbers) {
    let y = |word: usize| 180 + 28 * word as i32;
    sheet.text((57, 152), SMALL, "words");
    sheet.text((157, 152), SMALL, "vectors");
    sheet.boxed((240, 142), (170, 178), CONTEXT, &[]);
    sheet.text((325, 157), BOLD, "attention");
    sheet.boxed((448, 142), (126, 178), PLAIN, &[]);
    sheet.text((511, 157), BOLD, "feed-forward");
    for (word, name) in WORDS.into_iter().enumerate().take(5) {
        sheet.text((92, y(word)), NORMAL.ending(), name);
        sheet.matrix((106, y(word) - 12), (34, 24), (1, 3), |_, column| {
            Cell::Number(PLAIN, two(numbers.inputs[[word, column]]))
        });
        sheet.arrow(PLAIN, &[(212, y(word)), (237, y(word))]);
        sheet.arrow(PLAIN, &[(413, y(word)), (445, y(word))]);
        sheet.line(PLAIN, &[(462, y(word)), (560, y(word))]);
        for query in word..5 {
            let width = 4.0 * numbers.causal[[query, word]];
            sheet.slope(WEIGHT, width, (254, y(word)), (396, y(query)));
        }
    }
    sheet.arrow(PLAIN, &[(577, y(4)), (608, y(4))]);
    sheet.boxed((611, y(4) - 17), (100, 34), PLAIN, &[WORDS[5]]);
    sheet.text((661, y(4) - 30), SMALL, "guess: next word");
    sheet.text((325, 335), SMALL, "words exchange information");
    sheet.text((511, 335), SMALL, "each by itself");
    sheet.text((661, 200), SMALL, "(both parts repeat");
    sheet.text((661, 217), SMALL, "many times)");
}

/// Four panels, each with its new idea and its weights.
pub fn four_variants(numbers: &Numbers) -> Sheet {
    let mut sheet = Sheet::new(
        (760, 308),
        "Four kinds of attention, each adding one idea",
        "Four panels with the weights of six words, dark yellow for a large weight. Simple: \
         words are compared as they are. Learned: three matrices decide what is compared. \
         Causal: the upper right half is hatched, because no word sees later ones. Multi-head: \
         two such pictures side by side.",
    );
    let panels: [(&str, Role, [&str; 3]); 4] = [
        (
            "1  Simple",
            PLAIN,
            ["compare the words", "just as they are,", "then mix them"],
        ),
        (
            "2  Learned",
            PLAIN,
            [
                "+ three matrices",
                "that training sets:",
                "query, key, value",
            ],
        ),
        (
            "3  Causal",
            PLAIN,
            [
                "+ a mask that hides",
                "later words, so that",
                "they can be guessed",
            ],
        ),
        (
            "4  Multi-head",
            PLAIN,
            [
                "+ several at once,",
                "each looking for",
                "something different",
            ],
        ),
    ];
    for (index, (name, kind, lines)) in panels.into_iter().enumerate() {
        let x = 16 + 186 * index as i32;
        sheet.frame((x, 44), (170, 248), kind);
        sheet.text((x + 85, 64), BOLD, name);
        for (line, text) in lines.into_iter().enumerate() {
            let y = 224 + 18 * line as i32;
            sheet.text((x + 85, y + 10), SMALL, text);
        }
        if index > 0 {
            sheet.arrow(PLAIN, &[(x - 15, 144), (x - 1, 144)]);
        }
    }
    shades(&mut sheet, (41, 84), 20, &numbers.simple.weights, false);
    shades(&mut sheet, (227, 84), 20, &numbers.learned.weights, false);
    shades(&mut sheet, (413, 84), 20, &numbers.causal, true);
    shades(&mut sheet, (581, 108), 12, &numbers.heads[0], true);
    shades(&mut sheet, (665, 108), 12, &numbers.heads[1], true);
    sheet
}

/// Weights as colours only; if `causal`, the future is hatched.
fn shades(sheet: &mut Sheet, place: Pair, side: i32, weights: &Array2<f32>, causal: bool) {
    sheet.matrix(place, (side, side), weights.dim(), |query, key| {
        if causal && key > query {
            Cell::Hidden("")
        } else {
            Cell::Shade(WEIGHT, weights[[query, key]])
        }
    });
}
