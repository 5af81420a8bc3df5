//! Line charts, such as the loss over training steps.

mod axis;
mod chart;
mod thinning;

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::numbers::short_number;
use crate::figures::scene::canvas::canvas;
use crate::figures::scene::{Point, Scene};
use crate::markup::html::image;
use crate::markup::labels;

/// At most this many curves, and this many levels, are described in words.
const MOST_IN_WORDS: usize = 100;
/// Pairs of x and y.
type Points = Vec<(f64, f64)>;

/// Curves with shared axes. See [`lines`].
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    title: String,
    axes: (String, String),
    curves: Vec<(String, Points)>,
    levels: Vec<(String, f64)>,
    /// Whether the axes x and y are logarithmic.
    logarithmic: (bool, bool),
}

/// An empty figure for curves; add them with [`Lines::curve`].
///
/// Matplotlib: `fig, ax = plt.subplots()`
///
/// ```
/// use attention::figures::lines;
///
/// let figure = lines("step", "loss")
///     .curve("training", &[(0.0, 4.3), (500.0, 2.6), (1000.0, 2.5)])
///     .level("unigram entropy", 3.3);
/// assert!(figure.svg()?.contains("training"));
/// # Ok::<(), attention::Error>(())
/// ```
pub fn lines(x: &str, y: &str) -> Lines {
    Lines {
        title: String::new(),
        axes: (labels::title(x), labels::title(y)),
        curves: Vec::new(),
        levels: Vec::new(),
        logarithmic: (false, false),
    }
}

impl Lines {
    /// Adds a curve through `points`, pairs of x and y. Points that are not finite
    /// are omitted. Beyond 20,000 points, only those that can be distinguished are drawn: in each
    /// column of pixels the first, the lowest, the highest and the last.
    ///
    /// Matplotlib: `ax.plot(x, y, label=label)`
    ///
    /// ```
    /// let figure = attention::figures::lines("x", "y").curve("square", &[(1.0, 1.0), (2.0, 4.0)]);
    /// assert!(figure.text().contains("square: (1.00, 1.00) to (2.00, 4.00)"));
    /// ```
    #[must_use]
    pub fn curve(mut self, label: &str, points: &[(f64, f64)]) -> Lines {
        let finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
        let points = points.iter().filter(finite).copied().collect();
        self.curves.push((labels::title(label), points));
        self
    }

    /// Adds a horizontal line at `y`, for comparison.
    ///
    /// Matplotlib: `ax.axhline(y, linestyle="--", label=label)`
    ///
    /// ```
    /// assert!(attention::figures::lines("x", "y").level("limit", 3.0).text().contains("limit: 3.00"));
    /// ```
    #[must_use]
    pub fn level(mut self, label: &str, y: f64) -> Lines {
        self.levels.push((labels::title(label), y));
        self
    }

    /// Makes the x axis logarithmic: equal distances are equal factors. Points whose x is
    /// not above 0 are omitted.
    ///
    /// Matplotlib: `ax.set_xscale("log", base=2)`
    ///
    /// ```
    /// let figure = attention::figures::lines("d", "variance").log_x().curve("q · k", &[(1.0, 1.0), (4.0, 4.0)]);
    /// assert!(figure.svg()?.contains("variance"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn log_x(mut self) -> Lines {
        self.logarithmic.0 = true;
        self
    }

    /// Makes the y axis logarithmic: equal distances are equal factors. Points and levels
    /// that are not above 0 are omitted.
    ///
    /// Matplotlib: `ax.set_yscale("log", base=2)`
    ///
    /// ```
    /// let figure = attention::figures::lines("d", "variance").log_y().curve("q · k", &[(1.0, 1.0), (4.0, 4.0)]);
    /// assert!(figure.svg()?.contains("variance"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn log_y(mut self) -> Lines {
        self.logarithmic.1 = true;
        self
    }
}

impl Figure for Lines {
    fn scene(&self) -> Result<Scene, Error> {
        let mut scene = Scene::new(chart::SIZE, &self.title, &self.plain_text());
        self.draw(&canvas(&mut scene)).map_err(Error::drawing)?;
        Ok(scene)
    }

    fn html_around(&self, svg: &str, _size: Point) -> Result<String, Error> {
        Ok(image(svg, &self.plain_text()))
    }

    fn plain_text(&self) -> String {
        let point = |point: Option<&(f64, f64)>| {
            point.map_or("nothing".to_owned(), |(x, y)| {
                format!("({}, {})", short_number(*x), short_number(*y))
            })
        };
        let mut text = titled(
            &self.title,
            &format!("{} over {}", self.axes.1, self.axes.0),
        );
        for (label, points) in self.curves.iter().take(MOST_IN_WORDS) {
            text += &format!(
                "\n{label}: {} to {}",
                point(points.first()),
                point(points.last())
            );
        }
        for (label, level) in self.levels.iter().take(MOST_IN_WORDS) {
            text += &format!("\n{label}: {}", short_number(*level));
        }
        let more = |count: usize| count.saturating_sub(MOST_IN_WORDS);
        match more(self.curves.len()) + more(self.levels.len()) {
            0 => {}
            more => text += &format!("\n… and {more} more"),
        }
        text
    }
}

figure_methods!(Lines, "lines(\"step\", \"loss\")");
