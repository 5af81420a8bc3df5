//! A bar chart, such as one query's weights.

mod options;

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::matrix_colours::Kind;
use crate::figures::numbers::short_number;
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, text};
use crate::figures::scene::{INK, Point, Scene};
use crate::markup::html::image;
use crate::markup::labels;
use crate::markup::text::{cut, escape, fitting, in_a_line, text_width};
use crate::numerics::real::{Real, widened};
use ndarray::{ArrayRef, Ix1};
use plotters::prelude::*;

const BAR: i32 = 22;
const GAP: i32 = 8;
const LONGEST: i32 = 320;
/// How much of the track behind bars with a fixed scale shows: it is faint on both light and dark
/// backgrounds.
const TRACK_OPACITY: f64 = 0.15;
/// The maximum number of bars. If there are more values, those furthest from 0 are shown.
const MOST_BARS: usize = 100;

/// A bar chart. See [`bars`].
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    values: Vec<f64>,
    labels: Vec<String>,
    title: String,
    range: Option<(f64, f64)>,
    kind: Option<Kind>,
}

/// One bar per value, from top to bottom, with its label and number.
///
/// `values` is (S,), for example the weights of one query, with one label each. Bars of negative
/// values extend to the left. Weights, which sum to 1, are drawn on a scale from 0 to 1; for other
/// values, the scale runs from the lowest to the highest, and includes 0. [`Bars::range`] sets the
/// scale, so that several pictures can be compared. Beyond 100 values, only the 100 furthest from 0
/// are shown, in their original order, and the last line says how many were omitted.
///
/// Matplotlib: `plt.barh(labels, values)`
///
/// # Panics
///
/// If there are no values, or not exactly one label per value.
///
/// ```
/// use attention::figures::bars;
/// use ndarray::array;
///
/// let figure = bars(&array![0.25_f32, 0.75], &["one", "step"]).title("What 'it' looks at");
/// assert!(figure.svg()?.contains("0.75"));
/// # Ok::<(), attention::Error>(())
/// ```
#[track_caller]
#[inline(never)]
pub fn bars<A: Real, S: AsRef<str>>(values: &ArrayRef<A, Ix1>, labels: &[S]) -> Bars {
    assert!(
        !values.is_empty(),
        "bars: there are 0 values: there is nothing to draw"
    );
    assert!(
        values.len() == labels.len(),
        "bars: there are {} values, but {} labels were given",
        values.len(),
        labels.len(),
    );
    Bars {
        values: widened(values).to_vec(),
        labels: labels::owned(labels),
        title: String::new(),
        range: None,
        kind: None,
    }
}

impl Bars {
    fn drawn_kind(&self) -> Kind {
        self.kind.unwrap_or_else(|| Kind::of_rows([&self.values]))
    }

    fn are_weights(&self) -> bool {
        self.drawn_kind() == Kind::Weight
    }

    /// The labels and values that are shown, and a summary of what is omitted.
    fn shown(&self) -> (Vec<(&str, f64)>, Option<Rest>) {
        let all = || {
            self.labels
                .iter()
                .map(String::as_str)
                .zip(self.values.iter().copied())
        };
        let Some(more) = self
            .values
            .len()
            .checked_sub(MOST_BARS)
            .filter(|&more| more > 0)
        else {
            return (all().collect(), None);
        };
        let mut by_size: Vec<usize> = (0..self.values.len()).collect();
        // NaN sorts above every number, and so is kept.
        by_size.sort_by(|&a, &b| self.values[b].abs().total_cmp(&self.values[a].abs()));
        let mut is_shown = vec![false; self.values.len()];
        by_size[..MOST_BARS]
            .iter()
            .for_each(|&index| is_shown[index] = true);
        let left_out = by_size[MOST_BARS..].iter().map(|&index| self.values[index]);
        let (low, high) = left_out
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let shown = all().zip(is_shown).filter(|(_, is_shown)| *is_shown);
        let rest = Rest { more, low, high };
        (shown.map(|(bar, _)| bar).collect(), Some(rest))
    }

    fn layout(&self) -> BarsLayout {
        let (bars, rest) = self.shown();
        let widest = bars.iter().map(|(label, _)| text_width(&cut(label))).max();
        let left = 2 * GAP + widest.unwrap_or(0);
        let top = if self.title.is_empty() { GAP } else { 34 };
        let lines = bars.len() + usize::from(rest.is_some());
        BarsLayout {
            size: (left + LONGEST + 60, top + BAR * lines as i32 + GAP),
            left,
            top,
        }
    }

    fn draw(&self, canvas: &Canvas, layout: &BarsLayout) -> Result<(), DrawingError> {
        let BarsLayout { size, left, top } = *layout;
        let title = fitting(&self.title, size.0 - 2 * GAP, 15);
        // Centred above the bars, but kept within the picture.
        let half = text_width(&title) * 15 / 13 / 2 + GAP;
        let middle = (left + LONGEST / 2).clamp(half, size.0 - half);
        text(canvas, &title, (middle, GAP), Anchor::Top, 15, INK)?;
        let x = self.scale(left);
        let colour = self.drawn_kind().bar();
        let has_fixed_scale = self.range.is_some() || self.are_weights();
        let (bars, rest) = self.shown();
        for (index, &(label, value)) in bars.iter().enumerate() {
            let y = top + index as i32 * BAR;
            let middle = y + BAR / 2;
            let before = (left - GAP, middle);
            text(canvas, &cut(label), before, Anchor::Right, 13, INK)?;
            let end = if value.is_finite() { value } else { 0.0 };
            let (from, to) = (x(end.min(0.0)), x(end.max(0.0)));
            let (above, below) = (y + 3, y + BAR - 3);
            if has_fixed_scale {
                let whole = [(left, above), (left + LONGEST, below)];
                let track = Kind::Score.bar().mix(TRACK_OPACITY);
                canvas.draw(&Rectangle::new(whole, track.filled()))?;
            }
            let area = [(from, above), (to.max(from + 1), below)];
            canvas.draw(&Rectangle::new(area, colour.filled()))?;
            let number = short_number(value);
            text(
                canvas,
                &number,
                (to + GAP / 2, middle),
                Anchor::Left,
                12,
                INK,
            )?;
        }
        let below = (left, top + bars.len() as i32 * BAR + BAR / 2);
        let rest = rest.map_or(String::new(), |rest| rest.text());
        text(canvas, &rest, below, Anchor::Left, 12, INK)
    }

    /// The ends of the scale: the given range, or one that includes all values, 0 (where bars
    /// begin) and, for weights, 1.
    fn limits(&self) -> (f64, f64) {
        if let Some(range) = self.range {
            return range;
        }
        let least = if self.are_weights() { 1.0_f64 } else { 0.0 };
        let finite = self.values.iter().filter(|value| value.is_finite());
        let ends = finite.fold((0.0_f64, least), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        if ends.0 < ends.1 { ends } else { (0.0, 1.0) }
    }

    /// Returns a function from values to x coordinates, on a scale whose lower end is at `left`.
    fn scale(&self, left: i32) -> impl Fn(f64) -> i32 {
        let (low, high) = self.limits();
        let share = move |value: f64| {
            // Halved first, because the difference between the ends may overflow an f64.
            let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
            share.clamp(0.0, 1.0)
        };
        move |value| left + (share(value) * f64::from(LONGEST)) as i32
    }
}

/// The size of the picture, and where its bars begin, in pixels.
struct BarsLayout {
    size: Point,
    left: i32,
    top: i32,
}

/// The omitted bars: how many there are, and the range of their values.
struct Rest {
    more: usize,
    low: f64,
    high: f64,
}

impl Rest {
    fn text(&self) -> String {
        let (low, high) = (short_number(self.low), short_number(self.high));
        format!(
            "… and {} more, nearer to 0: from {low} to {high}",
            self.more
        )
    }
}

impl Figure for Bars {
    fn scene(&self) -> Result<Scene, Error> {
        let layout = self.layout();
        let mut scene = Scene::new(layout.size, &self.title, &self.plain_text());
        let drawn = self.draw(&canvas(&mut scene), &layout);
        drawn.map_err(Error::drawing)?;
        Ok(scene)
    }

    fn html_around(&self, svg: &str, _size: Point) -> Result<String, Error> {
        let (bars, rest) = self.shown();
        let six_decimals = |value: f64| match value.abs() < 1e15 || !value.is_finite() {
            true => format!("{value:.6}"),
            false => short_number(value),
        };
        let says = |(label, value): &(&str, f64)| {
            format!("{}: {}", in_a_line(label), six_decimals(*value))
        };
        let mut says: Vec<String> = bars.iter().map(says).collect();
        says.extend(rest.map(|rest| rest.text()));
        Ok(format!(
            "<div title=\"{}\">{}</div>",
            escape(&says.join("\n")),
            image(svg, &self.plain_text())
        ))
    }

    fn plain_text(&self) -> String {
        let (bars, rest) = self.shown();
        let line = |(label, value): &(&str, f64)| {
            format!("{}: {}", in_a_line(label), short_number(*value))
        };
        let mut lines: Vec<String> = bars.iter().map(line).collect();
        lines.extend(rest.map(|rest| rest.text()));
        titled(&self.title, &lines.join("\n"))
    }
}

figure_methods!(
    Bars,
    "bars(&ndarray::array![0.25_f32, 0.75], &[\"a\", \"b\"])"
);
