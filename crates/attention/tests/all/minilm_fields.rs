//! The fields of a model and of its results can be changed; if they no longer match, a panic says
//! so.

use crate::common::refusal;
use attention::layers::{Activation, EncoderLayer};
use attention::minilm::{Embedding, WordPiece};
use attention::ndarray::{Array, Dimension, ShapeBuilder};
use attention::prelude::*;

/// A model of width 4, with 2 layers of 2 heads.
fn small() -> MiniLm {
    let rng = &mut torch::Generator::manual_seed(1);
    let mut linear = |inputs, outputs| Linear::new(inputs, outputs, true, rng);
    let layers = (0..2).map(|_| EncoderLayer {
        query: linear(4, 4),
        key: linear(4, 4),
        value: linear(4, 4),
        projection: linear(4, 4),
        attention_norm: LayerNorm::new(4),
        wider: linear(4, 6),
        activation: Activation::Gelu,
        narrower: linear(6, 4),
        norm: LayerNorm::new(4),
        heads: 2,
    });
    let layers = layers.collect();
    MiniLm {
        pieces: WordPiece::new("[UNK]\n[CLS]\n[SEP]\na\nb").expect("a vocabulary"),
        embedding: Embedding {
            pieces: numbers((5, 4)),
            places: numbers((8, 4)),
            first_text: numbers(4),
            norm: LayerNorm::new(4),
        },
        layers,
    }
}

fn numbers<D: Dimension, S: ShapeBuilder<Dim = D>>(shape: S) -> Array<f32, D> {
    let mut next = 0.0;
    Array::from_shape_simple_fn(shape, || {
        next += 1.0_f32;
        next.sin()
    })
}

/// The message with which the model panics after the change.
fn after(change: impl Fn(&mut MiniLm)) -> String {
    let mut model = small();
    change(&mut model);
    let says = refusal(|| drop(model.encode("a b")));
    assert_eq!(
        says.replace("MiniLm::encode:", "MiniLm::encode_without:"),
        refusal(|| drop(model.encode_without("a b", &[(0, 0)])))
    );
    says
}

#[test]
fn a_model_of_another_size_is_a_model() {
    let mut model = small();
    let encoded = model.encode("a b").expect("a text");
    assert_eq!(encoded.weights.dim(), (2, 2, 4, 4));
    assert_eq!(encoded.query(1, 1, 3).len(), 2);
    assert_eq!(encoded.hidden.dim(), (3, 4, 4));
    // The same columns, split among a different number of heads.
    model.layers.iter_mut().for_each(|layer| layer.heads = 4);
    let four = model.encode("a b").expect("a text");
    assert_eq!(four.weights.dim(), (2, 4, 4, 4));
    assert_eq!(four.query(0, 3, 1)[0], encoded.query(0, 1, 1)[1]);
    model.layers.truncate(1);
    let one = model.encode("a b").expect("a text");
    assert_eq!(
        one.hidden.slice(s![1, .., ..]),
        four.hidden.slice(s![1, .., ..])
    );
}

#[test]
fn layers_and_heads_that_do_not_fit_are_named() {
    let heads = |heads| after(move |model| model.layers[1].heads = heads);
    assert_eq!(
        heads(0),
        "MiniLm::encode: layer 1 has 0 heads, but 4 columns cannot be shared among 0"
    );
    assert_eq!(
        heads(3),
        "MiniLm::encode: layer 1 has 3 heads, but 4 columns cannot be shared among 3"
    );
    assert_eq!(
        heads(4),
        "MiniLm::encode: layer 1 has 4 heads, but layer 0 has 2: all layers need the same number"
    );
    assert_eq!(
        after(|model| model.layers.clear()),
        "MiniLm::encode: the model has no layers: load it again with `minilm()`"
    );
}

#[test]
fn every_part_of_another_shape_is_named() {
    let fits = "but what fits a model of width 4 is";
    let agree = "the shapes must agree";
    let two = || numbers((2, 2));
    let layer = |change: fn(&mut EncoderLayer, Linear)| {
        let other = Linear {
            weight: two(),
            bias: None,
        };
        after(move |model| change(&mut model.layers[1], other.clone()))
    };
    for (says, part, wanted) in [
        (layer(|layer, other| layer.query = other), "query", "(4, 4)"),
        (layer(|layer, other| layer.key = other), "key", "(4, 4)"),
        (layer(|layer, other| layer.value = other), "value", "(4, 4)"),
        (
            layer(|layer, other| layer.projection = other),
            "projection",
            "(4, 4)",
        ),
        (layer(|layer, other| layer.wider = other), "wider", "(2, 4)"),
        (
            layer(|layer, other| layer.narrower = other),
            "narrower",
            "(4, 6)",
        ),
    ] {
        let expected =
            format!("MiniLm::encode: layers[1].{part}.weight is (2, 2) {fits} {wanted}: {agree}");
        assert_eq!(says, expected);
    }
    assert_eq!(
        after(|model| model.layers[0].query.bias = Some(numbers(1))),
        format!("MiniLm::encode: layers[0].query.bias is (1,) {fits} (4,): {agree}")
    );
    assert_eq!(
        after(|model| model.layers[0].norm.bias = numbers(1)),
        format!("MiniLm::encode: layers[0].norm.bias is (1,) {fits} (4,): {agree}")
    );
    assert_eq!(
        after(|model| model.layers[0].attention_norm = LayerNorm::new(5)),
        format!("MiniLm::encode: layers[0].attention_norm.weight is (5,) {fits} (4,): {agree}")
    );
}

#[test]
fn an_embedding_whose_parts_differ_in_width_is_refused() {
    let agree = "but pieces without its first axis is (4,): the shapes must agree";
    assert_eq!(
        after(|model| model.embedding.first_text = numbers(1)),
        format!("MiniLm::encode: first_text is (1,) {agree}")
    );
    assert_eq!(
        after(|model| model.embedding.norm.bias = numbers(3)),
        format!("MiniLm::encode: norm.bias is (3,) {agree}")
    );
    assert_eq!(
        after(|model| model.embedding.places = numbers((8, 1))),
        "MiniLm::encode: places is (8, 1) but pieces is (5, 4): the last dimensions must agree"
    );
    let mut embedding = small().embedding;
    embedding.first_text = numbers(1);
    assert_eq!(
        refusal(|| drop(embedding.forward(&[1, 2]))),
        format!("Embedding: first_text is (1,) {agree}")
    );
}

#[test]
fn what_was_taken_out_of_an_encoded_text_is_missed_with_a_sentence() {
    let mut encoded = small().encode("a").expect("a text");
    encoded.weights = Array4::zeros((0, 0, 3, 3));
    assert_eq!(
        refusal(|| drop(encoded.head(0, 0))),
        "Encoded::head: there is no head 0.0: layers are none, heads none"
    );
    encoded.queries = Array4::zeros((2, 2, 0, 2));
    assert_eq!(
        refusal(|| drop(encoded.query(0, 1, 0))),
        "Encoded::query: there is no token 0: they are none"
    );
    assert_eq!(
        refusal(|| drop(encoded.key(0, 2, 0))),
        "Encoded::key: there is no head 0.2: layers are 0 to 1, heads 0 to 1"
    );
}

#[test]
fn a_head_is_off_in_its_own_layer_only() {
    let model = small();
    let without = |heads: &[(usize, usize)]| model.encode_without("a b", heads).expect("a text");
    let (first, both) = (without(&[(0, 1)]), without(&[(0, 1), (1, 1)]));
    let after =
        |encoded: &Encoded, layer: usize| encoded.hidden.slice(s![layer + 1, .., ..]).to_owned();
    assert_eq!(after(&first, 0), after(&both, 0));
    assert_ne!(after(&first, 1), after(&both, 1));
}

#[test]
fn a_head_that_is_not_there_cannot_be_off() {
    assert_eq!(
        refusal(|| drop(small().encode_without("a b", &[(1, 2)]))),
        "MiniLm::encode_without: there is no head 1.2: layers are 0 to 1, heads 0 to 1"
    );
}

#[test]
fn the_place_of_a_token_is_its_first() {
    let encoded = small().encode("a b a b").expect("a text");
    assert_eq!((encoded.place("a"), encoded.place("b")), (1, 2));
}
