//! What queries, keys and values are for: *it* finds its noun.

use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::two;
use super::sheet::{Cell, KEY, PLAIN, QUERY, Sheet};
use attention::dot_product::{scores, softmax};
use attention::ndarray::{Array2, array};

const WORDS: [&str; 5] = ["animal", "cross", "street", "because", "it"];
/// What the numbers of a key and of a query stand for.
const MEANINGS: [&str; 3] = ["a thing", "alive", "a place"];
/// The two ends of the sentence.
const ENDS: [&str; 2] = ["… was too tired", "… was too wide"];
/// Where the columns of the keys and of both endings begin, and the size of a cell.
const KEYS: i32 = 196;
const RESULTS: [i32; 2] = [424, 586];
const CELL: (i32, i32) = (60, 28);

/// Two queries above the keys of the same words, and the resulting weights.
pub fn it_finds_its_noun() -> Sheet {
    let queries: Array2<f32> = array![[2.0, 2.0, -1.0], [2.0, -1.0, 2.0]];
    let keys = array![
        [1.0, 1.0, 0.0],
        [0.0, 0.2, 0.0],
        [1.0, 0.0, 1.0],
        [0.0, 0.0, 0.0],
        [0.3, 0.3, 0.3],
    ];
    let scores = scores(&queries, &keys);
    let weights = softmax(&scores);
    let mut sheet = Sheet::new(
        (740, 408),
        "What queries and keys are for: it finds its noun",
        &format!(
            "The animal did not cross the street because it was too tired, or too wide. Above, \
             two queries of it, in blue: one asks for a thing that is alive, one for a thing that \
             is a place. Below them the keys of five words, in orange. With tired, animal has the \
             weight {} and street {}; with wide, animal {} and street {}.",
            two(weights[[0, 0]]),
            two(weights[[0, 2]]),
            two(weights[[1, 0]]),
            two(weights[[1, 2]]),
        ),
    );
    let sentence = "The animal did not cross the street because it was too …";
    sheet.text((16, 52), NORMAL.starting(), sentence);
    for (column, meaning) in MEANINGS.into_iter().enumerate() {
        let x = KEYS + CELL.0 * column as i32 + CELL.0 / 2;
        sheet.text((x, 82), SMALL.grey(), meaning);
    }
    for (row, end) in ENDS.into_iter().enumerate() {
        let y = 94 + 36 * row as i32;
        sheet.text(
            (KEYS - 10, y + 14),
            NORMAL.ending(),
            &format!("query: {end}"),
        );
        sheet.matrix((KEYS, y), CELL, (1, 3), |_, column| {
            Cell::Number(QUERY, two(queries[[row, column]]))
        });
    }
    for (row, word) in WORDS.into_iter().enumerate() {
        let y = 206 + 32 * row as i32;
        sheet.text(
            (KEYS - 10, y + 14),
            NORMAL.ending(),
            &format!("key of {word}"),
        );
        sheet.matrix((KEYS, y), CELL, (1, 3), |_, column| {
            Cell::Number(KEY, two(keys[[row, column]]))
        });
        for (query, x) in RESULTS.into_iter().enumerate() {
            let weight = weights[[query, row]];
            let score = two(scores[[query, row]]);
            sheet.cell((x, y), CELL, &Cell::Number(PLAIN, score));
            sheet.cell((x + 66, y), CELL, &Cell::Weight(weight, two(weight)));
        }
    }
    for (x, end) in RESULTS.into_iter().zip(ENDS) {
        sheet.text((x + 63, 170), BOLD, end);
        sheet.text((x + 30, 192), SMALL, "score");
        sheet.text((x + 96, 192), SMALL, "weight");
    }
    let text =
        "A score is large where query and key agree. The weights then mix the values of the words:";
    sheet.text((370, 378), NORMAL, text);
    let text = "tired makes it take over what animal passes on; wide, what street does.";
    sheet.text((370, 396), NORMAL, text);
    sheet
}
