//! Three matrices that a model learns, and how the numbers pass through them.

use super::block::Block;
use super::look::{BOLD, NORMAL, SMALL};
use super::numbers::{JOURNEY, Numbers, WORDS, four, two};
use super::sheet::{CONTEXT, Cell, KEY, PLAIN, QUERY, Sheet, VALUE, WEIGHT};
use attention::figures::scene::Role;

/// The name, colour and purpose of each matrix.
const ROLES: [(&str, Role, &str); 3] = [
    ("query", QUERY, "what journey looks for"),
    ("key", KEY, "what journey is found by"),
    ("value", VALUE, "what journey passes on"),
];

/// The mechanism without and with the three matrices.
pub fn where_learning_enters() -> Sheet {
    let mut sheet = Sheet::new(
        (740, 420),
        "Where learning comes in",
        "Two diagrams of the same mechanism. So far: the inputs go three times, unchanged, into \
         compare, compare and mix. Now: on each of the three ways stands a matrix that is \
         learned, and its results are called query, key and value. The rest, scores, softmax, \
         mixing, stays the same.",
    );
    mechanism(&mut sheet, 44, false);
    mechanism(&mut sheet, 236, true);
    sheet
}

/// One diagram from `y` downwards.
fn mechanism(sheet: &mut Sheet, y: i32, learned: bool) {
    let heading = if learned {
        "Now: three learned matrices"
    } else {
        "So far: nothing to learn"
    };
    sheet.text((16, y + 8), BOLD.starting(), heading);
    sheet.boxed((16, y + 78), (82, 36), PLAIN, &["inputs"]);
    for (index, (name, kind, _)) in ROLES.into_iter().enumerate() {
        let middle = y + 42 + 54 * index as i32;
        let kind = if learned { kind } else { PLAIN };
        sheet.line(
            PLAIN,
            &[(98, y + 96), (118, y + 96), (118, middle), (130, middle)],
        );
        if learned {
            let matrix = format!("W_{{{}}}", &name[..1]);
            sheet.arrow(PLAIN, &[(118, middle), (140, middle)]);
            sheet.boxed((142, middle - 18), (60, 36), kind, &[&matrix]);
            sheet.arrow(kind, &[(203, middle), (238, middle)]);
            sheet.boxed((240, middle - 18), (72, 36), kind, &[name]);
        } else {
            sheet.line(PLAIN, &[(130, middle), (240, middle)]);
            sheet.text((276, middle), NORMAL, "the same");
        }
    }
    let [q, k, v] = if learned {
        [QUERY, KEY, VALUE]
    } else {
        [PLAIN; 3]
    };
    sheet.arrow(
        q,
        &[(313, y + 42), (346, y + 42), (346, y + 61), (374, y + 61)],
    );
    sheet.arrow(
        k,
        &[(313, y + 96), (346, y + 96), (346, y + 77), (374, y + 77)],
    );
    sheet.boxed((376, y + 46), (82, 46), PLAIN, &["scores", "compare"]);
    sheet.arrow(PLAIN, &[(459, y + 69), (490, y + 69)]);
    sheet.boxed((492, y + 46), (86, 46), WEIGHT, &["weights", "softmax"]);
    sheet.arrow(WEIGHT, &[(579, y + 69), (668, y + 69), (668, y + 86)]);
    sheet.arrow(v, &[(313, y + 150), (668, y + 150), (668, y + 130)]);
    sheet.boxed((612, y + 88), (112, 40), CONTEXT, &["contexts", "mix"]);
}

/// The numbers of one word times each matrix.
pub fn projections(numbers: &Numbers) -> Sheet {
    let results = [&numbers.q, &numbers.k, &numbers.v].map(|matrix| matrix.row(JOURNEY));
    let mut sheet = Sheet::new(
        (740, 392),
        "One word, three roles: query, key and value",
        "The three numbers of journey, three times, each time multiplied by another matrix of \
         three by two numbers. The results are two numbers each: the query in blue, the key in \
         orange, the value in green. Below, the first number of the query is worked out.",
    );
    let matrices = [
        &numbers.matrices.w_query,
        &numbers.matrices.w_key,
        &numbers.matrices.w_value,
    ];
    sheet.text((94, 52), SMALL, "journey");
    sheet.text((286, 52), SMALL, "learned matrix (here still random)");
    for (index, (name, kind, meaning)) in ROLES.into_iter().enumerate() {
        let y = 70 + 98 * index as i32;
        sheet.matrix((16, y + 26), (52, 26), (1, 3), |_, column| {
            Cell::Number(PLAIN, two(numbers.inputs[[JOURNEY, column]]))
        });
        sheet.text((188, y + 39), NORMAL, "×");
        sheet.text((212, y + 39), BOLD, &format!("W_{{{}}}", &name[..1]));
        sheet.matrix((232, y), (66, 26), (3, 2), |row, column| {
            Cell::Number(kind, four(matrices[index][[row, column]]))
        });
        sheet.text((382, y + 39), NORMAL, "=");
        sheet.matrix((402, y + 24), (72, 30), (1, 2), |_, column| {
            Cell::Number(kind, four(results[index][column]))
        });
        sheet.text((560, y + 30), BOLD.starting(), name);
        sheet.text((560, y + 48), SMALL.starting(), meaning);
    }
    let term = |i: usize| {
        let (number, weight) = (
            numbers.inputs[[JOURNEY, i]],
            numbers.matrices.w_query[[i, 0]],
        );
        format!("{}·{}", two(number), four(weight))
    };
    let sum = format!(
        "{} + {} + {} = {}",
        term(0),
        term(1),
        term(2),
        four(results[0][0])
    );
    sheet.text(
        (370, 372),
        NORMAL,
        &format!("First number of the query: {sum}"),
    );
    sheet
}

/// From the inputs to the contexts of all words, as colours.
pub fn whole_way(numbers: &Numbers) -> Sheet {
    let mut sheet = Sheet::new(
        (690, 446),
        "From inputs to contexts, for all words at once",
        "The inputs X, six by three, go through three matrices of three by two and become Q, K \
         and V, six by two each. Q and K give the scores, six by six; divided by the square root of \
         2 and through a softmax they become the weights, six by six. Weights times V are the \
         contexts Z, six by two. The row of journey is framed all along.",
    );
    let w = &numbers.matrices;
    let inputs = Block("X", PLAIN, "6 × 3", &numbers.inputs);
    inputs.draw(&mut sheet, (24, 192), Some(JOURNEY));
    let rows = [
        (QUERY, ["W_{q}", "Q"], &w.w_query, &numbers.q),
        (KEY, ["W_{k}", "K"], &w.w_key, &numbers.k),
        (VALUE, ["W_{v}", "V"], &w.w_value, &numbers.v),
    ];
    for (index, (kind, [matrix_name, name], matrix, result)) in rows.into_iter().enumerate() {
        let y = 62 + 130 * index as i32;
        let middle = y + 42;
        let way = [(86, 234), (112, 234), (112, middle), (138, middle)];
        sheet.arrow(
            PLAIN,
            if index == 1 {
                &[(86, 234), (138, 234)]
            } else {
                &way
            },
        );
        Block(matrix_name, kind, "3 × 2", matrix).draw(&mut sheet, (140, middle - 21), None);
        sheet.arrow(kind, &[(182, middle), (218, middle)]);
        Block(name, kind, "6 × 2", result).draw(&mut sheet, (220, y), Some(JOURNEY));
    }
    let Numbers { learned, .. } = numbers;
    let scores = Block("scores = Q K^{T}", PLAIN, "6 × 6", &learned.scores);
    scores.draw(&mut sheet, (336, 122), Some(JOURNEY));
    sheet.arrow(QUERY, &[(262, 104), (300, 104), (300, 152), (334, 152)]);
    sheet.arrow(KEY, &[(262, 234), (300, 234), (300, 176), (334, 176)]);
    let weights = Block("weights", WEIGHT, "6 × 6", &learned.weights);
    weights.draw(&mut sheet, (548, 122), Some(JOURNEY));
    sheet.arrow(PLAIN, &[(458, 164), (546, 164)]);
    sheet.text((502, 149), SMALL, "÷ √2,");
    sheet.text((502, 180), SMALL, "softmax");
    let contexts = Block("Z = weights × V", CONTEXT, "6 × 2", &learned.context);
    contexts.draw(&mut sheet, (588, 322), Some(JOURNEY));
    sheet.arrow(VALUE, &[(262, 364), (586, 364)]);
    sheet.arrow(WEIGHT, &[(608, 226), (608, 296)]);
    sheet.text(
        (424, 422),
        SMALL,
        &format!("Each row is a word; framed: {}.", WORDS[JOURNEY]),
    );
    sheet
}
