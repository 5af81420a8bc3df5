//! Measures how long verdicts take: `cargo run --release -p exercises --example verdicts`.

use exercises::exercises;
use std::time::Duration;

fn main() {
    let all = exercises().iter();
    let mut times: Vec<(Duration, &str)> = all
        .filter_map(|exercise| Some((exercise.longest_verdict()?, exercise.name())))
        .collect();
    times.sort();
    for (time, name) in &times {
        println!("{name}: {} ms", time.as_millis());
    }
    let (longest, median) = (times[times.len() - 1].0, times[times.len() / 2].0);
    println!(
        "median {} ms, longest {} ms",
        median.as_millis(),
        longest.as_millis()
    );
}
