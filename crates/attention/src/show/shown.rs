//! Formats values as the lessons print them.

use crate::markup::html::preformatted;
use crate::numerics::shape::shape_text;
use crate::show::digits::{Decimal, Element};
use crate::show::table::{self, VisibleIndices};
use ndarray::{Array2, Array3, ArrayBase, ArrayRef, Axis, Data, Dimension, Ix1, Ix2, Ix3};
use notebook::emit;
use std::fmt;

/// Maximum characters in a line of numbers: a window of 1000 pixels has room for 70 beside
/// JupyterLab's file browser, and JupyterLab would break longer lines in the middle of a number.
const LINE_WIDTH: usize = 68;
/// Only the corners of larger arrays are shown.
const MAX_VALUES: usize = 1000;
/// Rows and columns shown at each end of a shortened axis.
const EDGE: usize = 3;

/// A value in readable form.
///
/// Returned by [`show`]; print it, or leave it as the last expression of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    text: String,
    /// The same as HTML, if that is easier to read.
    html: Option<String>,
}

impl Shown {
    pub(crate) fn new(text: String) -> Shown {
        Shown { text, html: None }
    }

    pub(crate) fn with_html(self, html: String) -> Shown {
        let html = Some(html);
        Shown { html, ..self }
    }

    /// The value as HTML: a table for an array with two or three axes and for the parameters of a
    /// layer, otherwise the text.
    ///
    /// pandas: `DataFrame(x).to_html()`
    ///
    /// ```
    /// use attention::show::show;
    /// use ndarray::array;
    ///
    /// assert!(show(&array![[0.5_f32, 12.25]]).html().contains("<table"));
    /// assert!(show("<b>").html().ends_with(">&lt;b&gt;</pre>"));
    /// ```
    pub fn html(&self) -> String {
        let text = || preformatted(&self.text);
        self.html.clone().unwrap_or_else(text)
    }

    /// Shows the value under its cell in a notebook: the text, and the table if there is one.
    pub fn evcxr_display(&self) {
        match &self.html {
            Some(html) => emit(&[("text/html", html), ("text/plain", &self.text)]),
            None => emit(&[("text/plain", &self.text)]),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// `value` as the lessons print it.
///
/// Arrays have aligned columns, followed by their element type and shape.
/// f32 is formatted like PyTorch (with default print options), f64 like
/// NumPy.
///
/// ```
/// use attention::show::show;
/// use ndarray::array;
///
/// assert_eq!(show(&array![0.5_f32, 12.25]).to_string(), "[ 0.5000, 12.2500]  f32 (2,)");
/// assert_eq!(show(&array![0.5_f64, 12.25]).to_string(), "[ 0.5 , 12.25]  f64 (2,)");
/// assert_eq!(
///     show(&array![[true, false], [true, true]]).to_string(),
///     "[[ true, false],\n [ true,  true]]  bool (2, 2)",
/// );
/// assert_eq!(show(&0.95440006_f32).to_string(), "0.9544");
/// ```
pub fn show<T: Show + ?Sized>(value: &T) -> Shown {
    value.show()
}

/// A value with a readable form: see [`show`].
///
/// If this trait is in scope, a notebook uses it to show an array that is the last expression of a
/// cell.
pub trait Show {
    /// The value in readable form.
    fn show(&self) -> Shown;

    /// Shows the value under its cell in a notebook.
    fn evcxr_display(&self) {
        self.show().evcxr_display();
    }
}

macro_rules! impl_show_number {
    ($($type:ident)*) => {$(
        impl Show for $type {
            fn show(&self) -> Shown {
                Shown::new($type::texts(&[*self]).concat())
            }
        }
    )*};
}

impl_show_number!(f32 f64 bool i32 i64 u32 u64 usize);

macro_rules! impl_show_array {
    ($($dim:ident: $($type:ident)*;)*) => {$($(
        impl Show for ArrayRef<$type, $dim> {
            fn show(&self) -> Shown {
                let values: Vec<$type> = self.iter().copied().collect();
                array_text(self.shape(), &values)
            }
        }
    )*)*};
}

impl_show_array! {
    Ix1: f32 f64 bool i32 i64 u32 u64 usize;
    Ix2: f32 f64 bool i32 i64 u32 u64 usize;
    Ix3: f32 f64 bool i32 i64 u32 u64 usize;
}

/// Shows owned arrays and views as the [`ArrayRef`] that they dereference to.
impl<S: Data, D: Dimension> Show for ArrayBase<S, D>
where
    ArrayRef<S::Elem, D>: Show,
{
    fn show(&self) -> Shown {
        ArrayRef::show(self)
    }
}

macro_rules! impl_show_text {
    ($($type:ty)*) => {$(
        impl Show for $type {
            fn show(&self) -> Shown {
                Shown::new(self.to_string())
            }
        }
    )*};
}

impl_show_text!(str &str String);

macro_rules! impl_show_tuple {
    ($($type:ident $number:tt)*) => {
        impl<$($type: Show),*> Show for ($($type,)*) {
            fn show(&self) -> Shown {
                in_brackets(&[$(self.$number.show().text),*])
            }
        }
    };
}

// For shapes as returned by `matrix.dim()`, and for functions that return several values.
impl_show_tuple!(A 0 B 1);
impl_show_tuple!(A 0 B 1 C 2);

/// Strings in brackets: on one line or, if one of them has several lines, one below the other.
fn in_brackets(texts: &[String]) -> Shown {
    let separator = match texts.iter().any(|text| text.contains('\n')) {
        true => ",\n\n",
        false => ", ",
    };
    Shown::new(format!("({})", texts.join(separator)))
}

/// The shape of an array, as `array.shape()` returns it.
impl Show for [usize] {
    fn show(&self) -> Shown {
        Shown::new(shape_text(self))
    }
}

impl Show for &[usize] {
    fn show(&self) -> Shown {
        (**self).show()
    }
}

/// Like [`show`], but always with four decimals, even where `show` would use scientific notation.
///
/// `x` has any shape.
///
/// PyTorch: `print(x)` after `torch.set_printoptions(sci_mode=False)`
///
/// ```
/// use attention::show::{show, show_decimals};
/// use ndarray::array;
///
/// let x = array![1.0, 0.00012];
/// assert_eq!(show(&x).to_string(), "[1.0000e+00, 1.2000e-04]  f32 (2,)");
/// assert_eq!(show_decimals(&x).to_string(), "[1.0000, 0.0001]  f32 (2,)");
/// ```
pub fn show_decimals<D: Dimension>(x: &ArrayRef<f32, D>) -> Shown {
    let values: Vec<Decimal> = x.iter().copied().map(Decimal).collect();
    array_text(x.shape(), &values)
}

/// The part of a large array that [`show`] prints: the first and last three
/// indices of each axis.
///
/// `x` is (B, T, C), the result (6, 6, 6), or shorter where an axis of `x` is.
///
/// PyTorch: what `print(x)` shows
///
/// ```
/// use attention::show::corners;
/// use ndarray::{Array, array};
///
/// let x = Array::from_shape_fn((1, 1, 10), |(_, _, n)| n as f32);
/// assert_eq!(corners(&x), array![[[0.0, 1.0, 2.0, 7.0, 8.0, 9.0]]]);
/// ```
pub fn corners(x: &ArrayRef<f32, Ix3>) -> Array3<f32> {
    let mut corners = x.to_owned();
    for axis in (0..3).map(Axis) {
        let visible = kept_indices(x.len_of(axis), true).into_iter();
        corners = corners.select(axis, &visible.flatten().collect::<Vec<usize>>());
    }
    corners
}

/// Formats a matrix whose values were converted from the type named `element`.
pub(crate) fn show_as<T: Element>(matrix: &Array2<T>, element: &str) -> Shown {
    let values: Vec<T> = matrix.iter().copied().collect();
    text_of(matrix.shape(), &values, element)
}

/// An array in brackets, then its element type and shape. `values` are in row-major
/// order.
fn array_text<T: Element>(shape: &[usize], values: &[T]) -> Shown {
    text_of(shape, values, T::NAME)
}

fn text_of<T: Element>(shape: &[usize], values: &[T], element: &str) -> Shown {
    // An array without values can still have many rows.
    let shorten = values.len() > MAX_VALUES || shape.iter().any(|&length| length > MAX_VALUES);
    let visible: Vec<VisibleIndices> = shape
        .iter()
        .map(|&length| kept_indices(length, shorten))
        .collect();
    let mut chosen = Vec::new();
    choose(&visible, shape, 0, values, &mut chosen);
    let mut texts = T::texts(&chosen);
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    for text in &mut texts {
        *text = format!("{text:>width$}");
    }
    let kind = format!("{element} {}", shape_text(shape));
    // Make a table only if rows fit on one line: wider ones are easier to read as text.
    let columns = visible.last().map_or(0, Vec::len);
    let is_narrow = visible.len() + columns * (width + 2) <= LINE_WIDTH;
    let table = if is_narrow {
        table::of_array(&visible, &texts, &kind)
    } else {
        None
    };
    let mut body = String::new();
    write_axis(&visible, &mut texts.into_iter(), 0, &mut body);
    let html = table.filter(|_| !values.is_empty());
    Shown {
        text: format!("{body}  {kind}"),
        html,
    }
}

/// The indices of an axis that are shown; `None` stands for those omitted.
pub(crate) fn kept_indices(length: usize, shorten: bool) -> VisibleIndices {
    if shorten && length > 2 * EDGE {
        let head = (0..EDGE).map(Some);
        let tail = (length - EDGE..length).map(Some);
        head.chain([None]).chain(tail).collect()
    } else {
        (0..length).map(Some).collect()
    }
}

/// The values at the visible indices, in row-major order.
fn choose<T: Copy>(
    visible: &[VisibleIndices],
    shape: &[usize],
    offset: usize,
    values: &[T],
    chosen: &mut Vec<T>,
) {
    let Some((indices, inner)) = visible.split_first() else {
        chosen.push(values[offset]);
        return;
    };
    for index in indices.iter().flatten() {
        choose(
            inner,
            &shape[1..],
            offset * shape[0] + index,
            values,
            chosen,
        );
    }
}

/// Writes a pair of brackets and its contents.
fn write_axis(
    visible: &[VisibleIndices],
    texts: &mut impl Iterator<Item = String>,
    depth: usize,
    out: &mut String,
) {
    let indent = depth + 1;
    out.push('[');
    let mut column = indent;
    for (position, index) in visible[0].iter().enumerate() {
        let is_row = visible.len() == 1;
        let item = match index {
            None => "...".to_owned(),
            Some(_) if is_row => texts.next().unwrap_or_default(),
            Some(_) => {
                let mut inner = String::new();
                write_axis(&visible[1..], texts, depth + 1, &mut inner);
                inner
            }
        };
        if position > 0 {
            out.push(',');
            if is_row && column + item.len() + 2 <= LINE_WIDTH {
                out.push(' ');
                column += 1;
            } else {
                // An empty line separates the matrices of a batch.
                out.push_str(&"\n".repeat(visible.len().saturating_sub(1).max(1)));
                out.push_str(&" ".repeat(indent));
                column = indent;
            }
        }
        column += item.len() + 1;
        out.push_str(&item);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array, Array1, Array2, array};

    #[test]
    fn f32_has_four_decimals_and_aligned_columns() {
        let scores = array![[0.9995_f32, -0.9544], [12.0, 0.5]];
        let expected = "[[ 0.9995, -0.9544],\n [12.0000,  0.5000]]  f32 (2, 2)";
        assert_eq!(show(&scores).to_string(), expected);
    }

    #[test]
    fn whole_numbers_keep_only_their_point() {
        // >>> torch.tensor([1., 0., 12.])
        // tensor([ 1.,  0., 12.])
        assert_eq!(
            show(&array![1.0_f32, 0.0, 12.0]).to_string(),
            "[ 1.,  0., 12.]  f32 (3,)"
        );
        assert_eq!(show(&1.0_f32).to_string(), "1.");
        assert_eq!(show(&1.0000001_f32).to_string(), "1.0000");
        assert_eq!(show(&array![0.0_f32]).to_string(), "[0.]  f32 (1,)");
    }

    #[test]
    fn a_wide_span_is_written_in_powers_of_ten() {
        // >>> torch.tensor([1e-5, 1.])
        // tensor([1.0000e-05, 1.0000e+00])
        let expected = "[1.0000e-05, 1.0000e+00]  f32 (2,)";
        assert_eq!(show(&array![1e-5_f32, 1.0]).to_string(), expected);
    }

    #[test]
    fn infinities_and_nan_do_not_change_the_format() {
        // >>> torch.tensor([0.2899, -torch.inf, torch.nan])
        // tensor([0.2899,   -inf,    nan])
        let masked = array![0.2899_f32, f32::NEG_INFINITY, f32::NAN];
        assert_eq!(
            show(&masked).to_string(),
            "[0.2899,   -inf,    nan]  f32 (3,)"
        );
    }

    #[test]
    fn f64_has_as_many_of_eight_decimals_as_it_needs() {
        // >>> np.array([[.5584545, -3.35153984], [1., .66968106]])
        let expected = "[[ 0.5584545 , -3.35153984],\n [ 1.        ,  0.66968106]]  f64 (2, 2)";
        let values = array![[0.5584545, -3.35153984], [1.0, 0.66968106]];
        assert_eq!(show(&values).to_string(), expected);
    }

    #[test]
    fn f64_of_a_wide_span_has_as_many_decimals_as_the_longest() {
        // >>> np.array([1e-5, 1.5, -2])
        // array([ 1.0e-05,  1.5e+00, -2.0e+00])
        let expected = "[ 1.0e-05,  1.5e+00, -2.0e+00]  f64 (3,)";
        assert_eq!(show(&array![1e-5, 1.5, -2.0]).to_string(), expected);
        // >>> np.array([1e-5, 1.])
        // array([1.e-05, 1.e+00])
        assert_eq!(
            show(&array![1e-5, 1.0]).to_string(),
            "[1.e-05, 1.e+00]  f64 (2,)"
        );
    }

    #[test]
    fn a_long_row_goes_on_in_the_next_line() {
        let text = show(&Array1::from_elem(12, 0.5_f32)).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(
            lines[0].len() <= LINE_WIDTH && lines[1].starts_with(" 0.5000"),
            "{text}"
        );
    }

    #[test]
    fn a_large_array_is_shown_by_its_corners() {
        let text = show(&Array2::<f32>::ones((100, 100))).to_string();
        assert_eq!(text.lines().count(), 2 * EDGE + 1, "{text}");
        assert!(
            text.starts_with("[[1., 1., 1., ..., 1., 1., 1.],"),
            "{text}"
        );
        assert!(text.ends_with("f32 (100, 100)"), "{text}");
        let numbered = Array::from_iter(0..2000_i64);
        assert_eq!(
            show(&numbered).to_string(),
            "[   0,    1,    2, ..., 1997, 1998, 1999]  i64 (2000,)"
        );
    }

    #[test]
    fn the_matrices_of_a_batch_are_set_apart() {
        let text = show(&Array3::<f32>::zeros((2, 1, 2))).to_string();
        assert_eq!(text, "[[[0., 0.]],\n\n [[0., 0.]]]  f32 (2, 1, 2)");
    }

    #[test]
    fn empty_arrays_have_a_shape_too() {
        assert_eq!(show(&Array1::<f64>::zeros(0)).to_string(), "[]  f64 (0,)");
        assert_eq!(
            show(&Array2::<f32>::zeros((0, 3))).to_string(),
            "[]  f32 (0, 3)"
        );
    }

    #[test]
    fn shapes_are_shown_as_tuples() {
        let matrix = Array2::<f32>::zeros((6, 3));
        assert_eq!(show(&matrix.dim()).to_string(), "(6, 3)");
        assert_eq!(show(&matrix.shape()).to_string(), "(6, 3)");
        assert_eq!(
            show(&Array3::<f32>::zeros((2, 1, 2)).dim()).to_string(),
            "(2, 1, 2)"
        );
    }

    #[test]
    fn arrays_of_a_tuple_stand_below_each_other() {
        let (q, row) = (array![[1.0_f32], [2.0]], array![3.0_f32]);
        assert_eq!(show(&(row, 5)).to_string(), "([3.]  f32 (1,), 5)");
        let text = show(&(q, 5)).to_string();
        assert_eq!(text, "([[1.],\n [2.]]  f32 (2, 1),\n\n5)");
    }
}
