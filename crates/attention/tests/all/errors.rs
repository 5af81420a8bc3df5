//! The rule for errors: an invalid argument is a panic that names the function and the value, and
//! points at the line of the call; anything a correct program can encounter is a kind of [`Error`].

use crate::common::refusal;
use attention::Error;
use attention::dot_product::{attend_batch, causal_context_batch};
use attention::flash::flash_attention_backward_with_tiles;
use attention::ndarray::{ArrayD, IxDyn};
use attention::prelude::*;
use attention::show::originals;
use attention::text::{Batch, Vocabulary};
use std::cell::RefCell;
use std::io::ErrorKind;

const TOKENS: [usize; 24] = [
    0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 2, 4, 1, 3, 0, 2, 4, 1, 3, 0, 1, 2, 3,
];

fn rng() -> torch::Generator {
    torch::Generator::manual_seed(9)
}

fn config() -> Config {
    Config {
        vocabulary: 5,
        context: 4,
        width: 8,
        mixing: Mixing::Attention {
            blocks: 2,
            heads: 1,
        },
    }
}

fn model() -> LanguageModel {
    LanguageModel::new(config(), &mut rng())
}

/// A model whose logits are NaN.
fn broken() -> LanguageModel {
    let mut model = model();
    let nan = model.parameter("lm_head.bias").expect("a bias") * f32::NAN;
    model.set_parameter("lm_head.bias", &nan).expect("a bias");
    model
}

/// The path of a file with this name in a folder for tests.
fn path(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("errors");
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    folder.join(name).to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_model_that_cannot_be_is_refused() {
    let refused = |config| refusal(|| drop(LanguageModel::new(config, &mut rng())));
    let mixing = |blocks, heads| Mixing::Attention { blocks, heads };
    for (config, expected) in [
        (
            Config {
                vocabulary: 0,
                ..config()
            },
            "vocabulary is 0, but it must be 1 or more",
        ),
        (
            Config {
                context: 0,
                ..config()
            },
            "context is 0, but it must be 1 or more",
        ),
        (
            Config {
                width: 0,
                ..config()
            },
            "width is 0, but it must be 1 or more",
        ),
        (
            Config {
                mixing: mixing(1, 0),
                ..config()
            },
            "heads is 0, but it must be 1 or more",
        ),
        (
            Config {
                mixing: mixing(1, 3),
                ..config()
            },
            "width 8 cannot be shared by 3 heads: 8 / 3 is not whole",
        ),
        (
            Config {
                mixing: mixing(0, 1),
                ..config()
            },
            "blocks is 0, but a model has 1 to 1000 of them",
        ),
    ] {
        assert_eq!(refused(config), format!("LanguageModel::new: {expected}"));
    }
}

#[test]
fn a_training_that_cannot_be_is_refused() {
    assert_eq!(
        refusal(|| drop(Training::new(model(), 0, 1e-3))),
        "Training::new: batch is 0, but a step needs at least one sequence"
    );
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            refusal(|| drop(Training::new(model(), 1, rate))),
            format!(
                "Training::new: learning_rate is {rate}, but it must be above 0; 1e-3 is a good \
                 start"
            )
        );
    }
}

#[test]
fn a_training_whose_model_was_replaced_by_another_kind_is_refused() {
    let mut training = Training::new(model(), 1, 1e-3);
    let mut twin = model();
    let zeros = twin.parameter("lm_head.bias").expect("a bias") * 0.0;
    twin.set_parameter("lm_head.bias", &zeros).expect("a bias");
    training.model = twin;
    training.run(&TOKENS, 1, &mut rng()).expect("the same kind");
    let config = Config {
        width: 16,
        ..config()
    };
    training.model = LanguageModel::new(config, &mut rng());
    for (function, message) in [
        (
            "run",
            refusal(|| drop(training.run(&TOKENS, 1, &mut rng()))),
        ),
        (
            "save",
            refusal(|| drop(training.save(&path("other.safetensors"), &rng()))),
        ),
    ] {
        assert!(
            message.starts_with(&format!("Training::{function}: the model is Config {{"))
                && message.ends_with(": make a new Training"),
            "{message}"
        );
    }
}

#[test]
fn sequences_that_a_model_cannot_take_are_refused() {
    let good = model();
    let outside = |function: &str, token: usize| {
        format!("{function}: token {token} is outside the vocabulary of 5: tokens are 0 to 4")
    };
    let of = |inputs: [usize; 2], targets: [usize; 2]| Batch {
        inputs: array![inputs],
        targets: array![targets],
    };
    let run = |tokens: &[usize]| {
        let mut training = Training::new(good.clone(), 2, 1e-3);
        let message = refusal(|| drop(training.run(tokens, 1, &mut rng())));
        assert_eq!(training.steps(), 0);
        message
    };
    for (message, function, token) in [
        (refusal(|| drop(good.logits(&[0, 5]))), "logits", 5),
        (refusal(|| drop(good.weights(&[9]))), "weights", 9),
        (
            refusal(|| assert!(good.loss(&of([0, 5], [0, 0])).is_nan())),
            "loss",
            5,
        ),
        (
            refusal(|| drop(good.gradients(&of([0, 0], [0, 7])))),
            "gradients",
            7,
        ),
        (
            refusal(|| drop(good.losses_by_position(&[0, 1, 2, 3, 6]))),
            "losses_by_position",
            6,
        ),
        (
            refusal(|| drop(good.generate(&[5], 1, &mut rng()))),
            "generate",
            5,
        ),
        // The prompt is longer than the context, and the invalid token is in the part that the
        // model does not see.
        (
            refusal(|| drop(good.generate(&[9, 0, 0, 0, 0, 0], 1, &mut rng()))),
            "generate",
            9,
        ),
    ] {
        assert_eq!(
            message,
            outside(&format!("LanguageModel::{function}"), token)
        );
    }
    assert_eq!(run(&[0, 1, 2, 3, 9]), outside("Training::run", 9));
    for (function, none, many) in [
        (
            "logits",
            refusal(|| drop(good.logits(&[]))),
            refusal(|| drop(good.logits(&[0; 5]))),
        ),
        (
            "weights",
            refusal(|| drop(good.weights(&[]))),
            refusal(|| drop(good.weights(&[0; 5]))),
        ),
    ] {
        let function = format!("LanguageModel::{function}");
        assert_eq!(
            none,
            format!("{function}: there is no token: the model needs at least one to continue from")
        );
        assert_eq!(
            many,
            format!("{function}: 5 tokens are more than the model sees at once: its context is 4")
        );
    }
    assert_eq!(
        refusal(|| drop(Vocabulary::of("abc").decode(&[0, 3]))),
        "decode: token 3 is outside the vocabulary of 3 characters"
    );
    for (size, context) in [(0, 4), (2, 0)] {
        assert_eq!(
            refusal(|| drop(get_batch(&TOKENS, size, context, &mut rng()))),
            format!(
                "get_batch: a batch of {size} sequences of {context} tokens is empty: both must \
                 be 1 or more"
            )
        );
    }
}

#[test]
fn a_parameter_that_is_not_there_is_an_error_and_one_of_another_shape_a_mistake() {
    let mut model = model();
    let zeros = |shape: &[usize]| ArrayD::<f32>::zeros(IxDyn(shape));
    let names = model.parameter_names();
    assert!(names.contains(&"lm_head.weight".to_owned()), "{names:?}");
    let error = model.parameter("proj").expect_err("no such name");
    assert_eq!(
        error.to_string(),
        format!(
            "there is no parameter 'proj' in this model; it has {}",
            names.join(", ")
        )
    );
    let name = "proj".to_owned();
    assert_eq!(error, Error::UnknownParameter { name, names });
    assert_eq!(model.set_parameter("proj", &zeros(&[5])), Err(error));
    assert_eq!(
        refusal(|| drop(model.set_parameter("lm_head.weight", &zeros(&[8, 5])))),
        "LanguageModel::set_parameter: lm_head.weight is (5, 8) but values is (8, 5): the shapes \
         must agree"
    );
}

thread_local! {
    /// The file and line of a thread's last panic.
    static PANICKED: RefCell<(String, u32)> = const { RefCell::new((String::new(), 0)) };
}

/// Fails unless each of these calls panics and reports a location in this file.
macro_rules! assert_reported_here {
    ($($call:expr;)*) => {
        let mut elsewhere = Vec::new();
        $(
            refusal(|| {
                let _ = std::hint::black_box($call);
            });
            let (file, line) = PANICKED.take();
            if !file.ends_with("all/errors.rs") {
                elsewhere.push(format!("{} at {file}:{line}", stringify!($call)));
            }
        )*
        assert!(elsewhere.is_empty(), "{elsewhere:#?}");
    };
}

fn remember_where_it_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let location = panic.location().expect("a place");
        PANICKED.set((location.file().to_owned(), location.line()));
        usual(panic);
    }));
}

#[test]
fn a_panic_is_reported_at_the_line_of_the_call() {
    remember_where_it_panics();
    language_models_report_the_caller();
    layers_report_the_caller();
    attention_reports_the_caller();
    texts_and_tables_report_the_caller();
}

fn language_models_report_the_caller() {
    let good = model();
    let none = Batch {
        inputs: Array2::zeros((0, 2)),
        targets: Array2::zeros((0, 2)),
    };
    let zero = Config {
        width: 0,
        ..config()
    };
    let bias = good.parameter("lm_head.bias").expect("a bias");
    let mut training = Training::new(good.clone(), 1, 1e-3);
    let mut replaced = training.clone();
    replaced.model = LanguageModel::new(
        Config {
            width: 4,
            ..config()
        },
        &mut rng(),
    );
    assert_reported_here! {
        LanguageModel::new(zero, &mut rng());
        good.logits(&[5]);
        good.weights(&[]);
        good.loss(&none);
        good.gradients(&none);
        good.losses_by_position(&[9; 5]);
        good.generate(&[9], 1, &mut rng());
        good.clone().set_parameter("lm_head.weight", &bias);
        Training::new(good.clone(), 0, 1.0);
        training.run(&TOKENS, 0, &mut rng());
        training.run(&[9; 9], 1, &mut rng());
        replaced.run(&TOKENS, 1, &mut rng());
        replaced.save("nowhere", &rng());
        cross_entropy(&array![[0.0, 1.0]], &[2]);
    }
}

fn layers_report_the_caller() {
    const HUGE: usize = 1 << 40;
    let x = Array2::<f32>::zeros((6, 4));
    let (batch, empty) = (
        Array3::<f32>::zeros((1, 6, 4)),
        Array3::<f32>::zeros((1, 0, 3)),
    );
    let (none, good) = (
        Array2::<f32>::zeros((0, 3)),
        Array3::<f32>::zeros((1, 6, 3)),
    );
    let linear = Linear::new(3, 2, true, &mut rng());
    let norm = LayerNorm::new(3);
    let v1 = SelfAttentionV1::new(3, 2, &mut rng());
    let v2 = SelfAttentionV2::new(3, 2, &mut rng());
    let mut causal = CausalAttention::new(3, 2, 0.5, &mut rng());
    causal.dropout = 1.5;
    let wrapper = MultiHeadWrapper::new(3, 2, 0.0, 2, &mut rng());
    let mut heads = MultiHeadAttention::new(3, 4, 0.5, 2, &mut rng());
    heads.dropout = 1.5;
    assert_reported_here! {
        CausalAttention::new(3, 2, 1.5, &mut rng());
        MultiHeadAttention::new(3, 4, 1.5, 2, &mut rng());
        Linear::new(0, 1, true, &mut rng());
        Linear::new(HUGE, 1, true, &mut rng());
        linear.forward(&x);
        linear.forward_batch(&batch);
        linear.backward(&x, &x);
        LayerNorm::new(0);
        norm.forward(&x);
        norm.backward(&x, &x);
        SelfAttentionV1::new(0, 1, &mut rng());
        SelfAttentionV1::new(HUGE, 1, &mut rng());
        SelfAttentionV2::new(0, 1, &mut rng());
        v1.forward(&x);
        v2.forward(&x);
        v1.forward(&none);
        v2.forward(&none);
        CausalAttention::new(0, 1, 0.0, &mut rng());
        causal.attend(&x);
        causal.attend(&none);
        causal.forward(&batch);
        causal.forward(&empty);
        causal.forward_training(&batch, &mut rng());
        causal.forward_training(&empty, &mut rng());
        causal.forward_training(&good, &mut rng());
        MultiHeadWrapper::new(0, 1, 0.0, 1, &mut rng());
        MultiHeadWrapper::new(2, 2, 0.0, HUGE, &mut rng());
        wrapper.forward(&batch);
        wrapper.forward(&empty);
        MultiHeadAttention::new(3, 4, 0.0, 3, &mut rng());
        MultiHeadAttention::new(HUGE, 4, 0.0, 2, &mut rng());
        heads.attend(&x);
        heads.attend(&none);
        heads.forward(&batch);
        heads.forward(&empty);
        heads.forward_training(&batch, &mut rng());
        heads.forward_training(&empty, &mut rng());
        heads.forward_training(&good, &mut rng());
        heads.backward(&x, &x);
        heads.backward(&Array2::zeros((0, 4)), &none);
    }
}

fn attention_reports_the_caller() {
    let (x, wide) = (Array2::<f32>::zeros((4, 3)), Array2::<f32>::zeros((5, 2)));
    let (xs, wides) = (
        Array3::<f32>::zeros((2, 4, 3)),
        Array3::<f32>::zeros((2, 5, 2)),
    );
    let mask = causal_mask(3);
    let flash = flash_attention(&x, &x, &x, false);
    assert_reported_here! {
        scores(&x, &wide);
        context(&x, &wide);
        attend(&x, &wide, &wide, None);
        attend_with_scale(&x, &wide, &wide, None, 1.0);
        attend_backward(&x, &x, &x, &wide, &x);
        attend_batch(&xs, &wides, &wides, None);
        attend_batch(&xs, &xs, &xs, Some(&mask));
        attend_batch_with_scale(&xs, &wides, &wides, None, 1.0);
        context_batch(&x, &wides);
        causal_context_batch(&x, &xs);
        causal_mask(1 << 40);
        mask_scores(&x, &mask);
        renormalise(&x, &mask);
        softmax_backward(&x, &wide);
        online_softmax(&x.row(0), 0);
        flash_attention(&x, &wide, &wide, false);
        flash_attention_with_tiles(&x, &x, &x, false, (0, 1));
        flash_attention_backward(&wide, &x, &x, &x, &flash, false);
        flash_attention_backward_with_tiles(&x, &x, &x, &x, &flash, false, (0, 1));
        flash_tiles(1 << 40, 1 << 40, 1, true);
        flash_bytes(usize::MAX, usize::MAX, 64, 1, true);
        naive_bytes(1 << 32, 1 << 32, 64);
    }
}

fn texts_and_tables_report_the_caller() {
    let x = Array2::<f32>::zeros((4, 3));
    assert_reported_here! {
        get_batch(&TOKENS, 0, 1, &mut rng());
        get_batch(&TOKENS, 1 << 40, 1, &mut rng());
        sliding_windows(&TOKENS, 0, 1);
        sliding_windows(&TOKENS, usize::MAX, 1);
        unigram_loss(&[], &[1]);
        unigram_loss(&[1], &[usize::MAX]);
        bigram_loss(&[], &[1], 0.0);
        bigram_loss(&[], &[1, usize::MAX], 0.0);
        Vocabulary::of("a").decode(&[1]);
        attends(&x, &["a"], &["b"], "a", "b");
        largest_difference(&x, &x.t());
        originals("a page", "").numbers("1", "x", &x, &(&x + 1.0), 0.5).check();
        time_runs("nothing", 0, || ());
    }
}

#[test]
fn what_is_wrong_with_a_file_is_an_error_of_its_kind() {
    let missing = Text::load("nowhere.txt").expect_err("no file");
    let message = missing.to_string();
    assert!(
        message.starts_with("nowhere.txt could not be read: "),
        "{message}"
    );
    assert!(matches!(
        &missing,
        Error::ReadFailed { path, source, reason }
            if path == "nowhere.txt" && source.kind() == ErrorKind::NotFound && message.ends_with(reason)
    ));
    assert_eq!(missing.clone(), missing);
    // Error reporters can follow the chain to the system's own error.
    let source = std::error::Error::source(&missing).expect("the system's");
    let of_system = source.downcast_ref::<std::io::Error>().expect("of std");
    assert_eq!(of_system.kind(), ErrorKind::NotFound);
    let latin = path("latin-1.txt");
    std::fs::write(&latin, [0xe4]).expect("a file");
    assert!(matches!(
        Text::load(&latin).expect_err("no UTF-8"),
        Error::ReadFailed { source, .. } if source.kind() == ErrorKind::InvalidData
    ));
    let empty = path("empty.txt");
    std::fs::write(&empty, "").expect("a file");
    let error = Text::load(&empty).expect_err("nothing in it");
    assert_eq!(
        error.to_string(),
        format!("{empty} is empty: there is nothing to learn from")
    );
    assert_eq!(
        error,
        Error::EmptyText {
            path: empty.clone()
        }
    );

    assert!(matches!(
        Training::resume("nowhere").expect_err("no file"),
        Error::ReadFailed { source, .. } if source.kind() == ErrorKind::NotFound
    ));
    let error = Training::resume(&empty).expect_err("nothing in it");
    let message = error.to_string();
    assert!(
        message.starts_with(&format!(
            "{empty} is not a complete training saved by this crate: "
        )),
        "{message}"
    );
    assert!(matches!(
        error,
        Error::NotACheckpoint { path, reason } if path == empty && message.ends_with(&reason)
    ));
    let training = Training::new(model(), 1, 1e-3);
    let error = training.save("/nowhere/x", &rng()).expect_err("no folder");
    let message = error.to_string();
    assert!(
        message.starts_with("/nowhere/x could not be written: "),
        "{message}"
    );
    assert!(matches!(
        error,
        Error::WriteFailed { path, source, reason }
            if path == "/nowhere/x" && source.kind() == ErrorKind::NotFound && message.ends_with(&reason)
    ));

    let picture = heatmap(&array![[1.0, 0.0]]);
    let error = picture.save("picture.bmp").expect_err("no such form");
    let path = "picture.bmp".to_owned();
    assert_eq!(error, Error::UnknownEnding { path });
    assert!(matches!(
        picture.save("/nowhere/x.svg").expect_err("no folder"),
        Error::WriteFailed { source, .. } if source.kind() == ErrorKind::NotFound
    ));
}

/// A checkpoint whose header has an invalid size or learning rate is a damaged file, not a bug in
/// the program that reads it.
#[test]
fn a_model_that_cannot_be_is_an_error_if_a_file_has_it() {
    let file = path("damaged.safetensors");
    let training = Training::new(model(), 3, 0.25);
    training.save(&file, &rng()).expect("saved");
    let saved = std::fs::read(&file).expect("read");
    for (old, new, expected) in [
        (r#""width":"8""#, r#""width":"0""#, "width is 0"),
        (r#""batch":"3""#, r#""batch":"0""#, "batch is 0"),
        (
            r#""learning_rate":"0.25""#,
            r#""learning_rate":"-1.0""#,
            "learning_rate is -1",
        ),
    ] {
        let start = saved
            .windows(old.len())
            .position(|window| window == old.as_bytes());
        let start = start.expect("the text of a number");
        let mut damaged = saved.clone();
        damaged[start..start + old.len()].copy_from_slice(new.as_bytes());
        std::fs::write(&file, damaged).expect("written");
        let error = Training::resume(&file).expect_err("damaged");
        assert!(matches!(
            error,
            Error::NotACheckpoint { reason, .. } if reason.starts_with(expected)
        ));
    }
}

/// The reason why a file with these bytes is refused as a checkpoint.
#[track_caller]
fn why_refused(file: &str, bytes: &[u8]) -> String {
    let file = path(file);
    std::fs::write(&file, bytes).expect("written");
    match Training::resume(&file).expect_err("no training") {
        Error::NotACheckpoint { reason, .. } => reason,
        error => panic!("{error}"),
    }
}

/// A file with this header, followed by the numbers.
fn with_header(header: &str, numbers: &[u8]) -> Vec<u8> {
    let length = (header.len() as u64).to_le_bytes();
    [&length, header.as_bytes(), numbers].concat()
}

#[test]
fn a_file_that_asks_for_too_much_is_refused_before_anything_is_taken() {
    let file = path("whole.safetensors");
    let training = Training::new(model(), 3, 0.25);
    training.save(&file, &rng()).expect("saved");
    let saved = std::fs::read(&file).expect("read");
    let (length, rest) = saved.split_first_chunk().expect("a length");
    let (header, numbers) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let header = std::str::from_utf8(header).expect("text");
    let largest = u64::MAX.to_string();
    let largest_but_one = (u64::MAX - 1).to_string();
    let metadata: serde_json::Value = serde_json::from_str(header).expect("JSON");
    for (name, value, expected) in [
        ("batch", "1000000000000", "a pass of this size: 1"),
        ("batch", &largest, "a pass of this size: 1"),
        (
            "context",
            "9223372036854775808",
            "a model of this size: 9223372036854775808 x ",
        ),
        (
            "context",
            &largest,
            "a model of this size: 18446744073709551615 x ",
        ),
        (
            "vocabulary",
            &largest,
            "a model of this size: 18446744073709551615 x ",
        ),
        ("width", &largest, "a model of this size: "),
        (
            "width",
            "18446744073709551616",
            "its width is \"18446744073709551616\"",
        ),
        (
            "mixing",
            "1000000000000 blocks of 1 heads",
            "blocks is 1000000000000, but",
        ),
        (
            "mixing",
            "1 blocks of 0 heads",
            "heads is 0, but it must be 1 or more",
        ),
        ("mixing", "blocks", "its mixing is \"blocks\""),
        (
            "drawn",
            &largest,
            "its drawn is 18446744073709551615, more than any training needs",
        ),
        (
            "steps",
            &largest_but_one,
            "its losses is F32 [0] instead of F32 [18446744073709551614]",
        ),
        ("steps", "-1", "its steps is \"-1\""),
        (
            "learning_rate",
            "NaN",
            "learning_rate is NaN, but it must be above 0",
        ),
        (
            "learning_rate",
            "inf",
            "learning_rate is inf, but it must be above 0",
        ),
        ("seed", "4294967296", "its seed is \"4294967296\""),
        ("spare_normal", "none", "its spare_normal is \"none\""),
        ("kind", "another one", "it is not marked as a "),
    ] {
        let mut changed = metadata.clone();
        changed["__metadata__"][name] = value.into();
        let reason = why_refused(
            "greedy.safetensors",
            &with_header(&changed.to_string(), numbers),
        );
        assert!(reason.starts_with(expected), "{name} {value}: {reason}");
    }
    let mut without = metadata.clone();
    without["__metadata__"]
        .as_object_mut()
        .expect("a map")
        .remove("drawn");
    assert_eq!(
        why_refused(
            "greedy.safetensors",
            &with_header(&without.to_string(), numbers)
        ),
        "it does not say its drawn"
    );

    // A tensor with too many numbers, or with numbers of the wrong type or outside the file.
    let name = "token_embedding_table.weight";
    let tensor = &metadata[name];
    assert!(tensor.is_object(), "{header}");
    for (key, value, expected) in [
        ("shape", serde_json::json!([u64::MAX, u64::MAX]), "overflow"),
        (
            "shape",
            serde_json::json!([1_u64 << 40, 1]),
            "invalid shape, data type, or offset",
        ),
        (
            "dtype",
            serde_json::json!("F64"),
            "invalid shape, data type, or offset",
        ),
        (
            "dtype",
            serde_json::json!("I32"),
            "its token_embedding_table.weight is I32",
        ),
        ("data_offsets", serde_json::json!([0, u64::MAX]), "invalid"),
    ] {
        let mut changed = metadata.clone();
        changed[name][key] = value.clone();
        let reason = why_refused(
            "greedy.safetensors",
            &with_header(&changed.to_string(), numbers),
        );
        assert!(reason.starts_with(expected), "{key} {value}: {reason}");
    }
}

#[test]
fn what_is_no_training_is_refused_with_a_reason() {
    for (bytes, expected) in [
        (
            u64::MAX.to_le_bytes().to_vec(),
            "its header has 18446744073709551615 bytes",
        ),
        (vec![255; 100], "its header has 18446744073709551615 bytes"),
        (
            (16_u64 << 20).to_le_bytes().to_vec(),
            "its header has 16777216 bytes",
        ),
        (with_header(&"[".repeat(100_000), &[]), "invalid JSON"),
        (with_header(&"{\"a\":".repeat(100_000), &[]), "invalid JSON"),
        (vec![0; 1 << 20], "invalid"),
    ] {
        let reason = why_refused("none.safetensors", &bytes);
        assert!(reason.starts_with(expected), "{expected}: {reason}");
    }
    for endless in ["/dev/zero", "/dev"] {
        let error = Training::resume(endless)
            .expect_err("no training")
            .to_string();
        if cfg!(unix) {
            let expected = "is not a complete training saved by this crate: it is not a file";
            assert_eq!(error, format!("{endless} {expected}"));
        }
    }
}

#[test]
fn what_is_wrong_with_a_text_is_an_error_of_its_kind() {
    let error = Vocabulary::of("abc").encode("ab!").expect_err("unknown");
    assert_eq!(
        error.to_string(),
        "character '!' at place 2 is not in the vocabulary \"abc\""
    );
    let vocabulary = "abc".to_owned();
    let expected = Error::UnknownCharacter {
        character: '!',
        position: 2,
        vocabulary,
    };
    assert_eq!(error, expected);

    let weights = array![[0.5, 0.5]];
    let error = attends(&weights, &["a"], &["b", "c"], "a", "d").expect_err("unknown");
    let expected = Error::UnknownToken {
        token: "d".to_owned(),
        among: "keys",
        tokens: vec!["b".to_owned(), "c".to_owned()],
    };
    assert_eq!(error, expected);
    let error = attends(&weights, &["a"], &["b", "c"], "d", "b").expect_err("unknown");
    assert!(matches!(
        error,
        Error::UnknownToken {
            among: "queries",
            ..
        }
    ));

    let error = model().generate(&[], 1, &mut rng()).expect_err("empty");
    assert_eq!(
        error.to_string(),
        "there is no token: the model needs at least one to continue from"
    );
    assert_eq!(error, Error::EmptyPrompt);

    let mut training = Training::new(model(), 2, 1e-3);
    for (error, tokens, context) in [
        (training.run(&[0, 1, 2, 3], 1, &mut rng()).map(drop), 4, 4),
        (model().losses_by_position(&[0, 1]).map(drop), 2, 4),
        (get_batch(&TOKENS, 1, 24, &mut rng()).map(drop), 24, 24),
    ] {
        let error = error.expect_err("too short");
        assert_eq!(
            error.to_string(),
            format!(
                "a sequence of {context} tokens and the one that follows do not fit into a text \
                 of {tokens}: take a longer text or a shorter context"
            )
        );
        assert_eq!(error, Error::TextTooShort { tokens, context });
    }
    assert_eq!(training.steps(), 0);
    // A context of one cannot be made shorter, so this message does not suggest it.
    let error = get_batch(&[0], 1, 1, &mut rng()).expect_err("too short");
    assert_eq!(
        error.to_string(),
        "a loss needs at least two tokens: one to predict, and one before it"
    );
}

#[test]
fn a_training_that_went_wrong_is_an_error_of_its_kind() {
    let error = broken().generate(&[0], 1, &mut rng()).expect_err("NaN");
    assert_eq!(
        error.to_string(),
        "the model's probabilities are NaN: its training has gone wrong"
    );
    assert_eq!(error, Error::NanProbabilities);

    let mut training = Training::new(broken(), 2, 0.5);
    let error = training.run(&TOKENS, 1, &mut rng()).expect_err("NaN");
    assert_eq!(
        error.to_string(),
        "step 0: the loss is NaN, there was no earlier loss. The step was not taken; a learning \
         rate below 0.5 may help"
    );
    assert!(matches!(
        error,
        Error::Diverged { step: 0, loss, last_good: None, learning_rate: 0.5 } if loss.is_nan()
    ));
    let mut training = Training::new(model(), 6, 1e30);
    let error = training
        .run(&TOKENS, 100, &mut rng())
        .expect_err("too fast");
    let last = training.losses.last().copied();
    let message = error.to_string();
    assert!(
        message.contains(&format!(
            "the last good one was {:.4}. ",
            last.expect("a step")
        )),
        "{message}"
    );
    assert!(matches!(
        error,
        Error::Diverged { step, last_good, .. } if step == training.steps() && last_good == last
    ));
}

/// Reruns itself in another process, because a process reads the name of the interrupt file from
/// the environment only once.
#[test]
fn a_training_stopped_before_its_first_step_is_an_error() {
    if std::env::var_os("NOTEBOOK_INTERRUPT_FILE").is_some() {
        let mut training = Training::new(model(), 2, 1e-3);
        let error = training.run(&TOKENS, 3, &mut rng()).expect_err("stopped");
        assert_eq!(
            error.to_string(),
            "stopped before the first step: there is no loss yet"
        );
        assert_eq!((error, training.steps()), (Error::Stopped, 0));
        return;
    }
    let file = path("interrupt");
    std::fs::write(&file, "").expect("a file");
    let name = "errors::a_training_stopped_before_its_first_step_is_an_error";
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args([name, "--exact"])
        .env("NOTEBOOK_INTERRUPT_FILE", &file)
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}
