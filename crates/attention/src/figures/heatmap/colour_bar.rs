//! The bar beside a heatmap that shows which colour stands for which value.

use super::scale::Scale;
use super::{GAP, LINE};
use crate::error::Error;
use crate::figures::numbers::between;
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, text};
use crate::figures::scene::{INK, Point, Scene};
use plotters::prelude::*;

const BAR: i32 = 14;
/// The width of a colour bar, including the gap before it and its numbers, in pixels.
pub(crate) const COLOUR_BAR_WIDTH: i32 = 2 * GAP + BAR + 6 * GAP;
const STEPS: i32 = 48;

/// Draws a colour bar of this height, with its lowest, middle and highest value: one strip
/// per scale. The scales differ only in their colours.
pub(super) fn draw_bar(
    canvas: &Canvas,
    (left, top): Point,
    height: i32,
    scales: &[Scale],
) -> Result<(), DrawingError> {
    let (low, high) = scales[0].limits;
    let bottom = top + height;
    // From the top, each step covers the rest of the bar, so that no gap is left.
    for step in (0..STEPS).rev() {
        let top = bottom - height * (step + 1) / STEPS;
        let share = f64::from(step) + 0.5;
        let value = match (high - low).is_finite() {
            true => low + (high - low) * share / f64::from(STEPS),
            false => between(scales[0].limits, share / f64::from(STEPS)),
        };
        let edge = |strip: usize| left + BAR * strip as i32 / scales.len() as i32;
        for (strip, scale) in scales.iter().enumerate() {
            let area = [(edge(strip), top), (edge(strip + 1), bottom)];
            canvas.draw(&Rectangle::new(area, scale.colour(value).filled()))?;
        }
    }
    for part in [0.0, 0.5, 1.0] {
        let y = bottom - (f64::from(height) * part) as i32;
        let value = scales[0].number(between(scales[0].limits, part));
        let beside = (left + BAR + GAP / 2, y);
        text(canvas, &value, beside, Anchor::Left, 12, INK)?;
    }
    Ok(())
}

/// A colour bar by itself, for several pictures that share a scale, and how far below its upper
/// edge the colours begin.
pub(crate) fn colour_bar(height: i32, scales: &[Scale]) -> Result<(Scene, i32), Error> {
    let size = (COLOUR_BAR_WIDTH, height + LINE);
    let mut scene = Scene::new(size, "", "The colours of the values");
    let drawn = draw_bar(&canvas(&mut scene), (2 * GAP, LINE / 2), height, scales);
    drawn.map_err(Error::drawing)?;
    Ok((scene, LINE / 2))
}
