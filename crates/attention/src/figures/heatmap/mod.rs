//! Any matrix as a picture with labels, values and a colour bar.

mod blocks;
mod picture;

use crate::error::Error;
use crate::figures::drawing::{around, finish, in_a_line, number_on, printable};
use crate::figures::figure::{Drawn, figure_methods};
use crate::figures::hover;
use crate::figures::labels;
use crate::numerics::real::{Real, widened};
use crate::numerics::shape::{same_shape, shape_text};
use crate::show::shown::kept_indices;
use crate::show::shown::show;
use ndarray::{Array2, ArrayRef2};
pub(crate) use picture::{BAR_ROOM, LABEL, LARGEST_CELL, Layout, bar_svg};
use plotters::prelude::*;

/// Narrower cells have no room for a value that can be read, in pixels.
pub(crate) const SMALLEST_WITH_VALUE: i32 = 27;
/// A matrix with a longer side is drawn as an image, a pixel for each value.
const LARGEST_WITH_SHAPES: usize = 64;
/// A matrix of more values, 4096 x 4096, is not drawn: a picture takes more than some seconds.
const MOST_VALUES: usize = 1 << 24;
/// So many decimals tell any two numbers between 1 and 10 apart, and some more.
const MOST_DECIMALS: usize = 20;
/// Height of a line of text, and the gap around everything, in pixels.
const LINE: i32 = 16;
const GAP: i32 = 8;

/// A picture of a matrix. See [`heatmap`].
#[derive(Clone, Debug, PartialEq)]
pub struct Heatmap {
    matrix: Array2<f64>,
    title: String,
    rows: Vec<String>,
    columns: Vec<String>,
    range: Option<(f64, f64)>,
    decimals: Option<usize>,
    /// What the rows and what the columns are.
    axes: Option<(String, String)>,
    /// `false` where a cell is hatched.
    mask: Option<Array2<bool>>,
    place: Place,
}

/// The ends of a colour scale, and the decimals of its numbers if they were asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    limits: (f64, f64),
    decimals: Option<usize>,
}

impl Scale {
    /// A value as the picture writes it.
    fn number(&self, value: f64) -> String {
        match self.decimals {
            // A larger number has no digits behind its point, and more before it than fit.
            Some(decimals) if value.abs() < 1e15 => {
                let text = format!("{value:.decimals$}");
                let is_zero = text.parse() == Ok(0.0);
                text.trim_start_matches(if is_zero { "-" } else { "" })
                    .to_owned()
            }
            _ => number_on(value, self.limits),
        }
    }
}

/// Where a heatmap stands; among others, the side of its cells in pixels is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Alone,
    /// Among steps, with a formula under its title; one row has a frame.
    Strip {
        cell: i32,
        row: Option<usize>,
    },
    /// In a grid, which has the colour bar; without names at its rows if the panel on its
    /// left has them.
    Grid {
        cell: i32,
        has_rows: bool,
    },
}

/// A heatmap of `matrix`, rows from top to bottom, as the last expression of a
/// cell draws it.
///
/// `matrix` is (T, S), for example scores or weights: row `t` belongs to query
/// `t`, column `s` to key `s`. Colours run from dark blue (lowest) to yellow
/// (highest), in the scale viridis, whose order survives colour blindness and
/// grey printing; where there are values on both sides of 0, from blue over white at
/// 0 to red, equally far on both sides. NaN and infinities are grey. Up to 23 rows and
/// columns have room for their values. In a notebook every cell says its value when the
/// mouse is over it; a matrix with a side longer than 64 is drawn as one image, without
/// values. Where a side is longer than 640 (in a [`grid`](crate::grid) 400), a pixel stands
/// for several values: it has the colour of the one furthest from 0, and the picture says of
/// how many.
///
/// PyTorch and matplotlib: `plt.imshow(matrix); plt.colorbar()`
///
/// # Panics
///
/// If the matrix has no row or no column, or more than 16,777,216 (4096 x 4096) values.
///
/// ```
/// use attention::heatmap;
/// use ndarray::array;
///
/// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
/// let picture = heatmap(&weights).title("Weights").tokens(&["one", "step"]).range(0.0, 1.0);
/// let svg = picture.svg()?;
/// assert!(svg.contains("0.75") && svg.contains("step"));
/// # Ok::<(), attention::Error>(())
/// ```
#[track_caller]
#[inline(never)]
pub fn heatmap<A: Real>(matrix: &ArrayRef2<A>) -> Heatmap {
    assert!(
        matrix.len() <= MOST_VALUES,
        "heatmap: the matrix is {}, {} values, but at most {MOST_VALUES} are drawn: draw a part \
         of it, or every tenth row and column, as with .slice(s![..;10, ..;10])",
        shape_text(matrix.shape()),
        matrix.len(),
    );
    Heatmap::new(widened(matrix))
}

impl Heatmap {
    #[track_caller]
    fn new(matrix: Array2<f64>) -> Heatmap {
        assert!(
            !matrix.is_empty(),
            "heatmap: the matrix is {}: there is nothing to draw",
            shape_text(matrix.shape()),
        );
        Heatmap {
            matrix,
            title: String::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            range: None,
            decimals: None,
            axes: None,
            mask: None,
            place: Place::Alone,
        }
    }

    /// The heatmap with a title above it.
    ///
    /// Matplotlib: `ax.set_title(title)`
    ///
    /// ```
    /// use attention::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).title("Weights").text().starts_with("Heatmap: Weights"));
    /// ```
    #[must_use]
    pub fn title(mut self, title: &str) -> Heatmap {
        self.title = labels::title(title);
        self
    }

    /// The heatmap with the same labels at its rows and its columns: the words
    /// of a sentence that attends to itself.
    ///
    /// Matplotlib: `ax.set_xticklabels(tokens)` and `ax.set_yticklabels(tokens)`
    ///
    /// # Panics
    ///
    /// If there is not one label for each row and each column.
    ///
    /// ```
    /// use attention::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).tokens(&["you", "me"]).text().contains("you"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn tokens<S: AsRef<str>>(self, tokens: &[S]) -> Heatmap {
        self.rows(tokens).columns(tokens)
    }

    /// The heatmap with a label at each row: the queries.
    ///
    /// Matplotlib: `ax.set_yticklabels(labels)`
    ///
    /// # Panics
    ///
    /// If there is not one label for each row.
    ///
    /// ```
    /// use attention::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).rows(&["you", "me"]).text().contains("you"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn rows<S: AsRef<str>>(mut self, labels: &[S]) -> Heatmap {
        self.check_labels("rows", self.matrix.nrows(), labels.len());
        self.rows = labels::owned(labels);
        self
    }

    /// The heatmap with a label at each column: the keys.
    ///
    /// Matplotlib: `ax.set_xticklabels(labels)`
    ///
    /// # Panics
    ///
    /// If there is not one label for each column.
    ///
    /// ```
    /// use attention::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).columns(&["you", "me"]).text().contains("you"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn columns<S: AsRef<str>>(mut self, labels: &[S]) -> Heatmap {
        self.check_labels("columns", self.matrix.ncols(), labels.len());
        self.columns = labels::owned(labels);
        self
    }

    #[track_caller]
    fn check_labels(&self, axis: &str, expected: usize, given: usize) {
        assert!(
            expected == given,
            "heatmap: the matrix is {}, so it has {expected} {axis}, but {given} labels were given",
            shape_text(self.matrix.shape()),
        );
    }

    /// The heatmap with colours from `low` to `high`, so that several pictures
    /// can be compared. Without this call they run from the smallest to the
    /// largest value, or equally far to both sides of 0.
    ///
    /// Matplotlib: `ax.imshow(matrix, vmin=low, vmax=high)`
    ///
    /// # Panics
    ///
    /// Unless `low < high` and both are finite.
    ///
    /// ```
    /// use attention::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).range(0.0, 2.0).svg().unwrap().contains("2.00"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn range(mut self, low: f64, high: f64) -> Heatmap {
        assert!(
            low < high && low.is_finite() && high.is_finite(),
            "heatmap: the range {low} to {high} is not a range: give the lower number first"
        );
        self.range = Some((low, high));
        self
    }

    /// The heatmap with `decimals` digits behind the point of every number, in its cells,
    /// under the mouse and at the colour bar: 0 for counts. Without this call a number has
    /// as many as fit into a cell, mostly two.
    ///
    /// Seaborn: `sns.heatmap(matrix, annot=True, fmt=".0f")`
    ///
    /// # Panics
    ///
    /// If more than 20 are asked for.
    ///
    /// ```
    /// use attention::heatmap;
    /// use ndarray::array;
    ///
    /// let turns = heatmap(&array![[1.0_f32, 2.0], [3.0, 14.0]]).decimals(0);
    /// let svg = turns.svg()?;
    /// assert!(svg.contains("14") && !svg.contains("14.0"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn decimals(mut self, decimals: usize) -> Heatmap {
        assert!(
            decimals <= MOST_DECIMALS,
            "heatmap: {decimals} decimals were asked for: give at most {MOST_DECIMALS}"
        );
        self.decimals = Some(decimals);
        self
    }

    /// The ends of the colour scale, and how its numbers are written.
    pub(crate) fn scale(&self) -> Scale {
        Scale {
            limits: self.limits(),
            decimals: self.decimals,
        }
    }

    /// The heatmap with names for its axes. A heatmap with labels at both has the
    /// names query and key unless others are given.
    ///
    /// Matplotlib: `ax.set_ylabel(rows)` and `ax.set_xlabel(columns)`
    ///
    /// ```
    /// use attention::heatmap;
    /// use ndarray::array;
    ///
    /// let picture = heatmap(&array![[1.0_f32]]).axes("word", "number");
    /// assert!(picture.svg().unwrap().contains("number"));
    /// ```
    #[must_use]
    pub fn axes(mut self, rows: &str, columns: &str) -> Heatmap {
        self.axes = Some((labels::title(rows), labels::title(columns)));
        self
    }

    /// The heatmap with the cells hatched that `mask` hides: where it is `false`.
    ///
    /// Matplotlib: `np.ma.masked_where(~mask, matrix)`
    ///
    /// # Panics
    ///
    /// If the mask has another shape than the matrix.
    ///
    /// ```
    /// use attention::{causal_mask, heatmap};
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// let picture = heatmap(&weights).mask(&causal_mask(2));
    /// assert!(picture.svg().unwrap().contains("url(#hatch)"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn mask(mut self, mask: &Array2<bool>) -> Heatmap {
        same_shape(
            "heatmap",
            ("mask", mask.shape()),
            ("the matrix", self.matrix.shape()),
        );
        self.mask = Some(mask.clone());
        self
    }

    /// The heatmap as it is drawn in this place.
    pub(crate) fn at(mut self, place: Place) -> Heatmap {
        self.place = place;
        self
    }

    /// Where everything stands.
    pub(crate) fn layout(&self) -> Layout {
        Layout::of(self, self.place)
    }

    /// How wide the picture is in this place, in pixels.
    pub(crate) fn width_at(&self, place: Place) -> i32 {
        Layout::of(self, place).size.0 as i32
    }

    /// Whether both have the same names at their rows.
    pub(crate) fn has_rows_of(&self, other: &Heatmap) -> bool {
        let names = |heatmap: &Heatmap| heatmap.axis_names().map(|names| names.0.to_owned());
        let count = |heatmap: &Heatmap| heatmap.matrix.nrows();
        count(self) == count(other) && self.rows == other.rows && names(self) == names(other)
    }

    fn is_large(&self) -> bool {
        self.matrix.nrows().max(self.matrix.ncols()) > LARGEST_WITH_SHAPES
    }

    /// The picture in one sentence: for labelled rows, where each looks most.
    pub(crate) fn description(&self) -> String {
        let (rows, columns) = self.matrix.dim();
        let mut text = format!("Heatmap of {rows} rows and {columns} columns.");
        if self.is_large() {
            text += &match self.share_of_pixel(self.place) {
                one if one.is_empty() => {
                    " One pixel for each value: the matrix is too large to show them in numbers."
                        .to_owned()
                }
                share => format!(" The matrix is too large to show all its values: {share}."),
            };
        }
        if self.rows.is_empty() || self.columns.is_empty() {
            return text;
        }
        let scale = self.scale();
        let labelled = self.rows.iter().zip(self.matrix.rows());
        for (label, row) in labelled.take(LARGEST_WITH_SHAPES) {
            let finite = row
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_finite());
            if let Some((most, value)) = finite.max_by(|a, b| a.1.total_cmp(b.1)) {
                let (row, column) = (in_a_line(label), in_a_line(&self.columns[most]));
                text += &format!(" {row}: most at {column}, {}.", scale.number(*value));
            }
        }
        if rows > LARGEST_WITH_SHAPES {
            text += &format!(" Only the first {LARGEST_WITH_SHAPES} rows are described.");
        }
        text
    }

    fn axis_names(&self) -> Option<(&str, &str)> {
        match &self.axes {
            Some((rows, columns)) => Some((rows, columns)),
            None if !self.rows.is_empty() && !self.columns.is_empty() => Some(("query", "key")),
            None => None,
        }
    }

    fn is_hidden(&self, index: (usize, usize)) -> bool {
        self.mask.as_ref().is_some_and(|mask| !mask[index])
    }

    /// Where the cells are, and what each says; nothing for a large matrix.
    pub(crate) fn fields(&self) -> hover::Fields {
        if self.is_large() {
            return hover::Fields::none();
        }
        let layout = self.layout();
        let scale = self.scale();
        let (row_axis, column_axis) = self.axis_names().unwrap_or(("row", "column"));
        let name = |axis: &str, labels: &[String], index: usize| match labels.get(index) {
            Some(label) => format!("{axis} {}", in_a_line(label)),
            None => format!("{axis} {index}"),
        };
        let says = |(index, value): ((usize, usize), &f64)| {
            let row = name(row_axis, &self.rows, index.0);
            let column = name(column_axis, &self.columns, index.1);
            let value = match self.is_hidden(index) {
                true => "hidden".to_owned(),
                false => scale.number(*value),
            };
            format!("{row} → {column}: {value}")
        };
        hover::Fields {
            left: layout.left,
            top: layout.top,
            side: layout.cell,
            columns: self.matrix.ncols(),
            says: self.matrix.indexed_iter().map(says).collect(),
        }
    }

    /// The values that get the first and the last colour.
    pub(crate) fn limits(&self) -> (f64, f64) {
        if let Some(range) = self.range {
            return range;
        }
        let finite = || {
            self.matrix
                .iter()
                .copied()
                .filter(|value| value.is_finite())
        };
        let low = finite().fold(f64::INFINITY, f64::min);
        let high = finite().fold(f64::NEG_INFINITY, f64::max);
        match low.partial_cmp(&high) {
            Some(std::cmp::Ordering::Less) if low < 0.0 && high > 0.0 => {
                let largest = high.max(-low);
                (-largest, largest)
            }
            Some(std::cmp::Ordering::Less) => (low, high),
            Some(std::cmp::Ordering::Equal) => around(low),
            _ => (0.0, 1.0), // nothing finite to draw
        }
    }
}

impl Drawn for Heatmap {
    fn drawn(&self) -> Result<String, Error> {
        let layout = self.layout();
        let mut svg = String::new();
        {
            let canvas = SVGBackend::with_string(&mut svg, layout.size).into_drawing_area();
            self.draw(&canvas, &layout).map_err(Error::drawing)?;
            canvas.present().map_err(Error::drawing)?;
        }
        let svg = finish(&svg, &self.title, &self.description());
        match self.is_large() {
            true => self.with_image(&svg, &layout),
            false => Ok(svg),
        }
    }

    fn html_of(&self, svg: &str) -> String {
        hover::html(svg, &self.description(), &[self.fields()])
    }

    fn words(&self) -> String {
        // Four digits are enough, unless 32 bits cannot hold the largest number.
        let sizes = self.matrix.iter().map(|value| value.abs());
        let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
        let narrow = largest as f32;
        let is_lost = narrow.is_infinite() || (narrow == 0.0 && largest > 0.0);
        let values = match is_lost {
            true => show(&self.matrix),
            false => show(&self.matrix.mapv(|value| value as f32)),
        };
        let mut text = format!("Heatmap: {}\n", self.title);
        for (axis, labels) in [("rows", &self.rows), ("columns", &self.columns)] {
            if !labels.is_empty() {
                let kept = kept_indices(labels.len(), labels.len() > LARGEST_WITH_SHAPES);
                let label = |index: &Option<usize>| match index {
                    Some(index) => printable(&labels[*index]),
                    None => "...".into(),
                };
                let labels: Vec<_> = kept.iter().map(label).collect();
                text += &format!("{axis}: {}\n", labels.join(" | "));
            }
        }
        text + &values.to_string()
    }
}

figure_methods!(Heatmap, "heatmap(&ndarray::array![[0.25_f32, 0.75]])");
