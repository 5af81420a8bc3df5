//! The SVG of a figure as a PNG file.
//!
//! Only what figures draw is understood: rectangles, lines, polygons, circles, text and
//! images. A complete SVG library (resvg with text) reads everything, but compiling this
//! crate with it takes 3.6 times the processor time of compiling it without PNG; this way
//! takes 1.7 times that.

use crate::error::Error;
use crate::figures::glyphs::{self, Contours, Style};
use crate::figures::pixels::{Pixels, Rgb};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use roxmltree::{Document, Node};

/// Pixels of the PNG for each pixel of the SVG, along each side.
const SCALE: f32 = 2.0;

/// The picture as a PNG file, in its light colours.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let document = Document::parse(svg).map_err(Error::drawing)?;
    let root = document.root_element();
    let side = |name| (number(root, name) * SCALE) as usize;
    let mut pixels = Pixels::new((side("width"), side("height")));
    paint(root, (0.0, 0.0), &mut pixels)?;
    pixels.png()
}

/// Paints an element and what is in it; `origin` is where its (0, 0) is.
fn paint(node: Node, origin: (f32, f32), pixels: &mut Pixels) -> Result<(), Error> {
    let x_and_y = (number(node, "x"), number(node, "y"));
    match node.tag_name().name() {
        "svg" => return paint_children(node, (origin.0 + x_and_y.0, origin.1 + x_and_y.1), pixels),
        "g" => {
            let moved = numbers(node.attribute("transform").unwrap_or(""));
            let [x, y] = moved[..] else { return Ok(()) };
            return paint_children(node, (origin.0 + x, origin.1 + y), pixels);
        }
        "text" => return paint_text(node, origin, pixels),
        "image" => {
            let data = node
                .attribute("href")
                .and_then(|address| address.split_once("base64,"));
            let png = BASE64_STANDARD
                .decode(data.map_or("", |(_, data)| data))
                .map_err(Error::drawing)?;
            let corner = (
                (origin.0 + x_and_y.0) * SCALE,
                (origin.1 + x_and_y.1) * SCALE,
            );
            let size = (
                number(node, "width") * SCALE,
                number(node, "height") * SCALE,
            );
            return pixels.put(&png, corner, size, false);
        }
        _ => {}
    }
    let mut shape = shape_of(node);
    for point in shape.iter_mut().flatten() {
        *point = ((origin.0 + point.0) * SCALE, (origin.1 + point.1) * SCALE);
    }
    let paint = match node.attribute("fill") {
        None | Some("none") => node.attribute("stroke"),
        fill => fill,
    };
    let opacity = node
        .attribute("opacity")
        .and_then(|opacity| opacity.parse().ok());
    let opacity = opacity.unwrap_or(1.0);
    match paint {
        Some("url(#hatch)") => pixels.fill(&shape, opacity, hatched),
        Some(paint) => pixels.fill(&shape, opacity, |_, _| rgb(paint)),
        None => {}
    }
    Ok(())
}

fn paint_children(node: Node, origin: (f32, f32), pixels: &mut Pixels) -> Result<(), Error> {
    node.children()
        .filter(Node::is_element)
        .try_for_each(|child| paint(child, origin, pixels))
}

/// The outline of a shape, or of the band that a line is.
fn shape_of(node: Node) -> Contours {
    let named = |names: [&str; 4]| names.map(|name| number(node, name));
    let points = |name| {
        let numbers = numbers(node.attribute(name).unwrap_or(""));
        numbers
            .chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect::<Vec<_>>()
    };
    let rectangle = |[x, y, width, height]: [f32; 4]| {
        vec![vec![
            (x, y),
            (x + width, y),
            (x + width, y + height),
            (x, y + height),
        ]]
    };
    match node.tag_name().name() {
        "rect" => rectangle(named(["x", "y", "width", "height"])),
        // M x y h width v height h -width
        "path" => match numbers(node.attribute("d").unwrap_or(""))[..] {
            [x, y, width, height, _] => rectangle([x, y, width, height]),
            _ => Vec::new(),
        },
        "polygon" => vec![points("points")],
        "polyline" => bands(&points("points"), node),
        "line" => {
            let [x1, y1, x2, y2] = named(["x1", "y1", "x2", "y2"]);
            bands(&[(x1, y1), (x2, y2)], node)
        }
        "circle" => {
            let [x, y, radius, _] = named(["cx", "cy", "r", ""]);
            let at = |step: u8| f32::from(step) / 24.0 * std::f32::consts::TAU;
            let point = |angle: f32| (x + radius * angle.cos(), y + radius * angle.sin());
            vec![(0..24).map(at).map(point).collect()]
        }
        _ => Vec::new(),
    }
}

/// A band along each part of a line; where parts meet, a little longer.
fn bands(points: &[(f32, f32)], node: Node) -> Contours {
    let half = node
        .attribute("stroke-width")
        .and_then(|width| width.parse().ok())
        .unwrap_or(1.0)
        / 2.0;
    let band = |pair: &[(f32, f32)]| {
        let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
        let length = (bx - ax).hypot(by - ay).max(f32::MIN_POSITIVE);
        let (x, y) = ((bx - ax) / length * half, (by - ay) / length * half);
        let (ax, ay, bx, by) = match points.len() {
            2 => (ax, ay, bx, by),
            _ => (ax - x, ay - y, bx + x, by + y),
        };
        vec![
            (ax - y, ay + x),
            (bx - y, by + x),
            (bx + y, by - x),
            (ax + y, ay - x),
        ]
    };
    points.windows(2).map(band).collect()
}

fn paint_text(node: Node, origin: (f32, f32), pixels: &mut Pixels) -> Result<(), Error> {
    let inherited = |name| node.ancestors().find_map(|node| node.attribute(name));
    let text = node.text().unwrap_or("").trim_matches([' ', '\n']);
    let size = number(node, "font-size");
    let style = Style {
        bold: inherited("font-weight") == Some("bold"),
        monospace: inherited("font-family").is_some_and(|fonts| fonts.contains("monospace")),
    };
    let line = glyphs::line(text, size, style)?;
    let start = match inherited("text-anchor") {
        Some("middle") => -line.width / 2.0,
        Some("end") => -line.width,
        _ => 0.0,
    };
    let down = match node
        .attribute("dy")
        .map(|dy| (dy.trim_end_matches(['e', 'm', 'x']), dy.ends_with("ex")))
    {
        Some((dy, is_ex)) => dy.parse().unwrap_or(0.0) * if is_ex { size / 2.0 } else { size },
        None => 0.0,
    };
    let turned = node.attribute("transform").is_some();
    let (x, y) = (origin.0 + number(node, "x"), origin.1 + number(node, "y"));
    let place = |(across, below): (f32, f32)| {
        let (across, below) = (start + across, down + below);
        let (across, below) = if turned {
            (below, -across)
        } else {
            (across, below)
        };
        ((x + across) * SCALE, (y + below) * SCALE)
    };
    let mut contours = line.contours;
    for point in contours.iter_mut().flatten() {
        *point = place(*point);
    }
    pixels.fill(&contours, 1.0, |_, _| {
        rgb(node.attribute("fill").unwrap_or("#000000"))
    });
    for emoji in line.emoji {
        let ((left, top), (width, height)) = (emoji.corner, emoji.size);
        let (a, b) = (place((left, top)), place((left + width, top + height)));
        let corner = (a.0.min(b.0), a.1.min(b.1));
        pixels.put(
            &emoji.png,
            corner,
            ((a.0 - b.0).abs(), (a.1 - b.1).abs()),
            turned,
        )?;
    }
    Ok(())
}

/// The colour of a pixel of a hatched surface.
fn hatched(x: usize, y: usize) -> Rgb {
    let period = (6.0 * SCALE) as usize;
    if (x + y) % period < SCALE as usize {
        [140; 3]
    } else {
        [217; 3]
    }
}

/// `#rrggbb` as numbers.
fn rgb(colour: &str) -> Rgb {
    let number = u32::from_str_radix(colour.trim_start_matches('#'), 16).unwrap_or(0);
    let [_, red, green, blue] = number.to_be_bytes();
    [red, green, blue]
}

fn number(node: Node, name: &str) -> f32 {
    node.attribute(name)
        .and_then(|number| number.parse().ok())
        .unwrap_or(0.0)
}

/// All numbers in a text.
fn numbers(text: &str) -> Vec<f32> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    words.filter_map(|word| word.parse().ok()).collect()
}
