//! Training steps and generated tokens per second for the four models of the lesson on language
//! models, with the lesson's batches of 128 sequences of 8 characters. Before that, the speed of
//! a matrix product of similar size.
//!
//! `cargo bench -p attention --bench language_models`; `benches/language_models.py`
//! runs it side by side with PyTorch. RAYON_NUM_THREADS sets the number of threads.

use attention::prelude::*;
use std::time::Instant;

/// Approximate duration of each measurement in seconds.
const SECONDS: f64 = 3.0;

fn main() -> Result<(), attention::Error> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../assets/tinyshakespeare.txt"
    );
    let text = Text::load(path)?;
    let attention = Mixing::Attention {
        blocks: 3,
        heads: 1,
    };
    let models = [
        ("softmax", Mixing::None),
        ("averaging", Mixing::Average),
        ("masked averaging", Mixing::Symmetric),
        ("transformer", attention),
    ];
    let mut rng = torch::Generator::manual_seed(1337);
    let (a, b) = (rng.randn((256, 256)), rng.randn((8, 256, 384)));
    let product = || {
        std::hint::black_box(context_batch(&a, &b));
        Ok(())
    };
    let peak = median_rate(8, product)? * 2.0 * 256.0 * 256.0 * 384.0 / 1e9;
    println!("matrix peak, GFLOP/s\t{peak:.1}");
    let vocabulary = text.vocabulary.size();
    for (name, mixing) in models {
        let config = Config {
            vocabulary,
            context: 8,
            width: 64,
            mixing,
        };
        let model = LanguageModel::new(config, &mut rng);
        let mut training = Training::new(model, 128, 1e-3);
        training.run(&text.train, 100, &mut rng)?;
        let rate = median_rate(100, || training.run(&text.train, 100, &mut rng).map(|_| ()))?;
        println!("{name}\t{rate:.1}");
        if mixing == attention {
            let model = training.model;
            let rate = median_rate(500, || model.generate(&[0], 500, &mut rng).map(|_| ()))?;
            println!("generation\t{rate:.1}");
        }
    }
    Ok(())
}

/// The median number of items per second, where each call of `work` processes `count` items.
fn median_rate(
    count: usize,
    mut work: impl FnMut() -> Result<(), attention::Error>,
) -> Result<f64, attention::Error> {
    let (began, mut rates) = (Instant::now(), Vec::new());
    while rates.len() < 5 || began.elapsed().as_secs_f64() < SECONDS {
        let began = Instant::now();
        work()?;
        rates.push(count as f64 / began.elapsed().as_secs_f64());
    }
    rates.sort_by(f64::total_cmp);
    Ok(rates[rates.len() / 2])
}
