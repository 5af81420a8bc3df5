//! Measures the model that writes. Each line has a name, a tab, and the median over about a second,
//! in milliseconds unless the name ends with another unit.
//!
//! `cargo bench -p attention --bench writer`; `benches/writer.py` runs it side by side with
//! PyTorch and llama.cpp. RAYON_NUM_THREADS sets the number of threads.

use attention::Error;
use attention::measure::peak_memory;
use attention::writer::writer;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(1);
const PROMPT: usize = 32;
const TOKENS: usize = 64;
/// More numbers than any cache holds: adding them up shows how fast memory is read.
const MEMORY: usize = 1 << 26;

fn main() -> Result<(), Error> {
    let first = peak_memory(|| writer()?.draft(&[504; PROMPT]));
    if let Some(bytes) = first {
        println!("memory, with its file, MB\t{:.4}", bytes as f64 / 1e6);
    }
    report("load", || drop(black_box(writer())));
    let model = writer()?;
    let tokens: Vec<usize> = (0..PROMPT).map(|i| 1000 + 37 * i).collect();
    report("prompt of 32 tokens", || {
        drop(black_box(model.draft(&tokens)));
    });
    report("every head on 64 tokens", || {
        drop(black_box(model.read(&[&tokens[..], &tokens].concat())));
    });
    let mut draft = model.draft(&tokens)?;
    let mut times = Vec::new();
    for _ in 0..TOKENS {
        let start = Instant::now();
        draft.push(black_box(draft.next_token().best()))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("each of 64 new tokens\t{:.4}", median(times));
    let gigabytes = (MEMORY * size_of::<u64>()) as f64 / 1e9;
    let memory: Vec<u64> = (0..MEMORY as u64).collect();
    let milliseconds = timed(|| _ = black_box(memory.par_iter().sum::<u64>()));
    println!(
        "reading memory, GB/s\t{:.4}",
        gigabytes / milliseconds * 1e3
    );
    Ok(())
}

fn report(name: &str, work: impl FnMut()) {
    println!("{name}\t{:.4}", timed(work));
}

/// The median duration of the calls after the first, at least five of them, in milliseconds.
fn timed(mut work: impl FnMut()) -> f64 {
    work();
    let (began, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || began.elapsed() < LIMIT {
        let start = Instant::now();
        work();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    median(times)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
