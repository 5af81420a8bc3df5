//! Measures MiniLM. Each line has a name, a tab, and the median over about a second, in
//! milliseconds.
//!
//! `cargo bench -p attention --bench minilm`; `benches/minilm.py` runs it side by side with
//! PyTorch. RAYON_NUM_THREADS sets the number of threads.

use attention::Error;
use attention::minilm::minilm;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(1);

fn main() -> Result<(), Error> {
    report("load", || drop(black_box(minilm())));
    let model = minilm()?;
    for tokens in [15, 256] {
        let text = "word ".repeat(tokens - 2); // plus [CLS] and [SEP]
        report(&format!("encode {tokens} tokens"), || {
            drop(black_box(model.encode(&text)));
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
