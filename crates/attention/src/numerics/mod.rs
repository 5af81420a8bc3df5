//! What all computing stands on: numbers, shapes, sums, products, wide registers.

pub(crate) mod difference;
pub(crate) mod matmul;
pub(crate) mod parallel;
pub(crate) mod real;
pub(crate) mod shape;
pub(crate) mod simd;
pub(crate) mod sum;
pub(crate) mod variance;
