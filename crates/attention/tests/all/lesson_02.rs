//! The results of lesson 02, "Who attends to whom?", compared with golden/lesson_02.json.

use crate::common::Golden;
use attention::prelude::*;

const ENGLISH: [&str; 4] = ["nah", "I", "d", "win"];
const JAPANESE: [&str; 3] = ["いいえ", "勝つ", "さ"];

/// Asks three questions about the matrix called `name`, and compares the answers and the row sums
/// with the golden ones.
#[track_caller]
fn check(name: &str, keys: &[&str], questions: [(&str, &str); 3]) {
    let golden = |part: &str| {
        let lesson = Golden::parse(include_str!("../golden/lesson_02.json"));
        lesson.at(&["values", &format!("{name}.{part}")])
    };
    let weights = golden("softmax_qk").matrix_f64();
    let answers = questions.map(|(query, key)| {
        let answer = attends(&weights, &ENGLISH, keys, query, key);
        answer.expect("both tokens exist").to_string()
    });
    assert_eq!(answers.to_vec(), golden("printed").lines());
    let sums = weights.sum_axis(Axis(1));
    assert_eq!(show(&sums), show(&Array1::from(golden("sum").values())));
}

#[test]
fn self_attention() {
    check("self", &ENGLISH, [("I", "win"), ("win", "I"), ("d", "nah")]);
}

#[test]
fn causal_attention() {
    check(
        "causal",
        &ENGLISH,
        [("I", "win"), ("win", "I"), ("d", "nah")],
    );
}

#[test]
fn cross_attention_with_japanese_keys() {
    let questions = [("I", "いいえ"), ("win", "勝つ"), ("I", "勝つ")];
    check("cross", &JAPANESE, questions);
}
