//! Options for a bar chart: its scale and its colour.

use super::Bars;
use crate::figures::matrix_colours::Kind;

impl Bars {
    /// Draws the bars on a scale from `low` to `high`, so that several pictures can be compared.
    /// Longer bars are cut off at the end of the scale.
    ///
    /// Matplotlib: `ax.set_xlim(low, high)`
    ///
    /// # Panics
    ///
    /// Unless `low < high` and both are finite.
    ///
    /// ```
    /// use attention::figures::bars;
    /// use ndarray::array;
    ///
    /// let entropies = array![0.5_f32, 1.5];
    /// let figure = bars(&entropies, &["one", "step"]).range(0.0, 6_f64.ln());
    /// assert_ne!(figure.svg()?, bars(&entropies, &["one", "step"]).svg()?);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn range(mut self, low: f64, high: f64) -> Bars {
        assert!(
            low < high && low.is_finite() && high.is_finite(),
            "bars: the range {low} to {high} is not a range: give the lower number first"
        );
        self.range = Some((low, high));
        self
    }

    /// Draws the bars in the colour of what they show: queries, keys, values, and so on. By default,
    /// non-negative numbers that sum to 1 count as weights, and others have a neutral colour.
    ///
    /// Matplotlib: `plt.barh(labels, values, color="tab:blue")`
    ///
    /// ```
    /// use attention::figures::{Kind, bars};
    /// use ndarray::array;
    ///
    /// let q = array![0.5_f32, 0.25];
    /// assert!(bars(&q, &["0", "1"]).kind(Kind::Query).svg()?.contains("#0069A8"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Bars {
        self.kind = Some(kind);
        self
    }
}
