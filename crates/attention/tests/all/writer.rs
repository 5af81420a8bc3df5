//! The model that writes, compared with PyTorch: `golden/writer.json`.
//!
//! The model's file is downloaded once. If that is impossible, the tests print a notice;
//! if `ATTENTION_NOTEBOOKS_MODEL` is set, as in CI, they fail.

use crate::common::{refusal, trained};
use attention::Error;
use attention::ndarray::{Array1, Array2, Array4, Axis, s};
use attention::writer::{Writer, rotary, unpack_q4_1, unpack_q8_0, writer};
use serde_json::Value;
use std::sync::OnceLock;

/// Permitted difference from PyTorch. Two implementations in f32 agree on logits, which reach 40, to
/// about 1e-4.
const LOGITS: f32 = 2e-4;
const WEIGHTS: f32 = 2e-5;

fn golden() -> &'static Value {
    static GOLDEN: OnceLock<Value> = OnceLock::new();
    let read = || serde_json::from_str(include_str!("../golden/writer.json")).expect("JSON");
    GOLDEN.get_or_init(read)
}

fn model() -> Option<&'static Writer> {
    static MODEL: OnceLock<Option<Writer>> = OnceLock::new();
    MODEL.get_or_init(|| trained(writer())).as_ref()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn numbers(value: &Value) -> Vec<f32> {
    let number = |value: &Value| value.as_f64().expect("a number") as f32;
    list(value).iter().map(number).collect()
}

fn ids(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).expect("ids")
}

/// The largest difference between `theirs` and as many of our first numbers.
#[track_caller]
fn apart<'a>(ours: impl IntoIterator<Item = &'a f32>, theirs: &[f32]) -> f32 {
    let mut ours = ours.into_iter();
    let apart = theirs
        .iter()
        .map(|theirs| (ours.next().expect("a number") - theirs).abs());
    apart.fold(0.0, f32::max)
}

#[test]
fn blocks_are_unpacked_exactly() {
    for block in list(&golden()["blocks"]) {
        let hex = block["hex"].as_str().expect("bytes").as_bytes();
        let digit = |digit: u8| (digit as char).to_digit(16).expect("a digit") as u8;
        let bytes: Vec<u8> = hex
            .chunks(2)
            .map(|two| digit(two[0]) * 16 + digit(two[1]))
            .collect();
        let ours = match block["type"].as_str() {
            Some("Q4_1") => unpack_q4_1(&bytes.try_into().expect("20 bytes")),
            _ => unpack_q8_0(&bytes.try_into().expect("34 bytes")),
        };
        assert_eq!(
            ours.to_vec(),
            numbers(&block["numbers"]),
            "{}",
            block["tensor"]
        );
    }
}

#[test]
fn tokens_are_those_of_the_reference_in_both_readings() {
    let Some(model) = model() else { return };
    for case in list(&golden()["texts"]) {
        let text = case["text"].as_str().expect("a text");
        let with_marks = ids(&case["ids"]);
        assert_eq!(model.pieces.encode_with_marks(text), with_marks, "{text:?}");
        let as_text = case.get("ids_specials_as_text").map_or(with_marks, ids);
        assert_eq!(model.pieces.encode(text), as_text, "{text:?}");
    }
}

#[test]
fn every_step_of_the_first_block_is_that_of_the_reference() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let steps = &golden()["steps_block0"];
    let reading = model.read(&ids(&steps["ids"]))?;
    let last = |numbers: &attention::ndarray::Array4<f32>, head: usize| {
        numbers.slice(s![0, head, -1.., ..]).to_owned()
    };
    let turned = |numbers: Array2<f32>| rotary(&numbers, &[4], 100_000.0);
    // The last token's scores: three heads share a key.
    let scores = |head: usize| {
        let keys = reading.keys.slice(s![0, head / 3, .., ..]).to_owned();
        let keys = rotary(&keys, &[0, 1, 2, 3, 4], 100_000.0);
        turned(last(&reading.queries, head)).dot(&keys.t()) / 8.0
    };
    let weights: Array2<f32> = reading.weights.slice(s![0, 0, -1.., ..]).to_owned();
    for (name, ours) in [
        (
            "embedding",
            reading.hidden.slice(s![0, -1.., ..]).to_owned(),
        ),
        ("q_head0", last(&reading.queries, 0)),
        ("q_head0_rotated", turned(last(&reading.queries, 0))),
        ("q_head8_rotated", turned(last(&reading.queries, 8))),
        ("k_head0", last(&reading.keys, 0)),
        ("k_head0_rotated", turned(last(&reading.keys, 0))),
        ("k_head2_rotated", turned(last(&reading.keys, 2))),
        ("v_head0", last(&reading.values, 0)),
        ("scores_head0", scores(0)),
        ("scores_head8", scores(8)),
        (
            "mixed_head0",
            weights.dot(&reading.values.slice(s![0, 0, .., ..]).to_owned()),
        ),
        ("attention_head0", weights),
        (
            "after_block",
            reading.hidden.slice(s![1, -1.., ..]).to_owned(),
        ),
    ] {
        let apart = apart(&ours, &numbers(&steps[name]));
        assert!(apart < 1e-5, "{name}: {apart:e}");
    }
    Ok(())
}

#[test]
fn logits_of_every_token_are_those_of_the_reference() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let mut largest = 0.0_f32;
    for prompt in list(&golden()["prompts"]) {
        let reading = model.read(&ids(&prompt["ids"]))?;
        let top20 = list(&prompt["top20"])
            .iter()
            .zip(numbers(&prompt["log_sum_exp"]));
        for (place, (top, sum)) in top20.enumerate() {
            let next = reading.lens(30, place);
            for (token, logit) in ids(&top["ids"]).into_iter().zip(numbers(&top["logits"])) {
                let ours = next.logits[next.rank(token) - 1];
                largest = largest.max((ours - logit).abs());
                let probability = (logit - sum).exp();
                assert!(
                    (next.probability(token) - probability).abs() < 1e-4,
                    "{}",
                    prompt["name"]
                );
            }
        }
    }
    println!("largest difference of logits: {largest:e}");
    assert!(largest < LOGITS, "{largest:e}");
    Ok(())
}

#[test]
fn weights_of_all_heads_are_those_of_the_reference() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let mut largest = 0.0_f32;
    for prompt in list(&golden()["prompts"]) {
        let reading = model.read(&ids(&prompt["ids"]))?;
        for (name, rows) in prompt["attention"].as_object().expect("heads") {
            let (layer, head) = name.split_once('.').expect("layer.head");
            let ours = reading.head(layer.parse().expect("a number"), head.parse().expect("one"));
            for (ours, row) in ours.outer_iter().zip(list(rows)) {
                let row = numbers(row);
                largest = largest.max(apart(ours, &row));
                assert_eq!(
                    ours.slice(s![row.len()..]).sum(),
                    0.0,
                    "the future of {name}"
                );
            }
        }
        let squares = reading.weights.map(|weight| weight * weight);
        let sums = squares.sum_axis(Axis(3)).sum_axis(Axis(2));
        for (ours, theirs) in sums
            .outer_iter()
            .zip(list(&prompt["attention_sum_of_squares"]))
        {
            assert!(apart(ours, &numbers(theirs)) < 2e-4, "{}", prompt["name"]);
        }
    }
    println!("largest difference of weights: {largest:e}");
    assert!(largest < WEIGHTS, "{largest:e}");
    Ok(())
}

#[test]
fn the_residual_stream_and_the_values_are_those_of_the_reference() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    for prompt in list(&golden()["prompts"]) {
        let reading = model.read(&ids(&prompt["ids"]))?;
        let lengths = reading.residual_lengths();
        for (ours, theirs) in lengths.outer_iter().zip(list(&prompt["residual_norm"])) {
            for (ours, theirs) in ours.iter().zip(numbers(theirs)) {
                assert!((ours / theirs - 1.0).abs() < 1e-4, "{ours} {theirs}");
            }
        }
        for (blocks, first) in prompt["residual_first8_last_token"]
            .as_object()
            .expect("blocks")
        {
            let blocks: usize = blocks.parse().expect("a number");
            let apart = apart(reading.hidden.slice(s![blocks, -1, ..]), &numbers(first));
            assert!(apart < 2e-4, "after {blocks} blocks: {apart:e}");
        }
        let lengths = reading.values.map_axis(Axis(3), |v| v.dot(&v).sqrt());
        let theirs = list(&prompt["value_norm_by_layer_kvhead_token"]);
        assert_eq!(theirs.len(), 3);
        for (layer, groups) in [0, 12, 18].into_iter().zip(theirs) {
            for (group, theirs) in list(groups).iter().enumerate() {
                let ours = lengths.slice(s![layer, group, ..]);
                for (ours, theirs) in ours.iter().zip(numbers(theirs)) {
                    assert!((ours / theirs - 1.0).abs() < 1e-4, "{ours} {theirs}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn greedy_continuations_are_those_of_the_reference() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    for prompt in list(&golden()["prompts"]) {
        let tokens = ids(&prompt["ids"]);
        let mut draft = model.draft(&tokens)?;
        for _ in 0..24 {
            draft.push(draft.next_token().best())?; // also past the mark that ends an answer
        }
        let new = &draft.tokens()[tokens.len()..];
        assert_eq!(new, ids(&prompt["greedy"]), "{}", prompt["name"]);
        assert_eq!(
            model.pieces.decode(new),
            prompt["greedy_text"].as_str().expect("a text")
        );
    }
    assert_eq!(model.write("The capital of France is", 2)?, " Paris.");
    Ok(())
}

#[test]
fn the_lens_finds_paris_where_the_reference_does() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    for prompt in list(&golden()["prompts"]) {
        let reading = model.read(&ids(&prompt["ids"]))?;
        let (answer, place) = (ids(&prompt["greedy"])[0], reading.tokens.len() - 1);
        for (blocks, theirs) in ids(&prompt["lens_rank_of_greedy_first"])
            .into_iter()
            .enumerate()
        {
            let ours = reading.lens(blocks, place).rank(answer);
            // Far down the ranking, neighbouring logits hardly differ.
            let room = if theirs < 10 {
                0
            } else {
                (theirs / 100).max(1)
            };
            assert!(ours.abs_diff(theirs) <= room, "{blocks}: {ours} {theirs}");
        }
    }
    Ok(())
}

/// The mean of the losses from this place on.
fn loss_from(model: &Writer, tokens: &[usize], place: usize) -> f32 {
    let losses = model.losses(tokens).expect("a text");
    losses.slice(s![place..]).mean().expect("some tokens")
}

#[test]
fn losses_of_the_story_are_those_of_the_reference_also_through_a_window() {
    let Some(model) = model() else { return };
    let story = &golden()["story"];
    let tokens = ids(&story["ids"]);
    assert_eq!(
        model.pieces.encode(story["text"].as_str().expect("a text")),
        tokens
    );
    let losses = model.losses(&tokens).expect("a text");
    let apart = apart(&losses, &numbers(&story["loss_by_place"]));
    assert!(apart < 1e-3, "{apart:e}");
    for (name, first) in [("last 16, first 0", 0), ("last 16, first 1", 1)] {
        let near = model.looking(move |query, key| key < first || query - key < 16);
        let ours = loss_from(&near, &tokens, 64);
        let theirs = story["window"][name].as_f64().expect("a number") as f32;
        assert!((ours - theirs).abs() < 2e-3, "{name}: {ours} {theirs}");
    }
}

/// The score of a head's mean query for its mean key, for each distance between them.
#[test]
fn scores_by_distance_are_those_of_the_reference() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let reading = model.read(&ids(&golden()["story"]["ids"]))?;
    for (name, layer, head) in [("16.0", 16, 0), ("18.6", 18, 6)] {
        let mean = |all: &Array4<f32>, head: usize| {
            let of_head = all.slice(s![layer, head, 1..200, ..]);
            of_head
                .mean_axis(Axis(0))
                .expect("tokens")
                .insert_axis(Axis(0))
        };
        let (q, k) = (mean(&reading.queries, head), mean(&reading.keys, head / 3));
        for (distance, theirs) in numbers(&golden()["rotary_curve"][name]).iter().enumerate() {
            let ours = rotary(&q, &[distance], 100_000.0).row(0).dot(&k.row(0)) / 8.0;
            assert!(
                (ours - theirs).abs() < 1e-3,
                "{name}, {distance}: {ours} {theirs}"
            );
        }
    }
    Ok(())
}

#[test]
fn five_heads_off_and_copying_is_gone_as_in_the_reference() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let words = &golden()["twelve_words"];
    let tokens = ids(&words["ids"]);
    let number = |of: &Value, name: &str| of[name].as_f64().expect("a number") as f32;
    let second = |model: &Writer| loss_from(model, &tokens, 13);
    let five = [(18, 6), (17, 3), (17, 4), (17, 5), (18, 7)];
    let (all_on, five_off) = (second(model), second(&model.without_heads(&five)));
    assert!(
        (all_on - number(words, "loss_second_from_its_2nd")).abs() < 1e-3,
        "{all_on}"
    );
    assert!(
        (five_off - number(&words["five_off"], "loss_second_from_its_2nd")).abs() < 1e-3,
        "{five_off}"
    );
    let reading = model.read(&tokens)?;
    for (layer, heads) in list(&words["induction_score"]).iter().enumerate() {
        for (head, theirs) in numbers(heads).into_iter().enumerate() {
            let weights = reading.head(layer, head);
            let scores: Array1<f32> = (13..25).map(|t| weights[[t, t - 11]]).collect();
            let ours = scores.mean().expect("twelve places");
            assert!(
                (ours - theirs).abs() < 1e-4,
                "{layer}.{head}: {ours} {theirs}"
            );
        }
    }
    Ok(())
}

#[test]
fn positions_may_be_moved_but_not_doubled() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let tokens = ids(&golden()["prompts"][1]["ids"]);
    let losses = model.losses(&tokens)?;
    let moved = model.with_positions(|place| place + 1000).losses(&tokens)?;
    let largest = |other: &Array1<f32>| apart(other, losses.as_slice().expect("numbers"));
    assert!(largest(&moved) < 2e-4, "{}", largest(&moved));
    let doubled = model.with_positions(|place| 2 * place).losses(&tokens)?;
    assert!(largest(&doubled) > 0.05, "{}", largest(&doubled));
    Ok(())
}

#[test]
fn what_is_new_does_not_change_what_was_before() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let read = |text: &str| model.read(&model.pieces.encode(text));
    let text = "The animal did not cross the street because it was too";
    let (tired, wide) = (
        read(&format!("{text} tired."))?,
        read(&format!("{text} wide."))?,
    );
    let before = s![.., .., ..11, ..];
    assert_eq!(tired.weights.slice(before), wide.weights.slice(before));
    assert_eq!(
        tired.hidden.slice(s![.., ..11, ..]),
        wide.hidden.slice(s![.., ..11, ..])
    );
    assert!((tired.head(13, 8)[[tired.place("it"), tired.place("animal")]] - 0.703).abs() < 1e-3);
    Ok(())
}

#[test]
fn a_step_with_the_cache_is_the_whole_pass() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let tokens = ids(&golden()["prompts"][2]["ids"]);
    let mut draft = model.draft(&tokens[..1])?;
    for place in 1..tokens.len() {
        draft.push(tokens[place])?;
        // A whole pass takes far longer than a step.
        if place % 8 != 1 {
            continue;
        }
        let whole = model.draft(&tokens[..=place])?.next_token();
        let step = draft.next_token();
        let (best, ours) = (whole.best(), step.logits[step.rank(whole.best()) - 1]);
        assert_eq!(step.best(), best, "token {place}");
        assert!((ours - whole.logits[0]).abs() < LOGITS, "token {place}");
    }
    Ok(())
}

#[test]
fn texts_that_are_empty_too_long_or_odd_have_their_sentences() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    assert_eq!(model.read(&[]).err(), Some(Error::EmptyPrompt));
    assert_eq!(model.draft(&[]).err(), Some(Error::EmptyPrompt));
    assert_eq!(model.write("", 3), Err(Error::EmptyPrompt));
    assert_eq!(model.losses(&[]), Err(Error::EmptyPrompt));
    assert_eq!(
        model.losses(&[5]),
        Err(Error::TextTooShort {
            tokens: 1,
            context: 1
        })
    );
    let too_long = Error::TextTooLong {
        tokens: 8193,
        limit: 8192,
    };
    assert_eq!(model.draft(&[5; 8193]).err(), Some(too_long.clone()));
    assert_eq!(model.losses(&[5; 8193]), Err(too_long));
    for text in ["😀", "\u{301}", "東京", "\u{0}"] {
        let tokens = model.pieces.encode(text);
        assert_eq!(model.pieces.decode(&tokens), text);
        assert!(
            model
                .read(&tokens)?
                .next_token()
                .probabilities
                .iter()
                .all(|p| p.is_finite())
        );
    }
    assert!(model.pieces.encode("\u{4}\u{6}").is_empty());
    let long = "word ".repeat(300);
    assert!(model.draft(&model.pieces.encode(&long)).is_ok());
    Ok(())
}

#[test]
fn wrong_arguments_are_refused_with_the_numbers() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let reading = model.read(&[5, 6])?;
    let refused = |call: &dyn Fn(), expected: &str| {
        let said = refusal(call);
        assert!(said.contains(expected), "{said}");
    };
    let unknown = "token 49152 is not in a vocabulary of 49152";
    refused(&|| drop(model.read(&[49_152])), unknown);
    refused(&|| drop(model.losses(&[1, 49_152])), unknown);
    refused(&|| drop(model.draft(&[49_152])), unknown);
    refused(&|| drop(model.pieces.decode(&[49_152])), unknown);
    refused(
        &|| drop(model.without_heads(&[(30, 0)])),
        "no head 30.0: layers are 0 to 29, heads 0 to 8",
    );
    refused(&|| drop(model.without_heads(&[(0, 9)])), "no head 0.9");
    refused(
        &|| drop(reading.head(30, 0)),
        "no head 30.0: layers are 0 to 29, heads 0 to 8",
    );
    refused(
        &|| drop(reading.lens(31, 0)),
        "there are 30 blocks, and places 0 to 1",
    );
    refused(&|| drop(reading.lens(30, 2)), "places 0 to 1");
    refused(&|| _ = reading.place("none"), "no token \"none\" among");
    Ok(())
}
