//! The three steps for one word: scores, weights, context.

use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::{JOURNEY, Numbers, WORDS, four, percent, two};
use super::sheet::{CONTEXT, Cell, PLAIN, Pair, QUERY, Sheet, WEIGHT};
use attention::dot_product::softmax;

/// Six dot products, written out.
pub fn scores(numbers: &Numbers) -> Sheet {
    let (inputs, scores) = (&numbers.inputs, numbers.simple.scores.row(JOURNEY));
    let mut sheet = Sheet::new(
        (740, 344),
        "Step 1: the query is compared with every word",
        &format!(
            "The three numbers of journey, in blue, stand above the three numbers of each of \
             the six words. Number times number, added up, gives a score for each word, with \
             a bar: {}.",
            listed(scores.iter().map(|score| four(*score)))
        ),
    );
    sheet.text((78, 63), BOLD.ending(), WORDS[JOURNEY]);
    sheet.matrix((90, 50), (48, 26), (1, 3), |_, column| {
        Cell::Number(QUERY, two(inputs[[JOURNEY, column]]))
    });
    sheet.text((250, 63), NORMAL.starting(), "the query: compared with …");
    sheet.text((376, 102), SMALL, "number × number, added up");
    sheet.text((547, 102), SMALL, "score");
    for word in 0..6 {
        let y = 118 + 36 * word as i32;
        sheet.text((78, y + 13), NORMAL.ending(), WORDS[word]);
        sheet.matrix((90, y), (48, 26), (1, 3), |_, column| {
            Cell::Number(PLAIN, two(inputs[[word, column]]))
        });
        let product =
            |i: usize| format!("{}·{}", two(inputs[[word, i]]), two(inputs[[JOURNEY, i]]));
        let sum = format!("{} + {} + {}", product(0), product(1), product(2));
        sheet.text((376, y + 13), SMALL, &sum);
        sheet.text((506, y + 13), NORMAL, "=");
        sheet.cell((515, y), (64, 26), &Cell::Number(PLAIN, four(scores[word])));
        sheet.bar((588, y + 4), ((scores[word] * 90.0) as i32, 18), PLAIN);
    }
    sheet.frame((12, 150), (714, 34), QUERY);
    sheet
}

/// Scores, exponentials, weights, and the weights as parts of a whole.
pub fn weights(numbers: &Numbers) -> Sheet {
    let scores = numbers.simple.scores.row(JOURNEY).to_owned();
    let exponentials = scores.mapv(f32::exp);
    let weights = softmax(&scores);
    let mut sheet = Sheet::new(
        (740, 320),
        "Step 2: scores become shares of a whole",
        &format!(
            "A table with a column for each word and three rows: the scores; their \
             exponentials, whose sum is {}; and the weights, each exponential divided by this \
             sum: {}. Below, the weights as pieces of a bar that stands for 100 percent.",
            four(exponentials.sum()),
            listed(weights.iter().map(|weight| four(*weight)))
        ),
    );
    for (column, word) in WORDS.into_iter().enumerate() {
        let x = 112 + 90 * column as i32;
        sheet.text((x + 40, 56), BOLD, word);
        sheet.cell(
            (x, 70),
            (80, 30),
            &Cell::Number(PLAIN, four(scores[column])),
        );
        sheet.arrow(PLAIN, &[(x + 40, 101), (x + 40, 123)]);
        sheet.cell(
            (x, 125),
            (80, 30),
            &Cell::Number(PLAIN, four(exponentials[column])),
        );
        sheet.arrow(PLAIN, &[(x + 40, 156), (x + 40, 178)]);
        let weight = weights[column];
        sheet.cell((x, 180), (80, 30), &Cell::Weight(weight, four(weight)));
    }
    for (y, name) in [(85, "score s"), (140, "e^{s}"), (195, "weight")] {
        sheet.text((102, y), NORMAL.ending(), name);
    }
    sheet.text((102, 112), SMALL.grey().ending(), "exponential");
    sheet.text((102, 167), SMALL.grey().ending(), "divide by sum");
    sheet.text((688, 112), SMALL, "sum");
    sheet.text((688, 140), BOLD, &four(exponentials.sum()));
    sheet.text((688, 195), BOLD, &four(weights.sum()));
    shares(
        &mut sheet,
        (112, 238),
        (530, 40),
        weights.as_slice().unwrap_or(&[]),
        true,
    );
    sheet.text((102, 258), NORMAL.ending(), "100%");
    let moral = "A larger score gets a larger share; no share is negative; together they sum to 1.";
    sheet.text((377, 300), NORMAL, moral);
    sheet
}

/// A bar of 100 percent divided into shares, labelled with words and percentages if `named`,
/// otherwise with the percentages for which there is room.
pub fn shares(sheet: &mut Sheet, place: Pair, size: Pair, weights: &[f32], named: bool) {
    let mut done = 0.0;
    let edge = |share: f32| place.0 + (share * size.0 as f32).round() as i32;
    for (index, weight) in weights.iter().enumerate() {
        let (from, to) = (edge(done), edge(done + weight));
        sheet.cell(
            (from, place.1),
            (to - from, size.1),
            &Cell::Shade(WEIGHT, *weight),
        );
        let (middle, half) = ((from + to) / 2, place.1 + size.1 / 2);
        if named {
            sheet.text((middle, half - 8), SMALL, WORDS[index]);
            sheet.text((middle, half + 9), SMALL, &percent(*weight));
        } else if to - from > 36 {
            sheet.text((middle, half), SMALL, &percent(*weight));
        }
        done += weight;
    }
}

/// Weight times vector, six times, and the sum.
pub fn weighted_sum(numbers: &Numbers) -> Sheet {
    let weights = numbers.simple.weights.row(JOURNEY);
    let context = numbers.simple.context.row(JOURNEY);
    let mut sheet = Sheet::new(
        (620, 344),
        "Step 3: six words, mixed by their weights",
        &format!(
            "A row for each word: its weight times its three numbers gives three smaller \
             numbers. The six rows of smaller numbers are added up to the context vector of \
             journey: {}.",
            listed(context.iter().map(|number| four(*number)))
        ),
    );
    sheet.text((122, 54), SMALL, "weight");
    sheet.text((264, 54), SMALL, "the word");
    sheet.text((490, 54), SMALL, "its part of the mixture");
    for (row, word) in WORDS.into_iter().enumerate() {
        let (y, weight) = (68 + 34 * row as i32, weights[row]);
        sheet.text((80, y + 13), NORMAL.ending(), word);
        sheet.cell((90, y), (64, 26), &Cell::Weight(weight, four(weight)));
        sheet.text((168, y + 13), NORMAL, "×");
        sheet.matrix((183, y), (54, 26), (1, 3), |_, column| {
            Cell::Number(PLAIN, two(numbers.inputs[[row, column]]))
        });
        sheet.text((363, y + 13), NORMAL, "=");
        sheet.matrix((382, y), (72, 26), (1, 3), |_, column| {
            Cell::Number(PLAIN, four(weight * numbers.inputs[[row, column]]))
        });
    }
    for column in 0..3 {
        let x = 418 + 72 * column;
        sheet.arrow(CONTEXT, &[(x, 266), (x, 292)]);
    }
    sheet.text((372, 279), SMALL.ending(), "each column added up");
    sheet.text(
        (372, 309),
        BOLD.ending(),
        "context vector of journey  z^{(2)}",
    );
    sheet.matrix((382, 294), (72, 32), (1, 3), |_, column| {
        Cell::Number(CONTEXT, four(context[column]))
    });
    sheet
}

/// A comma-separated list, for a description.
pub fn listed(numbers: impl Iterator<Item = String>) -> String {
    numbers.collect::<Vec<String>>().join(", ")
}
