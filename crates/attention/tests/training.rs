//! Training as such: exact resumption, independence of threads, and bad input.

use attention::prelude::*;

const TOKENS: [usize; 24] = [
    0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 2, 4, 1, 3, 0, 2, 4, 1, 3, 0, 1, 2, 3,
];

fn model(mixing: Mixing, rng: &mut torch::Generator) -> LanguageModel {
    let config = Config {
        vocabulary: 5,
        context: 4,
        width: 8,
        mixing,
    };
    LanguageModel::new(config, rng).unwrap()
}

const MIXINGS: [Mixing; 5] = [
    Mixing::None,
    Mixing::Average,
    Mixing::Symmetric,
    Mixing::Attention {
        blocks: 2,
        heads: 1,
    },
    Mixing::Attention {
        blocks: 2,
        heads: 2,
    },
];

/// A file of this name in a folder for tests, without one from before.
fn path(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("training");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_batch_whose_targets_do_not_fit_its_inputs_is_refused() {
    use attention::ndarray::Array2;
    let model = LanguageModel::new(
        Config {
            vocabulary: 5,
            context: 4,
            width: 4,
            mixing: Mixing::None,
        },
        &mut torch::Generator::manual_seed(1),
    )
    .unwrap();
    let refused = |inputs: (usize, usize), targets: (usize, usize)| {
        let batch = Batch {
            inputs: Array2::zeros(inputs),
            targets: Array2::zeros(targets),
        };
        let message = model.loss(&batch).expect_err("no batch").to_string();
        let gradients = model.gradients(&batch).expect_err("no batch");
        assert_eq!(gradients.to_string(), message);
        message
    };
    for targets in [(2, 3), (2, 1), (1, 2), (0, 2)] {
        let message = refused((2, 2), targets);
        let (sequences, tokens) = targets;
        assert_eq!(
            message,
            format!(
                "inputs is (2, 2) but targets is ({sequences}, {tokens}): each token needs the one \
                 that follows it"
            )
        );
    }
    assert_eq!(
        refused((0, 2), (0, 2)),
        "the batch is empty: there is no sequence in it"
    );
    assert_eq!(
        refused((2, 0), (2, 0)),
        "there is no token: the model needs at least one to go on from"
    );
    let mut training = Training::new(model, 2, 1e-3).unwrap();
    let none = training.run(&[1, 2, 3, 4, 0], 0, &mut torch::Generator::manual_seed(1));
    assert_eq!(
        none.expect_err("no loss").to_string(),
        "steps is 0, but training takes 1 step or more"
    );
    assert!(training.losses.is_empty());
}

#[test]
fn certainty_has_a_loss_of_zero_and_not_of_minus_zero() {
    let loss = cross_entropy(&array![[3.0], [-1.0]], &[0, 0]);
    assert_eq!(loss.to_bits(), 0.0_f32.to_bits());
    let counted = bigram_loss(&[0, 1, 0, 1], &[0, 1], 0.0);
    assert_eq!(counted.to_bits(), 0.0_f32.to_bits());
}

#[test]
fn gradients_of_every_parameter_agree_with_central_differences() {
    for mixing in MIXINGS {
        let mut rng = torch::Generator::manual_seed(5);
        let model = model(mixing, &mut rng);
        let batch = get_batch(&TOKENS, 3, 4, &mut rng).unwrap();
        let (_, gradients) = model.gradients(&batch).unwrap();
        for name in model.parameter_names() {
            let values = model.parameter(&name).unwrap();
            let claimed = gradients.parameter(&name).unwrap();
            let largest = claimed.iter().fold(0.0_f32, |most, d| most.max(d.abs()));
            let (mut off, mut worst) = (0, 0.0_f64);
            for (index, &value) in values.indexed_iter() {
                let at = |by: f32| {
                    let mut moved = model.clone();
                    let mut values = values.clone();
                    values[&index] = value + by;
                    moved.set_parameter(&name, &values).unwrap();
                    f64::from(moved.loss(&batch).unwrap())
                };
                let measured = (at(1e-3) - at(-1e-3)) / 2e-3;
                let difference = (measured - f64::from(claimed[&index])).abs();
                // The loss is an f32 near 2, so its differences are good to 2e-4.
                off += usize::from(difference > 4e-4 + 0.01 * f64::from(largest));
                worst = worst.max(difference);
            }
            // Where a ReLU bends between the two points they are no measure.
            assert!(
                off <= values.len() / 30 && worst < 5e-3,
                "{mixing:?} {name}: {off} of {} are off, by up to {worst}",
                values.len()
            );
        }
    }
}

#[test]
fn a_resumed_training_goes_on_bit_for_bit() {
    for (index, mixing) in MIXINGS.into_iter().enumerate() {
        let path = path(&format!("resume-{index}.safetensors"));
        let mut rng = torch::Generator::manual_seed(9);
        rng.randn(3); // leaves a spare normal behind
        let mut training = Training::new(model(mixing, &mut rng), 6, 0.01).unwrap();
        training.run(&TOKENS, 7, &mut rng).unwrap();
        training.save(&path, &rng).unwrap();
        training.run(&TOKENS, 5, &mut rng).unwrap();

        let (mut resumed, mut its_rng) = Training::resume(&path).unwrap();
        assert_eq!(resumed.steps(), 7);
        resumed.run(&TOKENS, 5, &mut its_rng).unwrap();
        assert_eq!(resumed.model, training.model);
        assert_eq!(resumed.losses, training.losses);
        assert_eq!(its_rng, rng);
    }
}

#[test]
fn a_torn_or_foreign_file_is_an_error_and_stays_as_it_is() {
    let file = path("torn.safetensors");
    let mut rng = torch::Generator::manual_seed(9);
    let training = Training::new(model(Mixing::None, &mut rng), 6, 0.01).unwrap();
    training.save(&file, &rng).unwrap();
    let whole = std::fs::read(&file).unwrap();
    for length in [0, 4, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&file, &whole[..length]).unwrap();
        let message = Training::resume(&file).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("{file} is not a complete training")),
            "{message}"
        );
        assert_eq!(std::fs::read(&file).unwrap().len(), length);
    }
    let foreign = safetensors_of_another_program();
    std::fs::write(&file, foreign).unwrap();
    let message = Training::resume(&file).unwrap_err().to_string();
    assert!(message.contains("does not say that it is"), "{message}");
}

fn safetensors_of_another_program() -> Vec<u8> {
    let header = br#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(1.0_f32.to_le_bytes());
    file
}

#[test]
fn a_failed_save_leaves_the_old_file() {
    let mut rng = torch::Generator::manual_seed(9);
    let training = Training::new(model(Mixing::None, &mut rng), 6, 0.01).unwrap();
    let folder = path("a-folder");
    std::fs::create_dir_all(&folder).unwrap();
    let message = training.save(&folder, &rng).unwrap_err().to_string();
    assert!(message.contains("could not be written"), "{message}");
    assert!(std::path::Path::new(&folder).is_dir());
    assert!(!std::path::Path::new(&format!("{folder}.unfinished")).exists());
    std::fs::remove_dir(&folder).unwrap();
    let message = training.save("/nowhere/x", &rng).unwrap_err().to_string();
    assert!(
        message.starts_with("/nowhere/x could not be written"),
        "{message}"
    );
}

/// Trains in a process of its own, as the file is looked up once.
#[test]
fn an_interrupted_training_keeps_its_model_and_goes_on() {
    if let Some(file) = std::env::var_os("TRAINING_INTERRUPTED") {
        let mut rng = torch::Generator::manual_seed(3);
        let mut training = Training::new(model(MIXINGS[3], &mut rng), 4, 0.01).unwrap();
        std::fs::remove_file(&file).unwrap();
        training.run(&TOKENS, 5, &mut rng).unwrap();
        let learned = training.model.clone();
        std::fs::write(&file, "").unwrap();
        training.run(&TOKENS, 5, &mut rng).unwrap();
        assert_eq!((training.steps(), &training.model), (5, &learned));
        std::fs::remove_file(&file).unwrap();
        training.run(&TOKENS, 5, &mut rng).unwrap();
        assert_eq!(training.steps(), 10);
        return;
    }
    let file = path("interrupt");
    std::fs::write(&file, "").unwrap();
    let name = "an_interrupted_training_keeps_its_model_and_goes_on";
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact"])
        .env("TRAINING_INTERRUPTED", &file)
        .env("NOTEBOOK_INTERRUPT_FILE", &file)
        .status();
    assert!(status.unwrap().success());
}

/// Trains in a process of its own, as the number of threads is fixed by the first use.
#[test]
fn the_number_of_threads_does_not_matter() {
    if std::env::var_os("TRAINING_PARAMETERS").is_some() {
        let mut rng = torch::Generator::manual_seed(3);
        let config = Config {
            vocabulary: 5,
            context: 4,
            width: 8,
            mixing: Mixing::Attention {
                blocks: 2,
                heads: 2,
            },
        };
        let model = LanguageModel::new(config, &mut rng).unwrap();
        let mut training = Training::new(model, 1000, 0.01).unwrap();
        training.run(&TOKENS, 20, &mut rng).unwrap();
        let bits: Vec<u32> = training.losses.iter().map(|loss| loss.to_bits()).collect();
        println!("losses {bits:?}");
        return;
    }
    let losses = |threads: &str| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "the_number_of_threads_does_not_matter",
                "--exact",
                "--nocapture",
            ])
            .env("TRAINING_PARAMETERS", "1")
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find(|line| line.contains("losses ["));
        line.unwrap_or_else(|| panic!("no losses in {text}"))
            .to_owned()
    };
    let alone = losses("1");
    for threads in ["2", "3", "8"] {
        assert_eq!(losses(threads), alone, "with {threads} threads");
    }
}

#[test]
fn a_diverging_training_says_when_and_does_not_make_the_step() {
    let mut rng = torch::Generator::manual_seed(9);
    let mut training = Training::new(model(MIXINGS[3], &mut rng), 6, 1e30).unwrap();
    let message = training
        .run(&TOKENS, 100, &mut rng)
        .unwrap_err()
        .to_string();
    let done = training.steps();
    assert!(
        message.starts_with(&format!("step {done}: the loss is ")),
        "{message}"
    );
    assert!(message.contains("the last good one was"), "{message}");
    assert!(message.contains("learning rate"), "{message}");
}

#[test]
fn bad_input_is_an_error_that_names_the_value() {
    let mut rng = torch::Generator::manual_seed(9);
    let good = model(MIXINGS[3], &mut rng);
    let text = |error: attention::Error| error.to_string();
    let message = |result: Result<LanguageModel, attention::Error>| text(result.unwrap_err());
    let config = good.config();

    let zero = Config { width: 0, ..config };
    assert_eq!(
        message(LanguageModel::new(zero, &mut rng)),
        "width is 0, but it must be 1 or more"
    );
    let uneven = Config {
        mixing: Mixing::Attention {
            blocks: 1,
            heads: 3,
        },
        ..config
    };
    assert!(
        message(LanguageModel::new(uneven, &mut rng))
            .contains("width 8 cannot be shared by 3 heads")
    );

    assert!(text(Training::new(good.clone(), 0, 1e-3).unwrap_err()).starts_with("batch is 0"));
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let message = text(Training::new(good.clone(), 1, rate).unwrap_err());
        assert!(
            message.starts_with(&format!("learning_rate is {rate}")),
            "{message}"
        );
    }

    let mut training = Training::new(good.clone(), 2, 1e-3).unwrap();
    let message = text(training.run(&[0, 1, 2, 3], 1, &mut rng).unwrap_err());
    assert!(
        message.contains("a sequence of 4 tokens") && message.contains("a text of 4"),
        "{message}"
    );
    let message = text(training.run(&[0, 1, 2, 3, 9], 1, &mut rng).unwrap_err());
    assert!(
        message.starts_with("token 9 is outside the vocabulary of 5"),
        "{message}"
    );
    assert_eq!(training.steps(), 0);

    assert!(text(good.generate(&[], 1, &mut rng).unwrap_err()).starts_with("there is no token"));
    assert!(text(good.generate(&[5], 1, &mut rng).unwrap_err()).contains("tokens are 0 to 4"));
    assert!(text(good.logits(&[0; 5]).unwrap_err()).contains("its context is 4"));
    assert!(text(good.weights(&[]).unwrap_err()).starts_with("there is no token"));
    assert!(text(good.losses_by_position(&[0, 1]).unwrap_err()).contains("a text of 2"));
    assert!(text(good.parameter("proj").unwrap_err()).contains("lm_head.weight"));
    assert!(
        text(get_batch(&TOKENS, 0, 4, &mut rng).unwrap_err()).contains("a batch of 0 sequences")
    );
    assert!(text(get_batch(&TOKENS, 1, 24, &mut rng).unwrap_err()).contains("a sequence of 24"));

    let message = text(Vocabulary::of("abc").encode("ab!").unwrap_err());
    assert_eq!(
        message,
        "character '!' at place 2 is not in the vocabulary \"abc\""
    );
    let missing = text(Text::load("nowhere.txt").unwrap_err());
    assert!(
        missing.starts_with("nowhere.txt could not be read"),
        "{missing}"
    );
}

#[test]
fn the_future_has_no_influence_on_the_transformer() {
    let mut rng = torch::Generator::manual_seed(9);
    let model = model(MIXINGS[4], &mut rng);
    let (a, b) = (
        model.logits(&[0, 1, 2, 3]).unwrap(),
        model.logits(&[0, 1, 4, 0]).unwrap(),
    );
    assert_eq!(a.slice(s![..2, ..]), b.slice(s![..2, ..]));
    assert_ne!(a.row(2), b.row(2));
    for weights in model.weights(&[0, 1, 2, 3]).unwrap() {
        for row in weights.rows() {
            assert!((row.sum() - 1.0).abs() < 1e-6);
        }
    }
}
