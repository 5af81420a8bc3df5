//! Measures attention in tiles and the averages of lesson 04, "Self-Attention from Scratch". Each
//! line has a name, a tab, and the median over about a second, in milliseconds; `registers`, the
//! upper limit for any program, is in GFLOP/s.
//!
//! `cargo bench -p attention --bench attention`; `benches/attention.py` runs it side by
//! side with PyTorch. RAYON_NUM_THREADS sets the number of threads. With the arguments `memory`, T
//! and `full` or `causal`, it prints the memory that attention needs besides its inputs, in MB
//! (Linux only).

use attention::dot_product::causal_context_batch;
use attention::flash::FlashAttention;
use attention::layers::Linear;
use attention::measure::peak_memory;
use attention::ndarray::Ix3;
use attention::prelude::*;
use attention::rng::torch::Generator;
use pulp::{Arch, Simd, WithSimd};
use std::hint::black_box;
use std::time::Instant;

/// Approximate duration of each measurement in seconds.
const SECONDS: f64 = 1.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, time, kind, ..] = arguments.as_slice()
        && first == "memory"
    {
        return memory(time.parse().expect("T is a number"), kind == "causal");
    }
    let only = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"));
    let report = |name: &str, work: &mut dyn FnMut()| {
        if only.is_none_or(|only| name.contains(only.as_str())) {
            println!("{name}\t{:.4}", median(work));
        }
    };
    if only.is_none_or(|only| only == "registers") {
        println!("registers\t{:.1}", peak());
    }
    let mut rng = Generator::manual_seed(1);
    product(&report, &mut rng);
    for time in [512, 1024, 2048, 4096] {
        forward(&report, 1, time, &mut rng);
    }
    forward(&report, 64, 1024, &mut rng);
    for (time, width) in OTHERS {
        other(&report, time, width, &mut rng);
    }
    one_query(&report, &mut rng);
    for time in [512, 1024, 2048, 4096] {
        both(&report, time, &mut rng);
    }
    averages(&report, &mut rng);
}

type Report<'a> = &'a dyn Fn(&str, &mut dyn FnMut());

/// GFLOP/s of all threads together when they compute on registers only: an upper limit for any
/// program on this machine.
fn peak() -> f64 {
    let mut rates = Vec::new();
    let began = Instant::now();
    while began.elapsed().as_secs_f64() < SECONDS {
        let began = Instant::now();
        let flops: f64 = rayon::broadcast(|_| Arch::new().dispatch(MultiplyAdds))
            .iter()
            .sum();
        rates.push(flops / began.elapsed().as_secs_f64() / 1e9);
    }
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// Independent multiply-adds, so that none waits for another.
struct MultiplyAdds;

impl WithSimd for MultiplyAdds {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        const STEPS: usize = 1_000_000;
        const CHAINS: usize = 12;
        let half = simd.splat_f32s(black_box(0.5));
        let mut sums = [half; CHAINS];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = simd.mul_add_f32s(*sum, half, half);
            }
        }
        for sum in sums {
            black_box(simd.reduce_sum_f32s(sum));
        }
        (STEPS * CHAINS * S::F32_LANES * 2) as f64
    }
}

/// A large batched product, to be compared with the peak: 1024 x 1024 times 1024 x 1024 for each of
/// 4 sequences.
fn product(report: Report, rng: &mut Generator) {
    let (a, b) = (rng.randn((1024, 1024)), rng.randn((4, 1024, 1024)));
    report("product", &mut || {
        black_box(context_batch(&a, &b));
    });
}

fn forward(report: Report, heads: usize, time: usize, rng: &mut Generator) {
    let [q, k, v] = [(); 3].map(|()| rng.randn((heads, time, 64)));
    for causal in [false, true] {
        let name = format!("forward {heads} x {time} {}", kind(causal));
        report(&name, &mut || {
            black_box(flash_attention(&q, &k, &v, causal));
        });
    }
}

/// Other lengths and widths: (T, D).
const OTHERS: [(usize, usize); 8] = [
    (77, 64),
    (1000, 64),
    (1024, 32),
    (1024, 80),
    (1024, 128),
    (4096, 32),
    (4096, 80),
    (4096, 128),
];

fn other(report: Report, time: usize, width: usize, rng: &mut Generator) {
    let [q, k, v] = [(); 3].map(|()| rng.randn((1, time, width)));
    report(&format!("forward 1 x {time} x {width} full"), &mut || {
        black_box(flash_attention(&q, &k, &v, false));
    });
}

/// One step of generating text: one query of each head looks at all keys.
fn one_query(report: Report, rng: &mut Generator) {
    let q = rng.randn((8, 1, 64));
    let [k, v] = [(); 2].map(|()| rng.randn((8, 4096, 64)));
    report("one query of 8 heads, 4096 keys", &mut || {
        black_box(flash_attention(&q, &k, &v, false));
    });
}

fn both(report: Report, time: usize, rng: &mut Generator) {
    let [q, k, v, d_context] = [(); 4].map(|()| rng.randn((1, time, 64)));
    for causal in [false, true] {
        let name = format!("forward and backward 1 x {time} {}", kind(causal));
        report(&name, &mut || {
            let out: FlashAttention<Ix3> = flash_attention(&q, &k, &v, causal);
            let d = flash_attention_backward(&d_context, &q, &k, &v, &out, causal);
            black_box((out, d));
        });
    }
}

/// The averages of lesson 04: 32 texts of 256 tokens with 384 numbers each.
fn averages(report: Report, rng: &mut Generator) {
    let x = rng.randn((32, 256, 384));
    let may_look = causal_mask(256);
    let shares = renormalise(&Array2::<f32>::ones((256, 256)), &may_look);
    let masked_scores = mask_scores(&Array2::<f32>::zeros((256, 256)), &may_look);
    report("V1 loops", &mut || drop(black_box(average_so_far(&x))));
    report("V2 matrix product", &mut || {
        drop(black_box(context_batch(&shares, &x)));
    });
    report("V2 matrix product, triangle", &mut || {
        drop(black_box(causal_context_batch(&shares, &x)));
    });
    report("V5 one pass", &mut || drop(black_box(running_average(&x))));
    report("V3 softmax", &mut || {
        drop(black_box(context_batch(&softmax(&masked_scores), &x)));
    });
    report("V4 attention", &mut || {
        let [key, query, value] = [(); 3].map(|()| Linear::new(384, 16, false, rng));
        let k = key.forward_batch(&x);
        let q = query.forward_batch(&x);
        let v = value.forward_batch(&x);
        drop(black_box(attend_batch_with_scale(
            &q,
            &k,
            &v,
            Some(&may_look),
            1.0,
        )));
    });
}

fn kind(causal: bool) -> &'static str {
    if causal { "causal" } else { "full" }
}

/// The median duration of `work`, in milliseconds.
fn median(work: &mut dyn FnMut()) -> f64 {
    work();
    let (began, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || began.elapsed().as_secs_f64() < SECONDS {
        let began = Instant::now();
        work();
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Prints the memory for one T and kind. Only one per process, because a second measurement would
/// reuse memory that the first one freed.
fn memory(time: usize, causal: bool) {
    let mut rng = Generator::manual_seed(1);
    let [q, k, v, d_context] = [(); 4].map(|()| rng.randn((time, 64)));
    let mut out = None;
    let forward = growth(|| out = Some(flash_attention(&q, &k, &v, causal)));
    println!("forward, {}\t{forward:.1}", kind(causal));
    let Some(out) = out else { return };
    let backward = growth(|| {
        black_box(flash_attention_backward(
            &d_context, &q, &k, &v, &out, causal,
        ));
    });
    println!("backward, {}\t{backward:.1}", kind(causal));
}

/// The peak memory that `work` needs, in MB.
fn growth(work: impl FnOnce()) -> f64 {
    peak_memory(work).map_or(f64::NAN, |bytes| bytes as f64 / 1024.0 / 1024.0)
}
