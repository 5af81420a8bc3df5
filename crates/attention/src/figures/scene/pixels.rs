//! A bitmap that shapes are painted into.

use super::Rgb;
use crate::error::Error;
use ab_glyph_rasterizer::{Rasterizer, point};
use std::ops::Range;

/// A bitmap, initially white.
pub(super) struct Pixels {
    pub(super) size: (usize, usize),
    pub(super) rgb: Vec<u8>,
}

impl Pixels {
    pub fn new(size: (usize, usize)) -> Pixels {
        let rgb = vec![255; 3 * size.0 * size.1];
        Pixels { size, rgb }
    }

    /// Fills the inside of closed curves; the colour and its opacity depend on the pixel.
    pub fn fill(
        &mut self,
        contours: &[Vec<(f32, f32)>],
        colour: impl Fn(usize, usize) -> (Rgb, f32),
    ) {
        let area = self.area_around(contours);
        if is_box(contours) {
            for y in area.y {
                for x in area.x.clone() {
                    let (colour, opacity) = colour(x, y);
                    self.mix((x, y), colour, opacity);
                }
            }
            return;
        }
        match contours {
            [contour] if area.x.len() * area.y.len() > LARGEST_AT_ONCE => {
                self.fill_in_strips(contour, area.x, colour);
            }
            _ => self.fill_area(contours, area, &colour),
        }
    }

    /// Fills a large shape in strips from left to right: a diagonal line across the picture covers
    /// few pixels, but its bounding box covers many.
    fn fill_in_strips(
        &mut self,
        contour: &[(f32, f32)],
        columns: Range<usize>,
        colour: impl Fn(usize, usize) -> (Rgb, f32),
    ) {
        for start in columns.clone().step_by(STRIP) {
            let end = (start + STRIP).min(columns.end);
            let part = [cut(&cut(contour, start as f32, 1.0), end as f32, -1.0)];
            let area = Area {
                x: start..end,
                y: self.area_around(&part).y,
            };
            self.fill_area(&part, area, &colour);
        }
    }

    /// Fills the part of closed curves that lies in an area.
    fn fill_area(
        &mut self,
        contours: &[Vec<(f32, f32)>],
        area: Area,
        colour: &impl Fn(usize, usize) -> (Rgb, f32),
    ) {
        let (width, height) = (area.x.len(), area.y.len());
        if width == 0 || height == 0 {
            return;
        }
        let (left, top) = (area.x.start, area.y.start);
        // Two extra columns and an extra row, because the rasterizer writes slightly past the edge.
        let mut shape = Rasterizer::new(width + 2, height + 1);
        let within = |&(x, y): &(f32, f32)| {
            point(
                (x - left as f32).clamp(0.0, width as f32),
                (y - top as f32).clamp(0.0, height as f32),
            )
        };
        for contour in contours {
            let next = contour.iter().cycle().skip(1);
            for (from, to) in contour.iter().zip(next) {
                shape.draw_line(within(from), within(to));
            }
        }
        shape.for_each_pixel_2d(|x, y, cover| {
            let (x, y) = (left + x as usize, top + y as usize);
            if cover > 0.0 && area.x.contains(&x) && area.y.contains(&y) {
                let (colour, opacity) = colour(x, y);
                self.mix((x, y), colour, cover.min(1.0) * opacity);
            }
        });
    }

    /// The pixels of a shape's bounding box.
    fn area_around(&self, contours: &[Vec<(f32, f32)>]) -> Area {
        let around = |values: &mut dyn Iterator<Item = f32>, end: usize| {
            let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            let inside = |value: f32| value.clamp(0.0, end as f32) as usize;
            inside(low.floor())..inside(high.ceil())
        };
        let points = || contours.iter().flatten();
        Area {
            x: around(&mut points().map(|point| point.0), self.size.0),
            y: around(&mut points().map(|point| point.1), self.size.1),
        }
    }

    /// Moves the colour of a pixel by this fraction towards another.
    pub(super) fn mix(&mut self, (x, y): (usize, usize), colour: Rgb, share: f32) {
        let at = 3 * (y * self.size.0 + x);
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip(colour) {
            *old = (f32::from(*old) + (f32::from(new) - f32::from(*old)) * share).round() as u8;
        }
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        encode(self.size, &self.rgb)
    }
}

/// A rectangle of pixels; empty if an end is before its start.
struct Area {
    x: Range<usize>,
    y: Range<usize>,
}

/// A shape whose bounding box has more pixels is filled in strips of this width.
const LARGEST_AT_ONCE: usize = 1 << 17;
const STRIP: usize = 16;

/// Whether a shape is a single rectangle of whole pixels, which needs no rasterizer.
fn is_box(contours: &[Vec<(f32, f32)>]) -> bool {
    let [contour] = contours else { return false };
    let [a, b, c, d] = contour[..] else {
        return false;
    };
    let is_whole = |at: &(f32, f32)| at.0 == at.0.trunc() && at.1 == at.1.trunc();
    contour.iter().all(is_whole) && a.1 == b.1 && b.0 == c.0 && c.1 == d.1 && d.0 == a.0
}

/// The part of a shape on one side of the vertical line at `x`: to its right if `side`
/// is 1, to its left if it is -1 (Sutherland and Hodgman 1974).
fn cut(shape: &[(f32, f32)], x: f32, side: f32) -> Vec<(f32, f32)> {
    let is_inside = |at: (f32, f32)| (at.0 - x) * side >= 0.0;
    let mut part = Vec::new();
    let next = shape.iter().cycle().skip(1);
    for (&from, &to) in shape.iter().zip(next) {
        if is_inside(from) {
            part.push(from);
        }
        if is_inside(from) != is_inside(to) {
            let share = (x - from.0) / (to.0 - from.0);
            part.push((x, from.1 + (to.1 - from.1) * share));
        }
    }
    part
}

/// Pixels, row by row, as a PNG file.
pub(super) fn encode((width, height): (usize, usize), rgb: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(rgb));
    written.map_err(Error::drawing)?;
    Ok(file)
}
