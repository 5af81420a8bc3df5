//! Numbers that change: losses over steps, variances over widths.

use crate::error::Error;
use crate::figures::drawing::{
    Anchor, Canvas, FONTS, Trouble, around, finish, short_number, text, text_width,
};
use crate::figures::figure::{Drawn, figure_methods, image, titled};
use crate::figures::labels;
use plotters::prelude::*;

const SIZE: (u32, u32) = (640, 360);
/// Curves of so few points have a mark at each.
const MOST_WITH_MARKS: usize = 20;
/// Of longer curves, what a pixel would hide is left out.
const MOST_POINTS: usize = 20_000;
/// The names of the lines stand above this, in pixels; so many are said in words.
const LOWEST_NAME: i32 = 124;
const MOST_IN_WORDS: usize = 100;
/// Pairs of x and y.
type Points = Vec<(f64, f64)>;
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
    curves: Vec<(String, Points)>,
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
        axes: (labels::title(x), labels::title(y)),
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
        self.title = labels::title(title);
        self
    }

    /// The figure with one more curve through `points`, pairs of x and y. Points that
    /// are not finite are left out. Of more than 20,000 points the picture has those that it
    /// can show: in each column of pixels the first, the lowest, the highest and the last.
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
        self.curves.push((labels::title(label), points));
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
        self.levels.push((labels::title(label), y));
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

    /// The curves in the numbers that the axes count in, and the heights of the levels.
    fn placed(&self) -> (Vec<Points>, Vec<f64>) {
        let (log_x, log_y) = self.logarithmic;
        let place = |&(x, y): &(f64, f64)| {
            let place = (along(x, log_x), along(y, log_y));
            (place.0.is_finite() && place.1.is_finite()).then_some(place)
        };
        let curve = |(_, points): &(String, Points)| points.iter().filter_map(place).collect();
        let level = |(_, y): &(String, f64)| along(*y, log_y);
        (
            self.curves.iter().map(curve).collect(),
            self.levels.iter().map(level).collect(),
        )
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let canvas = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        canvas.fill(&WHITE)?;
        let (mut curves, mut levels) = self.placed();
        let points = || curves.iter().flatten();
        let finite_levels = levels.iter().copied().filter(|level| level.is_finite());
        let x_axis = Axis::of(points().map(|point| point.0), self.logarithmic.0);
        let y_axis = Axis::of(
            points().map(|point| point.1).chain(finite_levels),
            self.logarithmic.1,
        );
        for (x, y) in curves.iter_mut().flatten() {
            (*x, *y) = (x_axis.place(*x), y_axis.place(*y));
        }
        for level in &mut levels {
            *level = y_axis.place(*level);
        }
        let (x, y) = (x_axis.span(0.0), y_axis.span(0.05));
        let curves: Vec<Points> = curves.iter().map(|points| thinned(points, &x)).collect();
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
            .x_desc(fitting(&self.axes.0, 540))
            .y_desc(fitting(&self.axes.1, 260))
            .x_labels(label_count(&x, self.logarithmic.0))
            .y_labels(label_count(&y, self.logarithmic.1))
            .label_style((FONTS, 14))
            .x_label_formatter(&|x| x_axis.tick(*x))
            .y_label_formatter(&|y| y_axis.tick(*y))
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
            &fitting(&self.title, (width - 2 * gap) * 13 / 15),
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
        for (index, ((label, dashed), colour)) in names.iter().enumerate() {
            let label = &fitting(label, width - start - 26);
            let needed = 26 + text_width(label) + 2 * gap;
            if x > start && x + needed - 2 * gap > width {
                (x, y) = (start, y + 18);
            }
            if y > LOWEST_NAME {
                let more = format!("… and {} more", names.len() - index);
                text(canvas, &more, (start, y + 7), Anchor::Left, 13, &BLACK)?;
                break;
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

/// How the numbers of an axis become places that can be counted with: as they are, unless
/// they are too large, too small or too close together for that.
struct Axis {
    /// The lowest and the highest number; none if there is no number.
    ends: Option<(f64, f64)>,
    /// The place of a number is how many units it is above the base.
    base: f64,
    unit: f64,
    logarithmic: bool,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, logarithmic: bool) -> Axis {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let mut axis = Axis {
            ends: (low <= high).then_some((low, high)),
            base: 0.0,
            unit: 1.0,
            logarithmic,
        };
        let (low, high) = match low.partial_cmp(&high) {
            Some(std::cmp::Ordering::Less) => (low, high),
            Some(std::cmp::Ordering::Equal) if low.abs() > 1e9 => around(low),
            _ => return axis,
        };
        axis.ends = Some((low, high));
        let size = low.abs().max(high.abs());
        let width = (high - low).min(f64::MAX);
        let is_narrow = width < size * 1e-9;
        if is_narrow || size > 1e100 || width < 1e-9 {
            axis.base = if is_narrow { low } else { 0.0 };
            axis.unit = 10_f64.powf(width.log10().floor()).max(f64::MIN_POSITIVE);
        }
        axis
    }

    fn place(&self, value: f64) -> f64 {
        (value - self.base) / self.unit
    }

    /// From the lowest to the highest place, with a margin of this share.
    fn span(&self, margin: f64) -> std::ops::Range<f64> {
        let Some((low, high)) = self.ends else {
            return 0.0..1.0;
        };
        let (low, high) = (self.place(low), self.place(high));
        if low == high {
            return low - 0.5..high + 0.5;
        }
        let more = (high - low) * margin;
        low - more..high + more
    }

    /// The number at a place; above the base if there is one.
    fn tick(&self, place: f64) -> String {
        match self.base {
            0.0 => tick(place * self.unit, self.logarithmic),
            base if place.abs() < 1e-9 => format!("{base:.1e}"),
            _ if place > 0.0 => format!("+{}", tick(place * self.unit, false)),
            _ => tick(place * self.unit, false),
        }
    }
}

/// The points of a curve that are seen: of very many in one column of pixels the first, the
/// lowest, the highest and the last.
fn thinned(points: &[(f64, f64)], x: &std::ops::Range<f64>) -> Points {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let column = |point: &(f64, f64)| {
        let share = (point.0 - x.start) / (x.end - x.start);
        (share * f64::from(SIZE.0)) as i32
    };
    let mut thinned = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &usize, b: &usize| run[*a].1.total_cmp(&run[*b].1);
        let lowest = (0..run.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..run.len()).max_by(by_height).unwrap_or(0);
        let mut kept = [0, lowest, highest, run.len() - 1];
        kept.sort_unstable();
        let mut last = None;
        for index in kept {
            if last.replace(index) != Some(index) {
                thinned.push(run[index]);
            }
        }
    }
    // A curve that goes to and fro has few points in a row in one column.
    let step = thinned.len().div_ceil(MOST_POINTS);
    thinned.into_iter().step_by(step).collect()
}

/// A text that is cut where it would be wider than this, in pixels at size 13.
fn fitting(text: &str, width: i32) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut room = width - text_width("…");
    let fits = |c: &char| {
        room -= text_width(c.encode_utf8(&mut [0; 4]));
        room >= 0
    };
    text.chars().take_while(fits).collect::<String>() + "…"
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
    if value.abs() >= 1e15 {
        return match value.is_finite() {
            true => format!("{value:.0e}"),
            false => String::new(), // beyond the end of the axis
        };
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
