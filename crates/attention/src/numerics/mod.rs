//! The numerical foundations of this crate: numbers, shapes, sums, products, SIMD.
//!
//! Many functions take arrays of any [`Real`], f32 or f64, and some take either a single row or many
//! ([`Rows`]). [`torch_sum`] matches PyTorch's sum to the last digit, [`variance()`] measures how
//! widely numbers spread, and [`largest_difference`] how far apart two arrays are.

pub(crate) mod attend_shapes;
pub(crate) mod bytes;
pub(crate) mod column_dots;
pub(crate) mod difference;
pub(crate) mod fresh;
pub(crate) mod matmul;
pub(crate) mod parallel;
pub(crate) mod product;
pub(crate) mod real;
pub(crate) mod row_products;
pub(crate) mod shape;
pub(crate) mod simd;
pub(crate) mod sum;
pub(crate) mod transpose;
pub(crate) mod variance;

pub use difference::largest_difference;
pub use real::{Real, Rows};
pub use sum::torch_sum;
pub use variance::variance;
