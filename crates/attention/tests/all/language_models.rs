//! The four language models compared with PyTorch: golden/language_models.json.

use crate::common::{Golden, refusal};
use attention::prelude::*;

fn text() -> Text {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../assets/tinyshakespeare.txt"
    );
    Text::load(path).expect("the text of the project")
}

fn mixing(name: &str) -> Mixing {
    match name {
        "softmax" => Mixing::None,
        "averaging" => Mixing::Average,
        "position" => Mixing::Symmetric,
        _ => Mixing::Attention {
            blocks: 3,
            heads: 1,
        },
    }
}

fn norm<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> f64 {
    let squares = numbers.into_iter().map(|&x| f64::from(x).powi(2));
    squares.sum::<f64>().sqrt()
}

/// Compares with PyTorch the first loss, the norm and the first values of each parameter's
/// gradient, the losses of 20 training steps, and the norm of each parameter after them.
#[track_caller]
fn check(name: &str, seed: u64) {
    let text = text();
    let file = Golden::parse(include_str!("../golden/language_models.json"));
    let golden = file.at(&[&format!("{name}_lm_{seed}")]);
    let size = golden.number(&["batch"]) as usize;
    let mut rng = torch::Generator::manual_seed(seed);
    let config = Config {
        vocabulary: 65,
        context: 8,
        width: 64,
        mixing: mixing(name),
    };
    let model = LanguageModel::new(config, &mut rng);
    let batch = get_batch(&text.train, size, 8, &mut rng).unwrap();

    let (loss, gradients) = model.gradients(&batch);
    let expected = golden.number(&["first_loss"]);
    assert!(
        (f64::from(loss) - expected).abs() < 2e-6,
        "{loss}, PyTorch has {expected}"
    );
    let parameters = golden.at(&["parameters"]);
    for parameter in parameters.names() {
        let gradient = gradients.parameter(&parameter).unwrap();
        let expected = parameters.number(&[&parameter, "gradient_norm"]);
        let computed = norm(&gradient);
        assert!(
            (computed - expected).abs() <= 2e-5 * expected,
            "{name} {parameter}: gradient norm {computed}, PyTorch has {expected}"
        );
        let largest = gradient
            .iter()
            .fold(0.0_f64, |largest, d| largest.max(f64::from(d.abs())));
        let first = parameters.at(&[&parameter]).values();
        for (index, (computed, expected)) in gradient.iter().zip(&first).enumerate() {
            assert!(
                (f64::from(*computed) - expected).abs() <= 2e-5 * largest,
                "{name} {parameter}[{index}]: gradient {computed}, PyTorch has {expected}"
            );
        }
    }

    let mut training = Training::new(model, size, 1e-3);
    training.run(&text.train, 20, &mut rng).unwrap();
    let losses = golden.at(&["losses"]).values();
    for (step, (computed, expected)) in training.losses.iter().zip(&losses).enumerate() {
        assert!(
            (f64::from(*computed) - expected).abs() < 2e-5,
            "{name} step {step}: loss {computed}, PyTorch has {expected}"
        );
    }
    for parameter in parameters.names() {
        let computed = norm(&training.model.parameter(&parameter).unwrap());
        let expected = parameters.number(&[&parameter, "norm_after"]);
        assert!(
            (computed - expected).abs() < 1e-4 * expected,
            "{name} {parameter} after 20 steps: norm {computed}, PyTorch has {expected}"
        );
    }
}

#[test]
fn bigram_learns_as_in_pytorch() {
    check("softmax", 1337);
    check("softmax", 7);
}

#[test]
fn averaging_learns_as_in_pytorch() {
    check("averaging", 1337);
    check("averaging", 7);
}

#[test]
fn symmetric_attention_learns_as_in_pytorch() {
    check("position", 1337);
    check("position", 7);
}

#[test]
fn transformer_learns_as_in_pytorch() {
    check("attention", 1337);
    check("attention", 7);
}

#[test]
fn cross_entropy_without_one_target_for_each_row_is_refused() {
    let logits = Array2::<f32>::zeros((2, 3));
    let refused = |targets: &[usize]| {
        refusal(|| {
            cross_entropy(&logits, targets);
        })
    };
    for targets in [&[1][..], &[1, 1, 1], &[]] {
        assert_eq!(
            refused(targets),
            format!(
                "cross_entropy: logits is (2, 3) but there are {} targets: one for each row is \
                 needed",
                targets.len()
            )
        );
    }
    assert_eq!(
        refused(&[0, 3]),
        "cross_entropy: target 3 is not among the 3 of logits (2, 3)"
    );
}
