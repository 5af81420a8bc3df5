//! Numbers that change: losses over steps, variances over widths.

use crate::Error;
use crate::drawing::{Anchor, Canvas, FONTS, Trouble, finish, short_number, text, text_width};
use crate::figure::{Drawn, figure_methods, image, titled};
use plotters::prelude::*;

const SIZE: (u32, u32) = (640, 360);
/// Curves of so few points have a mark at each.
const MOST_WITH_MARKS: usize = 20;
/// Colours that stay apart for colour-blind readers (Okabe and Ito).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Curves over a common axis. See [`lines`].
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    title: String,
    axes: (String, String),
    curves: Vec<(String, Vec<(f64, f64)>)>,
    levels: Vec<(String, f64)>,
    /// Whether the axes x and y are logarithmic.
    logarithmic: (bool, bool),
}

/// A figure for curves, still empty: add them with [`Lines::curve`].
///
/// Matplotlib: `fig, ax = plt.subplots()`
///
/// ```
/// use attention::lines;
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
        axes: (x.to_owned(), y.to_owned()),
        curves: Vec::new(),
        levels: Vec::new(),
        logarithmic: (false, false),
    }
}

impl Lines {
    /// The figure with a title above it.
    ///
    /// Matplotlib: `ax.set_title(title)`
    ///
    /// ```
    /// assert!(attention::lines("x", "y").title("Loss").text().starts_with("Loss"));
    /// ```
    #[must_use]
    pub fn title(mut self, title: &str) -> Lines {
        title.clone_into(&mut self.title);
        self
    }

    /// The figure with one more curve through `points`, pairs of x and y. Points that
    /// are not finite are left out.
    ///
    /// Matplotlib: `ax.plot(x, y, label=label)`
    ///
    /// ```
    /// let figure = attention::lines("x", "y").curve("square", &[(1.0, 1.0), (2.0, 4.0)]);
    /// assert!(figure.text().contains("square: (1.00, 1.00) to (2.00, 4.00)"));
    /// ```
    #[must_use]
    pub fn curve(mut self, label: &str, points: &[(f64, f64)]) -> Lines {
        let finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
        let points = points.iter().filter(finite).copied().collect();
        self.curves.push((label.to_owned(), points));
        self
    }

    /// The figure with a level line at `y`, to compare with.
    ///
    /// Matplotlib: `ax.axhline(y, linestyle="--", label=label)`
    ///
    /// ```
    /// assert!(attention::lines("x", "y").level("limit", 3.0).text().contains("limit: 3.00"));
    /// ```
    #[must_use]
    pub fn level(mut self, label: &str, y: f64) -> Lines {
        self.levels.push((label.to_owned(), y));
        self
    }

    /// The figure with an x axis on which equal ways are equal factors. Points whose x is
    /// not above 0 are left out.
    ///
    /// Matplotlib: `ax.set_xscale("log", base=2)`
    ///
    /// ```
    /// let figure = attention::lines("d", "variance").log_x().curve("q · k", &[(1.0, 1.0), (4.0, 4.0)]);
    /// assert!(figure.svg()?.contains("variance"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn log_x(mut self) -> Lines {
        self.logarithmic.0 = true;
        self
    }

    /// The figure with a y axis on which equal ways are equal factors. Points and levels
    /// that are not above 0 are left out.
    ///
    /// Matplotlib: `ax.set_yscale("log", base=2)`
    ///
    /// ```
    /// let figure = attention::lines("d", "variance").log_y().curve("q · k", &[(1.0, 1.0), (4.0, 4.0)]);
    /// assert!(figure.svg()?.contains("variance"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[must_use]
    pub fn log_y(mut self) -> Lines {
        self.logarithmic.1 = true;
        self
    }

    /// Where a point stands on the axes, if it can.
    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let place = (along(x, self.logarithmic.0), along(y, self.logarithmic.1));
        (place.0.is_finite() && place.1.is_finite()).then_some(place)
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let canvas = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        canvas.fill(&WHITE)?;
        let place = |point: &(f64, f64)| self.place(*point);
        let placed = |points: &[(f64, f64)]| points.iter().filter_map(place).collect::<Vec<_>>();
        let curves: Vec<Vec<(f64, f64)>> =
            self.curves.iter().map(|curve| placed(&curve.1)).collect();
        let levels = self
            .levels
            .iter()
            .map(|level| along(level.1, self.logarithmic.1));
        let levels: Vec<f64> = levels.collect();
        let points = || curves.iter().flatten();
        let x = span(points().map(|point| point.0), 0.0);
        let finite_levels = levels.iter().copied().filter(|level| level.is_finite());
        let y = span(points().map(|point| point.1).chain(finite_levels), 0.05);
        let top = self.draw_heading(&canvas)?;
        let mut chart = ChartBuilder::on(&canvas)
            .margin(10)
            .margin_top(top)
            .margin_right(20)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(x.clone(), y.clone())?;
        chart
            .configure_mesh()
            .x_desc(&self.axes.0)
            .y_desc(&self.axes.1)
            .x_labels(label_count(&x, self.logarithmic.0))
            .y_labels(label_count(&y, self.logarithmic.1))
            .label_style((FONTS, 14))
            .x_label_formatter(&|x| tick(*x, self.logarithmic.0))
            .y_label_formatter(&|y| tick(*y, self.logarithmic.1))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(210, 210, 210))
            .draw()?;
        for (points, colour) in curves.iter().zip(colours(0)) {
            chart.draw_series(LineSeries::new(
                points.iter().copied(),
                colour.stroke_width(2),
            ))?;
            if points.len() <= MOST_WITH_MARKS {
                let mark = |&point: &(f64, f64)| Circle::new(point, 3, colour.filled());
                chart.draw_series(points.iter().map(mark))?;
            }
        }
        let is_finite = |(level, _): &(&f64, RGBColor)| level.is_finite();
        for (level, colour) in levels.iter().zip(colours(curves.len())).filter(is_finite) {
            let ends = [(x.start, *level), (x.end, *level)];
            chart.draw_series(DashedLineSeries::new(ends, 6, 4, colour.stroke_width(2)))?;
        }
        canvas.present()?;
        Ok(())
    }

    /// The title, and under it what each line is, above the plot: there they cover no
    /// curve. Returns where the plot may begin.
    fn draw_heading(&self, canvas: &Canvas) -> Result<i32, Trouble> {
        let (width, gap) = (SIZE.0 as i32, 10);
        text(
            canvas,
            &self.title,
            (width / 2, gap),
            Anchor::Top,
            15,
            &BLACK,
        )?;
        let start = 66; // above the y axis
        let mut y = if self.title.is_empty() { gap } else { gap + 24 };
        let mut x = start;
        let curves = self.curves.iter().map(|(label, _)| (label, false));
        let levels = self.levels.iter().map(|(label, _)| (label, true));
        let names: Vec<_> = curves.chain(levels).zip(colours(0)).collect();
        for ((label, dashed), colour) in &names {
            let needed = 26 + text_width(label) + 2 * gap;
            if x > start && x + needed - 2 * gap > width {
                (x, y) = (start, y + 18);
            }
            let dashes = if *dashed {
                vec![(0, 6), (8, 14), (16, 20)]
            } else {
                vec![(0, 20)]
            };
            for (from, to) in dashes {
                let line = [(x + from, y + 7), (x + to, y + 7)];
                canvas.draw(&PathElement::new(line, colour.stroke_width(2)))?;
            }
            text(canvas, label, (x + 26, y + 7), Anchor::Left, 13, &BLACK)?;
            x += needed;
        }
        Ok(if names.is_empty() { y } else { y + 24 })
    }
}

/// The colours of the lines from number `first` on.
fn colours(first: usize) -> impl Iterator<Item = RGBColor> {
    COLOURS.into_iter().cycle().skip(first)
}

/// A place on an axis. Only a number above 0 has one on a logarithmic axis.
fn along(value: f64, logarithmic: bool) -> f64 {
    match logarithmic {
        true if value > 0.0 => value.log2(),
        true => f64::NAN,
        false => value,
    }
}

/// From the lowest to the highest of `values`, with a margin of this share.
fn span(values: impl Iterator<Item = f64>, margin: f64) -> std::ops::Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    match low.partial_cmp(&high) {
        Some(std::cmp::Ordering::Less) => {
            let more = (high - low) * margin;
            low - more..high + more
        }
        Some(std::cmp::Ordering::Equal) => low - 0.5..high + 0.5,
        _ => 0.0..1.0,
    }
}

/// How many numbers an axis has at most: a logarithmic one only whole powers of 2.
fn label_count(span: &std::ops::Range<f64>, logarithmic: bool) -> usize {
    match logarithmic {
        true => ((span.end - span.start) as usize + 1).clamp(2, 10),
        false => 10,
    }
}

/// A number at an axis, with as many of three decimals as it needs.
fn tick(place: f64, logarithmic: bool) -> String {
    let value = if logarithmic { place.exp2() } else { place };
    if value != 0.0 && value.abs() < 0.001 {
        return format!("{value:.0e}");
    }
    let text = format!("{:.3}", value + 0.0); // never -0
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Drawn for Lines {
    fn drawn(&self) -> Result<String, Error> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(Error::drawing)?;
        Ok(finish(&svg, &self.title, &self.words()))
    }

    fn html_of(&self, svg: &str) -> String {
        image(svg, &self.words(), "max-width:none")
    }

    fn words(&self) -> String {
        let point = |point: Option<&(f64, f64)>| {
            point.map_or("nothing".to_owned(), |(x, y)| {
                format!("({}, {})", short_number(*x), short_number(*y))
            })
        };
        let mut text = titled(
            &self.title,
            &format!("{} over {}", self.axes.1, self.axes.0),
        );
        for (label, points) in &self.curves {
            text += &format!(
                "\n{label}: {} to {}",
                point(points.first()),
                point(points.last())
            );
        }
        for (label, level) in &self.levels {
            text += &format!("\n{label}: {}", short_number(*level));
        }
        text
    }
}

figure_methods!(Lines, "lines(\"step\", \"loss\")");
