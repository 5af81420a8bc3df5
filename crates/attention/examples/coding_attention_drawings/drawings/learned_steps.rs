//! The three steps for one word again, now with query, keys and values.

use super::journey_alone::{listed, shares};
use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::{JOURNEY, Numbers, WORDS, four};
use super::sheet::{CONTEXT, Cell, KEY, PLAIN, QUERY, Sheet, VALUE, WEIGHT};
use attention::dot_product::softmax;

/// The query fans out to all keys.
pub fn scores(numbers: &Numbers) -> Sheet {
    let (query, scores) = (numbers.q.row(JOURNEY), numbers.learned.scores.row(JOURNEY));
    let mut sheet = Sheet::new(
        (740, 372),
        "The query of journey meets the key of every word",
        &format!(
            "On the left the query of journey, two numbers in blue. Arrows lead to six keys, \
             two numbers in orange each. Behind each key stand the score and a bar: {}. Below, \
             the score of journey with itself is worked out.",
            listed(scores.iter().map(|score| four(*score)))
        ),
    );
    sheet.text((81, 164), BOLD, "query of journey");
    sheet.matrix((16, 178), (65, 30), (1, 2), |_, i| {
        Cell::Number(QUERY, four(query[i]))
    });
    sheet.text((395, 52), SMALL, "keys");
    sheet.text((536, 52), SMALL, "scores");
    for (word, name) in WORDS.into_iter().enumerate() {
        let y = 82 + 44 * word as i32;
        sheet.arrow(QUERY, &[(150, 193), (254, y)]);
        sheet.text((316, y), NORMAL.ending(), name);
        sheet.matrix((330, y - 15), (65, 30), (1, 2), |_, i| {
            Cell::Number(KEY, four(numbers.k[[word, i]]))
        });
        sheet.text((480, y), NORMAL, "→");
        sheet.cell(
            (500, y - 15),
            (72, 30),
            &Cell::Number(PLAIN, four(scores[word])),
        );
        sheet.bar((582, y - 9), ((scores[word] * 76.0) as i32, 18), PLAIN);
    }
    sheet.frame((325, 106), (402, 40), QUERY);
    let term = |i: usize| format!("{}·{}", four(query[i]), four(numbers.k[[JOURNEY, i]]));
    let sum = format!("{} + {} = {}", term(0), term(1), four(scores[JOURNEY]));
    sheet.text((370, 350), NORMAL, &format!("Framed: {sum}"));
    sheet
}

/// Scores divided by a square root, the softmax, and what happens without the division.
pub fn weights(numbers: &Numbers) -> Sheet {
    let scores = numbers.learned.scores.row(JOURNEY).to_owned();
    let scaled = &scores / 2.0_f32.sqrt();
    let weights = softmax(&scaled);
    let mut sheet = Sheet::new(
        (740, 398),
        "From scores to weights: scale down, then share out",
        &format!(
            "A table with a column for each word and three rows: the scores; the scores divided \
             by the square root of 2; the weights: {}. Below, three bars of 100 percent: divided, the \
             shares are rather even; not divided, a little less; with scores ten times as \
             large, two words take nearly everything.",
            listed(weights.iter().map(|weight| four(*weight)))
        ),
    );
    for (column, word) in WORDS.into_iter().enumerate() {
        let x = 150 + 96 * column as i32;
        sheet.text((x + 42, 54), BOLD, word);
        sheet.cell(
            (x, 68),
            (84, 30),
            &Cell::Number(PLAIN, four(scores[column])),
        );
        sheet.arrow(PLAIN, &[(x + 42, 99), (x + 42, 121)]);
        sheet.cell(
            (x, 123),
            (84, 30),
            &Cell::Number(PLAIN, four(scaled[column])),
        );
        sheet.arrow(PLAIN, &[(x + 42, 154), (x + 42, 176)]);
        let weight = weights[column];
        sheet.cell((x, 178), (84, 30), &Cell::Weight(weight, four(weight)));
    }
    let names = [(83, "score"), (138, "scaled score"), (193, "weight")];
    for (y, name) in names {
        sheet.text((138, y), NORMAL.ending(), name);
    }
    sheet.text((138, 110), SMALL.grey().ending(), "÷ √2");
    sheet.text((138, 165), SMALL.grey().ending(), "softmax");
    sheet.text(
        (432, 232),
        SMALL,
        "Why we divide: the shares of the six words, in the same order",
    );
    let bars = [
        ("divided by √2", weights),
        ("not divided", softmax(&scores)),
        ("scores × 10", softmax(&(&scores * 10.0))),
    ];
    for (row, (name, weights)) in bars.into_iter().enumerate() {
        let y = 248 + 32 * row as i32;
        sheet.text((138, y + 12), NORMAL.ending(), name);
        shares(
            &mut sheet,
            (150, y),
            (564, 24),
            weights.as_slice().unwrap_or(&[]),
            false,
        );
    }
    let reason =
        "Divided by √2 because a key has 2 numbers. With hundreds of numbers, scores grow much";
    sheet.text((370, 358), NORMAL, reason);
    sheet.text(
        (370, 377),
        NORMAL,
        "larger: undivided, they would give nearly all the weight to one or two words.",
    );
    sheet
}

/// Values flow into the context in proportion to their weights.
pub fn context(numbers: &Numbers) -> Sheet {
    let weights = numbers.learned.weights.row(JOURNEY);
    let context = numbers.learned.context.row(JOURNEY);
    let mut sheet = Sheet::new(
        (740, 344),
        "The values are mixed, each in proportion to its weight",
        &format!(
            "Six words, each with its value, two numbers in green, and its weight in yellow. \
             From each weight a line as wide as the weight leads down to the context vector of \
             journey, in purple: {}.",
            listed(context.iter().map(|number| four(*number)))
        ),
    );
    let x = |word: usize| 110 + 114 * word as i32;
    for (word, name) in WORDS.into_iter().enumerate() {
        let weight = weights[word];
        sheet.strand(WEIGHT, 50.0 * weight, (x(word), 188), (385, 282));
        sheet.text((x(word), 52), BOLD, name);
        sheet.matrix((x(word) - 36, 66), (72, 28), (2, 1), |i, _| {
            Cell::Number(VALUE, four(numbers.v[[word, i]]))
        });
        sheet.text((x(word), 141), NORMAL, "×");
        sheet.cell(
            (x(word) - 36, 158),
            (72, 30),
            &Cell::Weight(weight, four(weight)),
        );
    }
    sheet.text((16, 94), SMALL.starting(), "value");
    sheet.text((16, 173), SMALL.starting(), "weight");
    sheet.matrix((309, 282), (76, 34), (1, 2), |_, i| {
        Cell::Number(CONTEXT, four(context[i]))
    });
    sheet.text((295, 299), BOLD.ending(), "context of journey");
    sheet.text((475, 299), NORMAL.starting(), "= all six, added up");
    sheet
}
