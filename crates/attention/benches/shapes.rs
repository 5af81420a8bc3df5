//! Measures attention in tiles for various T and D. Each line has a shape, a tab, and milliseconds.
//! Given a path prefix as an argument, it also draws the results, in two files.
//!
//! `cargo bench -p attention --bench shapes`; `benches/shapes.py` looks for shapes that are slower
//! than their neighbours suggest.

use attention::ndarray::Array3;
use attention::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The width when the length varies, and the length when the width varies.
const WIDTH: usize = 64;
const LENGTH: usize = 1024;
/// The fastest call over all rounds counts, so a disturbance in one round does not matter.
const ROUNDS: usize = 7;
/// How long a shape is repeated in a round.
const TIME: Duration = Duration::from_millis(40);

fn main() -> Result<(), attention::Error> {
    // Four lengths per doubling, so that most are not powers of two.
    let lengths: Vec<usize> = (16..=48)
        .map(|n| 2_f64.powf(f64::from(n) / 4.0).round() as usize)
        .collect();
    let widths: Vec<usize> = (1..=20).map(|n| 8 * n).collect();
    let by_length = measure(&lengths, |length| (length, WIDTH));
    let by_width = measure(&widths, |width| (LENGTH, width));
    print("T", &by_length);
    print("D", &by_width);
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.find(|argument| !argument.starts_with("--")) else {
        return Ok(());
    };
    let title = format!("Attention of one head, D = {WIDTH}, measured");
    draw("T, tokens", &by_length, &title, &format!("{path}-T.svg"))?;
    let title = format!("Attention of one head, T = {LENGTH}, measured");
    draw("D, channels", &by_width, &title, &format!("{path}-D.svg"))
}

/// A name, and milliseconds for each T or D.
type Curve = (String, Vec<(f64, f64)>);

fn measure(numbers: &[usize], shape: impl Fn(usize) -> (usize, usize)) -> Vec<Curve> {
    let mut rng = torch::Generator::manual_seed(1);
    let mut inputs: Vec<[Array3<f32>; 3]> = Vec::new();
    for &number in numbers {
        let (length, width) = shape(number);
        inputs.push([(); 3].map(|()| rng.randn((1, length, width))));
    }
    let mut curves = Vec::new();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("a few threads");
        for causal in [false, true] {
            let mut times = vec![f64::INFINITY; numbers.len()];
            for _ in 0..ROUNDS {
                for (time, input) in times.iter_mut().zip(&inputs) {
                    *time = pool.install(|| fastest(input, causal)).min(*time);
                }
            }
            let kind = if causal { "causal" } else { "full" };
            let plural = if threads > 1 { "s" } else { "" };
            let points = numbers.iter().map(|&number| number as f64).zip(times);
            curves.push((
                format!("{kind}, {threads} thread{plural}"),
                points.collect(),
            ));
        }
    }
    curves
}

/// The duration of the fastest call in milliseconds.
fn fastest([q, k, v]: &[Array3<f32>; 3], causal: bool) -> f64 {
    let (began, mut fastest) = (Instant::now(), f64::INFINITY);
    while began.elapsed() < TIME {
        let began = Instant::now();
        black_box(flash_attention(q, k, v, causal));
        fastest = fastest.min(began.elapsed().as_secs_f64() * 1e3);
    }
    fastest
}

fn print(letter: &str, curves: &[Curve]) {
    for (name, points) in curves {
        for (number, milliseconds) in points {
            println!("{name}, {letter} = {number}\t{milliseconds:.5}");
        }
    }
}

fn draw(axis: &str, curves: &[Curve], title: &str, path: &str) -> Result<(), attention::Error> {
    let mut figure = lines(axis, "milliseconds").title(title).log_x().log_y();
    for (name, points) in curves {
        figure = figure.curve(name, points);
    }
    figure.save(path)
}
