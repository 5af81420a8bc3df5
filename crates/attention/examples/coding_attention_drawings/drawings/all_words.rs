//! Scores, weights and contexts of all words at once, as matrices.

use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::{JOURNEY, Numbers, WORDS, four, row_sums, two};
use super::sheet::{CONTEXT, Cell, PLAIN, Pair, QUERY, Sheet};

/// Words slanting upwards over the columns of a matrix.
pub fn column_names(sheet: &mut Sheet, (x, y): Pair, width: i32) {
    for (column, word) in WORDS.into_iter().enumerate() {
        sheet.climbing(
            (x + width * column as i32 + width / 2 - 2, y - 5),
            SMALL,
            word,
        );
    }
}

/// Words to the left of the rows of a matrix.
pub fn row_names(sheet: &mut Sheet, (x, y): Pair, height: i32) {
    for (row, word) in WORDS.into_iter().enumerate() {
        sheet.text(
            (x - 7, y + height * row as i32 + height / 2),
            SMALL.ending(),
            word,
        );
    }
}

/// All scores, and all weights row by row.
pub fn weights(numbers: &Numbers) -> Sheet {
    let (scores, weights) = (&numbers.simple.scores, &numbers.simple.weights);
    let mut sheet = Sheet::new(
        (744, 330),
        "Every word asks: one softmax per row",
        "On the left, the scores of each word with each word; on the right, the weights; both six \
         by six. An arrow says softmax, row by row. After each row of weights stands its sum, \
         1.00. The row of journey is framed in both: it is the one computed before.",
    );
    let (left, right, y) = (74, 416, 104);
    sheet.text((left + 129, 52), BOLD, "scores");
    sheet.text((right + 129, 52), BOLD, "weights");
    for x in [left, right] {
        column_names(&mut sheet, (x, y), 43);
    }
    row_names(&mut sheet, (left, y), 30);
    sheet.matrix((left, y), (43, 30), (6, 6), |query, key| {
        Cell::Number(PLAIN, two(scores[[query, key]]))
    });
    sheet.matrix((right, y), (43, 30), (6, 6), |query, key| {
        let weight = weights[[query, key]];
        Cell::Weight(weight, two(weight))
    });
    for row in 0..6 {
        let middle = y + 15 + 30 * row;
        sheet.arrow(PLAIN, &[(left + 264, middle), (right - 6, middle)]);
    }
    sheet.text((375, 72), SMALL, "softmax,");
    sheet.text((375, 89), SMALL, "row by row");
    sheet.text((right + 284, 89), SMALL, "sum");
    for (row, sum) in row_sums(weights).into_iter().enumerate() {
        sheet.text((right + 284, y + 15 + 30 * row as i32), NORMAL, &two(sum));
    }
    let framed = y + 30 * JOURNEY as i32;
    sheet.frame((left, framed), (258, 30), QUERY);
    sheet.frame((right, framed), (258, 30), QUERY);
    let reading = "Row: the word that looks, the query. Column: the word it looks at, the key. Framed: journey.";
    sheet.text((372, 308), NORMAL, reading);
    sheet
}

/// Weights times inputs: a context vector in each row.
pub fn contexts(numbers: &Numbers) -> Sheet {
    let attention = &numbers.simple;
    let mut sheet = Sheet::new(
        (744, 344),
        "Every word mixes: weights times inputs",
        "A matrix of weights, six by six, times the inputs, six by three, gives the contexts, \
         six by three. Framed: the row of journey in the weights and the first column of the \
         inputs; they meet in the first number of the context of journey. Below, this number is \
         worked out.",
    );
    let (left, middle, right, y) = (74, 372, 556, 104);
    sheet.text((left + 132, 52), BOLD, "weights");
    sheet.text((middle + 72, 72), BOLD, "inputs");
    sheet.text((right + 84, 72), BOLD, "contexts");
    column_names(&mut sheet, (left, y), 44);
    row_names(&mut sheet, (left, y), 28);
    sheet.matrix((left, y), (44, 28), (6, 6), |query, key| {
        let weight = attention.weights[[query, key]];
        Cell::Weight(weight, two(weight))
    });
    sheet.text((355, y + 84), BOLD, "×");
    sheet.matrix((middle, y), (48, 28), (6, 3), |word, column| {
        Cell::Number(PLAIN, two(numbers.inputs[[word, column]]))
    });
    sheet.text((536, y + 84), BOLD, "=");
    sheet.matrix((right, y), (57, 28), (6, 3), |word, column| {
        Cell::Number(CONTEXT, four(attention.context[[word, column]]))
    });
    let framed = y + 28 * JOURNEY as i32;
    sheet.frame((left, framed), (264, 28), QUERY);
    sheet.frame((middle, y), (48, 168), QUERY);
    sheet.frame((right, framed), (57, 28), QUERY);
    let product = |word: usize| {
        let (weight, number) = (
            attention.weights[[JOURNEY, word]],
            numbers.inputs[[word, 0]],
        );
        format!("{}·{}", four(weight), two(number))
    };
    let products: Vec<String> = (0..6).map(product).collect();
    sheet.text((372, 298), SMALL, &products.join(" + "));
    let sum = format!("= {}", four(attention.context[[JOURNEY, 0]]));
    sheet.text((372, 322), BOLD, &sum);
    sheet
}
