//! Connects plotters to a scene: a backend that records shapes.

use super::{
    Colour, Direction, Horizontal, Paint, Point, Scene, Shape, Span, Stroke, Text, TextStyle,
    Vertical,
};
use crate::figures::scene::svg::FONTS;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle, FontTransform,
};
use std::fmt;

/// Records what plotters draws as shapes of a scene. A shape or style that a scene does not
/// support is an error.
pub(crate) struct SceneBackend<'a>(pub &'a mut Scene);

/// Something plotters tried to draw that a scene does not support.
#[derive(Debug)]
pub(crate) struct Unsupported(&'static str);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a scene has no {}", self.0)
    }
}

impl std::error::Error for Unsupported {}

type Drawn = Result<(), DrawingErrorKind<Unsupported>>;

fn unsupported(what: &'static str) -> Drawn {
    Err(DrawingErrorKind::DrawingError(Unsupported(what)))
}

impl SceneBackend<'_> {
    /// Adds a shape in this colour, unless it is transparent.
    fn add(&mut self, color: BackendColor, shape: impl FnOnce(Colour, f64) -> Shape) -> Drawn {
        let (red, green, blue) = color.rgb;
        if color.alpha > 0.0 {
            self.0
                .add(shape(Colour::Fixed([red, green, blue]), color.alpha));
        }
        Ok(())
    }

    /// Adds any shape, including those that plotters lacks.
    pub fn push(&mut self, shape: Shape) {
        self.0.add(shape);
    }
}

/// Plotters estimates text widths from its font size, which is this many times the size that is
/// written to the picture.
const SIZE_IN_PLOTTERS: f64 = 1.24;

/// Converts a size given to plotters into the size written to the picture.
pub(super) fn written_size(size: f64) -> f64 {
    size / SIZE_IN_PLOTTERS
}

/// The size in plotters for a written size.
pub(super) fn size_in_plotters(size: u32) -> f64 {
    f64::from(size) * SIZE_IN_PLOTTERS
}

impl DrawingBackend for SceneBackend<'_> {
    type ErrorType = Unsupported;

    fn get_size(&self) -> (u32, u32) {
        (self.0.size.0 as u32, self.0.size.1 as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Drawn {
        unsupported("single pixels")
    }

    fn blit_bitmap(&mut self, _: BackendCoord, _: (u32, u32), _: &[u8]) -> Drawn {
        unsupported("bitmaps of plotters")
    }

    fn draw_line<S: BackendStyle>(&mut self, from: Point, to: Point, style: &S) -> Drawn {
        let width = f64::from(style.stroke_width());
        self.add(style.color(), |colour, opacity| {
            let stroke = Stroke {
                colour,
                opacity,
                width,
            };
            Shape::Line { from, to, stroke }
        })
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        corner: Point,
        end: Point,
        style: &S,
        fill: bool,
    ) -> Drawn {
        if !fill {
            return unsupported("rectangles that are not filled");
        }
        self.add(style.color(), |colour, opacity| Shape::Rectangle {
            corner,
            size: (end.0 - corner.0, end.1 - corner.1),
            paint: Paint::Solid { colour, opacity },
        })
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = Point>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let width = f64::from(style.stroke_width());
        self.add(style.color(), |colour, opacity| {
            let stroke = Stroke {
                colour,
                opacity,
                width,
            };
            let points = path.into_iter().collect();
            Shape::Polyline { points, stroke }
        })
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = Point>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.add(style.color(), |colour, opacity| Shape::Polygon {
            points: corners.into_iter().collect(),
            paint: Paint::Solid { colour, opacity },
        })
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: Point,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        if !fill {
            return unsupported("circles that are not filled");
        }
        self.add(style.color(), |colour, opacity| Shape::Circle {
            centre,
            radius,
            paint: Paint::Solid { colour, opacity },
        })
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: Point) -> Drawn {
        if style.family().as_str() != FONTS {
            return unsupported("text in other fonts");
        }
        if !matches!(style.style(), FontStyle::Normal) {
            return unsupported("slanted or bold text of plotters");
        }
        let direction = match style.transform() {
            FontTransform::None => Direction::Across,
            FontTransform::Rotate270 => Direction::Upwards,
            _ => return unsupported("text that reads downwards"),
        };
        let horizontal = match style.anchor().h_pos {
            HPos::Left => Horizontal::Start,
            HPos::Center => Horizontal::Middle,
            HPos::Right => Horizontal::End,
        };
        let vertical = match style.anchor().v_pos {
            VPos::Top => Vertical::Top,
            VPos::Center => Vertical::Middle,
            VPos::Bottom => Vertical::Bottom,
        };
        self.add(style.color(), |colour, opacity| {
            Shape::Text(Text {
                content: vec![Span::on_the_line(text)],
                at,
                horizontal,
                vertical,
                direction,
                size: written_size(style.size()),
                ink: Paint::Solid { colour, opacity },
                style: TextStyle::Normal,
            })
        })
    }
}
