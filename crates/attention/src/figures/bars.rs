//! Numbers as bars: one query's weights.

use crate::error::Error;
use crate::figures::drawing::{
    Anchor, Canvas, Trouble, cut, escape, finish, in_a_line, short_number, text, text_width,
};
use crate::figures::figure::{Drawn, figure_methods, image, titled};
use crate::figures::labels;
use crate::numerics::real::{Real, widened};
use ndarray::{ArrayRef, Ix1};
use plotters::prelude::*;

const BAR: i32 = 22;
const GAP: i32 = 8;
const LONGEST: i32 = 320;
const COLOUR: RGBColor = RGBColor(49, 104, 142);
/// Of more values only those furthest from 0 are shown.
const MOST_BARS: usize = 100;

/// Numbers as bars. See [`bars`].
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    values: Vec<f64>,
    labels: Vec<String>,
    title: String,
}

/// One bar for each value, from top to bottom, with its label and number.
///
/// `values` is (S,), for example the weights of one query; there is one label for
/// each. Bars of negative values go to the left. Of more than 100 values the 100 furthest
/// from 0 are shown, in their order, and in the last line how many more there are.
///
/// Matplotlib: `plt.barh(labels, values)`
///
/// # Panics
///
/// If there is no value, or not one label for each.
///
/// ```
/// use attention::bars;
/// use ndarray::array;
///
/// let figure = bars(&array![0.25_f32, 0.75], &["one", "step"]).title("What 'it' looks at");
/// assert!(figure.svg()?.contains("0.75"));
/// # Ok::<(), attention::Error>(())
/// ```
#[track_caller]
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
    }
}

impl Bars {
    /// The bars with a title above them.
    ///
    /// Matplotlib: `ax.set_title(title)`
    ///
    /// ```
    /// use attention::bars;
    /// use ndarray::array;
    ///
    /// assert!(bars(&array![1.0_f32], &["a"]).title("Weights").text().starts_with("Weights"));
    /// ```
    #[must_use]
    pub fn title(mut self, title: &str) -> Bars {
        self.title = labels::title(title);
        self
    }

    /// The labels and values that are shown, and at the end what is left out.
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
        // NaN counts as more than any number, and stays.
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

    fn draw(&self, canvas: &Canvas, left: i32, top: i32) -> Result<(), Trouble> {
        canvas.fill(&WHITE)?;
        text(
            canvas,
            &self.title,
            (left + LONGEST / 2, GAP),
            Anchor::Top,
            15,
            &BLACK,
        )?;
        let sizes = || {
            self.values
                .iter()
                .copied()
                .filter(|value| value.is_finite())
        };
        let low = sizes().fold(0.0, f64::min);
        let high = sizes().fold(0.0, f64::max);
        let span = if high > low { high - low } else { 1.0 };
        let share = |value: f64| match span.is_finite() {
            true => (value - low) / span,
            false => (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0),
        };
        let place = |value: f64| left + (share(value) * f64::from(LONGEST)) as i32;
        let (bars, rest) = self.shown();
        for (index, &(label, value)) in bars.iter().enumerate() {
            let y = top + index as i32 * BAR;
            let middle = y + BAR / 2;
            text(
                canvas,
                &cut(label),
                (left - GAP, middle),
                Anchor::Right,
                13,
                &BLACK,
            )?;
            let end = if value.is_finite() { value } else { 0.0 };
            let (from, to) = (place(end.min(0.0)), place(end.max(0.0)));
            let area = [(from, y + 3), (to.max(from + 1), y + BAR - 3)];
            canvas.draw(&Rectangle::new(area, COLOUR.filled()))?;
            let beside = (to + GAP / 2, middle);
            text(
                canvas,
                &short_number(value),
                beside,
                Anchor::Left,
                12,
                &BLACK,
            )?;
        }
        if let Some(rest) = rest {
            let middle = top + bars.len() as i32 * BAR + BAR / 2;
            text(
                canvas,
                &rest.text(),
                (left, middle),
                Anchor::Left,
                12,
                &BLACK,
            )?;
        }
        Ok(())
    }
}

/// Bars for which there is no room.
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

impl Drawn for Bars {
    fn drawn(&self) -> Result<String, Error> {
        let (bars, rest) = self.shown();
        let widest = bars.iter().map(|(label, _)| text_width(&cut(label))).max();
        // A title longer than the bars widens the picture on both sides.
        let overhang = (text_width(&self.title) * 15 / 13 - LONGEST).max(0) / 2 + GAP;
        let left = (2 * GAP + widest.unwrap_or(0)).max(overhang);
        let top = if self.title.is_empty() { GAP } else { 34 };
        let size = (
            left + LONGEST + overhang.max(60),
            top + BAR * (bars.len() + usize::from(rest.is_some())) as i32 + GAP,
        );
        let mut svg = String::new();
        {
            let size = (size.0 as u32, size.1 as u32);
            let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.draw(&canvas, left, top).map_err(Error::drawing)?;
            canvas.present().map_err(Error::drawing)?;
        }
        Ok(finish(&svg, &self.title, &self.words()))
    }

    fn html_of(&self, svg: &str) -> String {
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
        format!(
            "<div title=\"{}\">{}</div>",
            escape(&says.join("\n")),
            image(svg, &self.words(), "max-width:none")
        )
    }

    fn words(&self) -> String {
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
