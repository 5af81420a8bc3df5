//! Basics for everything that computes: numbers, shapes, sums, products, SIMD.

pub(crate) mod attend_shapes;
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
