//! The model that translates, with parts of it switched off: `golden/translation.json`.

use super::translator::{golden, index, integers, list, model, number, text};
use crate::common::refusal;
use attention::layers::Linear;
use attention::ndarray::{Array2, Axis, array, s};
use attention::translator::{Experiment, Ssru};
use serde_json::Value;

/// Applies the changes that a case in the golden file describes.
fn experiment<'a>(begun: Experiment<'a>, case: &Value) -> Experiment<'a> {
    if case["hide"].is_u64() {
        begun.hide(&[index(&case["hide"])])
    } else if case["only"].is_u64() {
        begun.see_only(&[index(&case["only"])])
    } else if case["off"].is_array() {
        let off = integers(&case["off"]);
        begun.without_heads(&[(off[0], off[1])])
    } else {
        begun.without_memory()
    }
}

#[test]
fn experiments_end_as_in_the_reference() {
    let Some(model) = model() else { return };
    let mut endless = 0;
    for experiments in list(&golden()["experiments"]) {
        for case in list(&experiments["cases"]) {
            let begun = model
                .experiment(text(&experiments["text"]))
                .expect("a text");
            let translation = experiment(begun, case).translate();
            // If the translation never ends, the reference is cut off earlier.
            let ids = integers(&case["ids"]);
            assert_eq!(translation.tokens[..ids.len()], ids, "{case}");
            if translation.tokens.last() != Some(&0) {
                let words = translation.source.len() - 1; // without the end
                assert_eq!(translation.tokens.len(), words * 5 / 2, "{case}");
                endless += 1;
            }
            let logarithms = translation
                .probabilities
                .slice(s![..ids.len()])
                .mapv(f32::ln);
            let apart = (logarithms.sum() - number(&case["logp"])).abs();
            assert!(apart < 1e-3, "{case}: {apart}");
        }
    }
    assert!(endless > 0);
}

#[test]
fn a_beginning_that_is_given_decides_what_follows() {
    let Some(model) = model() else { return };
    for case in list(&golden()["forced"]) {
        let prefix = model.pieces().encode(text(&case["prefix"]));
        for word in case["words"].as_object().expect("words").values() {
            let given = [&prefix[..], &integers(&word["ids"])].concat();
            let forced = model.experiment(text(&case["source"])).expect("a text");
            let translation = forced.begin_with(&given).translate();
            assert_eq!(translation.tokens[..given.len()], given);
            let of_word = s![prefix.len()..given.len()];
            let probability = translation.probabilities.slice(of_word).product();
            assert!(
                (probability - number(&word["probability"])).abs() < 2e-4,
                "{case}"
            );
        }
    }
}

#[test]
fn what_is_hidden_has_no_weight_and_the_others_share_it() {
    let Some(model) = model() else { return };
    let translate = |hidden: &[usize]| {
        let experiment = model.experiment("The red house.").expect("a text");
        experiment.hide(hidden).translate()
    };
    let translation = translate(&[0, 2]);
    for head in translation
        .cross_attention
        .outer_iter()
        .flat_map(|layer| layer.into_outer_iter())
    {
        assert!(
            head.column(0)
                .iter()
                .chain(head.column(2))
                .all(|weight| *weight == 0.0)
        );
        assert!(
            head.sum_axis(Axis(1))
                .iter()
                .all(|sum| (sum - 1.0).abs() < 1e-5)
        );
    }
    // The encoder reads everything as before.
    assert_eq!(translation.encoded, translate(&[]).encoded);
    let blind = translate(&[0, 1, 2, 3, 4]);
    assert!(blind.cross_attention.iter().all(|weight| *weight == 0.0));
}

#[test]
fn a_head_that_is_off_still_looks_but_brings_nothing() {
    let Some(model) = model() else { return };
    let text = "The dog chased the cat.";
    let usual = model.translate(text).expect("a text");
    let without = model
        .experiment(text)
        .expect("a text")
        .without_heads(&[(0, 5)])
        .translate();
    let first = |translation: &attention::translator::Translation, layer: usize| {
        translation
            .cross_attention
            .slice(s![layer, .., 0, ..])
            .to_owned()
    };
    assert_eq!(first(&without, 0), first(&usual, 0));
    assert_ne!(first(&without, 1), first(&usual, 1));
    let nothing = model
        .experiment(text)
        .expect("a text")
        .without_heads(&[])
        .translate();
    assert_eq!(nothing, usual);
}

#[test]
fn without_positions_order_does_not_matter() {
    let Some(model) = model() else { return };
    let lost = |text: &str| {
        let experiment = model.experiment(text).expect("a text");
        experiment.without_positions().translate()
    };
    let (one, other) = (lost("The red house."), lost("The house red."));
    assert_ne!(one.source, other.source);
    assert_eq!(one.text, other.text);
}

#[test]
fn what_is_given_is_written_even_if_it_is_long_and_ends_with_the_end() {
    let Some(model) = model() else { return };
    let long = vec![34; 40];
    let translate = |given: &[usize]| {
        let experiment = model.experiment("Hi.").expect("a text");
        experiment.begin_with(given).translate()
    };
    assert_eq!(translate(&long).tokens, long);
    assert_eq!(translate(&[34, 0, 34]).tokens, [34, 0]);
    assert_eq!(translate(&[0]).text, "");
}

#[test]
fn what_is_not_there_is_refused() {
    let Some(model) = model() else { return };
    let begun = || model.experiment("The red house.").expect("a text");
    assert_eq!(
        refusal(|| drop(begun().without_heads(&[(2, 0)]))),
        "Experiment::without_heads: there is no head 2.0: layers are 0 to 1, heads 0 to 7"
    );
    assert_eq!(
        refusal(|| drop(begun().hide(&[5]))),
        "Experiment::hide: the source has no token 5: they are 0 to 4"
    );
    assert_eq!(
        refusal(|| drop(begun().see_only(&[7]))),
        "Experiment::see_only: the source has no token 7: they are 0 to 4"
    );
    assert_eq!(
        refusal(|| drop(begun().begin_with(&[32_000]))),
        "Experiment::begin_with: token 32000 is not in a vocabulary of 32000"
    );
    let translation = begun().translate();
    assert_eq!(
        refusal(|| drop(translation.head(1, 8))),
        "Translation::head: there is no head 1.8: layers are 0 to 1, heads 0 to 7"
    );
    assert_eq!(
        refusal(|| _ = translation.source_place("green")),
        "Translation::source_place: there is no piece \"green\" among ▁The ▁red ▁house . </s>"
    );
    assert_eq!(
        refusal(|| drop(model.pieces().decode(&[32_000]))),
        "SentencePiece::decode: token 32000 is not in a vocabulary of 32000"
    );
    assert_eq!(
        refusal(|| drop(model.log_probabilities(&translation.hidden.row(0).slice(s![..8])))),
        "Translator::log_probabilities: hidden is (8,) but the model's vectors are (256,)"
    );
}

#[test]
fn a_memory_of_another_width_is_refused() {
    let linear = |weight: Array2<f32>| Linear { weight, bias: None };
    let ssru = Ssru {
        input: linear(array![[1.0, 0.0], [0.0, 1.0]]),
        forget: linear(array![[1.0, 0.0], [0.0, 1.0]]),
    };
    let step = |x: &Array2<f32>, cell: &Array2<f32>| refusal(|| drop(ssru.step(x, cell)));
    let (two, three) = (Array2::zeros((1, 2)), Array2::zeros((1, 3)));
    let wide = step(&three, &two);
    assert!(wide.starts_with("Ssru::step: x is (1, 3)"), "{wide}");
    let cell = step(&two, &three);
    assert!(cell.starts_with("Ssru::step: cell is (1, 3)"), "{cell}");
}
