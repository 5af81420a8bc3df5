//! Numbers that change: losses over steps, variances over widths.

use crate::Error;
use crate::drawing::{FONTS, finish, short_number};
use crate::figure::{Drawn, figure_methods, image, titled};
use plotters::prelude::*;

const SIZE: (u32, u32) = (640, 360);
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

    /// From the lowest to the highest of `values`, with a margin if `margin`.
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

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let canvas = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        canvas.fill(&WHITE)?;
        let points = || self.curves.iter().flat_map(|(_, points)| points);
        let x = Lines::span(points().map(|point| point.0), 0.0);
        let levels = self.levels.iter().map(|level| level.1);
        let y = Lines::span(points().map(|point| point.1).chain(levels), 0.05);
        let mut chart = ChartBuilder::on(&canvas)
            .caption(&self.title, (FONTS, 18))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(x.clone(), y)?;
        chart
            .configure_mesh()
            .x_desc(&self.axes.0)
            .y_desc(&self.axes.1)
            .label_style((FONTS, 14))
            .x_label_formatter(&|x| tick(*x))
            .y_label_formatter(&|y| tick(*y))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(210, 210, 210))
            .draw()?;
        let colours = COLOURS.iter().cycle();
        for ((label, points), &colour) in self.curves.iter().zip(colours.clone()) {
            let style = colour.stroke_width(2);
            chart
                .draw_series(LineSeries::new(points.iter().copied(), style))?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
        let colours = colours.skip(self.curves.len());
        for ((label, level), &colour) in self.levels.iter().zip(colours) {
            let ends = [(x.start, *level), (x.end, *level)];
            chart
                .draw_series(DashedLineSeries::new(ends, 6, 4, colour.stroke_width(1)))?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .label_font((FONTS, 14))
            .background_style(WHITE.mix(0.8))
            .border_style(RGBColor(210, 210, 210))
            .draw()?;
        canvas.present()?;
        Ok(())
    }
}

/// A number at an axis, with as many of three decimals as it needs.
fn tick(value: f64) -> String {
    let text = format!("{value:.3}");
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
