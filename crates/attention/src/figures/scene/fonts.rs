//! Finds a system font that has a character. Only PNGs need this, because an SVG uses the fonts of
//! the program that shows it.

use super::TextStyle;
use fontdb::{Database, Family, ID, Query, Weight};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

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
/// Cache: the face for each character looked up so far.
static CHOSEN: LazyLock<Mutex<Chosen>> = LazyLock::new(Mutex::default);
type Chosen = HashMap<(char, TextStyle), Option<ID>>;

/// The face for text of this style, unless it lacks a character; `None` if there are no fonts.
pub(super) fn first_face(style: TextStyle) -> Option<ID> {
    static FIRST: LazyLock<Mutex<HashMap<TextStyle, Option<ID>>>> = LazyLock::new(Mutex::default);
    let (names, generic): (&[&str], _) = match style {
        TextStyle::Monospace => (&MONOSPACE, Family::Monospace),
        TextStyle::Normal | TextStyle::Bold => (&SANS, Family::SansSerif),
    };
    let named = names.iter().copied().map(Family::Name);
    let families: Vec<Family> = named.chain([generic]).collect();
    let query = Query {
        families: &families,
        weight: match style {
            TextStyle::Bold => Weight::BOLD,
            TextStyle::Normal | TextStyle::Monospace => Weight::NORMAL,
        },
        ..Query::default()
    };
    let any = || FONTS.faces().map(|face| face.id).find(|&id| has(id, 'a'));
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    *first
        .entry(style)
        .or_insert_with(|| FONTS.query(&query).or_else(any))
}

/// The face for `c`. Spaces and symbols stay in the face of the preceding text if it has them, so
/// that a label of two words is not split up; combining characters always do.
pub(super) fn face_for(c: char, style: TextStyle, first: ID, last: Option<ID>) -> ID {
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
    let mut chosen = CHOSEN.lock().unwrap_or_else(PoisonError::into_inner);
    chosen
        .entry((c, style))
        .or_insert_with(look)
        .unwrap_or(first)
}

/// The face with this id. It is read once and kept: reading it again for each label would take
/// longer than everything else put together.
pub(super) fn face(id: ID) -> Option<&'static rustybuzz::Face<'static>> {
    static READ: LazyLock<Mutex<HashMap<ID, Option<Read>>>> = LazyLock::new(Mutex::default);
    type Read = &'static rustybuzz::Face<'static>;
    let read = || {
        let data = FONTS.with_face_data(id, |data, index| (data.to_vec(), index))?;
        let face = rustybuzz::Face::from_slice(data.0.leak(), data.1)?;
        Some(&*Box::leak(Box::new(face)))
    };
    let mut faces = READ.lock().unwrap_or_else(PoisonError::into_inner);
    *faces.entry(id).or_insert_with(read)
}

fn has(id: ID, c: char) -> bool {
    let has = |data: &[u8], index| {
        let face = rustybuzz::ttf_parser::Face::parse(data, index).ok();
        face.is_some_and(|face| face.glyph_index(c).is_some())
    };
    FONTS.with_face_data(id, has).unwrap_or(false)
}
