//! Draws into a scene: plotters' surface, plus the shapes that plotters lacks.

use super::backend::{SceneBackend, Unsupported, size_in_plotters, written_size};
use super::{
    Direction, Horizontal, Paint, Point, Rgb, Scene, Shape, Span, Text, TextStyle, Vertical,
};
use crate::markup::text::printable;
use ndarray::Array2;
use plotters::coord::Shift;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters_backend::DrawingErrorKind;

/// The surface that plotters draws on, in pixels.
pub(crate) type Canvas<'a> = DrawingArea<SceneBackend<'a>, Shift>;

/// An error from plotters.
pub(crate) type DrawingError = DrawingAreaErrorKind<Unsupported>;

/// A surface that adds its shapes to `scene`.
pub(crate) fn canvas(scene: &mut Scene) -> Canvas<'_> {
    SceneBackend(scene).into_drawing_area()
}

/// Which point of the text is placed at its position.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Top,
    Middle,
    Bottom,
    Left,
    Right,
    /// The left end of the baseline, or its middle.
    BaselineLeft,
    BaselineMiddle,
    /// The start of text that reads upwards.
    Upwards,
}

/// Writes `content` at `at`.
pub(crate) fn text(
    canvas: &Canvas,
    content: &str,
    at: Point,
    anchor: Anchor,
    size: u32,
    ink: Paint,
) -> Result<(), DrawingError> {
    styled_text(canvas, content, at, anchor, size, ink, TextStyle::Normal)
}

/// Like [`text`], but in this style.
pub(crate) fn styled_text(
    canvas: &Canvas,
    content: &str,
    at: Point,
    anchor: Anchor,
    size: u32,
    ink: Paint,
    style: TextStyle,
) -> Result<(), DrawingError> {
    if content.is_empty() {
        return Ok(());
    }
    let (horizontal, vertical) = match anchor {
        Anchor::Top => (Horizontal::Middle, Vertical::Top),
        Anchor::Middle => (Horizontal::Middle, Vertical::Middle),
        Anchor::Bottom => (Horizontal::Middle, Vertical::Bottom),
        Anchor::Left | Anchor::Upwards => (Horizontal::Start, Vertical::Middle),
        Anchor::Right => (Horizontal::End, Vertical::Middle),
        Anchor::BaselineLeft => (Horizontal::Start, Vertical::Baseline),
        Anchor::BaselineMiddle => (Horizontal::Middle, Vertical::Baseline),
    };
    let shape = |corners: &[Point]| {
        Shape::Text(Text {
            content: vec![Span::on_the_line(&printable(content))],
            at: corners[0],
            horizontal,
            vertical,
            direction: match anchor {
                Anchor::Upwards => Direction::Upwards,
                _ => Direction::Across,
            },
            // Converted to plotters' size and back, so that it is rounded like plotters' own
            // labels.
            size: written_size(size_in_plotters(size)),
            ink,
            style,
        })
    };
    let corners = vec![at];
    canvas.draw(&Element { corners, shape })
}

/// Hatches the rectangle between two corners.
pub(crate) fn hatch(canvas: &Canvas, corners: [Point; 2]) -> Result<(), DrawingError> {
    let shape = |corners: &[Point]| Shape::Rectangle {
        corner: corners[0],
        size: between(corners),
        paint: Paint::Hatch,
    };
    let corners = corners.to_vec();
    canvas.draw(&Element { corners, shape })
}

/// Fills the rectangle between two corners with a matrix of colours.
pub(crate) fn image(
    canvas: &Canvas,
    corners: [Point; 2],
    colours: &Array2<Rgb>,
) -> Result<(), DrawingError> {
    let shape = |corners: &[Point]| Shape::Image {
        corner: corners[0],
        size: between(corners),
        colours: colours.clone(),
    };
    let corners = corners.to_vec();
    canvas.draw(&Element { corners, shape })
}

fn between(corners: &[Point]) -> Point {
    (corners[1].0 - corners[0].0, corners[1].1 - corners[0].1)
}

/// An element for a shape that plotters lacks: `shape` gets its corners in scene coordinates.
struct Element<F> {
    corners: Vec<Point>,
    shape: F,
}

impl<'a, F> PointCollection<'a, Point> for &'a Element<F> {
    type Point = &'a Point;
    type IntoIter = std::slice::Iter<'a, Point>;

    fn point_iter(self) -> Self::IntoIter {
        self.corners.iter()
    }
}

impl<F: Fn(&[Point]) -> Shape> Drawable<SceneBackend<'_>> for Element<F> {
    fn draw<I: Iterator<Item = Point>>(
        &self,
        corners: I,
        backend: &mut SceneBackend<'_>,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<Unsupported>> {
        let corners: Vec<Point> = corners.collect();
        backend.push((self.shape)(&corners));
        Ok(())
    }
}
