//! Matrices of pixels: decoded from PNG files, and placed in a picture.

use super::Rgb;
use super::pixels::Pixels;
use crate::error::Error;
use ndarray::Array2;

impl Pixels {
    /// Draws an image into a rectangle or, if `upwards`, rotated a quarter turn to the
    /// left, like text that reads upwards.
    pub fn put(&mut self, image: &Image, corner: (f32, f32), size: (f32, f32), upwards: bool) {
        if !upwards && self.put_enlarged(image, corner, size) {
            return;
        }
        let covered = |start: f32, length: f32, end: usize| {
            start.max(0.0) as usize..((start + length).max(0.0) as usize).min(end)
        };
        for y in covered(corner.1, size.1, self.size.1) {
            for x in covered(corner.0, size.0, self.size.0) {
                let share = |x: f32, y: f32| ((x - corner.0) / size.0, (y - corner.1) / size.1);
                let (colour, cover) = image.average((x, y), share, upwards);
                if cover > 0.0 {
                    self.mix((x, y), colour, cover);
                }
            }
        }
    }

    /// Draws an image if each of its pixels covers whole pixels of this picture; otherwise returns
    /// `false`.
    fn put_enlarged(&mut self, image: &Image, corner: (f32, f32), size: (f32, f32)) -> bool {
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
}

/// A pixel of a scaled image is the average of this many sample points in each
/// direction.
const SAMPLES: usize = 4;

/// A decoded image, with four numbers per pixel.
pub(super) struct Image {
    size: (usize, usize),
    rgba: Vec<u8>,
}

impl Image {
    /// An image of these colours.
    pub fn of(colours: &Array2<Rgb>) -> Image {
        let opaque = |&[red, green, blue]: &Rgb| [red, green, blue, 255];
        Image {
            size: (colours.ncols(), colours.nrows()),
            rgba: colours.iter().flat_map(opaque).collect(),
        }
    }

    /// The image in a PNG file.
    pub fn decode(png: &[u8]) -> Result<Image, Error> {
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

    /// The average of sample points within a pixel of a picture, because the image may have a higher
    /// resolution: their colour, and how much of the pixel they cover. `share` maps a point of the
    /// picture to fractions of the image's width and height.
    fn average(
        &self,
        (x, y): (usize, usize),
        share: impl Fn(f32, f32) -> (f32, f32),
        upwards: bool,
    ) -> (Rgb, f32) {
        let (mut colour, mut cover) = ([0.0; 3], 0.0);
        for part in 0..SAMPLES * SAMPLES {
            let part_of = |part: usize| (part as f32 + 0.5) / SAMPLES as f32;
            let (across, down) = share(
                x as f32 + part_of(part % SAMPLES),
                y as f32 + part_of(part / SAMPLES),
            );
            // Rotated to the left: the right side comes out on top.
            let [red, green, blue, alpha] = match upwards {
                true => self.at(1.0 - down, across),
                false => self.at(across, down),
            };
            cover += alpha;
            for (sum, part) in colour.iter_mut().zip([red, green, blue]) {
                *sum += part * alpha;
            }
        }
        let colour = colour.map(|sum| (sum / cover).round() as u8);
        (colour, cover / (255 * SAMPLES * SAMPLES) as f32)
    }

    /// The pixel at these fractions of the width and the height.
    fn at(&self, across: f32, down: f32) -> [f32; 4] {
        let index = |share: f32, length: usize| ((share * length as f32) as usize).min(length - 1);
        let at = 4 * (index(down, self.size.1) * self.size.0 + index(across, self.size.0));
        [0, 1, 2, 3].map(|channel| f32::from(self.rgba[at + channel]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pixels::encode;
    use super::*;

    /// Draws an image of four colours, and reads the picture at the centre of each quarter.
    fn quarters(corner: (f32, f32), size: (f32, f32), upwards: bool) -> [Rgb; 4] {
        let file = encode((2, 2), &COLOURS.concat()).unwrap();
        let mut picture = Pixels::new((40, 40));
        picture.put(&Image::decode(&file).unwrap(), corner, size, upwards);
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
        // A quarter turn to the left: the right side comes out on top.
        let [red, green, blue, grey] = COLOURS;
        assert_eq!(
            quarters((4.5, 6.25), (21.0, 19.0), true),
            [green, grey, red, blue]
        );
    }
}
