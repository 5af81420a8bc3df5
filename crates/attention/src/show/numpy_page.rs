//! A cheat sheet for NumPy users.

use notebook::emit;
use std::fmt;

const PAGE: &str = include_str!("numpy_page.md");

/// The page that [`numpy_page`] returns. A notebook displays it.
#[derive(Clone, Copy, Debug)]
pub struct NumpyPage;

/// NumPy to ndarray on one page: lines of NumPy, their Rust equivalents, and when to write `&`.
///
/// ```
/// use attention::prelude::*;
///
/// assert!(attention::show::numpy_page().to_string().contains("a.dot(&b)"));
///
/// // What the page says:
/// let a = array![[1.0_f32, 2.0], [3.0, 4.0]];
/// let sums = a.sum_axis(Axis(1)).insert_axis(Axis(1));
/// assert_eq!(&a / &sums, array![[1.0 / 3.0, 2.0 / 3.0], [3.0 / 7.0, 4.0 / 7.0]]);
/// assert_eq!(a.fold(f32::NEG_INFINITY, |m, &x| m.max(x)), 4.0);
/// assert_eq!(a.slice(s![..2, 1..]), array![[2.0], [4.0]]);
/// assert_eq!(Array2::from_shape_fn((2, 3), |(i, j)| i + j), array![[0, 1, 2], [1, 2, 3]]);
/// let mut copy = a.clone();
/// copy.row_mut(0).assign(&a.row(1));
/// assert_eq!(copy.row(0), array![3.0, 4.0]);
/// assert_eq!((5 / 2, 2 ^ 3, 2_i32.pow(3), 2.0_f32.powi(3)), (2, 1, 8, 8.0));
/// ```
pub fn numpy_page() -> NumpyPage {
    NumpyPage
}

impl NumpyPage {
    /// Shows the page under its cell in a notebook.
    pub fn evcxr_display(&self) {
        emit(&[("text/markdown", PAGE), ("text/plain", PAGE)]);
    }
}

impl fmt::Display for NumpyPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PAGE)
    }
}
