//! Options for a heatmap.

use super::Heatmap;
use crate::figures::matrix_colours::Kind;
use crate::markup::labels;
use crate::numerics::shape::{same_shape, shape_text};
use ndarray::Array2;

/// More than enough decimals to tell any two numbers between 1 and 10 apart.
const MOST_DECIMALS: usize = 20;

impl Heatmap {
    /// Gives rows and columns the same labels, for example the words of a sentence that attends
    /// to itself.
    ///
    /// Matplotlib: `ax.set_xticklabels(tokens)` and `ax.set_yticklabels(tokens)`
    ///
    /// # Panics
    ///
    /// If there is not exactly one label for each row and each column.
    ///
    /// ```
    /// use attention::figures::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).tokens(&["you", "me"]).text().contains("you"));
    /// ```
    #[must_use]
    #[track_caller]
    #[inline(never)]
    pub fn tokens<S: AsRef<str>>(self, tokens: &[S]) -> Heatmap {
        self.rows(tokens).columns(tokens)
    }

    /// Labels the rows: the queries.
    ///
    /// Matplotlib: `ax.set_yticklabels(labels)`
    ///
    /// # Panics
    ///
    /// If there is not exactly one label per row.
    ///
    /// ```
    /// use attention::figures::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).rows(&["you", "me"]).text().contains("you"));
    /// ```
    #[must_use]
    #[track_caller]
    #[inline(never)]
    pub fn rows<S: AsRef<str>>(mut self, labels: &[S]) -> Heatmap {
        self.check_labels("rows", self.matrix.nrows(), labels.len());
        self.row_labels = labels::owned(labels);
        self
    }

    /// Labels the columns: the keys.
    ///
    /// Matplotlib: `ax.set_xticklabels(labels)`
    ///
    /// # Panics
    ///
    /// If there is not exactly one label per column.
    ///
    /// ```
    /// use attention::figures::heatmap;
    /// use ndarray::array;
    ///
    /// let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    /// assert!(heatmap(&weights).columns(&["you", "me"]).text().contains("you"));
    /// ```
    #[must_use]
    #[track_caller]
    #[inline(never)]
    pub fn columns<S: AsRef<str>>(mut self, labels: &[S]) -> Heatmap {
        self.check_labels("columns", self.matrix.ncols(), labels.len());
        self.column_labels = labels::owned(labels);
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

    /// Sets the colour scale to run from `low` to `high`, so that several pictures
    /// can be compared. By default it runs from the smallest to the largest value or, if there are
    /// values on both sides of 0, equally far to both sides; for a mask, from 0 to 1.
    ///
    /// Matplotlib: `ax.imshow(matrix, vmin=low, vmax=high)`
    ///
    /// # Panics
    ///
    /// Unless `low < high` and both are finite.
    ///
    /// ```
    /// use attention::figures::heatmap;
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

    /// Writes every number with `decimals` decimal places, in the cells, on hover and on the
    /// colour bar: 0 for counts, for example. By default a number has as many as fit into
    /// a cell, usually two.
    ///
    /// Seaborn: `sns.heatmap(matrix, annot=True, fmt=".0f")`
    ///
    /// # Panics
    ///
    /// If more than 20 are requested.
    ///
    /// ```
    /// use attention::figures::heatmap;
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

    /// Uses the colours of what the matrix shows: queries, keys, values, and so on.
    /// By default, a matrix whose rows all sum to 1, with no value below 0, counts as weights.
    ///
    /// Matplotlib: `ax.imshow(matrix, cmap="Blues")`
    ///
    /// ```
    /// use attention::figures::{Kind, heatmap};
    /// use ndarray::array;
    ///
    /// let q = array![[0.5_f32, 0.25]];
    /// assert_ne!(heatmap(&q).kind(Kind::Query).svg()?, heatmap(&q).kind(Kind::Key).svg()?);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Heatmap {
        self.kind = Some(kind);
        self
    }

    /// Names the axes. A heatmap with labels on both axes uses the names query and key unless
    /// others are given.
    ///
    /// Matplotlib: `ax.set_ylabel(rows)` and `ax.set_xlabel(columns)`
    ///
    /// ```
    /// use attention::figures::heatmap;
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

    /// Hatches the cells that `mask` hides: those where it is `false`.
    ///
    /// Matplotlib: `np.ma.masked_where(~mask, matrix)`
    ///
    /// # Panics
    ///
    /// If the mask and the matrix differ in shape.
    ///
    /// ```
    /// use attention::dot_product::causal_mask;
    /// use attention::figures::heatmap;
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
}
