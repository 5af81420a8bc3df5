//! Dropout: some weights are dropped, and the others scaled up.

use super::all_words::{column_names, row_names};
use super::future::{SIDES, THREE, visible_weights};
use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::{JOURNEY, Numbers, row_sums, two};
use super::sheet::{Cell, PLAIN, QUERY, Sheet};

/// The weights before dropout, which of them are dropped, and the weights after it.
pub fn dropout(numbers: &Numbers) -> Sheet {
    let lost = |query: usize, key: usize| {
        numbers.mask[[query, key]] && numbers.dropped[[query, key]] == 0.0
    };
    let mut sheet = Sheet::new(
        (744, 346),
        "Dropout: toss a coin for every weight",
        "Three six-by-six matrices of weights with the future hatched. First the weights. Then \
         the same, with those that the coin has dropped crossed out. Then what is left, \
         twice as large; after each row, its sum, which is no longer 1. Journey has lost both \
         of its weights, and its sum is 0.",
    );
    let [first, second, third] = THREE;
    row_names(&mut sheet, first, SIDES.1);
    let names = ["1  weights", "2  some are dropped", "3  the rest × 2"];
    for ((x, y), name) in THREE.into_iter().zip(names) {
        let x = if x == third.0 { x - 34 } else { x };
        sheet.text((x + 99, 50), BOLD, name);
        column_names(&mut sheet, (x, y), SIDES.0);
    }
    visible_weights(&mut sheet, first, numbers, &numbers.causal);
    sheet.matrix(second, SIDES, (6, 6), |query, key| {
        let weight = numbers.causal[[query, key]];
        match (numbers.mask[[query, key]], lost(query, key)) {
            (false, _) => Cell::Hidden(""),
            (true, true) => Cell::Crossed(two(weight)),
            (true, false) => Cell::Weight(weight, two(weight)),
        }
    });
    let third = (third.0 - 34, third.1);
    sheet.matrix(third, SIDES, (6, 6), |query, key| {
        let weight = numbers.dropped[[query, key]];
        match (numbers.mask[[query, key]], lost(query, key)) {
            (false, _) => Cell::Hidden(""),
            (true, true) => Cell::Number(PLAIN, "0".to_owned()),
            (true, false) => Cell::Weight(weight, two(weight)),
        }
    });
    sheet.arrow(PLAIN, &[(first.0 + 203, 188), (second.0 - 4, 188)]);
    sheet.arrow(PLAIN, &[(second.0 + 199, 188), (third.0 - 2, 188)]);
    sheet.text((third.0 + 222, 89), SMALL, "sum");
    for (row, sum) in row_sums(&numbers.dropped).into_iter().enumerate() {
        let y = 104 + 14 + SIDES.1 * row as i32;
        sheet.text((third.0 + 222, y), NORMAL, &two(sum));
    }
    sheet.frame(
        (third.0, third.1 + SIDES.1 * JOURNEY as i32),
        (198, SIDES.1),
        QUERY,
    );
    let text = "What stays is doubled, so that on average a row still sums to 1.";
    sheet.text((372, 300), NORMAL, text);
    sheet.text(
        (372, 324),
        NORMAL,
        "In this draw, journey (framed) lost everything. After training, nothing is dropped.",
    );
    sheet
}
