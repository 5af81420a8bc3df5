//! The model that translates, compared with an independent implementation:
//! `golden/translation.json`. Its files are downloaded once.

use crate::common::trained;
use attention::Error;
use attention::ndarray::{ArrayView1, s};
use attention::translator::{Translation, Translator, translator, translator_from};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Permitted differences: for logarithms of probabilities, and for everything else.
const LOG_PROBABILITIES: f32 = 2e-4;
const OTHERS: f32 = 5e-5;

pub fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/translation.json")).expect("JSON")
}

pub fn model() -> Option<&'static Translator> {
    static MODEL: OnceLock<Option<Translator>> = OnceLock::new();
    MODEL.get_or_init(|| trained(translator())).as_ref()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

pub fn number(value: &Value) -> f32 {
    value.as_f64().expect("a number") as f32
}

pub fn index(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

pub fn integers(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).expect("integers")
}

/// Each sentence of the golden file with the model's translation.
fn sentences(model: &Translator) -> Vec<(Value, Translation)> {
    let translate = |sentence: &Value| {
        let translation = model.translate(text(&sentence["text"]));
        (sentence.clone(), translation.expect("a sentence"))
    };
    list(&golden()["sentences"]).iter().map(translate).collect()
}

/// The largest difference between two lists of the same length.
fn apart(ours: ArrayView1<f32>, theirs: &Value) -> f32 {
    assert_eq!(ours.len(), list(theirs).len());
    let pairs = ours.iter().zip(list(theirs));
    pairs
        .map(|(a, b)| (a - number(b)).abs())
        .fold(0.0, f32::max)
}

#[test]
fn tokens_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    for case in list(&golden()["tokens"]) {
        let tokens = model.pieces().encode(text(&case["text"]));
        assert_eq!(tokens, integers(&case["ids"]), "{case}");
        let pieces = model.pieces().pieces_of(&tokens);
        for (piece, theirs) in pieces.iter().zip(list(&case["pieces"])) {
            // In place of `<unk>`, the reference has the unknown text itself.
            assert!(piece == text(theirs) || piece == "<unk>", "{case}");
        }
    }
}

#[test]
fn translations_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    for (sentence, translation) in sentences(model) {
        assert_eq!(translation.text, text(&sentence["translation"]));
        let steps = list(&sentence["steps"]).iter();
        let ids: Vec<usize> = steps.map(|step| index(&step["id"])).collect();
        assert_eq!(translation.tokens, ids);
        assert_eq!(
            translation.source,
            model.pieces().pieces_of(&integers(&sentence["ids"]))
        );
        assert_eq!(
            translation.target,
            model.pieces().pieces_of(&translation.tokens)
        );
        let logarithms = list(&sentence["steps"]).iter();
        let sum: f32 = logarithms.map(|step| number(&step["logp"])).sum();
        let apart = (translation.loss() + sum / ids.len() as f32).abs();
        assert!(apart < LOG_PROBABILITIES, "loss: {apart}");
    }
}

#[test]
fn words_are_found_with_or_without_their_space() {
    let Some(model) = model() else { return };
    let translation = model.translate("The red house.").expect("a text");
    assert_eq!(translation.source_place("house"), 2);
    assert_eq!(translation.source_place("▁house"), 2);
    assert_eq!(translation.target_place("casa"), 1);
    assert_eq!(translation.target_place("▁casa"), 1);
}

#[test]
fn the_encoder_returns_what_the_reference_does() {
    let Some(model) = model() else { return };
    assert_eq!((model.encoder().len(), model.decoder().len()), (6, 2));
    for (sentence, translation) in sentences(model) {
        for (token, theirs) in list(&sentence["encoder_first8"]).iter().enumerate() {
            let apart = apart(translation.encoded.slice(s![token, ..8]), theirs);
            assert!(apart < OTHERS, "token {token}: {apart}");
        }
        for (name, theirs) in sentence["self_attention"].as_object().expect("heads") {
            let (layer, head) = layer_and_head(name);
            let weights = translation.self_attention.slice(s![layer, head, .., ..]);
            let squares = weights.iter().map(|weight| weight * weight).sum::<f32>();
            let apart = (squares - number(&theirs["sum_of_squares"])).abs();
            assert!(apart < 10.0 * OTHERS, "head {name}: {apart}");
            for (row, largest) in weights.rows().into_iter().zip(integers(&theirs["argmax"])) {
                let most = row.iter().copied().fold(0.0, f32::max);
                assert!(most - row[largest] < OTHERS, "head {name}");
            }
        }
    }
}

#[test]
fn every_head_of_the_decoder_looks_where_it_does_in_the_reference() {
    let Some(model) = model() else { return };
    for (sentence, translation) in sentences(model) {
        let heads = sentence["cross_attention"].as_object().expect("heads");
        assert_eq!(heads.len(), 16);
        for (name, theirs) in heads {
            let (layer, head) = layer_and_head(name);
            let weights = translation.head(layer, head);
            assert_eq!(weights.nrows(), list(theirs).len());
            for (step, theirs) in list(theirs).iter().enumerate() {
                let apart = apart(weights.row(step), theirs);
                assert!(apart < OTHERS, "head {name}, step {step}: {apart}");
                assert!((weights.row(step).sum() - 1.0).abs() < 1e-5);
            }
        }
    }
}

fn layer_and_head(name: &str) -> (usize, usize) {
    let (layer, head) = name.split_once('.').expect("layer.head");
    (
        layer.parse().expect("a number"),
        head.parse().expect("a number"),
    )
}

#[test]
fn each_step_has_the_probabilities_of_the_reference() {
    let Some(model) = model() else { return };
    for (sentence, translation) in sentences(model) {
        for (t, step) in list(&sentence["steps"]).iter().enumerate() {
            let hidden = translation.hidden.row(t);
            let apart = apart(hidden.slice(s![..8]), &step["hidden_first8"]);
            assert!(apart < OTHERS, "hidden vector {t}: {apart}");
            let scores = model.log_probabilities(&hidden);
            assert!((scores.mapv(f32::exp).sum() - 1.0).abs() < 1e-4);
            for best in list(&step["top5"]) {
                let (token, theirs) = (index(&best[0]), number(&best[1]));
                let apart = (scores[token] - theirs).abs();
                assert!(
                    apart < LOG_PROBABILITIES,
                    "step {t}, token {token}: {apart}"
                );
            }
            let own = translation.probabilities[t].ln();
            assert!((own - number(&step["logp"])).abs() < LOG_PROBABILITIES);
        }
    }
}

#[test]
fn a_text_that_cannot_be_translated_has_its_sentence() {
    let Some(model) = model() else { return };
    for nothing in ["", "  \t\n", "\u{200b}"] {
        assert_eq!(model.translate(nothing), Err(Error::NothingToEncode));
    }
    let error = model
        .translate(&"word ".repeat(2000))
        .expect_err("too long");
    let limit = 512;
    assert_eq!(
        error,
        Error::TextTooLong {
            tokens: 2001,
            limit
        }
    );
    assert_eq!(
        error.to_string(),
        "the text has 2001 tokens, but the model takes 512 at most: take a shorter text, or its \
         parts one after the other"
    );
    assert!(model.experiment(&"word ".repeat(limit - 1)).is_ok());
    assert!(model.experiment(&"word ".repeat(limit)).is_err());
}

#[test]
fn a_text_of_another_kind_gives_something() {
    let Some(model) = model() else { return };
    let limits = [
        ("😀", 5),
        ("東京は大きい。", 10),
        ("Das ist ein Haus.", 20),
        ("a\nb", 10),
    ];
    for (source, most) in limits {
        let translation = model.translate(source).expect("a text");
        assert!(
            (1..=most).contains(&translation.tokens.len()),
            "{source}: {}",
            translation.text
        );
        assert!(
            translation
                .probabilities
                .iter()
                .all(|p| (0.0..=1.0).contains(p))
        );
    }
    let long = model
        .translate(&"word ".repeat(511))
        .expect("as long as may be");
    assert_eq!(long.source.len(), 512);
    assert!(long.cross_attention.iter().all(|weight| weight.is_finite()));
}

/// An empty folder for this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("translator")
        .join(name);
    let _ = fs::remove_dir_all(&folder); // usually it does not exist
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

const WEIGHTS: &str = "model.enpt.intgemm.alphas.bin";
const VOCABULARY: &str = "vocab.enpt.spm";

#[test]
fn files_that_are_not_the_right_ones_are_refused() {
    let folder = folder("wrong");
    let message = || {
        let loaded = translator_from(folder.to_str().expect("UTF-8"));
        loaded.expect_err("wrong files").to_string()
    };
    assert!(message().contains("could not be read"), "{}", message());
    fs::write(folder.join(VOCABULARY), b"short").expect("written");
    let short = "is not the file that the model's authors published: it has 5 bytes, but the published one has 812781";
    assert!(message().contains(short), "{}", message());
    fs::write(folder.join(VOCABULARY), vec![0; 812_781]).expect("written");
    assert!(message().contains("its SHA-256 is"), "{}", message());
    let advice = "Delete it, and run the cell again: it will be fetched again";
    assert!(message().contains(advice), "{}", message());
}

#[test]
fn truncated_and_exchanged_files_are_refused() {
    if model().is_none() {
        return;
    }
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let caches = caches
        .unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").expect("a home")).join(".cache"));
    let right = caches.join("attention-notebooks/firefox-translations-en-pt");
    let folder = folder("truncated");
    let load = || translator_from(folder.to_str().expect("UTF-8"));
    let [weights, vocabulary] =
        [WEIGHTS, VOCABULARY].map(|name| fs::read(right.join(name)).expect("a file"));
    fs::write(folder.join(VOCABULARY), &vocabulary).expect("written");
    fs::write(folder.join(WEIGHTS), &weights[..weights.len() - 1]).expect("written");
    let message = load().expect_err("truncated").to_string();
    assert!(
        message.contains("it has 17140835 bytes, but the published one has 17140836"),
        "{message}"
    );
    fs::write(folder.join(VOCABULARY), &weights).expect("written");
    assert!(matches!(load(), Err(Error::WrongFile { .. })));
    fs::write(folder.join(VOCABULARY), &vocabulary).expect("written");
    let mut flipped = weights.clone();
    flipped[1_000_000] ^= 1;
    fs::write(folder.join(WEIGHTS), flipped).expect("written");
    let message = load().expect_err("one bit").to_string();
    assert!(message.contains("its SHA-256 is"), "{message}");
    fs::write(folder.join(WEIGHTS), weights).expect("written");
    assert!(load().is_ok());
}
