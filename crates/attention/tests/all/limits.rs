//! Requests that are too large are refused immediately, with a message, and the process continues.

use crate::common::refusal;
use attention::ndarray::Array2;
use attention::prelude::*;
use attention::rng::torch::Generator;
use attention::text::Batch;
use std::time::Instant;

/// Far more numbers than fit into any machine's memory.
const HUGE: usize = 1 << 40;

#[track_caller]
fn refused(function: &str, call: impl FnOnce()) -> String {
    let start = Instant::now();
    let message = refusal(call);
    assert!(message.starts_with(&format!("{function}: ")), "{message}");
    assert!(message.contains(" of memory, but "), "{message}");
    assert!(message.ends_with(" are free: ask for fewer"), "{message}");
    assert!(start.elapsed().as_secs() < 30, "{function} took its time");
    message
}

fn rng() -> Generator {
    Generator::manual_seed(0)
}

#[test]
fn arrays_of_a_callers_size() {
    refused("causal_mask", || drop(causal_mask(HUGE)));
    refused("Linear", || {
        drop(Linear::new(HUGE, HUGE, false, &mut rng()))
    });
    refused("Linear", || drop(SelfAttentionV2::new(HUGE, 2, &mut rng())));
    refused("Linear", || {
        drop(MultiHeadAttention::new(2, HUGE, 0.0, 2, &mut rng()));
    });
    refused("MultiHeadWrapper", || {
        drop(MultiHeadWrapper::new(2, 2, 0.0, usize::MAX, &mut rng()));
    });
    refused("LayerNorm", || drop(LayerNorm::new(HUGE)));
    refused("flash_tiles", || drop(flash_tiles(HUGE, HUGE, 1, true)));
    refused("sliding_windows", || {
        drop(sliding_windows(&[1, 2, 3], usize::MAX, 1));
    });
}

#[test]
fn products_of_long_arrays() {
    // A million rows take 4 MB, a score for each pair of them 4 TB.
    let long = || Array2::<f32>::zeros((1 << 20, 1));
    refused("scores", move || drop(scores(&long(), &long())));
    refused("attend", move || {
        drop(attend(&long(), &long(), &long(), None))
    });
    refused("attend_with_scale", move || {
        drop(attend_with_scale(&long(), &long(), &long(), None, 1.0));
    });
    refused("context_batch", move || {
        let v = Array2::<f32>::zeros((1, 1 << 21)).insert_axis(Axis(0));
        drop(context_batch(&long(), &v));
    });
    let wide = Array2::<f32>::zeros((1, 1 << 21));
    refused("flash_attention", move || {
        drop(flash_attention(
            &long(),
            &long().slice(s![..1, ..]),
            &wide,
            false,
        ));
    });
    let row = Array1::<f32>::zeros(1);
    assert_eq!(scores(&row, &long()).len(), 1 << 20); // one query: a million scores
}

#[test]
fn counting_up_to_a_large_token() {
    for token in [1 << 40, usize::MAX] {
        refused("bigram_loss", move || {
            assert!(bigram_loss(&[0, token], &[0, 1], 1.0).is_nan());
        });
        refused("unigram_loss", move || {
            assert!(unigram_loss(&[0, 1], &[token]).is_nan());
        });
    }
}

#[test]
fn more_bytes_than_can_be_counted() {
    let sentence = "move more bytes than can be counted here: ask for fewer";
    for (function, call) in [
        (
            "naive_bytes",
            (|| naive_bytes(1 << 32, 1 << 32, 64)) as fn() -> usize,
        ),
        ("flash_bytes", || {
            flash_bytes(usize::MAX, usize::MAX, 64, 1, true)
        }),
        ("flash_bytes", || {
            flash_bytes(usize::MAX, 64, usize::MAX, 64, false)
        }),
    ] {
        let message = refusal(move || assert_eq!(call(), 0));
        assert!(message.starts_with(&format!("{function}: ")), "{message}");
        assert!(message.ends_with(sentence), "{message}");
    }
    // 2^40 tiles of one query each, computed instantly.
    assert_eq!(flash_bytes(HUGE, 1, 1, 1, false), 4 * (3 * HUGE + 2 * HUGE));
}

#[test]
fn models_batches_and_trainings() {
    let config = |context, mixing| Config {
        vocabulary: 5,
        context,
        width: 4,
        mixing,
    };
    let model = move |config| drop(LanguageModel::new(config, &mut rng()));
    let mixing = |blocks| Mixing::Attention { blocks, heads: 1 };
    for blocks in [0, 1001, HUGE] {
        assert_eq!(
            refusal(move || model(config(2, mixing(blocks)))),
            format!("LanguageModel::new: blocks is {blocks}, but a model has 1 to 1000 of them")
        );
    }
    let message = refused("LanguageModel::new", || model(config(HUGE, mixing(1))));
    assert!(
        message.starts_with("LanguageModel::new: a model of this size: "),
        "{message}"
    );

    let long = LanguageModel::new(config(1 << 21, Mixing::Symmetric), &mut rng());
    let tokens = vec![1; (1 << 21) + 1];
    let batch = Batch {
        inputs: Array2::ones((1, 1 << 21)),
        targets: Array2::ones((1, 1 << 21)),
    };
    let calls: [(&str, &dyn Fn()); 7] = [
        ("LanguageModel::logits", &|| drop(long.logits(&tokens[1..]))),
        ("LanguageModel::weights", &|| {
            drop(long.weights(&tokens[1..]));
        }),
        ("LanguageModel::loss", &|| {
            assert!(long.loss(&batch).is_nan());
        }),
        ("LanguageModel::gradients", &|| drop(long.gradients(&batch))),
        ("LanguageModel::losses_by_position", &|| {
            drop(long.losses_by_position(&tokens));
        }),
        ("LanguageModel::generate", &|| {
            drop(long.generate(&tokens, 1, &mut rng()));
        }),
        ("Training::new", &|| {
            drop(Training::new(long.clone(), 4, 1e-3));
        }),
    ];
    for (function, call) in calls {
        let message = refused(function, call);
        assert!(
            message.starts_with(&format!("{function}: a pass of this size: ")),
            "{message}"
        );
    }
    // A text that would become too long is refused before its first token is generated.
    let message = refused("LanguageModel::generate", || {
        drop(long.generate(&[1], HUGE, &mut rng()));
    });
    assert!(message.contains("a pass of this size: "), "{message}");
    let message = refused("get_batch", || {
        drop(get_batch(&[1, 2, 3], HUGE, 2, &mut rng()));
    });
    assert!(
        message.starts_with("get_batch: 1099511627776 x 2"),
        "{message}"
    );
}
