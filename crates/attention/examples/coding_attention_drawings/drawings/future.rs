//! Hiding the future: why, and two ways to do it.

use super::all_words::{column_names, row_names};
use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::{JOURNEY, Numbers, WORDS, row_sums, two};
use super::sheet::{Cell, KEY, PLAIN, Pair, QUERY, Sheet};
use attention::ndarray::Array2;

/// Which words each word may see, and which word must be guessed from them.
pub fn hidden(numbers: &Numbers) -> Sheet {
    let mut sheet = Sheet::new(
        (740, 318),
        "Causal: no word sees those that follow it",
        "Six rows, one for each word. In a row the word itself and those before it are \
         readable, the later ones are hatched. An arrow leads from each row to the word that \
         has to be guessed: the next one, the first of the hatched.",
    );
    sheet.text((50, 54), SMALL, "query");
    sheet.text((348, 54), SMALL, "what it may see");
    sheet.text((672, 54), SMALL, "to be guessed");
    for (row, word) in WORDS.into_iter().enumerate() {
        let y = 70 + 34 * row as i32;
        sheet.boxed((14, y), (76, 30), QUERY, &[word]);
        sheet.matrix((102, y), (82, 30), (1, 6), |_, column| {
            if numbers.mask[[row, column]] {
                Cell::Number(KEY, WORDS[column].to_owned())
            } else {
                Cell::Hidden("")
            }
        });
        sheet.arrow(PLAIN, &[(598, y + 15), (628, y + 15)]);
        let next = WORDS.get(row + 1).copied().unwrap_or("?");
        sheet.boxed((632, y), (80, 30), PLAIN, &[next]);
    }
    let moral = "A model that writes does not have the hatched words yet.";
    sheet.text((370, 298), NORMAL, moral);
    sheet
}

/// Width and height of a cell in the three matrices side by side.
pub const SIDES: Pair = (33, 28);
/// The upper left corners of the three matrices.
pub const THREE: [Pair; 3] = [(64, 104), (286, 104), (534, 104)];

/// A matrix of weights, hatched where a query may not look.
pub fn visible_weights(sheet: &mut Sheet, place: Pair, numbers: &Numbers, weights: &Array2<f32>) {
    sheet.matrix(place, SIDES, (6, 6), |query, key| {
        let weight = weights[[query, key]];
        if numbers.mask[[query, key]] {
            Cell::Weight(weight, two(weight))
        } else {
            Cell::Hidden("")
        }
    });
}

/// A mask after the softmax: weights, some of them crossed out, then renormalised.
pub fn mask_after(numbers: &Numbers) -> Sheet {
    let weights = &numbers.linear.weights;
    let crossed = weights * &numbers.mask.mapv(f32::from);
    let left = row_sums(&crossed);
    let mut sheet = Sheet::new(
        (748, 346),
        "The long way: softmax, cross out, divide again",
        &format!(
            "Three six-by-six matrices of weights. First the weights after the softmax. Then \
             the same with the upper right half hatched; after each row, what is left of its \
             sum, for journey {}. Then each row divided by this sum, so that it adds up to 1 \
             again. The row of journey is framed.",
            two(left[JOURNEY])
        ),
    );
    let [first, second, third] = THREE;
    row_names(&mut sheet, first, SIDES.1);
    let names = ["1  softmax", "2  cross out", "3  divide"];
    for ((x, y), name) in THREE.into_iter().zip(names) {
        sheet.text((x + 99, 50), BOLD, name);
        column_names(&mut sheet, (x, y), SIDES.0);
    }
    sheet.matrix(first, SIDES, (6, 6), |query, key| {
        let weight = weights[[query, key]];
        Cell::Weight(weight, two(weight))
    });
    visible_weights(&mut sheet, second, numbers, &crossed);
    visible_weights(&mut sheet, third, numbers, &numbers.causal);
    for (x, y) in THREE {
        sheet.frame((x, y + SIDES.1 * JOURNEY as i32), (198, SIDES.1), QUERY);
    }
    sheet.arrow(PLAIN, &[(first.0 + 203, 188), (second.0 - 4, 188)]);
    for (row, sum) in left.iter().enumerate() {
        let y = 104 + 14 + SIDES.1 * row as i32;
        sheet.text((second.0 + 223, y), SMALL, &format!("÷{}", two(*sum)));
    }
    let journey = |key: usize| {
        let (before, after) = (crossed[[JOURNEY, key]], numbers.causal[[JOURNEY, key]]);
        format!("{} ÷ {} = {}", two(before), two(left[JOURNEY]), two(after))
    };
    let text = format!("The row of journey: {} and {}", journey(0), journey(1));
    sheet.text((372, 300), NORMAL, &text);
    sheet.text(
        (372, 324),
        SMALL.grey(),
        "(Computed with all digits, shown with two.)",
    );
    sheet
}

/// A mask before the softmax: scores, some of them replaced by minus infinity, then the softmax.
pub fn mask_before(numbers: &Numbers) -> Sheet {
    let mut sheet = Sheet::new(
        (744, 346),
        "The short way: minus infinity, then one softmax",
        "On the left, the scores, six by six, with minus infinity in the hatched upper right half. \
         An arrow: divide by the square root of 2, softmax. On the right, the weights, zero in the \
         hatched half; after each row, its sum, 1.00. The row of journey is framed and worked out below.",
    );
    let (left, right, y) = (74, 424, 104);
    sheet.text((left + 129, 50), BOLD, "1  masked scores");
    sheet.text((right + 129, 50), BOLD, "2  weights");
    for x in [left, right] {
        column_names(&mut sheet, (x, y), 43);
    }
    row_names(&mut sheet, (left, y), 28);
    let may_look = &numbers.mask;
    sheet.matrix((left, y), (43, 28), (6, 6), |query, key| {
        let score = two(numbers.masked_scores[[query, key]]);
        if may_look[[query, key]] {
            Cell::Number(PLAIN, score)
        } else {
            Cell::Hidden("−∞")
        }
    });
    sheet.matrix((right, y), (43, 28), (6, 6), |query, key| {
        let weight = numbers.causal[[query, key]];
        if may_look[[query, key]] {
            Cell::Weight(weight, two(weight))
        } else {
            Cell::Hidden("0")
        }
    });
    sheet.arrow(PLAIN, &[(left + 264, 188), (right - 8, 188)]);
    sheet.text((377, 172), SMALL, "÷ √2,");
    sheet.text((377, 206), SMALL, "softmax");
    sheet.text((right + 282, 89), SMALL, "sum");
    for (row, sum) in row_sums(&numbers.causal).into_iter().enumerate() {
        sheet.text((right + 282, y + 14 + 28 * row as i32), NORMAL, &two(sum));
    }
    for x in [left, right] {
        sheet.frame((x, y + 28 * JOURNEY as i32), (258, 28), QUERY);
    }
    let scaled = |key: usize| numbers.masked_scores[[JOURNEY, key]] / 2.0_f32.sqrt();
    let (first, second) = (scaled(0), scaled(1));
    let text = format!(
        "journey:  e^{{{}}} = {},  e^{{{}}} = {},  e^{{−∞}} = 0 four times;  divided by their sum: {} and {}",
        two(first),
        two(first.exp()),
        two(second),
        two(second.exp()),
        two(numbers.causal[[JOURNEY, 0]]),
        two(numbers.causal[[JOURNEY, 1]]),
    );
    sheet.text((372, 300), NORMAL, &text);
    sheet.text(
        (372, 324),
        NORMAL,
        "The hidden words take no share, so nothing has to be divided again.",
    );
    sheet
}
