//! The results of lesson 05, "Self Attention Notes", compared with golden/lesson_05.json.
//!
//! One generator is used throughout the lesson, in the order in which its author ran
//! the cells; each training cell ran twice.

use crate::common::{Golden, assert_close};
use attention::prelude::*;

fn golden() -> Golden {
    Golden::parse(include_str!("../golden/lesson_05.json"))
}

fn text() -> Text {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../assets/tinyshakespeare.txt"
    );
    Text::load(path).expect("the text of the project")
}

fn tokens(golden: &Golden, name: &str) -> Vec<usize> {
    let values = golden.at(&[name]).values();
    values.into_iter().map(|token| token as usize).collect()
}

#[test]
fn lesson_05_embeddings_and_logits() {
    let golden = golden();
    let mut rng = numpy::RandomState::new(42);
    let table = rng.normal(0.0, 1.0, (28, 512));
    let symbols: Vec<char> = "abcdefghijklmnopqrstuvwxyz .".chars().collect();
    let last = symbols.iter().position(|&symbol| symbol == 'p').unwrap();
    let projection = rng.normal(0.0, 1.0, (512, 28));
    let logits = table.row(last).dot(&projection);
    let expected = golden.at(&["np42.logits"]).values();
    for (computed, expected) in logits.iter().zip(expected) {
        assert!(
            (computed - expected).abs() < 1e-12 * 50.0,
            "{computed}, NumPy has {expected}"
        );
    }
}

/// Trains as the lesson did: 1000 steps with a new optimiser, twice. Returns the model and some
/// losses of both runs, including the first and the last.
fn train_twice(
    model: LanguageModel,
    text: &Text,
    rng: &mut torch::Generator,
) -> (LanguageModel, Vec<f32>) {
    let mut once = Training::new(model, 128, 1e-3);
    once.run(&text.train, 1000, rng).unwrap();
    let mut twice = Training::new(once.model.clone(), 128, 1e-3);
    twice.run(&text.train, 1000, rng).unwrap();
    let first = [0, 1, 2, 5, 10, 999]
        .into_iter()
        .filter_map(|step| once.losses.get(step));
    let losses = first
        .chain([&twice.losses[0], &twice.losses[999]])
        .copied()
        .collect();
    (twice.model, losses)
}

#[track_caller]
fn check_losses(golden: &Golden, name: &str, losses: &[f32]) {
    let expected = golden.at(&[name]).values();
    assert_eq!(losses.len(), expected.len(), "{name}");
    for (computed, expected) in losses.iter().zip(expected) {
        let difference = (f64::from(*computed) - expected).abs();
        assert!(
            difference < 5e-6,
            "{name}: {computed}, PyTorch has {expected}"
        );
    }
}

#[test]
fn lesson_05_from_the_first_batch_to_the_transformer() {
    let (golden, text) = (golden(), text());
    assert_eq!(text.vocabulary.size(), 65);
    assert_eq!(text.train.len(), 1_003_854);
    let config = |mixing| Config {
        vocabulary: 65,
        context: 8,
        width: 64,
        mixing,
    };
    let mut rng = torch::Generator::manual_seed(1337);

    let batch = get_batch(&text.train, 4, 8, &mut rng).unwrap();
    assert_eq!(
        batch.inputs.iter().copied().collect::<Vec<_>>(),
        tokens(&golden, "xb")
    );
    assert_eq!(
        batch.targets.iter().copied().collect::<Vec<_>>(),
        tokens(&golden, "yb")
    );

    let model = LanguageModel::new(config(Mixing::None), &mut rng);
    let loss = model.loss(&batch);
    assert!((f64::from(loss) - golden.number(&["softmaxlm.init_loss"])).abs() < 1e-6);
    let logits = model.logits(&batch.inputs.row(0).to_vec());
    let expected = golden.at(&["softmaxlm.init_logits[0]"]).values();
    for (computed, expected) in logits.row(0).iter().zip(expected) {
        assert!(
            (f64::from(*computed) - expected).abs() < 2e-6,
            "{computed}, {expected}"
        );
    }
    let generated = |model: &LanguageModel, count: usize, rng: &mut torch::Generator| {
        text.vocabulary
            .decode(&model.generate(&[0], count, rng).unwrap())
    };
    assert_eq!(
        generated(&model, 100, &mut rng),
        golden.text(&["softmaxlm.gen100"])
    );

    let (model, losses) = train_twice(model, &text, &mut rng);
    check_losses(&golden, "softmaxlm.losses", &losses);
    assert_eq!(
        generated(&model, 500, &mut rng),
        golden.text(&["softmaxlm.gen500"])
    );

    let model = LanguageModel::new(config(Mixing::Average), &mut rng);
    let (model, losses) = train_twice(model, &text, &mut rng);
    check_losses(&golden, "avg.losses", &losses);
    assert_eq!(generated(&model, 50, &mut rng), golden.text(&["avg.gen50"]));

    let model = LanguageModel::new(config(Mixing::Symmetric), &mut rng);
    let (model, losses) = train_twice(model, &text, &mut rng);
    check_losses(&golden, "pos.losses", &losses);
    assert_eq!(
        generated(&model, 500, &mut rng),
        golden.text(&["pos.gen500"])
    );

    let layers = ["q", "k", "v"].map(|name| {
        let layer = Linear::new(2, 2, true, &mut rng);
        let weight = golden.at(&[&format!("ex.{name}.w")]).matrix();
        assert_close(name, &layer.weight, &weight, 1e-6);
        layer
    });
    let inputs = rng.randn((4, 2));
    assert_close("inputs", &inputs, &golden.at(&["ex.inp"]).matrix(), 1e-6);
    let [q, k, v] = layers.map(|layer| layer.forward(&inputs));
    let attention = attend_with_scale(&q, &k, &v, Some(&causal_mask(4)), 1.0);
    assert_close(
        "scores",
        &attention.scores,
        &golden.at(&["ex.wei"]).matrix(),
        1e-6,
    );
    assert_close(
        "weights",
        &attention.weights,
        &golden.at(&["ex.wei_masked"]).matrix(),
        1e-6,
    );
    assert_close(
        "context",
        &attention.context,
        &golden.at(&["ex.out"]).matrix(),
        1e-6,
    );

    let attention = Mixing::Attention {
        blocks: 3,
        heads: 1,
    };
    let model = LanguageModel::new(config(attention), &mut rng);
    let first = golden.at(&["attn.first4"]);
    for name in first.names() {
        let parameter = model.parameter(&name).unwrap();
        for (computed, expected) in parameter.iter().zip(first.array_of(&name)) {
            assert!(
                (f64::from(*computed) - expected).abs() < 1e-6,
                "{name}: {computed}, {expected}"
            );
        }
    }
    let mut training = Training::new(model, 128, 1e-3);
    training.run(&text.train, 501, &mut rng).unwrap();
    let printed = golden.at(&["attn.losses"]).values();
    assert!((f64::from(training.losses[0]) - printed[0]).abs() < 5e-6);
    assert!((f64::from(training.losses[500]) - printed[1]).abs() < 0.02);
}

#[test]
fn lesson_05_counting_gives_the_losses_to_beat() {
    let text = text();
    assert!((unigram_loss(&text.train, &text.train) - 3.309).abs() < 5e-4);
    assert!((bigram_loss(&text.train, &text.train, 0.0) - 2.452).abs() < 5e-4);
    assert!((bigram_loss(&text.train, &text.validation, 1.0) - 2.482).abs() < 5e-4);
}
