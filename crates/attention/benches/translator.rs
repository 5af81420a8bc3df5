//! Measures the model that translates. Each line has a name, a tab, and the median over about a
//! second, in milliseconds.
//!
//! `cargo bench -p attention --bench translator`; `benches/translator.py` runs it side by side with
//! PyTorch. RAYON_NUM_THREADS sets the number of threads.

use attention::Error;
use attention::translator::translator;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(1);
/// 5, 12 and 24 words.
const SENTENCES: [&str; 3] = [
    "The dog chased the cat.",
    "The animal did not cross the street because it was too tired.",
    "The old white house near the river was sold last week, because the family who lived there \
     had moved to a much larger city.",
];

fn main() -> Result<(), Error> {
    report("load", || drop(black_box(translator())));
    let model = translator()?;
    for sentence in SENTENCES {
        let words = sentence.split(' ').count();
        report(&format!("translate {words} words"), || {
            drop(black_box(model.translate(sentence)));
        });
    }
    Ok(())
}

/// Prints the median duration of the calls after the first, at least five of them, in milliseconds.
fn report(name: &str, mut work: impl FnMut()) {
    work();
    let (began, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || began.elapsed() < LIMIT {
        let start = Instant::now();
        work();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("{name}\t{:.4}", times[times.len() / 2]);
}
