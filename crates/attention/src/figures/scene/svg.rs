//! A scene as the text of an SVG file.

use super::pixels::encode;
use super::{Horizontal, Paint, Point, Rgb, Scene, Shape, Stroke, Text, TextStyle, Vertical};
use crate::error::Error;
use crate::figures::text::escape;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ndarray::Array2;
use std::fmt::{self, Write};

/// Fonts by name, never by file: the browser that shows the picture has one of
/// them, and some of these have Japanese.
pub(crate) const FONTS: &str =
    "Helvetica, Arial, 'DejaVu Sans', 'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', sans-serif";
const MONOSPACE: &str = "'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// The colours of a dark theme. They find ink and background by their colours, so black on a
/// cell is a little blue, and a rectangle that is no background is written as a path.
const STYLE: &str = "<style>@media (prefers-color-scheme: dark) \
    { text[fill=\"#000000\"] { fill: #e6e6e6 } rect[fill=\"#FFFFFF\"] { fill: #111111 } \
    [stroke=\"#000000\"] { stroke: #e6e6e6 } [stroke=\"#D2D2D2\"] { stroke: #444444 } \
    polygon[fill=\"#31688E\"] { fill: #8cc4e8 } }</style>";
const CELL_INK: Rgb = [0, 0, 1];
const HATCH: &str = "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
    <rect width=\"6\" height=\"6\" fill=\"#d9d9d9\"/><path d=\"M0 6L6 0\" stroke=\"#8c8c8c\"/>\
    </pattern></defs>";

/// The scene as an SVG file. What all its shapes share stands once, at the beginning.
pub(crate) fn svg(scene: &Scene) -> Result<String, Error> {
    let (width, height) = scene.size;
    let mut svg = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" font-family=\"{FONTS}\" \
         text-anchor=\"middle\"><title>{}</title><desc>{}</desc>{STYLE}{HATCH}",
        escape(&scene.title),
        escape(&scene.description),
    );
    write_shapes(&mut svg, scene)?;
    svg += "</svg>";
    Ok(svg)
}

fn write_shapes(svg: &mut String, scene: &Scene) -> Result<(), Error> {
    scene
        .shapes
        .iter()
        .try_for_each(|shape| write_shape(svg, shape))
}

fn write_shape(svg: &mut String, shape: &Shape) -> Result<(), Error> {
    let written = match shape {
        Shape::Rectangle {
            corner,
            size,
            paint,
        } => write_rectangle(svg, *corner, *size, *paint),
        Shape::Line {
            from: (x1, y1),
            to: (x2, y2),
            stroke,
        } => write!(
            svg,
            "<line {} x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>",
            Outline(*stroke)
        ),
        Shape::Polyline { points, stroke } => {
            let attributes = format!("fill=\"none\" {}", Outline(*stroke));
            write_points(svg, "polyline", &attributes, points)
        }
        Shape::Polygon { points, paint } => {
            write_points(svg, "polygon", &Fill(*paint).to_string(), points)
        }
        Shape::Circle {
            centre: (x, y),
            radius,
            paint,
        } => write!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {} stroke-width=\"1\"/>",
            Fill(*paint)
        ),
        Shape::Text(text) => write_text(svg, text),
        Shape::Image {
            corner,
            size,
            colours,
        } => return write_image(svg, *corner, *size, colours),
        Shape::Scene { corner, scene } => return write_placed(svg, *corner, scene),
    };
    written.map_err(Error::drawing)
}

fn write_placed(svg: &mut String, (x, y): Point, scene: &Scene) -> Result<(), Error> {
    let (width, height) = scene.size;
    *svg += &format!("<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">");
    write_shapes(svg, scene)?;
    *svg += "</svg>";
    Ok(())
}

fn write_image(
    svg: &mut String,
    (x, y): Point,
    (width, height): Point,
    colours: &Array2<Rgb>,
) -> Result<(), Error> {
    let (rows, columns) = colours.dim();
    let rgb: Vec<u8> = colours.iter().flatten().copied().collect();
    let file = BASE64_STANDARD.encode(encode((columns, rows), &rgb)?);
    *svg += &format!(
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
         href=\"data:image/png;base64,{file}\"/>"
    );
    Ok(())
}

fn write_rectangle(
    svg: &mut String,
    (x, y): Point,
    (width, height): Point,
    paint: Paint,
) -> fmt::Result {
    let fill = Fill(paint);
    match paint {
        Paint::Background => write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {fill}/>"
        ),
        // Fewer bytes than a rectangle takes.
        _ => write!(
            svg,
            "<path d=\"M{x} {y}h{width}v{height}h-{width}\" {fill}/>"
        ),
    }
}

fn write_points(svg: &mut String, name: &str, attributes: &str, points: &[Point]) -> fmt::Result {
    write!(svg, "<{name} {attributes} points=\"")?;
    for (x, y) in points {
        write!(svg, "{x},{y} ")?;
    }
    *svg += "\"/>";
    Ok(())
}

fn write_text(svg: &mut String, text: &Text) -> fmt::Result {
    let (x, y) = text.at;
    write!(svg, "<text x=\"{x}\" y=\"{y}\"")?;
    *svg += match text.vertical {
        Vertical::Top => " dy=\"0.76em\"",
        Vertical::Middle => " dy=\"0.5ex\"",
        Vertical::Bottom => " dy=\"-0.5ex\"",
        Vertical::Baseline => "",
    };
    *svg += match text.horizontal {
        Horizontal::Start => " text-anchor=\"start\"",
        Horizontal::End => " text-anchor=\"end\"",
        Horizontal::Middle => "", // as in the whole file
    };
    match text.style {
        TextStyle::Normal => {}
        TextStyle::Bold => *svg += " font-weight=\"bold\"",
        TextStyle::Monospace => write!(svg, " font-family=\"{MONOSPACE}\"")?,
    }
    write!(svg, " font-size=\"{}\" {}", text.size, Fill(text.ink))?;
    if text.upwards {
        write!(svg, " transform=\"rotate(270, {x}, {y})\"")?;
    }
    svg.push('>');
    // SVG has no lines within a text.
    for line in text.content.lines() {
        *svg += &escape(line).replace('\'', "&apos;");
    }
    *svg += "</text>";
    Ok(())
}

/// The attributes of what fills a shape.
struct Fill(Paint);

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Paint::Solid { colour, opacity } => {
                write!(f, "{}fill=\"{}\"", Opacity(opacity), Hexadecimal(colour))
            }
            Paint::Hatch => f.write_str("fill=\"url(#hatch)\""),
            Paint::CellInk => write!(f, "fill=\"{}\"", Hexadecimal(CELL_INK)),
            Paint::Background => f.write_str("fill=\"#FFFFFF\""),
        }
    }
}

/// The attributes of a line.
struct Outline(Stroke);

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stroke {
            colour,
            opacity,
            width,
        } = self.0;
        let (opacity, colour) = (Opacity(opacity), Hexadecimal(colour));
        write!(f, "{opacity}stroke=\"{colour}\" stroke-width=\"{width}\"")
    }
}

/// An opacity, unless it is 1, as it is without the attribute.
struct Opacity(f64);

impl fmt::Display for Opacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1.0 => Ok(()),
            opacity => write!(f, "opacity=\"{opacity}\" "),
        }
    }
}

struct Hexadecimal(Rgb);

impl fmt::Display for Hexadecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02X}{green:02X}{blue:02X}")
    }
}
