//! The trained model compared with PyTorch: `golden/minilm.json`. Its files are downloaded once.

use crate::common::trained;
use attention::Error;
use attention::minilm::{Encoded, MiniLm, minilm};
use ndarray::{ArrayView1, s};
use serde_json::Value;
use std::sync::OnceLock;

/// Permitted difference from PyTorch: for weights, and for everything else.
const WEIGHTS: f32 = 2e-5;
const OTHERS: f32 = 1e-4;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/minilm.json")).expect("JSON")
}

fn model() -> Option<&'static MiniLm> {
    static MODEL: OnceLock<Option<MiniLm>> = OnceLock::new();
    MODEL.get_or_init(|| trained(minilm())).as_ref()
}

fn numbers(value: &Value) -> Vec<f32> {
    let numbers = value.as_array().expect("a list").iter();
    numbers
        .map(|number| number.as_f64().expect("a number") as f32)
        .collect()
}

/// The largest difference between two lists of the same length.
fn apart<'a>(ours: impl IntoIterator<Item = &'a f32>, theirs: &[f32]) -> f32 {
    let ours: Vec<f32> = ours.into_iter().copied().collect();
    assert_eq!(ours.len(), theirs.len());
    let apart = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, f32::max)
}

fn largest(row: ArrayView1<f32>) -> usize {
    let by_value = |a: &(usize, &f32), b: &(usize, &f32)| a.1.total_cmp(b.1);
    row.iter().enumerate().max_by(by_value).expect("a row").0
}

/// Each sentence of the golden file with the model's result for it.
fn cases(model: &MiniLm) -> Vec<(Value, Encoded)> {
    let golden = golden();
    let cases = golden["cases"].as_array().expect("a list").iter();
    let encode = |case: &Value| {
        let encoded = model.encode(case["text"].as_str().expect("a text"));
        (case.clone(), encoded.expect("a sentence"))
    };
    cases.map(encode).collect()
}

#[test]
fn tokens_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    for case in golden()["tokenization"].as_array().expect("a list") {
        let text = case["text"].as_str().expect("a text");
        let ids: Vec<usize> = serde_json::from_value(case["ids"].clone()).expect("ids");
        assert_eq!(model.pieces.encode(text), ids, "{text:?}");
        let tokens: Vec<String> = serde_json::from_value(case["tokens"].clone()).expect("tokens");
        assert_eq!(model.tokens(text), tokens, "{text:?}");
    }
}

#[test]
fn tokens_of_many_lines_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    let sample: Value = serde_json::from_str(include_str!("../golden/tokens.json")).expect("JSON");
    let sample = sample.as_array().expect("a list");
    assert_eq!(sample.len(), 200);
    for line in sample {
        let text = line["text"].as_str().expect("a text");
        let ids: Vec<usize> = serde_json::from_value(line["ids"].clone()).expect("ids");
        assert_eq!(model.pieces.encode(text), ids, "{text:?}");
    }
}

#[test]
fn weights_of_all_heads_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    for (case, encoded) in cases(model) {
        let whole = case["attentions"].as_object().expect("heads");
        for (name, weights) in whole {
            let (layer, head) = name.split_once('.').expect("layer.head");
            let ours = encoded.head(layer.parse().expect("a number"), head.parse().expect("one"));
            let apart = apart(&ours, &numbers(weights));
            assert!(apart < WEIGHTS, "head {name}: {apart}");
        }
        let squares = encoded.weights.map(|weight| weight * weight);
        let sums = squares
            .sum_axis(ndarray::Axis(3))
            .sum_axis(ndarray::Axis(2));
        let theirs = numbers(&case["all_heads_sum_of_squares"]);
        assert!(apart(&sums, &theirs) < 10.0 * WEIGHTS, "sums of squares");
        let theirs = &case["all_heads_largest_key_of_each_query"];
        let theirs: Vec<usize> = serde_json::from_value(theirs.clone()).expect("keys");
        let (layers, heads, time, _) = encoded.weights.dim();
        for (index, theirs) in theirs.into_iter().enumerate() {
            let (head, t) = (index / time, index % time);
            assert!(head < layers * heads);
            let row = encoded.weights.slice(s![head / heads, head % heads, t, ..]);
            assert!(
                row[largest(row)] - row[theirs] < WEIGHTS,
                "row {t} of head {head}"
            );
        }
    }
}

#[test]
fn hidden_states_and_the_embedding_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    for (case, encoded) in cases(model) {
        for (layer, hidden) in case["hidden_first8_of_each_token"]
            .as_object()
            .expect("layers")
        {
            let layer: usize = layer.parse().expect("a number");
            let ours = encoded.hidden.slice(s![layer, .., ..8]);
            let apart = apart(ours, &numbers(hidden));
            assert!(apart < OTHERS, "hidden states of layer {layer}: {apart}");
        }
        let apart = apart(&encoded.embedding, &numbers(&case["sentence_embedding"]));
        assert!(apart < OTHERS, "sentence embedding: {apart}");
    }
}

#[test]
fn a_head_that_is_off_changes_what_comes_after_it() -> Result<(), Error> {
    let Some(model) = model() else { return Ok(()) };
    let text = "The animal did not cross the street because it was too tired.";
    let (with, without) = (model.encode(text)?, model.encode_without(text, &[(3, 1)])?);
    assert_eq!(with.head(3, 1), without.head(3, 1));
    assert_eq!(
        with.hidden.slice(s![..4, .., ..]),
        without.hidden.slice(s![..4, .., ..])
    );
    assert_ne!(
        with.hidden.slice(s![4, .., ..]),
        without.hidden.slice(s![4, .., ..])
    );
    assert_eq!(model.encode_without(text, &[])?, with);
    Ok(())
}

#[test]
fn a_text_that_is_empty_or_too_long_has_its_sentence() {
    let Some(model) = model() else { return };
    assert_eq!(model.encode("  "), Err(Error::NothingToEncode));
    let error = model.encode(&"word ".repeat(600)).expect_err("too long");
    assert_eq!(
        error,
        Error::TextTooLong {
            tokens: 602,
            limit: 512
        }
    );
    assert!(model.encode(&"word ".repeat(510)).is_ok());
}
