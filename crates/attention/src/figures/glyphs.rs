//! Text to outlines, with the fonts of the system: only for PNG, as whatever shows an
//! SVG has fonts of its own.

use crate::error::Error;
use crate::figures::drawing::reads_from_the_right;
use fontdb::{Database, Family, ID, Query, Weight};
use rustybuzz::ttf_parser::{GlyphId, OutlineBuilder};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

/// Points of closed curves.
pub(crate) type Contours = Vec<Vec<(f32, f32)>>;

/// A line of text that begins at (0, 0), with y downwards.
pub(crate) struct Line {
    pub width: f32,
    pub contours: Contours,
    pub emoji: Vec<Emoji>,
}

/// A glyph that is a coloured picture: a PNG, and where it stands.
pub(crate) struct Emoji {
    pub png: Vec<u8>,
    pub corner: (f32, f32),
    pub size: (f32, f32),
}

/// How text looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Style {
    pub bold: bool,
    pub monospace: bool,
}

/// Faces that are tried first.
const SANS: [&str; 5] = [
    "Helvetica",
    "Arial",
    "DejaVu Sans",
    "Noto Sans",
    "Liberation Sans",
];
const MONOSPACE: [&str; 4] = ["DejaVu Sans Mono", "Menlo", "Consolas", "Liberation Mono"];

static FONTS: LazyLock<Database> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    fonts
});
/// The face for each character that has been looked for.
static CHOSEN: LazyLock<Mutex<Chosen>> = LazyLock::new(Mutex::default);
type Chosen = HashMap<(char, Style), Option<ID>>;

/// `text` in this size. Characters that no font has get the box for that.
pub(crate) fn line(text: &str, size: f32, style: Style) -> Result<Line, Error> {
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
    let mut line = Line {
        width: 0.0,
        contours: Vec::new(),
        emoji: Vec::new(),
    };
    for (id, run) in runs {
        if let Some(face) = face(id) {
            add_run(&mut line, face, &run, size);
        }
    }
    Ok(line)
}

fn first_face(style: Style) -> Option<ID> {
    let names = if style.monospace {
        MONOSPACE.to_vec()
    } else {
        SANS.to_vec()
    };
    let generic = if style.monospace {
        Family::Monospace
    } else {
        Family::SansSerif
    };
    let mut families: Vec<Family> = names.into_iter().map(Family::Name).collect();
    families.push(generic);
    let weight = if style.bold {
        Weight::BOLD
    } else {
        Weight::NORMAL
    };
    static FIRST: LazyLock<Mutex<HashMap<Style, Option<ID>>>> = LazyLock::new(Mutex::default);
    let query = Query {
        families: &families,
        weight,
        ..Query::default()
    };
    let any = || FONTS.faces().map(|face| face.id).find(|&id| has(id, 'a'));
    let mut first = FIRST
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    *first
        .entry(style)
        .or_insert_with(|| FONTS.query(&query).or_else(any))
}

/// The face for `c`: signs stay in the face of what stands before them, so that a label
/// of two words is not taken apart.
fn face_for(c: char, style: Style, first: ID, last: Option<ID>) -> ID {
    let joins =
        matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{300}'..='\u{36f}');
    if let Some(last) = last.filter(|&last| {
        joins
            || (!c.is_alphanumeric()
                && face(last).is_some_and(|face| face.glyph_index(c).is_some()))
    }) {
        return last;
    }
    let look = || {
        let upright = FONTS
            .faces()
            .filter(|face| face.style == fontdb::Style::Normal);
        let mut faces = [first].into_iter().chain(upright.map(|face| face.id));
        faces.find(|&id| has(id, c))
    };
    let mut chosen = CHOSEN
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    chosen
        .entry((c, style))
        .or_insert_with(look)
        .unwrap_or(first)
}

/// A face that text is drawn with. It is read once and stays: reading it for each text takes
/// longer than all the rest.
fn face(id: ID) -> Option<&'static rustybuzz::Face<'static>> {
    static READ: LazyLock<Mutex<HashMap<ID, Option<Read>>>> = LazyLock::new(Mutex::default);
    type Read = &'static rustybuzz::Face<'static>;
    let read = || {
        let data = FONTS.with_face_data(id, |data, index| (data.to_vec(), index))?;
        let face = rustybuzz::Face::from_slice(data.0.leak(), data.1)?;
        Some(&*Box::leak(Box::new(face)))
    };
    let mut faces = READ.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    *faces.entry(id).or_insert_with(read)
}

fn has(id: ID, c: char) -> bool {
    let has = |data: &[u8], index| {
        let face = rustybuzz::ttf_parser::Face::parse(data, index).ok();
        face.is_some_and(|face| face.glyph_index(c).is_some())
    };
    FONTS.with_face_data(id, has).unwrap_or(false)
}

/// Adds the glyphs of one face, in the order in which they are seen.
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

/// A curve becomes so many straight lines.
const PARTS: u8 = 6;

impl Pen<'_> {
    fn add(&mut self, (x, y): (f32, f32)) {
        if let Some(contour) = self.contours.last_mut() {
            contour.push((x, y));
        }
    }

    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (
            self.origin.0 + x * self.scale,
            self.origin.1 - y * self.scale,
        )
    }

    /// The points of a Bézier curve from the last point on, by de Casteljau.
    fn curve(&mut self, rest: &[(f32, f32)]) {
        let Some(&start) = self.contours.last().and_then(|contour| contour.last()) else {
            return;
        };
        let controls = [&[start], rest].concat();
        for part in 1..=PARTS {
            let t = f32::from(part) / f32::from(PARTS);
            let mut points = controls.clone();
            while points.len() > 1 {
                let between = |pair: &[(f32, f32)]| {
                    let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
                    (ax + (bx - ax) * t, ay + (by - ay) * t)
                };
                points = points.windows(2).map(between).collect();
            }
            self.add(points[0]);
        }
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let place = self.place(x, y);
        self.contours.push(vec![place]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add(self.place(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.curve(&[self.place(x1, y1), self.place(x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.curve(&[self.place(x1, y1), self.place(x2, y2), self.place(x, y)]);
    }

    fn close(&mut self) {}
}
