//! Turns text into outlines, using the system's fonts.

use super::contours::Contours;
use super::fonts::{face, face_for, first_face};
use super::{TextStyle, bezier};
use crate::error::Error;
use crate::markup::text::reads_from_the_right;
use fontdb::ID;
use rustybuzz::ttf_parser::{GlyphId, OutlineBuilder};

/// A line of text that starts at (0, 0), with y pointing down.
#[derive(Default)]
pub(super) struct Line {
    pub width: f32,
    pub contours: Contours,
    pub emoji: Vec<Emoji>,
}

impl Line {
    /// Appends another line after this one, shifted down by `below`.
    pub fn append(&mut self, mut other: Line, below: f32) {
        let moved = |(x, y): (f32, f32)| (self.width + x, y + below);
        for point in other.contours.iter_mut().flatten() {
            *point = moved(*point);
        }
        for emoji in &mut other.emoji {
            emoji.corner = moved(emoji.corner);
        }
        self.width += other.width;
        self.contours.extend(other.contours);
        self.emoji.extend(other.emoji);
    }
}

/// A glyph that is a coloured picture: a PNG and its position.
pub(super) struct Emoji {
    pub png: Vec<u8>,
    pub corner: (f32, f32),
    pub size: (f32, f32),
}

/// The outlines of `text` at this size. Characters missing from all fonts become the missing-glyph
/// box.
pub(super) fn line(text: &str, size: f32, style: TextStyle) -> Result<Line, Error> {
    let first = first_face(style).ok_or_else(Error::no_font)?;
    let mut runs: Vec<(ID, String)> = Vec::new();
    for c in text
        .chars()
        .filter(|c| !matches!(c, '\u{2066}'..='\u{2069}'))
    {
        let last = runs.last().map(|run| run.0);
        let face = face_for(c, style, first, last);
        match runs.last_mut() {
            Some((last, run)) if *last == face => run.push(c),
            _ => runs.push((face, c.to_string())),
        }
    }
    if text
        .chars()
        .find(|c| c.is_alphabetic())
        .is_some_and(reads_from_the_right)
    {
        runs.reverse();
    }
    let mut line = Line::default();
    for (id, run) in runs {
        if let Some(face) = face(id) {
            add_run(&mut line, face, &run, size);
        }
    }
    Ok(line)
}

/// Adds the glyphs of one face, in visual order.
fn add_run(line: &mut Line, face: &rustybuzz::Face, run: &str, size: f32) {
    let scale = size / face.units_per_em() as f32;
    let mut buffer = rustybuzz::UnicodeBuffer::new();
    buffer.push_str(run);
    buffer.guess_segment_properties();
    let glyphs = rustybuzz::shape(face, &[], buffer);
    for (info, position) in glyphs.glyph_infos().iter().zip(glyphs.glyph_positions()) {
        let glyph = GlyphId(info.glyph_id as u16);
        let x = line.width + position.x_offset as f32 * scale;
        let y = -position.y_offset as f32 * scale;
        match face.glyph_raster_image(glyph, 128) {
            Some(image) => {
                let scale = size / f32::from(image.pixels_per_em);
                let (width, height) = (
                    f32::from(image.width) * scale,
                    f32::from(image.height) * scale,
                );
                let bottom = y - f32::from(image.y) * scale;
                line.emoji.push(Emoji {
                    png: image.data.to_vec(),
                    corner: (x + f32::from(image.x) * scale, bottom - height),
                    size: (width, height),
                });
            }
            None => {
                let mut pen = Pen {
                    contours: &mut line.contours,
                    origin: (x, y),
                    scale,
                };
                face.outline_glyph(glyph, &mut pen);
            }
        }
        line.width += position.x_advance as f32 * scale;
    }
}

/// Collects an outline as points.
struct Pen<'a> {
    contours: &'a mut Contours,
    origin: (f32, f32),
    scale: f32,
}

/// Number of straight lines per curve.
const PARTS: u8 = 6;

impl Pen<'_> {
    fn add(&mut self, (x, y): (f32, f32)) {
        if let Some(contour) = self.contours.last_mut() {
            contour.push((x, y));
        }
    }

    fn position(&self, x: f32, y: f32) -> (f32, f32) {
        (
            self.origin.0 + x * self.scale,
            self.origin.1 - y * self.scale,
        )
    }

    /// Adds the points of a Bézier curve that starts at the last point.
    fn curve(&mut self, rest: &[(f32, f32)]) {
        let Some(&start) = self.contours.last().and_then(|contour| contour.last()) else {
            return;
        };
        let controls = [&[start], rest].concat();
        for part in 1..=PARTS {
            let t = f32::from(part) / f32::from(PARTS);
            self.add(bezier::point(&controls, t));
        }
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let start = self.position(x, y);
        self.contours.push(vec![start]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add(self.position(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.curve(&[self.position(x1, y1), self.position(x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.curve(&[
            self.position(x1, y1),
            self.position(x2, y2),
            self.position(x, y),
        ]);
    }

    fn close(&mut self) {}
}
