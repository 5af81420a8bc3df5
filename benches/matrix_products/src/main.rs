//! Matrix products (m x k times k x n, f32, row-major) in several libraries: one line each
//! with library and shape, a tab, and the median GFLOP/s over half a second.
//!
//! `cargo run --release -- THREADS`; ndarray's own product always uses one thread.

use std::time::Instant;

const SHAPES: [[usize; 3]; 8] = [
    [8, 64, 8],
    [1024, 64, 64],
    [1024, 64, 256],
    [1024, 256, 64],
    [64, 1024, 256],
    [256, 256, 384],
    [1024, 64, 1024],
    [1024, 1024, 1024],
];
const SECONDS: f64 = 0.5;

fn main() {
    let threads = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let threads: usize = threads.unwrap_or(1);
    for [m, k, n] in SHAPES {
        let (a, b) = (numbers(m * k), numbers(k * n));
        let mut c = vec![0.0_f32; m * n];
        let mut report = |library: &str, product: Product| {
            let shape = [m, k, n];
            let seconds = median(|| product(shape, &a, &b, &mut c, threads));
            let speed = 2.0 * (m * k * n) as f64 / seconds / 1e9;
            println!("{library} {m} x {k} x {n}\t{speed:.1}");
        };
        #[cfg(feature = "ndarray")]
        report("ndarray", ndarray_product);
        #[cfg(feature = "gemm")]
        report("gemm", gemm_product);
        #[cfg(feature = "faer")]
        report("faer", faer_product);
        let _ = &mut report;
    }
}

type Product = fn([usize; 3], &[f32], &[f32], &mut [f32], usize);

#[cfg(feature = "ndarray")]
fn ndarray_product([m, k, n]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32], _threads: usize) {
    use ndarray::{ArrayView2, ArrayViewMut2, linalg::general_mat_mul};
    let a = ArrayView2::from_shape((m, k), a).expect("m x k");
    let b = ArrayView2::from_shape((k, n), b).expect("k x n");
    let mut c = ArrayViewMut2::from_shape((m, n), c).expect("m x n");
    general_mat_mul(1.0, &a, &b, 0.0, &mut c);
}

#[cfg(feature = "gemm")]
fn gemm_product([m, k, n]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32], threads: usize) {
    use gemm_common::Parallelism;
    let parallelism = if threads > 1 {
        Parallelism::Rayon(threads)
    } else {
        Parallelism::None
    };
    assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
    // SAFETY: the strides are those of row-major matrices of the lengths just asserted,
    // and c is borrowed exclusively. Written as the transpose, cᵀ = bᵀ aᵀ, because gemm is
    // faster when the columns of its result are contiguous.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            n,
            m,
            k,
            c.as_mut_ptr(),
            n as isize,
            1,
            false,
            b.as_ptr(),
            n as isize,
            1,
            a.as_ptr(),
            k as isize,
            1,
            0.0,
            1.0,
            false,
            false,
            false,
            parallelism,
        );
    }
}

#[cfg(feature = "faer")]
fn faer_product([m, k, n]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32], threads: usize) {
    use faer::linalg::matmul::matmul;
    use faer::{Accum, MatMut, MatRef, Par};
    let par = if threads > 1 {
        Par::rayon(threads)
    } else {
        Par::Seq
    };
    let a = MatRef::from_row_major_slice(a, m, k);
    let b = MatRef::from_row_major_slice(b, k, n);
    let c = MatMut::from_row_major_slice_mut(c, m, n);
    matmul(c, Accum::Replace, a, b, 1.0_f32, par);
}

/// Different numbers between -0.5 and 0.5.
fn numbers(count: usize) -> Vec<f32> {
    (0..count)
        .map(|i| (i * 7919 % 1009) as f32 / 1009.0 - 0.5)
        .collect()
}

/// The median duration of `work` in seconds.
fn median(mut work: impl FnMut()) -> f64 {
    work();
    let (began, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || began.elapsed().as_secs_f64() < SECONDS {
        let began = Instant::now();
        work();
        times.push(began.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
