//! Layers with PyTorch's weights compared with PyTorch's results.

use crate::common::{Golden, assert_close};
use attention::ndarray::{Array2, Array3, Axis, s, stack};
use attention::prelude::*;

/// Permitted difference, relative to the largest value: PyTorch adds in a different order.
const TOLERANCE: f32 = 4.0 * f32::EPSILON;

fn inputs() -> Array2<f32> {
    Golden::parse(include_str!("../golden/lesson_01.json"))
        .at(&["values", "inputs"])
        .matrix()
}

/// The batch of the golden values: the six words twice.
fn batch() -> Array3<f32> {
    let inputs = inputs();
    stack(Axis(0), &[inputs.view(), inputs.view()]).expect("equal shapes")
}

fn modules() -> Golden {
    Golden::parse(include_str!("../golden/gradients.json")).at(&["modules", "123"])
}

fn seed_123() -> torch::Generator {
    torch::Generator::manual_seed(123)
}

#[test]
fn self_attention_v1_and_v2_are_those_of_lesson_01() {
    let golden = Golden::parse(include_str!("../golden/lesson_01.json"));
    let of = |name: &str| golden.at(&["values", name]).matrix();
    let inputs = inputs();

    let v1 = SelfAttentionV1::new(3, 2, &mut seed_123());
    assert_eq!(v1.w_query, of("seed123.W_query"));
    assert_eq!(v1.w_key, of("seed123.W_key"));
    assert_eq!(v1.w_value, of("seed123.W_value"));
    assert_close(
        "sa_v1",
        &v1.forward(&inputs).context,
        &of("sa_v1"),
        TOLERANCE,
    );

    let v2 = SelfAttentionV2::new(3, 2, &mut torch::Generator::manual_seed(789));
    assert_eq!(v2.query.weight, of("sa_v2.weight_query.weight"));
    assert_eq!(v2.key.weight, of("sa_v2.weight_key.weight"));
    assert_eq!(v2.value.weight, of("sa_v2.weight_value.weight"));
    assert_close(
        "sa_v2",
        &v2.forward(&inputs).context,
        &of("sa_v2"),
        TOLERANCE,
    );
    let moved = SelfAttentionV1::from(&v2).forward(&inputs).context;
    assert_close(
        "exercise 3.1",
        &moved,
        &of("exercise_context_vec"),
        TOLERANCE,
    );
}

#[test]
fn masks_and_dropout_are_those_of_lesson_01() {
    let golden = Golden::parse(include_str!("../golden/lesson_01.json"));
    let of = |name: &str| golden.at(&["values", name]).matrix();
    let attention =
        SelfAttentionV2::new(3, 2, &mut torch::Generator::manual_seed(789)).forward(&inputs());
    let mask = causal_mask(6);
    let unmasked = attention.weights;
    assert_close(
        "unmasked",
        &unmasked,
        &of("causal_attn_weights_unmasked"),
        TOLERANCE,
    );
    let renormalised = renormalise(&unmasked, &mask);
    assert_close(
        "masked_simple_norm",
        &renormalised,
        &of("masked_simple_norm"),
        TOLERANCE,
    );
    let scaled = mask_scores(&attention.scores, &mask) / 2.0_f32.sqrt();
    let weights = softmax(&scaled);
    assert_close(
        "causal_attn_weights",
        &weights,
        &of("causal_attn_weights"),
        TOLERANCE,
    );

    let ones = Array2::ones((6, 6));
    assert_eq!(seed_123().dropout(&ones, 0.5), of("dropout_ones"));
    let dropped = seed_123().dropout(&weights, 0.5);
    assert_close(
        "dropout_attn_weights",
        &dropped,
        &of("dropout_attn_weights"),
        TOLERANCE,
    );
}

#[test]
fn causal_attention_over_a_batch() {
    let golden = modules().at(&["causal_attention"]);
    let layer = CausalAttention::new(3, 2, 0.0, &mut seed_123());
    assert_eq!(
        layer.query.weight,
        golden.at(&["params", "q.weight"]).matrix()
    );
    assert_eq!(
        layer.key.weight,
        golden.at(&["params", "k.weight"]).matrix()
    );
    assert_eq!(
        layer.value.weight,
        golden.at(&["params", "v.weight"]).matrix()
    );
    assert_close(
        "out",
        &layer.forward(&batch()),
        &golden.at(&["out"]).array(),
        TOLERANCE,
    );
}

#[test]
fn causal_attention_in_training_drops_what_pytorch_drops() {
    let rng = &mut seed_123();
    let layer = CausalAttention::new(3, 2, 0.5, rng);
    let golden = modules()
        .at(&["causal_attention_dropout_half", "out"])
        .array();
    assert_close(
        "out",
        &layer.forward_training(&batch(), rng),
        &golden,
        TOLERANCE,
    );
}

#[test]
fn two_heads_side_by_side() {
    let layer = MultiHeadWrapper::new(3, 2, 0.0, 2, &mut seed_123());
    let golden = modules().at(&["multi_head_wrapper", "out"]).array();
    assert_close("out", &layer.forward(&batch()), &golden, TOLERANCE);
}

#[test]
fn two_heads_that_share_their_layers() {
    let golden = modules().at(&["multi_head_attention"]);
    let layer = MultiHeadAttention::new(3, 4, 0.0, 2, &mut seed_123());
    assert_eq!(
        layer.query.weight,
        golden.at(&["params", "q.weight"]).matrix()
    );
    assert_eq!(
        layer.projection.weight,
        golden.at(&["params", "o.weight"]).matrix()
    );
    assert_close(
        "out",
        &layer.forward(&batch()),
        &golden.at(&["out"]).array(),
        TOLERANCE,
    );

    let narrow = MultiHeadAttention::new(3, 2, 0.0, 2, &mut seed_123());
    let golden = modules()
        .at(&["multi_head_attention_d_out_2", "out"])
        .array();
    assert_close("d_out 2", &narrow.forward(&batch()), &golden, TOLERANCE);
}

#[test]
fn heads_side_by_side_and_sharing_heads_are_the_same_attention() {
    let shared = MultiHeadAttention::new(3, 4, 0.0, 2, &mut seed_123());
    let rows = |layer: &Linear, head: usize| Linear {
        weight: layer
            .weight
            .slice(s![2 * head..2 * head + 2, ..])
            .to_owned(),
        bias: None,
    };
    let heads = (0..2).map(|head| CausalAttention {
        query: rows(&shared.query, head),
        key: rows(&shared.key, head),
        value: rows(&shared.value, head),
        dropout: 0.0,
    });
    let side_by_side = MultiHeadWrapper {
        heads: heads.collect(),
    };
    let joined = side_by_side.forward(&batch());
    let projected = shared.projection.forward_batch(&joined);
    assert_close(
        "out",
        &projected,
        &shared.forward(&batch()).into_dyn(),
        TOLERANCE,
    );
}

#[test]
fn multi_head_gradients_agree_with_central_differences() {
    let rng = &mut seed_123();
    let layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng);
    let x: Array2<f32> = rng.randn((5, 3));
    let d_y: Array2<f32> = rng.randn((5, 4));
    let loss = |layer: &MultiHeadAttention, x: &Array2<f32>| -> f64 {
        let y = layer.forward(&x.clone().insert_axis(Axis(0)));
        y.iter()
            .zip(&d_y)
            .map(|(y, d)| f64::from(*y) * f64::from(*d))
            .sum()
    };
    let (d_x, d) = layer.backward(&d_y, &x);
    let step = 1e-2_f32;
    let check = |name: &str, claimed: f32, at: &dyn Fn(f32) -> f64| {
        let measured = (at(step) - at(-step)) / f64::from(2.0 * step);
        let difference = (measured - f64::from(claimed)).abs();
        assert!(
            difference < 2e-3,
            "{name}: claimed {claimed}, measured {measured}"
        );
    };
    for index in [(0, 0), (2, 1), (4, 2)] {
        check("x", d_x[index], &|by| {
            let mut moved = x.clone();
            moved[index] += by;
            loss(&layer, &moved)
        });
    }
    type Part = fn(&mut MultiHeadAttention) -> &mut Linear;
    let parts: [(&str, Part); 4] = [
        ("query", |layer| &mut layer.query),
        ("key", |layer| &mut layer.key),
        ("value", |layer| &mut layer.value),
        ("projection", |layer| &mut layer.projection),
    ];
    for (name, part) in parts {
        for index in [(0, 0), (1, 2), (3, 1)] {
            check(name, part(&mut d.clone()).weight[index], &|by| {
                let mut moved = layer.clone();
                part(&mut moved).weight[index] += by;
                loss(&moved, &x)
            });
        }
    }
    let d_bias = d.projection.bias.expect("a bias");
    assert_close("bias", &d_bias, &d_y.sum_axis(Axis(0)).into_dyn(), 1e-5);
}

/// A layer whose query, key and value have biases, as in GPT-2.
fn with_biases() -> MultiHeadAttention {
    let rng = &mut seed_123();
    let mut layer = MultiHeadAttention::new(3, 4, 0.0, 2, rng);
    for one in [&mut layer.query, &mut layer.key, &mut layer.value] {
        one.bias = Some(rng.randn(4));
    }
    layer
}

/// Returns one head of the layer as a separate layer.
fn head_of(layer: &MultiHeadAttention, head: usize) -> CausalAttention {
    let columns = |layer: &Linear| Linear {
        weight: layer
            .weight
            .slice(s![2 * head..2 * head + 2, ..])
            .to_owned(),
        bias: layer
            .bias
            .as_ref()
            .map(|bias| bias.slice(s![2 * head..2 * head + 2]).to_owned()),
    };
    CausalAttention {
        query: columns(&layer.query),
        key: columns(&layer.key),
        value: columns(&layer.value),
        dropout: layer.dropout,
    }
}

#[test]
fn each_head_attends_with_its_own_columns_and_biases() {
    let layer = with_biases();
    let x = inputs();
    let heads = layer.attend(&x);
    for (number, head) in heads.iter().enumerate() {
        let alone = head_of(&layer, number).attend(&x);
        let name = format!("head {number}");
        assert_close(&name, &head.scores, &alone.scores, TOLERANCE);
        assert_close(&name, &head.weights, &alone.weights, TOLERANCE);
        assert_close(&name, &head.context, &alone.context, TOLERANCE);
    }
    let wrapper = MultiHeadWrapper {
        heads: vec![head_of(&layer, 0), head_of(&layer, 1)],
    };
    let joined = wrapper.forward(&batch());
    assert_close(
        "out",
        &layer.forward(&batch()),
        &layer.projection.forward_batch(&joined),
        TOLERANCE,
    );
    let (_, d) = layer.backward(&x.dot(&Array2::ones((3, 4))), &x);
    assert!(d.query.bias.is_some() && d.key.bias.is_some() && d.value.bias.is_some());
}

#[test]
fn training_drops_weights_head_after_head() {
    let rng = || torch::Generator::manual_seed(7);
    let mut layer = with_biases();
    layer.dropout = 0.5;
    let x = batch();
    let out = layer.forward_training(&x, &mut rng());
    let mut rng = rng();
    for sequence in 0..2 {
        let x = x.index_axis(Axis(0), sequence);
        let contexts = [0, 1].map(|head| {
            let head = head_of(&layer, head);
            let weights = rng.dropout(&head.attend(&x).weights, 0.5);
            context(&weights, &head.value.forward(&x))
        });
        let joined =
            attention::ndarray::concatenate(Axis(1), &[contexts[0].view(), contexts[1].view()]);
        let expected = layer.projection.forward(&joined.expect("as many rows"));
        let out = out.index_axis(Axis(0), sequence);
        assert_close("out", &out, &expected, TOLERANCE);
    }
    layer.dropout = 0.0;
    assert_eq!(layer.forward_training(&x, &mut rng), layer.forward(&x));
}

#[test]
fn the_epsilon_of_a_layer_norm_is_that_of_pytorch() {
    // torch.nn.LayerNorm(2)(torch.tensor([[0., 1e-3]]))
    let y = LayerNorm::new(2).forward(&array![[0.0, 1e-3]]);
    assert_close("y", &y, &array![[-0.156_173_76, 0.156_173_76]], 1e-6);
}

/// A linear layer with weights from golden/layers.json.
fn linear(parameters: &Golden, name: &str) -> Linear {
    let bias = parameters.at(&[&format!("{name}.bias")]).array();
    Linear {
        weight: parameters.at(&[&format!("{name}.weight")]).matrix(),
        bias: Some(bias.into_dimensionality().expect("one axis")),
    }
}

fn multi_head(parameters: &Golden, heads: usize, dropout: f64) -> MultiHeadAttention {
    MultiHeadAttention {
        query: linear(parameters, "q"),
        key: linear(parameters, "k"),
        value: linear(parameters, "v"),
        projection: linear(parameters, "o"),
        heads,
        dropout,
    }
}

/// The golden value as a batch, (B, T, C).
fn batch_of(golden: &Golden) -> Array3<f32> {
    golden.array().into_dimensionality().expect("three axes")
}

#[test]
fn multi_head_attention_with_biases_is_that_of_pytorch() {
    let file = Golden::parse(include_str!("../golden/layers.json"));
    let cases = file.at(&["multi_head_attention"]);
    assert_eq!(cases.len(), 3);
    for case in 0..3 {
        let golden = cases.at(&[&case.to_string()]);
        let heads = golden.number(&["heads"]) as usize;
        let name = |part: &str| format!("{heads} heads, {part}");
        let layer = multi_head(&golden.at(&["parameters"]), heads, 0.3);
        let (x, d_y) = (golden.at(&["x"]).matrix(), golden.at(&["d_y"]).matrix());
        for (number, head) in layer.attend(&x).iter().enumerate() {
            let expected = golden.at(&["contexts", &number.to_string()]).matrix();
            assert_close(&name("context"), &head.context, &expected, 1e-6);
        }
        let y = layer.forward(&x.clone().insert_axis(Axis(0)));
        let expected = golden.at(&["y"]).matrix();
        assert_close(&name("y"), &y.index_axis(Axis(0), 0), &expected, 1e-6);
        let (d_x, d) = layer.backward(&d_y, &x);
        assert_close(&name("d_x"), &d_x, &golden.at(&["d_x"]).array(), 2e-6);
        let parts = [
            ("q", &d.query),
            ("k", &d.key),
            ("v", &d.value),
            ("o", &d.projection),
        ];
        for (part, ours) in parts {
            let expected = linear(&golden.at(&["d"]), part);
            assert_close(&name(part), &ours.weight, &expected.weight, 2e-6);
            let [ours, expected] =
                [ours, &expected].map(|layer| layer.bias.clone().expect("a bias"));
            // Adding a vector to all keys changes no weight, so the gradient of their bias is 0, up
            // to rounding.
            let tolerance = if part == "k" { 1e-6 } else { 0.0 };
            let limit = 2e-6 * expected.fold(0.0_f32, |most, d| most.max(d.abs())) + tolerance;
            let off = (&ours - &expected).fold(0.0_f32, |most, by| most.max(by.abs()));
            assert!(off <= limit, "{}: {ours} is not {expected}", name(part));
        }
        for dropout in ["0.3", "0.0"] {
            let expected = golden.at(&["training, manual_seed(5)", dropout]).array();
            let dropout = dropout.parse().expect("a number");
            let layer = multi_head(&golden.at(&["parameters"]), heads, dropout);
            let rng = &mut torch::Generator::manual_seed(5);
            let out = layer.forward_training(&batch_of(&golden.at(&["batch"])), rng);
            assert_close(&name("training"), &out, &expected, 1e-6);
        }
    }
}

#[test]
fn the_columns_of_the_heads_stand_in_their_order() {
    let golden = Golden::parse(include_str!("../golden/layers.json")).at(&["heads_in_order"]);
    for heads in [1, 2, 4] {
        let layer = multi_head(&golden.at(&["parameters"]), heads, 0.0);
        let x = golden.at(&["x"]).matrix().insert_axis(Axis(0));
        let y = layer.forward(&x);
        let expected = golden.at(&["y"]).array();
        assert_close("y", &y.index_axis(Axis(0), 0), &expected, 1e-6);
    }
}

#[test]
fn causal_attention_with_biases_is_that_of_pytorch() {
    let golden = Golden::parse(include_str!("../golden/layers.json")).at(&["causal_attention"]);
    let parameters = golden.at(&["parameters"]);
    let layer = |dropout| CausalAttention {
        query: linear(&parameters, "q"),
        key: linear(&parameters, "k"),
        value: linear(&parameters, "v"),
        dropout,
    };
    let y = layer(0.0).attend(&golden.at(&["x"]).matrix()).context;
    assert_close("y", &y, &golden.at(&["y"]).array(), 1e-6);
    let batch = batch_of(&golden.at(&["batch"]));
    let y = layer(0.3).forward(&batch);
    assert_close("batch", &y, &golden.at(&["batch_y"]).array(), 1e-6);
    for dropout in ["0.3", "0.0"] {
        let expected = golden.at(&["training, manual_seed(5)", dropout]).array();
        let rng = &mut torch::Generator::manual_seed(5);
        let out = layer(dropout.parse().expect("a number")).forward_training(&batch, rng);
        assert_close("training", &out, &expected, 1e-6);
    }
}

#[test]
fn layer_norms_are_those_of_pytorch() {
    let file = Golden::parse(include_str!("../golden/layers.json"));
    let cases = file.at(&["layer_norm"]);
    let mut seen = 0;
    for case in 0..cases.len() {
        let golden = cases.at(&[&case.to_string()]);
        if golden.number(&["epsilon"]) != 1e-5 {
            continue; // only PyTorch's default is tested
        }
        seen += 1;
        let name = golden.text(&["name"]);
        let [weight, bias] = ["weight", "bias"].map(|name| {
            let values = golden.at(&["parameters", name]).array();
            values.into_dimensionality().expect("one axis")
        });
        let layer = LayerNorm {
            weight,
            bias,
            epsilon: 1e-5,
        };
        let (x, d_y) = (golden.at(&["x"]).matrix(), golden.at(&["d_y"]).matrix());
        // With a large offset, the rows have already lost precision before they are normalised.
        let offset = x.fold(0.0_f32, |most, x| most.max(x.abs()));
        let tolerance = 4e-6 * offset.max(1.0);
        let y = layer.forward(&x);
        assert_close(&name, &y, &golden.at(&["y"]).array(), tolerance);
        let (d_x, d) = layer.backward(&d_y, &x);
        assert_close(&name, &d_x, &golden.at(&["d_x"]).array(), tolerance);
        let weight = golden.at(&["d", "weight"]).array();
        assert_close(&name, &d.weight, &weight, tolerance);
        assert_close(
            &name,
            &d.bias,
            &golden.at(&["d", "bias"]).array(),
            tolerance,
        );
    }
    assert!(seen >= 3);
}
