//! Any matrix as a picture with labels, values and a colour bar.

use crate::drawing::{
    Anchor, Canvas, HATCHED, IMAGE, IMAGE_MARK, Trouble, colour, cut, finish, ink_on, short_number,
    text, text_width, visible,
};
use crate::figure::{Drawn, figure_methods};
use crate::shape::{same_shape, shape_text};
use crate::{Error, Real, show};
use crate::{hover, raster};
use ndarray::{Array2, ArrayRef2};
use plotters::prelude::*;

/// Sides of a cell, in pixels.
const LARGEST_CELL: i32 = 60;
const SMALLEST_CELL: i32 = 2;
/// Cells narrower than this have no room for their value.
const CELL_WITH_VALUE: i32 = 34;
/// The longest side that a matrix takes before its cells shrink.
const LARGEST_MATRIX: i32 = 640;
/// A matrix with a longer side is drawn as an image, a pixel for each value.
const LARGEST_WITH_SHAPES: usize = 64;
/// Height of a line of text, and the gap around everything.
const LINE: i32 = 16;
const GAP: i32 = 8;
const BAR_WIDTH: i32 = 14;
const BAR_STEPS: i32 = 48;

/// A picture of a matrix. See [`heatmap`].
#[derive(Clone, Debug, PartialEq)]
pub struct Heatmap {
    matrix: Array2<f64>,
    title: String,
    rows: Vec<String>,
    columns: Vec<String>,
    range: Option<(f64, f64)>,
    /// What the rows and what the columns are.
    axes: Option<(String, String)>,
    /// `false` where a cell is hatched.
    mask: Option<Array2<bool>>,
}

/// A heatmap of `matrix`, rows from top to bottom, as the last expression of a
/// cell draws it.
///
/// `matrix` is (T, S), for example scores or weights: row `t` belongs to query
/// `t`, column `s` to key `s`. Colours run from dark blue (lowest) to yellow
/// (highest), in the scale viridis, whose order survives colour blindness and
/// grey printing; where there are values on both sides of 0, from blue over white at
/// 0 to red, equally far on both sides. NaN and infinities are grey. In a notebook a
/// cell says its value when the mouse is over it; a matrix with a side longer than 64
/// is drawn as one image, without values.
///
/// PyTorch and matplotlib: `plt.imshow(matrix); plt.colorbar()`
///
/// # Panics
///
/// If the matrix has no row or no column.
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
pub fn heatmap<A: Real>(matrix: &ArrayRef2<A>) -> Heatmap {
    Heatmap::new(A::widen(matrix))
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
            axes: None,
            mask: None,
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
        title.clone_into(&mut self.title);
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
        self.rows = labels
            .iter()
            .map(|label| label.as_ref().to_owned())
            .collect();
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
        self.columns = labels
            .iter()
            .map(|label| label.as_ref().to_owned())
            .collect();
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
        self.axes = Some((rows.to_owned(), columns.to_owned()));
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

    /// The image of the cells in the place of the rectangle that stands for it.
    fn with_image(&self, svg: &str, layout: &Layout) -> Result<String, Error> {
        let (low, high) = self.limits();
        let pixel = |index, value| match self.is_hidden(index) {
            true => RGBColor(217, 217, 217),
            false => colour(value, low, high),
        };
        let image = format!(
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"{}\"/>",
            layout.left,
            layout.top,
            layout.matrix_width,
            layout.matrix_height,
            raster::data_uri(&self.matrix, pixel)?,
        );
        let (before, rest) = svg.split_once(IMAGE_MARK).unwrap_or((svg, ""));
        let start = before.rfind('<').unwrap_or(0);
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        Ok(format!("{}{image}{}", &before[..start], &rest[end..]))
    }

    /// Width and height of the picture, in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        Layout::of(self).size
    }

    /// The picture in one sentence: for labelled rows, where each looks most.
    fn description(&self) -> String {
        let (rows, columns) = self.matrix.dim();
        let mut text = format!("Heatmap of {rows} rows and {columns} columns.");
        if self.is_large() {
            text += " One pixel for each value: the matrix is too large to show them in numbers.";
        }
        if self.rows.is_empty() || self.columns.is_empty() {
            return text;
        }
        for (label, row) in self.rows.iter().zip(self.matrix.rows()) {
            let finite = row
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_finite());
            if let Some((most, value)) = finite.max_by(|a, b| a.1.total_cmp(b.1)) {
                let (row, column) = (visible(label), visible(&self.columns[most]));
                text += &format!(" {row}: most at {column}, {}.", short_number(*value));
            }
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

    /// Where the cells are, and what each says.
    fn fields(&self) -> hover::Fields {
        let layout = Layout::of(self);
        let (row_axis, column_axis) = self.axis_names().unwrap_or(("row", "column"));
        let name = |axis: &str, labels: &[String], index: usize| match labels.get(index) {
            Some(label) => format!("{axis} {}", visible(label)),
            None => format!("{axis} {index}"),
        };
        let says = |(index, value): ((usize, usize), &f64)| {
            let row = name(row_axis, &self.rows, index.0);
            let column = name(column_axis, &self.columns, index.1);
            let value = match self.is_hidden(index) {
                true => "hidden".to_owned(),
                false => short_number(*value),
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

    fn draw(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        canvas.fill(&WHITE)?;
        let middle = layout.left + layout.matrix_width / 2;
        text(
            canvas,
            &self.heading(),
            (middle, GAP),
            Anchor::Top,
            15,
            &BLACK,
        )?;
        self.draw_cells(canvas, layout)?;
        self.draw_labels(canvas, layout)?;
        self.draw_axis_names(canvas, layout)?;
        self.draw_bar(canvas, layout)
    }

    /// The title, and for a large matrix that its values are not shown.
    fn heading(&self) -> String {
        match self.is_large() {
            true => {
                let shape = shape_text(self.matrix.shape());
                format!("{} {shape}, without values", self.title)
                    .trim_start()
                    .to_owned()
            }
            false => self.title.clone(),
        }
    }

    fn is_large(&self) -> bool {
        self.matrix.nrows().max(self.matrix.ncols()) > LARGEST_WITH_SHAPES
    }

    fn draw_cells(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        if self.is_large() {
            let corner = (
                layout.left + layout.matrix_width,
                layout.top + layout.matrix_height,
            );
            return canvas.draw(&Rectangle::new(
                [(layout.left, layout.top), corner],
                IMAGE.filled(),
            ));
        }
        let (low, high) = self.limits();
        for ((row, column), &value) in self.matrix.indexed_iter() {
            let (x, y) = layout.corner(row, column);
            let hidden = self.is_hidden((row, column));
            let colour = if hidden {
                HATCHED
            } else {
                colour(value, low, high)
            };
            // A pixel of overlap with the next cell: else a browser that scales the
            // picture shows the ground between the two.
            let edge = (
                layout.left + layout.matrix_width,
                layout.top + layout.matrix_height,
            );
            let corner = (
                (x + layout.cell + 1).min(edge.0),
                (y + layout.cell + 1).min(edge.1),
            );
            let area = [(x, y), corner];
            canvas.draw(&Rectangle::new(area, colour.filled()))?;
            if layout.cell >= CELL_WITH_VALUE && !hidden {
                let centre = (x + layout.cell / 2, y + layout.cell / 2);
                let value = short_number(value);
                text(canvas, &value, centre, Anchor::Middle, 13, &ink_on(colour))?;
            }
        }
        Ok(())
    }

    fn draw_labels(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        for (row, label) in self.rows.iter().enumerate() {
            let (x, y) = layout.corner(row, 0);
            let end = (x - GAP, y + layout.cell / 2);
            text(canvas, &cut(label), end, Anchor::Right, 13, &BLACK)?;
        }
        for (column, label) in self.columns.iter().enumerate() {
            let (x, y) = layout.corner(0, column);
            let foot = (x + layout.cell / 2, y - GAP);
            let anchor = if layout.upright {
                Anchor::Bottom
            } else {
                Anchor::Climbing
            };
            text(canvas, &cut(label), foot, anchor, 13, &BLACK)?;
        }
        Ok(())
    }

    fn draw_axis_names(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        let Some((rows, columns)) = self.axis_names() else {
            return Ok(());
        };
        let foot = layout.top + layout.matrix_height + GAP / 2;
        let middle = layout.left + layout.matrix_width / 2;
        text(canvas, columns, (middle, foot), Anchor::Top, 12, &BLACK)?;
        let middle = layout.top + layout.matrix_height / 2 + text_width(rows) / 2;
        text(canvas, rows, (GAP, middle), Anchor::Climbing, 12, &BLACK)
    }

    /// The colour bar, with its lowest, middle and highest value.
    fn draw_bar(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        let (low, high) = self.limits();
        let left = layout.left + layout.matrix_width + 2 * GAP;
        let bottom = layout.top + layout.matrix_height;
        // From the top, each step over the rest of the bar, so that no gap is left.
        for step in (0..BAR_STEPS).rev() {
            let top = bottom - layout.matrix_height * (step + 1) / BAR_STEPS;
            let value = low + (high - low) * (f64::from(step) + 0.5) / f64::from(BAR_STEPS);
            let area = [(left, top), (left + BAR_WIDTH, bottom)];
            canvas.draw(&Rectangle::new(area, colour(value, low, high).filled()))?;
        }
        for part in [0.0, 0.5, 1.0] {
            let y = bottom - (f64::from(layout.matrix_height) * part) as i32;
            let value = short_number(low + (high - low) * part);
            let position = (left + BAR_WIDTH + GAP / 2, y);
            text(canvas, &value, position, Anchor::Left, 12, &BLACK)?;
        }
        Ok(())
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
            Some(std::cmp::Ordering::Equal) => (low - 0.5, high + 0.5),
            _ => (0.0, 1.0), // nothing finite to draw
        }
    }
}

impl Drawn for Heatmap {
    fn drawn(&self) -> Result<String, Error> {
        let layout = Layout::of(self);
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
        let fields = match self.is_large() {
            true => hover::Fields::none(),
            false => self.fields(),
        };
        hover::html(svg, &self.description(), &fields)
    }

    fn words(&self) -> String {
        let values = show(&self.matrix.mapv(|value| value as f32));
        let mut text = format!("Heatmap: {}\n", self.title);
        for (axis, labels) in [("rows", &self.rows), ("columns", &self.columns)] {
            if !labels.is_empty() {
                text += &format!("{axis}: {}\n", labels.join(" | "));
            }
        }
        text + &values.to_string()
    }
}

figure_methods!(Heatmap, "heatmap(&ndarray::array![[0.25_f32, 0.75]])");

/// Where everything stands, in pixels.
struct Layout {
    size: (u32, u32),
    left: i32,
    top: i32,
    cell: i32,
    matrix_width: i32,
    matrix_height: i32,
    /// Whether the column labels fit above their columns without being turned.
    upright: bool,
}

impl Layout {
    fn of(heatmap: &Heatmap) -> Layout {
        let (rows, columns) = heatmap.matrix.dim();
        let (rows, columns) = (rows as i32, columns as i32);
        let cell = (LARGEST_MATRIX / rows.max(columns)).clamp(SMALLEST_CELL, LARGEST_CELL);
        let widest = |labels: &[String]| labels.iter().map(|l| text_width(&cut(l))).max();
        let columns_width = widest(&heatmap.columns).unwrap_or(0);
        let upright = columns_width <= cell;
        let axis = if heatmap.axis_names().is_some() {
            LINE
        } else {
            0
        };
        let left = 2 * GAP + axis + widest(&heatmap.rows).unwrap_or(0);
        let heading = heatmap.heading();
        let title = if heading.is_empty() { 0 } else { 2 * LINE };
        let labels = match columns_width {
            0 => 0,
            _ if upright => LINE,
            _ => columns_width,
        };
        let top = title + 2 * GAP + labels;
        let (matrix_width, matrix_height) = (cell * columns, cell * rows);
        let bar = 2 * GAP + BAR_WIDTH + 7 * GAP;
        // A title longer than its matrix widens the picture on both sides.
        let overhang = (text_width(&heading) * 15 / 13 - matrix_width).max(0) / 2 + GAP;
        let left = left.max(overhang);
        Layout {
            size: (
                (left + matrix_width + bar.max(overhang)) as u32,
                (top + matrix_height + 2 * GAP + axis) as u32,
            ),
            left,
            top,
            cell,
            matrix_width,
            matrix_height,
            upright,
        }
    }

    fn corner(&self, row: usize, column: usize) -> (i32, i32) {
        (
            self.left + self.cell * column as i32,
            self.top + self.cell * row as i32,
        )
    }
}
