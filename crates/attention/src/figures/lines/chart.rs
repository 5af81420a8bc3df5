//! Draws the names of the lines, and the chart below them.

use super::axis::{AxisScale, label_count, on_axis};
use super::thinning::thinned;
use super::{Lines, Points};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, text};
use crate::figures::scene::svg::FONTS;
use crate::figures::scene::{INK, Point};
use crate::markup::text::{fitting, text_width};
use plotters::prelude::*;

pub(super) const SIZE: Point = (640, 360);
const GAP: i32 = 10;
/// Curves with up to this many points get a mark at each point.
const MOST_WITH_MARKS: usize = 20;
/// Where the names of the lines start, in line with the y axis, and the lowest position of a name.
const NAMES_LEFT: i32 = 66;
const LOWEST_NAME: i32 = 124;
/// Height of a line of names, and the width of the sample before each name.
const NAME_LINE: i32 = 18;
const SAMPLE: i32 = 26;
/// Colours that colour-blind readers can distinguish (Okabe and Ito).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The axes, and the lines as positions on them.
struct Chart {
    x: AxisScale,
    y: AxisScale,
    curves: Vec<Points>,
    levels: Vec<f64>,
}

impl Lines {
    pub(super) fn draw(&self, canvas: &Canvas) -> Result<(), DrawingError> {
        let chart = self.chart();
        let (x, y) = (chart.x.span(0.0), chart.y.span(0.05));
        let thin = |points: &Points| thinned(points, &x, SIZE.0);
        let curves: Vec<Points> = chart.curves.iter().map(thin).collect();
        let top = self.draw_heading(canvas)?;
        let mut plot = ChartBuilder::on(canvas)
            .margin(GAP)
            .margin_top(top)
            .margin_right(2 * GAP)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(x.clone(), y.clone())?;
        plot.configure_mesh()
            .x_desc(fitting(&self.axes.0, 540, 13))
            .y_desc(fitting(&self.axes.1, 260, 13))
            .x_labels(label_count(&x, self.logarithmic.0))
            .y_labels(label_count(&y, self.logarithmic.1))
            .label_style((FONTS, 14))
            .x_label_formatter(&|x| chart.x.tick(*x))
            .y_label_formatter(&|y| chart.y.tick(*y))
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(210, 210, 210))
            .draw()?;
        for (points, colour) in curves.iter().zip(colours(0)) {
            let points = points.iter().copied();
            let line = LineSeries::new(points.clone(), colour.stroke_width(2));
            plot.draw_series(line)?;
            if points.len() <= MOST_WITH_MARKS {
                let mark = |point: (f64, f64)| Circle::new(point, 3, colour.filled());
                plot.draw_series(points.map(mark))?;
            }
        }
        let is_finite = |(level, _): &(&f64, RGBColor)| level.is_finite();
        let levels = chart.levels.iter().zip(colours(curves.len()));
        for (level, colour) in levels.filter(is_finite) {
            let ends = [(x.start, *level), (x.end, *level)];
            plot.draw_series(DashedLineSeries::new(ends, 6, 4, colour.stroke_width(2)))?;
        }
        Ok(())
    }

    fn chart(&self) -> Chart {
        let (log_x, log_y) = self.logarithmic;
        let point = |&(x, y): &(f64, f64)| {
            let point = (on_axis(x, log_x), on_axis(y, log_y));
            (point.0.is_finite() && point.1.is_finite()).then_some(point)
        };
        let curve = |(_, points): &(String, Points)| points.iter().filter_map(point).collect();
        let level = |(_, y): &(String, f64)| on_axis(*y, log_y);
        let mut curves: Vec<Points> = self.curves.iter().map(curve).collect();
        let mut levels: Vec<f64> = self.levels.iter().map(level).collect();
        let points = || curves.iter().flatten();
        let finite_levels = levels.iter().copied().filter(|level| level.is_finite());
        let heights = points().map(|point| point.1).chain(finite_levels);
        let x = AxisScale::of(points().map(|point| point.0), log_x);
        let y = AxisScale::of(heights, log_y);
        for point in curves.iter_mut().flatten() {
            *point = (x.position(point.0), y.position(point.1));
        }
        for level in &mut levels {
            *level = y.position(*level);
        }
        Chart {
            x,
            y,
            curves,
            levels,
        }
    }

    /// Draws the title and, below it, the names of the lines: above the plot, so that they do not
    /// cover the curves. Returns where the plot may begin.
    fn draw_heading(&self, canvas: &Canvas) -> Result<i32, DrawingError> {
        let title = fitting(&self.title, SIZE.0 - 2 * GAP, 15);
        text(canvas, &title, (SIZE.0 / 2, GAP), Anchor::Top, 15, INK)?;
        let mut y = if self.title.is_empty() { GAP } else { GAP + 24 };
        let mut x = NAMES_LEFT;
        let curves = self.curves.iter().map(|(label, _)| (label, false));
        let levels = self.levels.iter().map(|(label, _)| (label, true));
        let names: Vec<_> = curves.chain(levels).zip(colours(0)).collect();
        for (index, ((label, dashed), colour)) in names.iter().enumerate() {
            let label = &fitting(label, SIZE.0 - NAMES_LEFT - SAMPLE, 13);
            let width = SAMPLE + text_width(label);
            if x > NAMES_LEFT && x + width > SIZE.0 {
                (x, y) = (NAMES_LEFT, y + NAME_LINE);
            }
            if y > LOWEST_NAME {
                let more = format!("… and {} more", names.len() - index);
                text(canvas, &more, (NAMES_LEFT, y + 7), Anchor::Left, 13, INK)?;
                break;
            }
            draw_sample(canvas, (x, y + 7), *dashed, *colour)?;
            text(canvas, label, (x + SAMPLE, y + 7), Anchor::Left, 13, INK)?;
            x += width + 2 * GAP;
        }
        Ok(if names.is_empty() { y } else { y + 24 })
    }
}

/// Draws a short sample of a line, to the left of its name.
fn draw_sample(
    canvas: &Canvas,
    (x, y): Point,
    dashed: bool,
    colour: RGBColor,
) -> Result<(), DrawingError> {
    let dashes: &[(i32, i32)] = match dashed {
        true => &[(0, 6), (8, 14), (16, 20)],
        false => &[(0, 20)],
    };
    dashes.iter().try_for_each(|(from, to)| {
        let line = [(x + from, y), (x + to, y)];
        canvas.draw(&PathElement::new(line, colour.stroke_width(2)))
    })
}

/// The colours of the lines, beginning with line number `first`.
fn colours(first: usize) -> impl Iterator<Item = RGBColor> {
    COLOURS.into_iter().cycle().skip(first)
}
