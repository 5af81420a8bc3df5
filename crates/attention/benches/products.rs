//! Measures matrix products on one thread. Each line has a shape, a tab, and the median over half a
//! second, in GFLOP/s.
//!
//! `cargo bench -p attention --bench products -- 8x64x8 1024x64x256`: m x k times k x n;
//! `benches/matrix_products.py` compares it with other libraries.

use attention::dot_product::context_batch;
use attention::rng::torch::Generator;
use std::hint::black_box;
use std::time::{Duration, Instant};

const TIME: Duration = Duration::from_millis(500);

fn main() {
    let mut rng = Generator::manual_seed(1);
    for shape in std::env::args()
        .skip(1)
        .filter(|text| !text.starts_with("--"))
    {
        let numbers: Vec<usize> = shape.split('x').filter_map(|n| n.parse().ok()).collect();
        let [m, k, n] = numbers[..] else {
            panic!("{shape} is not a shape such as 8x64x8");
        };
        let (a, b) = (rng.randn((m, k)), rng.randn((1, k, n)));
        let (began, mut times) = (Instant::now(), Vec::new());
        while times.len() < 5 || began.elapsed() < TIME {
            let began = Instant::now();
            black_box(context_batch(&a, &b));
            times.push(began.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let speed = 2.0 * (m * k * n) as f64 / times[times.len() / 2] / 1e9;
        println!("{m} x {k} x {n}\t{speed:.1}");
    }
}
