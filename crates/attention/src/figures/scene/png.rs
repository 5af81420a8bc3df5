//! A scene as a PNG file, in its light colours.
//!
//! A complete SVG library (resvg with text) could render the SVG, but then compiling this crate
//! takes 3.6 times as much processor time as without PNG support; with this module, it takes at
//! most 1.7 times as much.

use super::arrow::arrow;
use super::contours::{self, Contours, bands, numbers};
use super::glyphs::{self, Line};
use super::image::Image;
use super::paint::{HATCH, LINES_OPACITY};
use super::pixels::Pixels;
use super::{
    Colour, DASHES_OPACITY, Direction, Horizontal, Paint, Point, Rgb, Scene, Shape, Span, Text,
    Vertical,
};
use crate::error::Error;

/// Pixels of the PNG per pixel of the scene, along each side.
const SCALE: f32 = 2.0;

/// The scene as a PNG file.
pub(crate) fn png(scene: &Scene) -> Result<Vec<u8>, Error> {
    let side = |length: i32| (length as f32 * SCALE) as usize;
    let mut pixels = Pixels::new((side(scene.size.0), side(scene.size.1)));
    paint_scene(&mut pixels, scene, (0.0, 0.0))?;
    pixels.png()
}

/// Paints the contents of a scene; `origin` is the position of its (0, 0).
fn paint_scene(pixels: &mut Pixels, scene: &Scene, origin: (f32, f32)) -> Result<(), Error> {
    let moved = |(x, y): Point| (origin.0 + x as f32, origin.1 + y as f32);
    let scaled = |(x, y): (f32, f32)| (x * SCALE, y * SCALE);
    let fill = |pixels: &mut Pixels, mut contours: Contours, paint| {
        for point in contours.iter_mut().flatten() {
            *point = scaled((origin.0 + point.0, origin.1 + point.1));
        }
        fill(pixels, &contours, paint);
    };
    for shape in &scene.shapes {
        let (contours, paint) = match shape {
            Shape::Background { size, radius } => {
                let white = Paint::opaque([255; 3]);
                (contours::rounded((0, 0), *size, *radius), white)
            }
            Shape::Rectangle {
                corner,
                size,
                paint,
            } => (contours::rectangle(*corner, *size), *paint),
            Shape::Frame {
                corner,
                size,
                radius,
                role,
                width,
                opacity,
            } => {
                let inside = contours::rounded(*corner, *size, *radius);
                fill(pixels, inside, Paint::role(*role, *opacity));
                let outline = contours::frame(*corner, *size, *radius, *width);
                (outline, Paint::role(*role, 1.0))
            }
            Shape::Polygon { points, paint } => (vec![numbers(points)], *paint),
            Shape::Circle {
                centre,
                radius,
                paint,
            } => (contours::circle(*centre, *radius), *paint),
            Shape::Line { from, to, stroke } => {
                (bands(&[*from, *to], stroke.width), stroke.paint())
            }
            Shape::Polyline { points, stroke } => (bands(points, stroke.width), stroke.paint()),
            Shape::Dashes { from, to, role } => (
                contours::dashes(*from, *to, 1.0),
                Paint::role(*role, DASHES_OPACITY),
            ),
            Shape::Arrow { points, stroke } => {
                let arrow = arrow(points);
                fill(pixels, bands(&arrow.line, stroke.width), stroke.paint());
                let head = arrow.head.map(|(x, y)| (x as f32, y as f32));
                (vec![head.to_vec()], stroke.paint())
            }
            Shape::Curve { points, stroke } => {
                (contours::curve(points, stroke.width), stroke.paint())
            }
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
        fill(pixels, contours, paint);
    }
    Ok(())
}

fn fill(pixels: &mut Pixels, contours: &Contours, paint: Paint) {
    match paint {
        Paint::Solid { colour, opacity } => {
            let colour = light(colour);
            pixels.fill(contours, |_, _| (colour, opacity as f32));
        }
        Paint::Hatch => pixels.fill(contours, |x, y| (hatched(x, y), 1.0)),
        Paint::Lines(role) => {
            let colour = role.colours().light;
            pixels.fill(contours, |x, y| (colour, LINES_OPACITY as f32 * line(x, y)));
        }
        Paint::CellInk => pixels.fill(contours, |_, _| ([0; 3], 1.0)),
    }
}

fn light(colour: Colour) -> Rgb {
    match colour {
        Colour::Fixed(colour) => colour,
        Colour::Role(role) => role.colours().light,
    }
}

/// The colour of a pixel of a hatched surface.
fn hatched(x: usize, y: usize) -> Rgb {
    let period = (6.0 * SCALE) as usize;
    HATCH[usize::from((x + y) % period < SCALE as usize)]
}

/// How much of a pixel is covered by the lines of a hatched surface.
fn line(x: usize, y: usize) -> f32 {
    let period = (6.0 * SCALE) as usize;
    // The distance from the middle of the pixel to the nearest line.
    let after = (x + y + 1) % period;
    let distance = after.min(period - after) as f32 / std::f32::consts::SQRT_2;
    (SCALE / 2.0 + 0.5 - distance).clamp(0.0, 1.0)
}

/// Paints text at `at`.
fn paint_text(pixels: &mut Pixels, text: &Text, at: (f32, f32)) -> Result<(), Error> {
    let size = text.size as f32;
    let line = line_of(text)?;
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
        let (across, below) = match text.direction {
            Direction::Across => (across, below),
            Direction::Upwards => (below, -across),
            Direction::Climbing => {
                let (sine, cosine) = (text.direction.degrees() as f32).to_radians().sin_cos();
                (
                    across * cosine + below * sine,
                    below * cosine - across * sine,
                )
            }
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
        let upwards = text.direction == Direction::Upwards;
        pixels.put(&Image::decode(&emoji.png)?, corner, size, upwards);
    }
    Ok(())
}

/// Text as a browser shows it: on one line, without leading or trailing spaces.
fn line_of(text: &Text) -> Result<Line, Error> {
    let last = text.content.len().saturating_sub(1);
    let mut line = Line::default();
    for (index, Span { letters, level }) in text.content.iter().enumerate() {
        let mut letters: String = letters.lines().collect();
        if index == 0 {
            letters = letters.trim_start_matches(' ').to_owned();
        }
        if index == last {
            letters = letters.trim_end_matches(' ').to_owned();
        }
        let size = level.size(text.size) as f32;
        line.append(
            glyphs::line(&letters, size, text.style)?,
            level.below() as f32,
        );
    }
    Ok(line)
}
