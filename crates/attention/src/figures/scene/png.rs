//! A scene as a PNG file, in its light colours.
//!
//! A complete SVG library (resvg with text) could paint the SVG, but compiling this crate with
//! it takes 3.6 times the processor time of compiling it without PNG; this way takes at
//! most 1.7 times that.

use super::glyphs::{self, Contours};
use super::image::Image;
use super::pixels::Pixels;
use super::{Horizontal, Paint, Point, Rgb, Scene, Shape, Stroke, Text, Vertical};
use crate::error::Error;

/// Pixels of the PNG for each pixel of the scene, along each side.
const SCALE: f32 = 2.0;
const HATCH: [Rgb; 2] = [[217; 3], [140; 3]];
/// A circle is a polygon of so many corners.
const CORNERS: u8 = 24;

/// The scene as a PNG file.
pub(crate) fn png(scene: &Scene) -> Result<Vec<u8>, Error> {
    let side = |length: i32| (length as f32 * SCALE) as usize;
    let mut pixels = Pixels::new((side(scene.size.0), side(scene.size.1)));
    paint_scene(&mut pixels, scene, (0.0, 0.0))?;
    pixels.png()
}

/// Paints what is in a scene; `origin` is where its (0, 0) is.
fn paint_scene(pixels: &mut Pixels, scene: &Scene, origin: (f32, f32)) -> Result<(), Error> {
    let moved = |(x, y): Point| (origin.0 + x as f32, origin.1 + y as f32);
    let scaled = |(x, y): (f32, f32)| (x * SCALE, y * SCALE);
    for shape in &scene.shapes {
        let (mut contours, paint) = match shape {
            Shape::Rectangle {
                corner,
                size,
                paint,
            } => (rectangle(*corner, *size), *paint),
            Shape::Polygon { points, paint } => (vec![numbers(points)], *paint),
            Shape::Circle {
                centre,
                radius,
                paint,
            } => (circle(*centre, *radius), *paint),
            Shape::Line { from, to, stroke } => (bands(&[*from, *to], stroke), ink(stroke)),
            Shape::Polyline { points, stroke } => (bands(points, stroke), ink(stroke)),
            Shape::Text(text) => {
                paint_text(pixels, text, moved(text.at))?;
                continue;
            }
            Shape::Image {
                corner,
                size,
                colours,
            } => {
                let size = scaled((size.0 as f32, size.1 as f32));
                pixels.put(&Image::of(colours), scaled(moved(*corner)), size, false);
                continue;
            }
            Shape::Scene { corner, scene } => {
                paint_scene(pixels, scene, moved(*corner))?;
                continue;
            }
        };
        for point in contours.iter_mut().flatten() {
            *point = scaled((origin.0 + point.0, origin.1 + point.1));
        }
        fill(pixels, &contours, paint);
    }
    Ok(())
}

fn fill(pixels: &mut Pixels, contours: &Contours, paint: Paint) {
    match paint {
        Paint::Solid { colour, opacity } => {
            pixels.fill(contours, opacity as f32, |_, _| colour);
        }
        Paint::Hatch => pixels.fill(contours, 1.0, hatched),
        Paint::CellInk => pixels.fill(contours, 1.0, |_, _| [0; 3]),
        Paint::Background => pixels.fill(contours, 1.0, |_, _| [255; 3]),
    }
}

/// The colour of a pixel of a hatched surface.
fn hatched(x: usize, y: usize) -> Rgb {
    let period = (6.0 * SCALE) as usize;
    HATCH[usize::from((x + y) % period < SCALE as usize)]
}

fn ink(stroke: &Stroke) -> Paint {
    Paint::Solid {
        colour: stroke.colour,
        opacity: stroke.opacity,
    }
}

fn numbers(points: &[Point]) -> Vec<(f32, f32)> {
    let number = |&(x, y): &Point| (x as f32, y as f32);
    points.iter().map(number).collect()
}

fn rectangle((x, y): Point, (width, height): Point) -> Contours {
    let (right, bottom) = (x + width, y + height);
    vec![numbers(&[(x, y), (right, y), (right, bottom), (x, bottom)])]
}

fn circle((x, y): Point, radius: u32) -> Contours {
    let (x, y, radius) = (x as f32, y as f32, radius as f32);
    let angle = |corner: u8| f32::from(corner) / f32::from(CORNERS) * std::f32::consts::TAU;
    let point = |angle: f32| (x + radius * angle.cos(), y + radius * angle.sin());
    vec![(0..CORNERS).map(angle).map(point).collect()]
}

/// A band along each part of a line; where parts meet, a little longer.
fn bands(points: &[Point], stroke: &Stroke) -> Contours {
    let half = stroke.width as f32 / 2.0;
    let points = numbers(points);
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

/// Paints a text that is put at `at`.
fn paint_text(pixels: &mut Pixels, text: &Text, at: (f32, f32)) -> Result<(), Error> {
    let size = text.size as f32;
    // As a browser shows it: on one line, without spaces at its ends.
    let content: String = text.content.lines().collect();
    let line = glyphs::line(content.trim_matches(' '), size, text.style)?;
    let start = match text.horizontal {
        Horizontal::Start => 0.0,
        Horizontal::Middle => -line.width / 2.0,
        Horizontal::End => -line.width,
    };
    let down = match text.vertical {
        Vertical::Top => 0.76 * size,
        Vertical::Middle => 0.5 * (size / 2.0),
        Vertical::Baseline => 0.0,
        Vertical::Bottom => -0.5 * (size / 2.0),
    };
    let scaled = |(across, below): (f32, f32)| {
        let (across, below) = (start + across, down + below);
        let (across, below) = match text.upwards {
            true => (below, -across),
            false => (across, below),
        };
        ((at.0 + across) * SCALE, (at.1 + below) * SCALE)
    };
    let mut contours = line.contours;
    for point in contours.iter_mut().flatten() {
        *point = scaled(*point);
    }
    fill(pixels, &contours, text.ink);
    for emoji in line.emoji {
        let ((left, top), (width, height)) = (emoji.corner, emoji.size);
        let (a, b) = (scaled((left, top)), scaled((left + width, top + height)));
        let corner = (a.0.min(b.0), a.1.min(b.1));
        let size = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        pixels.put(&Image::decode(&emoji.png)?, corner, size, text.upwards);
    }
    Ok(())
}
