//! Any matrix as a picture with labels, values and a colour bar.

mod blocks;
mod captions;
pub(crate) mod colour_bar;
mod description;
mod draw;
pub(crate) mod input;
mod label_choice;
pub(crate) mod layout;
mod options;
pub(crate) mod scale;

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::hover;
use crate::figures::matrix_colours::Kind;
use crate::figures::scene::canvas::canvas;
use crate::figures::scene::{Point, Scene};
use crate::numerics::shape::shape_text;
use input::{HeatmapShape, HeatmapValue};
use layout::HeatmapLayout;
use ndarray::{Array2, ArrayRef};
use std::any::type_name;

/// Beyond this many rows or columns, nothing is shown on hover, and several values may share a
/// pixel.
const LARGEST_WITH_FIELDS: usize = 64;
/// More values than this, 4096 x 4096, are refused: drawing them would take many seconds.
const MOST_VALUES: usize = 1 << 24;
/// Height of a line of text, and the gap around everything, in pixels.
const LINE: i32 = 16;
const GAP: i32 = 8;

/// A picture of a matrix. See [`heatmap`].
#[derive(Clone, Debug, PartialEq)]
pub struct Heatmap {
    matrix: Array2<f64>,
    /// The name of the values' original type.
    element: &'static str,
    title: String,
    row_labels: Vec<String>,
    column_labels: Vec<String>,
    range: Option<(f64, f64)>,
    decimals: Option<usize>,
    kind: Option<Kind>,
    /// The names of the rows and of the columns.
    axes: Option<(String, String)>,
    /// `false` where a cell is hatched.
    mask: Option<Array2<bool>>,
    context: PanelContext,
}

/// Where a heatmap is drawn: alone, or in a larger figure, which sets the size of its cells in
/// pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PanelContext {
    Alone,
    /// In a strip of steps, with a formula under its title; one row may be framed. It has no row
    /// labels if the panel on its left has the same ones.
    Strip {
        cell: Point,
        row: Option<usize>,
        has_rows: bool,
    },
    /// In a grid, which has the colour bar. It has no row labels if the panel on its left has the
    /// same ones, and no column labels if the panel above has the same ones.
    Grid {
        cell: i32,
        has_rows: bool,
        has_columns: bool,
    },
}

/// A heatmap of `matrix`, rows from top to bottom, drawn when it is the last expression of a
/// cell.
///
/// `matrix` is (T, S), for example scores or weights: row `t` belongs to query `t`, column `s` to
/// key `s`. It can also be a single row, such as the weights of one query, or a mask, with `true`
/// drawn as 1 and `false` as 0. The larger a value, the stronger its colour on white, which still
/// works for colour-blind readers and in greyscale prints. Weights, whose rows sum to 1, are
/// yellow; other matrices have the colour of the [`Kind`](crate::figures::Kind) set by
/// [`Heatmap::kind`], and are otherwise slate, with values below 0 in red. If there are values on
/// both sides of 0, the scale extends equally far on both sides. NaN and infinities are grey. A
/// matrix of up to 21 rows and columns has room for the values. Rows and columns without names are
/// numbered. In a notebook, every cell shows its value when the mouse is over it. A matrix with a
/// side longer than 64 shows no values, not even on hover. If a side is longer than 560 (in a
/// [`grid`](crate::figures::grid()), 320), several values share a pixel: it shows the one furthest
/// from 0, and the picture says how many share it.
///
/// PyTorch and matplotlib: `plt.imshow(matrix); plt.colorbar()`
///
/// # Panics
///
/// If the matrix has no rows or no columns, or more than 16,777,216 (4096 x 4096) values.
///
/// ```
/// use attention::figures::heatmap;
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
pub fn heatmap<A: HeatmapValue, D: HeatmapShape>(matrix: &ArrayRef<A, D>) -> Heatmap {
    assert!(
        matrix.len() <= MOST_VALUES,
        "heatmap: the matrix is {}, {} values, but at most {MOST_VALUES} are drawn: draw a part \
         of it, or every tenth row and column, as with .slice(s![..;10, ..;10])",
        shape_text(matrix.shape()),
        matrix.len(),
    );
    let mut heatmap = Heatmap::new(input::matrix(matrix), type_name::<A>());
    heatmap.range = A::RANGE;
    heatmap
}

impl Heatmap {
    #[track_caller]
    fn new(matrix: Array2<f64>, element: &'static str) -> Heatmap {
        assert!(
            !matrix.is_empty(),
            "heatmap: the matrix is {}: there is nothing to draw",
            shape_text(matrix.shape()),
        );
        Heatmap {
            matrix,
            element,
            title: String::new(),
            row_labels: Vec::new(),
            column_labels: Vec::new(),
            range: None,
            decimals: None,
            kind: None,
            axes: None,
            mask: None,
            context: PanelContext::Alone,
        }
    }

    /// The heatmap as drawn in this context.
    pub(crate) fn within(mut self, context: PanelContext) -> Heatmap {
        self.context = context;
        self
    }

    /// Positions of everything in the picture.
    pub(crate) fn layout(&self) -> HeatmapLayout {
        self.layout_within(self.context)
    }

    /// Positions of everything in the picture in this context.
    pub(crate) fn layout_within(&self, context: PanelContext) -> HeatmapLayout {
        HeatmapLayout::of(self, context)
    }

    /// Whether both draw the same row labels.
    pub(crate) fn has_rows_of(&self, other: &Heatmap) -> bool {
        let name = |heatmap: &Heatmap| heatmap.drawn_axis_names(heatmap.context).0.to_owned();
        let count = |heatmap: &Heatmap| heatmap.matrix.nrows();
        count(self) == count(other)
            && self.row_labels == other.row_labels
            && name(self) == name(other)
    }

    /// Whether both draw the same column labels.
    pub(crate) fn has_columns_of(&self, other: &Heatmap) -> bool {
        let name = |heatmap: &Heatmap| heatmap.drawn_axis_names(heatmap.context).1.to_owned();
        let count = |heatmap: &Heatmap| heatmap.matrix.ncols();
        count(self) == count(other)
            && self.column_labels == other.column_labels
            && name(self) == name(other)
    }

    fn is_large(&self) -> bool {
        self.matrix.nrows().max(self.matrix.ncols()) > LARGEST_WITH_FIELDS
    }

    fn is_hidden(&self, index: (usize, usize)) -> bool {
        self.mask.as_ref().is_some_and(|mask| !mask[index])
    }
}

impl Figure for Heatmap {
    fn scene(&self) -> Result<Scene, Error> {
        let layout = self.layout();
        let mut scene = Scene::new(layout.size, &self.title, &self.description());
        let drawn = self.draw(&canvas(&mut scene), &layout);
        drawn.map_err(Error::drawing)?;
        Ok(scene)
    }

    fn html_around(&self, svg: &str, size: Point) -> Result<String, Error> {
        let spoken = titled(&self.title, &self.description());
        Ok(hover::html(svg, size, &spoken, &[self.fields()]))
    }

    fn plain_text(&self) -> String {
        self.values_as_text()
    }
}

figure_methods!(Heatmap, "heatmap(&ndarray::array![[0.25_f32, 0.75]])");
