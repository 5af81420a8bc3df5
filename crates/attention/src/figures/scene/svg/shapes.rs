//! The SVG elements of shapes.

use super::attributes::Attributes;
use super::text::text_element;
use crate::error::Error;
use crate::figures::scene::arrow::arrow;
use crate::figures::scene::pixels::encode;
use crate::figures::scene::{Colour, Point, Rgb, Scene, Shape, Stroke};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ndarray::Array2;
use std::fmt::{self, Display};

/// The shapes of a scene as elements, and the attributes that they use.
pub(super) fn written(scene: &Scene) -> Result<(String, Attributes), Error> {
    let mut writer = Writer::default();
    writer.shapes(scene)?;
    Ok((writer.body, writer.attributes))
}

#[derive(Default)]
struct Writer {
    body: String,
    attributes: Attributes,
}

impl Writer {
    fn shapes(&mut self, scene: &Scene) -> Result<(), Error> {
        scene.shapes.iter().try_for_each(|shape| self.shape(shape))
    }

    fn shape(&mut self, shape: &Shape) -> Result<(), Error> {
        match shape {
            Shape::Background {
                size: (width, height),
                radius,
            } => {
                let radius = Radius(*radius);
                self.body += &format!(
                    "<rect x=\"0\" y=\"0\" width=\"{width}\" height=\"{height}\"{radius} fill=\"#FFFFFF\"/>"
                );
            }
            Shape::Rectangle {
                corner: (x, y),
                size: (width, height),
                paint,
            } => {
                let fill = self.attributes.fill(*paint);
                // Shorter markup than a `<rect>`.
                self.body += &format!("<path d=\"M{x} {y}h{width}v{height}h-{width}\" {fill}/>");
            }
            Shape::Frame {
                corner: (x, y),
                size: (width, height),
                radius,
                role,
                width: line,
                opacity,
            } => {
                let look = self.attributes.frame(*role, *line, *opacity);
                self.body += &match Radius(*radius) {
                    Radius(0) => {
                        format!("<path {look} d=\"M{x} {y}h{width}v{height}h-{width}z\"/>")
                    }
                    radius => format!(
                        "<rect {look} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{radius}/>"
                    ),
                };
            }
            Shape::Line {
                from: (x1, y1),
                to: (x2, y2),
                stroke,
            } => {
                let outline = self.attributes.outline(stroke);
                self.body +=
                    &format!("<line {outline} x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
            }
            Shape::Polyline { points, stroke } => self.polyline(points, stroke),
            Shape::Dashes { from, to, role } => {
                let look = self.attributes.dashes(*role);
                self.path(&look, &[*from, *to]);
            }
            Shape::Arrow { points, stroke } => {
                let arrow = arrow(points);
                self.polyline(&arrow.line, stroke);
                let fill = self.attributes.fill(stroke.paint());
                self.path(&fill, &arrow.head);
            }
            Shape::Curve {
                points: [start, first, second, end],
                stroke,
            } => {
                let outline = self.line(stroke);
                let way = [first, second, end].map(|(x, y)| format!("{x} {y}"));
                let ((x, y), way) = (start, way.join(" "));
                self.body += &format!("<path {outline} d=\"M{x} {y}C{way}\"/>");
            }
            Shape::Polygon { points, paint } => {
                let fill = self.attributes.fill(*paint);
                self.points("polygon", &fill, points);
            }
            Shape::Circle {
                centre: (x, y),
                radius,
                paint,
            } => {
                let fill = self.attributes.fill(*paint);
                self.body += &format!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {fill} stroke-width=\"1\"/>"
                );
            }
            Shape::Text(text) => self.body += &text_element(text, &mut self.attributes),
            Shape::Image {
                corner,
                size,
                colours,
            } => self.image(*corner, *size, colours)?,
            Shape::Scene { corner, scene } => self.placed(*corner, scene)?,
        }
        Ok(())
    }

    fn placed(&mut self, (x, y): Point, scene: &Scene) -> Result<(), Error> {
        let (width, height) = scene.size;
        self.body += &format!("<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">");
        self.shapes(scene)?;
        self.body += "</svg>";
        Ok(())
    }

    fn image(
        &mut self,
        (x, y): Point,
        (width, height): Point,
        colours: &Array2<Rgb>,
    ) -> Result<(), Error> {
        let (rows, columns) = colours.dim();
        let rgb: Vec<u8> = colours.iter().flatten().copied().collect();
        let file = BASE64_STANDARD.encode(encode((columns, rows), &rgb)?);
        // Pixelated, so that edges stay sharp where a value covers several pixels. With one pixel
        // per value, this would drop some of the rows when a narrow page shrinks the picture.
        let rendering = match (columns as i32, rows as i32) == (width, height) {
            true => "",
            false => " style=\"image-rendering:pixelated\"",
        };
        self.body += &format!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             preserveAspectRatio=\"none\"{rendering} \
             href=\"data:image/png;base64,{file}\"/>"
        );
        Ok(())
    }

    fn polyline(&mut self, points: &[Point], stroke: &Stroke) {
        let line = self.line(stroke);
        match stroke.colour {
            Colour::Fixed(_) => self.points("polyline", &line, points),
            // Shorter markup than a `<polyline>`.
            Colour::Role(_) => self.path(&line, points),
        }
    }

    /// The attributes of an open line.
    fn line(&mut self, stroke: &Stroke) -> String {
        let outline = self.attributes.outline(stroke);
        match stroke.colour {
            Colour::Fixed(_) => format!("fill=\"none\" {outline}"),
            Colour::Role(_) => outline, // its class sets `fill: none`
        }
    }

    fn path<T: Display>(&mut self, attributes: &str, points: &[(T, T)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
        let points = points.join("L");
        self.body += &format!("<path {attributes} d=\"M{points}\"/>");
    }

    fn points<T: Display>(&mut self, name: &str, attributes: &str, points: &[(T, T)]) {
        let points: String = points.iter().map(|(x, y)| format!("{x},{y} ")).collect();
        self.body += &format!("<{name} {attributes} points=\"{points}\"/>");
    }
}

/// The attribute for round corners, omitted if they are square.
struct Radius(u32);

impl Display for Radius {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            radius => write!(f, " rx=\"{radius}\""),
        }
    }
}
