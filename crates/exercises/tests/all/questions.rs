//! The answers to the questions for a test, recomputed or compared with the outputs stored in the
//! lessons.

use attention::prelude::*;
use serde_json::Value;
use std::fs;

/// The numbered items of a section of the page, in order.
fn items(section: &str) -> Vec<String> {
    let page = fs::read_to_string("../../classroom/questions.md").expect("a page");
    let (_, text) = page
        .split_once(&format!("\n## {section}\n"))
        .expect(section);
    let text = text.split("\n## ").next().unwrap_or_default();
    let mut items: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let next = format!("{}. ", items.len() + 1);
        match line.strip_prefix(&next) {
            Some(first) => items.push(first.to_owned()),
            None => items.iter_mut().last().into_iter().for_each(|item| {
                *item += " ";
                *item += line.trim();
            }),
        }
    }
    items
}

/// A number with at most this many decimals, as the page writes it: 0.25 and 0.333.
fn decimals(most: usize, number: f64) -> String {
    let text = format!("{number:.most$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

fn all(most: usize, numbers: impl IntoIterator<Item = f64>) -> Vec<String> {
    numbers
        .into_iter()
        .map(|number| decimals(most, number))
        .collect()
}

/// All texts among the stored outputs of a lesson.
fn outputs(lesson: &str) -> String {
    let file = format!("../../notebooks/{lesson}.ipynb");
    let notebook: Value =
        serde_json::from_str(&fs::read_to_string(file).expect("a lesson")).expect("JSON");
    let cells = notebook["cells"].as_array().expect("cells").iter();
    let outputs = cells
        .filter_map(|cell| cell["outputs"].as_array())
        .flatten();
    let texts = outputs.map(|output| {
        let text = output.get("text").unwrap_or(&output["data"]["text/plain"]);
        let lines = text.as_array().into_iter().flatten();
        lines.filter_map(Value::as_str).collect::<String>() + "\n"
    });
    texts.collect()
}

/// What the answer to each question must contain.
fn computed() -> Vec<Vec<String>> {
    let plain = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    let same =
        |a: &Array1<f64>, b: &Array1<f64>| (a - b).iter().all(|difference| difference.abs() < 1e-9);
    let row = array![2.0, 1.0, 0.5];

    let scores_of_1 = scores(
        &array![1.0, 2.0],
        &array![[3.0, 0.0], [1.0, 1.0], [0.0, 2.0]],
    );
    let context_of_3 = context(
        &array![0.5, 0.25, 0.25],
        &array![[4.0, 0.0], [0.0, 4.0], [8.0, 8.0]],
    );
    let shifted = same(&softmax(&row), &softmax(&(&row + 5.0)));
    let doubled = same(&softmax(&row), &softmax(&(&row * 2.0)));
    assert!(shifted && !doubled);
    let visible = |mask: &Array2<bool>| mask.iter().filter(|sees| **sees).count() as f64;
    let weights_of_6 = array![
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [0.2, 0.3, 0.1, 0.4]
    ];
    let rescaled = renormalise(&weights_of_6, &causal_mask(4).slice(s![..3, ..]).to_owned());
    assert!(same(
        &softmax(&array![0.0, 0.0, 0.0]),
        &Array1::from_elem(3, 1.0 / 3.0)
    ));
    let words = array![[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.7, 0.2]];
    let noise = |width| numpy::RandomState::new(1).randn((400, width));
    let spread = variance(
        &scores(&noise(64), &numpy::RandomState::new(2).randn((400, 64))),
        0,
    );
    assert!((spread.sqrt() - 8.0).abs() < 0.3, "{spread}");
    let back = |weights: Array1<f64>| softmax_backward(&array![-1.0, 0.0], &weights);
    let averages = average_so_far(&array![[[3.0_f32], [5.0], [10.0]]]);
    let window = Array2::from_shape_fn((6, 6), |(t, s)| s <= t && t - s < 3);
    let costs = [2.0_f64, 4.0, 8.0].map(f64::ln);
    let steps = online_softmax(&array![1.0_f32, 3.0, 2.0], 1);
    let kept = steps
        .iter()
        .map(|step| format!("({}, {})", step.max, decimals(3, step.sum.into())));
    let tiles = flash_tiles(512, 512, 64, true);
    let chosen = softmax(&(array![2.0, 1.0, f64::NEG_INFINITY] / 0.5));
    let of_token = 30 * 2 * 3 * 64 * 4;

    vec![
        vec![all(0, scores_of_1).join(", ").replacen(", 4", " and 4", 1)],
        all(3, softmax(&array![0.0, 0.0, 2_f64.ln()])),
        vec![format!("({})", all(3, context_of_3).join(", "))],
        plain(&["(a) False", "(b) True", "(c) False", "(d) False"]),
        vec![decimals(0, visible(&causal_mask(4)))],
        all(3, rescaled.row(2).iter().copied()),
        plain(&["1/3, 1/3 and 1/3", "1, 0 and 0"]),
        vec![decimals(3, 0.3 / 0.75)],
        all(2, [64.0 / 8.0, (64.0_f64 / 8.0).sqrt()]),
        all(
            1,
            [words[[2, 1]]].into_iter().chain(words.sum_axis(Axis(0))),
        ),
        plain(&["(4, 4)", "(4, 7)"]),
        all(3, [8.0, 8_f64.exp().round(), 1_f64.exp()]),
        all(3, softmax(&array![3.0, 2.0])),
        [
            all(4, back(array![0.5, 0.5])),
            all(4, back(array![0.01, 0.99])),
        ]
        .concat(),
        all(0, averages.iter().map(|average| f64::from(*average))),
        vec![decimals(2, 1.0 / 16_f64.sqrt())],
        all(0, [visible(&window), visible(&causal_mask(6))]),
        all(
            3,
            costs.into_iter().chain([costs.iter().sum::<f64>() / 3.0]),
        ),
        vec![decimals(2, 50_f64.ln())],
        plain(&["it cheats"]),
        plain(&["The second"]),
        kept.collect(),
        all(0, [tiles.len() as f64, f64::from(tiles.sum())]),
        plain(&["(a) False", "(b) False", "(c) True"]),
        plain(&["0.06"]),
        plain(&["0.32", "0.15"]),
        plain(&["Head 0.5 is needed"]),
        all(3, chosen),
        vec![of_token.to_string(), format!("{} MB", of_token / 1000)],
        plain(&["rest on the first token"]),
    ]
}

/// Questions whose text or answer quotes a lesson: the question's number, the lesson, and the lines
/// of its outputs that are quoted.
const QUOTED: [(usize, &str, &[&str]); 6] = [
    (
        20,
        "05_language_model",
        &[
            "position 1: 2.24",
            "position 7: 2.18",
            "position 8: 3.84",
            "unigram: 3.35",
        ],
    ),
    (
        25,
        "07_trained_model",
        &["[CLS]: weight 0.89, contribution 0.11", "[CLS]: 0.06"],
    ),
    (
        26,
        "07_trained_model",
        &["head 3.1: 0.69 from it", "wide: animal 0.323, street 0.148"],
    ),
    (
        27,
        "08_translation",
        &["all heads on: 0.043", "[0.0501,", "0.9236"],
    ),
    (29, "09_model_that_writes", &["a token: 46080 bytes"]),
    (
        30,
        "10_what_the_heads_do",
        &["last  32: 4.64, and token 0: 3.33"],
    ),
];

#[test]
fn every_question_has_an_answer_and_the_answers_are_right() {
    let (questions, answers, computed) = (items("Questions"), items("Answers"), computed());
    assert_eq!((questions.len(), answers.len()), (30, computed.len()));
    for (place, (answer, parts)) in answers.iter().zip(computed).enumerate() {
        for part in parts {
            assert!(
                answer.contains(&part),
                "{}: {part} is not in {answer}",
                place + 1
            );
        }
    }
}

#[test]
fn what_a_question_quotes_is_what_the_lesson_printed() {
    for (number, lesson, printed) in QUOTED {
        let outputs = outputs(lesson);
        for text in printed {
            assert!(
                outputs.contains(text),
                "{number}: {lesson} did not print {text}"
            );
        }
    }
}
