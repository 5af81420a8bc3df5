//! Training: exact resumption, independence of the number of threads, and invalid input.

use crate::common::refusal;
use attention::ndarray::{ArrayD, Ix1, Ix2, concatenate};
use attention::prelude::*;
use attention::text::Batch;

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
    LanguageModel::new(config, rng)
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

/// The path of a file with this name in a folder for tests; an older file of that name is deleted.
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
    );
    let refused = |inputs: (usize, usize), targets: (usize, usize)| {
        let batch = Batch {
            inputs: Array2::zeros(inputs),
            targets: Array2::zeros(targets),
        };
        let loss = refusal(|| assert!(model.loss(&batch).is_nan()));
        let gradients = refusal(|| drop(model.gradients(&batch)));
        let sentence = loss.strip_prefix("LanguageModel::loss: ").expect("a name");
        assert_eq!(gradients, format!("LanguageModel::gradients: {sentence}"));
        sentence.to_owned()
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
        "there is no token: the model needs at least one to continue from"
    );
    let mut training = Training::new(model, 2, 1e-3);
    let rng = &mut torch::Generator::manual_seed(1);
    assert_eq!(
        refusal(|| drop(training.run(&[1, 2, 3, 4, 0], 0, rng))),
        "Training::run: steps is 0, but training takes 1 step or more"
    );
    assert!(training.losses.is_empty());
}

#[test]
fn the_loss_is_the_mean_over_all_targets() {
    let loss = cross_entropy(&Array2::zeros((3, 4)), &[0, 1, 3]);
    assert!((loss - 4.0_f32.ln()).abs() < 1e-6, "{loss}");
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
        let mut model = model(mixing, &mut rng);
        // New norms are identical, so a mix-up of two of them would go unnoticed.
        for name in model.parameter_names() {
            if name.contains(".ln") {
                let values = model.parameter(&name).unwrap();
                let noise: Array1<f32> = rng.uniform(values.len(), -0.4, 0.4);
                model.set_parameter(&name, &(values + noise)).unwrap();
            }
        }
        let batch = get_batch(&TOKENS, 3, 4, &mut rng).unwrap();
        let (_, gradients) = model.gradients(&batch);
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
                    f64::from(moved.loss(&batch))
                };
                let measured = (at(1e-3) - at(-1e-3)) / 2e-3;
                let difference = (measured - f64::from(claimed[&index])).abs();
                // The loss is an f32 near 2, so its differences are accurate to 2e-4.
                off += usize::from(difference > 4e-4 + 0.01 * f64::from(largest));
                worst = worst.max(difference);
            }
            // Where a ReLU bends between the two points, their difference says nothing.
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
        rng.randn(3); // leaves a normal number cached in the generator
        let mut training = Training::new(model(mixing, &mut rng), 6, 0.01);
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
    let training = Training::new(model(Mixing::None, &mut rng), 6, 0.01);
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
    assert!(message.contains("it is not marked as"), "{message}");
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
    let training = Training::new(model(Mixing::None, &mut rng), 6, 0.01);
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

#[test]
fn pauses_change_nothing_and_come_at_every_stop_and_at_the_end() {
    let train = |every: Option<usize>| {
        let mut rng = torch::Generator::manual_seed(3);
        let mut training = Training::new(model(MIXINGS[3], &mut rng), 4, 0.01);
        let mut seen = Vec::new();
        match every {
            None => training.run(&TOKENS, 7, &mut rng).unwrap(),
            Some(every) => training
                .run_and_measure(&TOKENS, 7, &mut rng, every, |training| {
                    seen.push((training.steps(), training.losses.len()));
                    Ok(())
                })
                .unwrap(),
        };
        (training.model, training.losses, rng, seen)
    };
    let (model, losses, rng, _) = train(None);
    let (paused_model, paused_losses, paused_rng, seen) = train(Some(3));
    assert_eq!(
        (model, losses, rng),
        (paused_model, paused_losses, paused_rng)
    );
    assert_eq!(seen, [(3, 3), (6, 6), (7, 7)]);
    assert_eq!(train(Some(7)).3, [(7, 7)]);
    assert_eq!(train(Some(50)).3, [(7, 7)]);
}

#[test]
fn a_measurement_that_fails_ends_the_training_there() {
    let mut rng = torch::Generator::manual_seed(3);
    let mut training = Training::new(model(MIXINGS[3], &mut rng), 4, 0.01);
    let error = training
        .run_and_measure(&TOKENS, 9, &mut rng, 2, |training| {
            training.model.losses_by_position(&TOKENS[..1]).map(drop)
        })
        .unwrap_err();
    assert!(error.to_string().contains("a text of 1"), "{error}");
    assert_eq!(training.steps(), 2);
    let refused = refusal(|| {
        let mut rng = torch::Generator::manual_seed(3);
        let mut training = Training::new(model(MIXINGS[3], &mut rng), 4, 0.01);
        let run = training.run_and_measure(&TOKENS, 9, &mut rng, 0, |_| Ok(()));
        run.map(drop).unwrap();
    });
    assert!(
        refused.starts_with("Training::run_and_measure: every is 0"),
        "{refused}"
    );
}

#[test]
fn a_batch_that_does_not_fill_its_last_part_has_the_same_loss() {
    // A text with only one window, so all sequences of a batch are the same.
    let losses = |batch| {
        let mut rng = torch::Generator::manual_seed(3);
        let mut training = Training::new(model(MIXINGS[3], &mut rng), batch, 0.01);
        training.run(&TOKENS[..5], 3, &mut rng).unwrap();
        training.losses
    };
    for (one, many) in losses(1).iter().zip(losses(70)) {
        assert!((one - many).abs() < 1e-4, "{one}, with 70 sequences {many}");
    }
}

/// Reruns itself in another process, because a process reads the name of the interrupt file from
/// the environment only once.
#[test]
fn an_interrupted_training_keeps_its_model_and_goes_on() {
    if let Some(file) = std::env::var_os("TRAINING_INTERRUPTED") {
        let mut rng = torch::Generator::manual_seed(3);
        let mut training = Training::new(model(MIXINGS[3], &mut rng), 4, 0.01);
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
    let name = "training::an_interrupted_training_keeps_its_model_and_goes_on";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env("TRAINING_INTERRUPTED", &file)
        .env("NOTEBOOK_INTERRUPT_FILE", &file)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let progress = String::from_utf8_lossy(&output.stderr);
    let stopped = "stopped with 5 steps left: another run continues from here";
    assert!(progress.contains(stopped), "{progress}");
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

/// Reruns itself in other processes, because the number of threads is fixed on first use.
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
        let model = LanguageModel::new(config, &mut rng);
        let mut training = Training::new(model, 1000, 0.01);
        training.run(&TOKENS, 20, &mut rng).unwrap();
        let bits: Vec<u32> = training.losses.iter().map(|loss| loss.to_bits()).collect();
        println!("losses {bits:?}");
        return;
    }
    let losses = |threads: &str| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "training::the_number_of_threads_does_not_matter",
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
    let mut training = Training::new(model(MIXINGS[3], &mut rng), 6, 1e30);
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
fn the_future_has_no_influence_on_the_transformer() {
    let mut rng = torch::Generator::manual_seed(9);
    let model = model(MIXINGS[4], &mut rng);
    let (a, b) = (model.logits(&[0, 1, 2, 3]), model.logits(&[0, 1, 4, 0]));
    assert_eq!(a.slice(s![..2, ..]), b.slice(s![..2, ..]));
    assert_ne!(a.row(2), b.row(2));
    for weights in model.weights(&[0, 1, 2, 3]) {
        for row in weights.rows() {
            assert!((row.sum() - 1.0).abs() < 1e-6);
        }
    }
}

/// The parameter with this name as a matrix.
fn matrix(model: &LanguageModel, name: &str) -> Array2<f32> {
    let parameter = model.parameter(name).unwrap();
    parameter.into_dimensionality::<Ix2>().unwrap()
}

fn vector(model: &LanguageModel, name: &str) -> Array1<f32> {
    let parameter = model.parameter(name).unwrap();
    let vector = parameter.into_dimensionality::<Ix1>().unwrap();
    assert_eq!(model.vector(name), vector);
    vector
}

/// The logits of a transformer and the weights of all its heads, computed with the layers that
/// lessons build it from.
fn by_layers(
    model: &LanguageModel,
    (blocks, heads): (usize, usize),
    tokens: &[usize],
) -> (Array2<f32>, Vec<Array2<f32>>) {
    let linear = |name: &str, has_bias: bool| Linear {
        weight: matrix(model, &format!("{name}.weight")),
        bias: has_bias.then(|| vector(model, &format!("{name}.bias"))),
    };
    let norm = |name: &str| LayerNorm {
        weight: vector(model, &format!("{name}.weight")),
        bias: vector(model, &format!("{name}.bias")),
        epsilon: 1e-5,
    };
    let positions = matrix(model, "position_embedding_table.weight");
    let table = matrix(model, "token_embedding_table.weight");
    let mut x = table.select(Axis(0), tokens) + positions.slice(s![..tokens.len(), ..]);
    let mut weights = Vec::new();
    for block in 0..blocks {
        let name = |layer: &str| format!("blocks.{block}.{layer}");
        let normed = norm(&name("ln1")).forward(&x);
        let [q, k, v] = ["sa.query", "sa.key", "sa.value"]
            .map(|layer| linear(&name(layer), false).forward(&normed));
        let size = q.ncols() / heads;
        let mask = causal_mask(tokens.len());
        let head = |head: usize| {
            let columns = s![.., head * size..(head + 1) * size];
            attend(
                &q.slice(columns),
                &k.slice(columns),
                &v.slice(columns),
                Some(&mask),
            )
        };
        let attended: Vec<Attention<f32>> = (0..heads).map(head).collect();
        let contexts: Vec<_> = attended.iter().map(|head| head.context.view()).collect();
        let joined = concatenate(Axis(1), &contexts).unwrap();
        x += &match heads {
            1 => joined,
            _ => linear(&name("sa.proj"), true).forward(&joined),
        };
        weights.extend(attended.into_iter().map(|head| head.weights));
        let normed = norm(&name("ln2")).forward(&x);
        let hidden = linear(&name("ffwd.net.0"), true).forward(&normed);
        x += &linear(&name("ffwd.net.2"), true).forward(&hidden.mapv(|h| h.max(0.0)));
    }
    (linear("lm_head", true).forward(&x), weights)
}

#[test]
fn a_transformer_is_what_its_layers_compute() {
    for (blocks, heads) in [(1, 1), (2, 2), (2, 4)] {
        let mut rng = torch::Generator::manual_seed(11);
        let model = model(Mixing::Attention { blocks, heads }, &mut rng);
        let mut training = Training::new(model, 8, 0.02);
        training.run(&TOKENS, 30, &mut rng).unwrap();
        let mut model = training.model;
        // The second size makes vectors so short that the epsilon of the norms matters.
        for size in [1.0, 2e-3] {
            for name in [
                "token_embedding_table.weight",
                "position_embedding_table.weight",
            ] {
                let values = model.parameter(name).unwrap() * size;
                model.set_parameter(name, &values).unwrap();
            }
            for tokens in [&[2, 0, 4, 1][..], &[3, 3], &[1]] {
                let (logits, weights) = by_layers(&model, (blocks, heads), tokens);
                let what = format!("{blocks} blocks of {heads} heads, {tokens:?}, size {size}");
                let computed = model.logits(tokens);
                let apart = (&computed - &logits).fold(0.0_f32, |most, d| most.max(d.abs()));
                assert!(apart < 2e-5, "{what}: logits are {apart} apart");
                let computed = model.weights(tokens);
                assert_eq!(computed.len() * heads, weights.len());
                let computed = computed.iter().flat_map(|block| block.outer_iter());
                for (computed, expected) in computed.zip(&weights) {
                    let apart = (&computed - expected).fold(0.0_f32, |most, d| most.max(d.abs()));
                    assert!(apart < 1e-5, "{what}: weights are {apart} apart");
                }
            }
        }
    }
}

#[test]
fn weights_are_those_of_the_tokens_that_are_there() {
    let mut rng = torch::Generator::manual_seed(2);
    for mixing in MIXINGS {
        for block in model(mixing, &mut rng).weights(&[1, 2]) {
            assert_eq!(block.shape()[1..], [2, 2], "{mixing:?}");
            for sum in block.sum_axis(Axis(2)) {
                assert!((sum - 1.0).abs() < 1e-6, "{mixing:?}: a row sums to {sum}");
            }
        }
    }
}

#[test]
fn a_text_is_generated_from_the_probabilities_of_the_logits() {
    for mixing in MIXINGS {
        let mut rng = torch::Generator::manual_seed(21);
        let model = model(mixing, &mut rng);
        let mut expected = vec![3];
        let mut its_rng = rng.clone();
        while expected.len() < 60 {
            let last = expected.len().saturating_sub(4);
            let logits = model.logits(&expected[last..]);
            let probabilities = softmax(&logits.row(logits.nrows() - 1));
            expected.push(its_rng.multinomial(&probabilities, 1)[0]);
        }
        assert_eq!(
            model.generate(&[3], 59, &mut rng).unwrap(),
            expected,
            "{mixing:?}"
        );
    }
}

#[test]
fn a_cold_text_always_takes_the_likeliest() {
    let mut rng = torch::Generator::manual_seed(21);
    let model = model(MIXINGS[3], &mut rng);
    let text = model.generate_at(0.001, &[3], 20, &mut rng).unwrap();
    assert_eq!(text.len(), 21);
    for end in 1..text.len() {
        let logits = model.logits(&text[end.saturating_sub(4)..end]);
        let last = logits.row(logits.nrows() - 1);
        assert!(last.iter().all(|&logit| logit <= last[text[end]]));
    }
}

#[test]
fn losses_by_position_need_a_target_for_every_token() {
    let model = model(MIXINGS[4], &mut torch::Generator::manual_seed(8));
    let losses = |count| model.losses_by_position(&TOKENS[..count]).unwrap();
    assert_eq!(losses(8), losses(5)); // the last of 8 tokens has no target
    assert_ne!(losses(9), losses(5));
}

#[test]
fn losses_by_position_are_the_means_over_all_sequences() {
    let mut rng = torch::Generator::manual_seed(8);
    let drawn = rng.randint(0, 5, 4 * 70 + 1); // more sequences than are computed at once
    let tokens: Vec<usize> = drawn.iter().map(|&token| token as usize).collect();
    for mixing in [MIXINGS[1], MIXINGS[4]] {
        let model = model(mixing, &mut rng);
        let mut sums = [0.0_f64; 4];
        for start in (0..4 * 70).step_by(4) {
            let logits = model.logits(&tokens[start..start + 4]);
            for (t, sum) in sums.iter_mut().enumerate() {
                let row = logits.slice(s![t..t + 1, ..]);
                *sum += f64::from(cross_entropy(&row, &tokens[start + t + 1..][..1]));
            }
        }
        let losses = model.losses_by_position(&tokens).unwrap();
        for (loss, sum) in losses.iter().zip(sums) {
            assert!(
                (f64::from(*loss) - sum / 70.0).abs() < 1e-5,
                "{mixing:?}: {loss}, {sum}"
            );
        }
    }
}

#[test]
fn a_checkpoint_has_the_whole_seed_and_the_exact_learning_rate() {
    let file = path("exact.safetensors");
    for seed in [0x1_0001, u64::from(u32::MAX)] {
        let mut rng = torch::Generator::manual_seed(seed);
        let rate = 0.012_345_678_901_234;
        let mut training = Training::new(model(MIXINGS[3], &mut rng), 6, rate);
        training.run(&TOKENS, 2, &mut rng).unwrap();
        training.save(&file, &rng).unwrap();
        let (mut resumed, mut its_rng) = Training::resume(&file).unwrap();
        assert_eq!(its_rng, rng, "seed {seed}");
        training.run(&TOKENS, 20, &mut rng).unwrap();
        resumed.run(&TOKENS, 20, &mut its_rng).unwrap();
        assert_eq!(resumed.model, training.model, "seed {seed}");
    }
}

/// A hard link shows whether the file was replaced or overwritten: a program
/// killed while overwriting would leave a damaged file.
#[test]
#[cfg(unix)]
fn a_checkpoint_replaces_the_old_file_and_does_not_write_into_it() {
    let (file, second_name) = (path("replaced.safetensors"), path("old.safetensors"));
    let mut rng = torch::Generator::manual_seed(9);
    let mut training = Training::new(model(Mixing::None, &mut rng), 6, 0.01);
    training.save(&file, &rng).unwrap();
    let old = std::fs::read(&file).unwrap();
    std::fs::hard_link(&file, &second_name).unwrap();
    training.run(&TOKENS, 3, &mut rng).unwrap();
    training.save(&file, &rng).unwrap();
    assert_ne!(std::fs::read(&file).unwrap(), old);
    assert_eq!(std::fs::read(&second_name).unwrap(), old);
}

/// A model with a vocabulary of two tokens; its logits are always these biases.
fn only_biases(biases: [f32; 2]) -> LanguageModel {
    let config = Config {
        vocabulary: 2,
        context: 1,
        width: 1,
        mixing: Mixing::None,
    };
    let mut model = LanguageModel::new(config, &mut torch::Generator::manual_seed(1));
    let zeros = model.parameter("token_embedding_table.weight").unwrap() * 0.0;
    model
        .set_parameter("token_embedding_table.weight", &zeros)
        .unwrap();
    let biases = ArrayD::from_shape_vec(vec![2], biases.to_vec()).unwrap();
    model.set_parameter("proj.bias", &biases).unwrap();
    model
}

#[test]
fn a_first_step_of_adamw_by_hand() {
    // The gradient of the second bias is its probability, exp(-16) / (1 + exp(-16)). In the
    // first step, both running means consist of this one gradient g, so AdamW subtracts
    // lr · g / (|g| + 1e-8), after the decay by lr · 0.01.
    let mut training = Training::new(only_biases([0.0, -16.0]), 4, 0.1);
    let rng = &mut torch::Generator::manual_seed(1);
    training.run(&[0; 9], 1, rng).unwrap();
    let g = (-16.0_f64).exp() / (1.0 + (-16.0_f64).exp());
    let expected = -16.0 * (1.0 - 0.1 * 0.01) - 0.1 * g / (g + 1e-8);
    let bias = f64::from(vector(&training.model, "proj.bias")[1]);
    assert!((bias - expected).abs() < 1e-4, "{bias}, by hand {expected}");
}

#[test]
fn a_step_with_an_infinite_loss_is_not_made() {
    let model = only_biases([0.0, f32::NEG_INFINITY]);
    let mut training = Training::new(model.clone(), 4, 0.1);
    let rng = &mut torch::Generator::manual_seed(1);
    let message = training.run(&[1; 9], 1, rng).unwrap_err().to_string();
    assert!(message.starts_with("step 0: the loss is inf"), "{message}");
    assert_eq!((training.steps(), training.model), (0, model));
}

#[test]
fn a_saved_training_keeps_the_whole_generator() {
    let path = path("generator.safetensors");
    let config = Config {
        vocabulary: 3,
        context: 2,
        width: 2,
        mixing: Mixing::None,
    };
    // Every bit of a seed matters, including the high ones.
    for seed in [1, 0x1_0001, 0x8000_0000, 0xfedc_ba98] {
        let mut rng = torch::Generator::manual_seed(seed);
        let model = LanguageModel::new(config, &mut rng);
        let training = Training::new(model, 1, 1e-3);
        rng.randn(1); // leaves a normal number cached in the generator
        training.save(&path, &rng).expect("saved");
        let (_, mut resumed) = Training::resume(&path).expect("resumed");
        assert_eq!(resumed, rng, "seed {seed:#x}");
        assert_eq!(resumed.randn(5), rng.randn(5), "seed {seed:#x}");
    }
}
