//! A picture of pixels that shapes are filled into.

use crate::error::Error;
use ab_glyph_rasterizer::{Rasterizer, point};

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// A picture, white at first.
pub(crate) struct Pixels {
    size: (usize, usize),
    rgb: Vec<u8>,
}

impl Pixels {
    pub fn new(size: (usize, usize)) -> Pixels {
        let rgb = vec![255; 3 * size.0 * size.1];
        Pixels { size, rgb }
    }

    /// Fills the inside of closed curves with the colour for each pixel.
    pub fn fill(
        &mut self,
        contours: &[Vec<(f32, f32)>],
        opacity: f32,
        colour: impl Fn(usize, usize) -> Rgb,
    ) {
        let points = || contours.iter().flatten();
        let bounds = |values: &mut dyn Iterator<Item = f32>, end: usize| {
            let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            let inside = |value: f32| value.clamp(0.0, end as f32) as usize;
            (inside(low.floor()), inside(high.ceil()))
        };
        let (left, right) = bounds(&mut points().map(|point| point.0), self.size.0);
        let (top, bottom) = bounds(&mut points().map(|point| point.1), self.size.1);
        if left >= right || top >= bottom {
            return;
        }
        if is_box(contours) {
            for y in top..bottom {
                for x in left..right {
                    self.mix((x, y), colour(x, y), opacity);
                }
            }
            return;
        }
        if let [contour] = contours
            && (right - left) * (bottom - top) > LARGEST_AT_ONCE
        {
            return self.fill_in_columns(contour, (left, right), opacity, colour);
        }
        let (width, height) = (right - left, bottom - top);
        // One more column and line, for the rasterizer writes a little beyond the edge.
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
            if cover > 0.0 && x < right && y < bottom {
                self.mix((x, y), colour(x, y), cover.min(1.0) * opacity);
            }
        });
    }

    /// Fills a large shape in strips from left to right: a line that climbs over the whole
    /// picture has few pixels, but the rectangle around it many.
    fn fill_in_columns(
        &mut self,
        contour: &[(f32, f32)],
        (left, right): (usize, usize),
        opacity: f32,
        colour: impl Fn(usize, usize) -> Rgb,
    ) {
        for start in (left..right).step_by(STRIP) {
            let end = (start + STRIP).min(right);
            let part = cut(&cut(contour, start as f32, 1.0), end as f32, -1.0);
            let (top, bottom) = self.rows_of(&part);
            if top >= bottom {
                continue;
            }
            let mut shape = Rasterizer::new(end - start + 2, bottom - top + 1);
            let within = |(x, y): (f32, f32)| {
                point(
                    (x - start as f32).clamp(0.0, (end - start) as f32),
                    (y - top as f32).clamp(0.0, (bottom - top) as f32),
                )
            };
            let next = part.iter().cycle().skip(1);
            for (&from, &to) in part.iter().zip(next) {
                shape.draw_line(within(from), within(to));
            }
            shape.for_each_pixel_2d(|x, y, cover| {
                let (x, y) = (start + x as usize, top + y as usize);
                if cover > 0.0 && x < end && y < bottom {
                    self.mix((x, y), colour(x, y), cover.min(1.0) * opacity);
                }
            });
        }
    }

    /// The rows of the picture that a shape reaches.
    fn rows_of(&self, shape: &[(f32, f32)]) -> (usize, usize) {
        let (low, high) = shape.iter().fold((f32::MAX, f32::MIN), |(low, high), at| {
            (low.min(at.1), high.max(at.1))
        });
        let inside = |value: f32| value.clamp(0.0, self.size.1 as f32) as usize;
        (inside(low.floor()), inside(high.ceil()))
    }

    /// Puts an image into a rectangle, or, `turned`, a quarter to the left.
    pub fn put(
        &mut self,
        png: &[u8],
        corner: (f32, f32),
        size: (f32, f32),
        turned: bool,
    ) -> Result<(), Error> {
        let image = Image::decode(png)?;
        if !turned && self.put_whole(&image, corner, size) {
            return Ok(());
        }
        let places = |start: f32, length: f32, end: usize| {
            start.max(0.0) as usize..((start + length).max(0.0) as usize).min(end)
        };
        for y in places(corner.1, size.1, self.size.1) {
            for x in places(corner.0, size.0, self.size.0) {
                // The average of points within the pixel, for the image can be finer.
                let (mut colour, mut cover) = ([0.0; 3], 0.0);
                for part in 0..SAMPLES * SAMPLES {
                    let part_of = |part: usize| (part as f32 + 0.5) / SAMPLES as f32;
                    let across = (x as f32 + part_of(part % SAMPLES) - corner.0) / size.0;
                    let down = (y as f32 + part_of(part / SAMPLES) - corner.1) / size.1;
                    // Turned to the left: what was on the right is above.
                    let [red, green, blue, alpha] = match turned {
                        true => image.at(1.0 - down, across),
                        false => image.at(across, down),
                    };
                    cover += alpha;
                    for (sum, part) in colour.iter_mut().zip([red, green, blue]) {
                        *sum += part * alpha;
                    }
                }
                if cover > 0.0 {
                    let colour = colour.map(|sum| (sum / cover).round() as u8);
                    self.mix((x, y), colour, cover / (255 * SAMPLES * SAMPLES) as f32);
                }
            }
        }
        Ok(())
    }

    /// Puts an image in whose pixels are whole rectangles of this picture's, each filled with
    /// its colour; returns whether they are.
    fn put_whole(&mut self, image: &Image, corner: (f32, f32), size: (f32, f32)) -> bool {
        let (across, down) = (size.0 / image.size.0 as f32, size.1 / image.size.1 as f32);
        let is_whole = |number: f32| number >= 0.0 && number == number.trunc();
        let numbers = [corner.0, corner.1, across, down];
        let end = (corner.0 + size.0, corner.1 + size.1);
        let fits = end.0 <= self.size.0 as f32 && end.1 <= self.size.1 as f32;
        if !numbers.into_iter().all(is_whole) || !fits || across < 1.0 || down < 1.0 {
            return false;
        }
        let (left, top) = (corner.0 as usize, corner.1 as usize);
        let (across, down) = (across as usize, down as usize);
        for y in 0..image.size.1 * down {
            for x in 0..image.size.0 * across {
                let at = 4 * (y / down * image.size.0 + x / across);
                let [red, green, blue, alpha] =
                    [0, 1, 2, 3].map(|channel| image.rgba[at + channel]);
                self.mix(
                    (left + x, top + y),
                    [red, green, blue],
                    f32::from(alpha) / 255.0,
                );
            }
        }
        true
    }

    fn mix(&mut self, (x, y): (usize, usize), colour: Rgb, share: f32) {
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

/// A shape in a larger rectangle, in pixels, is filled in strips of this width.
const LARGEST_AT_ONCE: usize = 1 << 17;
const STRIP: usize = 16;

/// Whether a shape is one rectangle of whole pixels, which needs no rasterizer.
fn is_box(contours: &[Vec<(f32, f32)>]) -> bool {
    let [contour] = contours else { return false };
    let [a, b, c, d] = contour[..] else {
        return false;
    };
    let is_whole = |at: &(f32, f32)| at.0 == at.0.trunc() && at.1 == at.1.trunc();
    contour.iter().all(is_whole) && a.1 == b.1 && b.0 == c.0 && c.1 == d.1 && d.0 == a.0
}

/// The part of a shape on one side of the line up and down at `x`: on its right if `side`
/// is 1, on its left if it is -1 (Sutherland and Hodgman 1974).
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

/// A pixel of an image that is put somewhere is the average of so many points in each
/// direction.
const SAMPLES: usize = 4;

/// A decoded image, with four numbers for each pixel.
struct Image {
    size: (usize, usize),
    rgba: Vec<u8>,
}

impl Image {
    fn decode(png: &[u8]) -> Result<Image, Error> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
        decoder.set_transformations(
            png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
        );
        let mut reader = decoder.read_info().map_err(Error::drawing)?;
        let mut bytes = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let info = reader.next_frame(&mut bytes).map_err(Error::drawing)?;
        let rgba = match info.color_type {
            png::ColorType::GrayscaleAlpha => {
                let pixels = bytes.chunks_exact(2);
                pixels
                    .flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]])
                    .collect()
            }
            _ => bytes,
        };
        let size = (info.width as usize, info.height as usize);
        Ok(Image { size, rgba })
    }

    /// The pixel at these shares of the width and the height.
    fn at(&self, across: f32, down: f32) -> [f32; 4] {
        let index = |share: f32, length: usize| ((share * length as f32) as usize).min(length - 1);
        let at = 4 * (index(down, self.size.1) * self.size.0 + index(across, self.size.0));
        [0, 1, 2, 3].map(|channel| f32::from(self.rgba[at + channel]))
    }
}

/// Pixels, row by row, as a PNG file.
pub(crate) fn encode((width, height): (usize, usize), rgb: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(rgb));
    written.map_err(Error::drawing)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an image of four colours becomes, seen at the middle of its quarters.
    fn quarters(corner: (f32, f32), size: (f32, f32), turned: bool) -> [Rgb; 4] {
        let file = encode((2, 2), &COLOURS.concat()).unwrap();
        let mut picture = Pixels::new((40, 40));
        picture.put(&file, corner, size, turned).unwrap();
        let at = |across: f32, down: f32| {
            let (x, y) = (corner.0 + across * size.0, corner.1 + down * size.1);
            let start = 3 * (y as usize * 40 + x as usize);
            [0, 1, 2].map(|channel| picture.rgb[start + channel])
        };
        [
            at(0.25, 0.25),
            at(0.75, 0.25),
            at(0.25, 0.75),
            at(0.75, 0.75),
        ]
    }

    const COLOURS: [Rgb; 4] = [[200, 0, 0], [0, 200, 0], [0, 0, 200], [50, 60, 70]];

    #[test]
    fn an_image_stands_upright_whether_its_pixels_are_whole_or_not() {
        assert_eq!(quarters((4.0, 6.0), (20.0, 20.0), false), COLOURS);
        assert_eq!(quarters((4.5, 6.25), (21.0, 19.0), false), COLOURS);
        // A quarter to the left: what was on the right is above.
        let [red, green, blue, grey] = COLOURS;
        assert_eq!(
            quarters((4.5, 6.25), (21.0, 19.0), true),
            [green, grey, red, blue]
        );
    }
}
