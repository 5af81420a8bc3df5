//! A sheet to draw on: boxes, arrows, text, and cells of vectors and matrices.

use super::look::{BOLD, Look, NORMAL, SMALL, TITLE};
use super::raised;
use attention::figures::scene::svg::svg;
use attention::figures::scene::{
    Colour, Direction, Paint, Role, Scene, Shape, Span, Stroke, TINT, Text, Vertical,
};

pub const INK: Role = Role::Ink;
pub const PLAIN: Role = Role::Plain;
pub const QUERY: Role = Role::Query;
pub const KEY: Role = Role::Key;
pub const VALUE: Role = Role::Value;
pub const CONTEXT: Role = Role::Context;
pub const WEIGHT: Role = Role::Weight;

/// A position, or width and height, in pixels.
pub type Pair = (i32, i32);

/// The contents of one cell of a vector or a matrix.
pub enum Cell {
    /// A number and its role.
    Number(Role, String),
    /// The colour of a role, which gets stronger as the number approaches 1.
    Shade(Role, f32),
    /// A weight and its text; the weight sets the strength of the colour.
    Weight(f32, String),
    /// Something a query may not see.
    Hidden(&'static str),
    /// A number that is crossed out.
    Crossed(String),
}

pub struct Sheet(Scene);

impl Sheet {
    /// An empty sheet with a title and a description in words.
    pub fn new(size: Pair, title: &str, description: &str) -> Sheet {
        let mut sheet = Sheet(Scene::rounded(size, 6, title, description));
        sheet.text((16, 24), TITLE, title);
        sheet
    }

    /// The sheet as the text of an SVG file.
    pub fn svg(&self) -> String {
        svg(&self.0).expect("a sheet without images can be written")
    }

    /// Text at `(x, y)`, centred unless its look says otherwise. `^{2}` becomes a superscript and
    /// `_{2}` a subscript.
    pub fn text(&mut self, (x, y): Pair, look: Look, text: &str) {
        let spans = raised::spans(text);
        self.lettering((x, y + 5), look, spans, Direction::Across);
    }

    /// Text that slants upwards to the right from `place`.
    pub fn climbing(&mut self, place: Pair, look: Look, text: &str) {
        let spans = vec![Span::on_the_line(text)];
        self.lettering(place, look.starting(), spans, Direction::Climbing);
    }

    fn lettering(&mut self, at: Pair, look: Look, content: Vec<Span>, direction: Direction) {
        self.0.add(Shape::Text(Text {
            content,
            at,
            horizontal: look.horizontal,
            vertical: Vertical::Baseline,
            direction,
            size: look.size,
            ink: Paint::role(look.role, 1.0),
            style: look.style,
        }));
    }

    /// A coloured box with lines of text.
    pub fn boxed(&mut self, (x, y): Pair, (width, height): Pair, role: Role, lines: &[&str]) {
        self.0.add(Shape::Frame {
            corner: (x, y),
            size: (width, height),
            radius: 5,
            role,
            width: 1.0,
            opacity: TINT,
        });
        for (index, line) in lines.iter().enumerate() {
            let middle = y + height / 2 - 9 * (lines.len() as i32 - 1) + 18 * index as i32;
            let look = if index == 0 { BOLD } else { SMALL };
            self.text((x + width / 2, middle), look, line);
        }
    }

    /// A frame without a fill.
    pub fn frame(&mut self, corner: Pair, size: Pair, role: Role) {
        self.0.add(Shape::Frame {
            corner,
            size,
            radius: 3,
            role,
            width: 2.5,
            opacity: 0.0,
        });
    }

    /// A line through these places.
    pub fn line(&mut self, role: Role, places: &[Pair]) {
        self.0.add(Shape::Polyline {
            points: places.to_vec(),
            stroke: stroke(role, 1.5, 1.0),
        });
    }

    /// A dashed line from one place to another.
    pub fn dashes(&mut self, role: Role, [from, to]: [Pair; 2]) {
        self.0.add(Shape::Dashes { from, to, role });
    }

    /// An arrow through these places, with its head at the last one.
    pub fn arrow(&mut self, role: Role, places: &[Pair]) {
        self.0.add(Shape::Arrow {
            points: places.to_vec(),
            stroke: stroke(role, 1.5, 1.0),
        });
    }

    /// A curve from top to bottom, `width` pixels wide.
    pub fn strand(&mut self, role: Role, width: f32, from: Pair, to: Pair) {
        let middle = (from.1 + to.1) / 2;
        self.curve(role, width, [from, (from.0, middle), (to.0, middle), to]);
    }

    /// A curve from left to right, `width` pixels wide.
    pub fn slope(&mut self, role: Role, width: f32, from: Pair, to: Pair) {
        let middle = (from.0 + to.0) / 2;
        self.curve(role, width, [from, (middle, from.1), (middle, to.1), to]);
    }

    fn curve(&mut self, role: Role, width: f32, points: [Pair; 4]) {
        let stroke = stroke(role, rounded(width, 10.0), 0.8);
        self.0.add(Shape::Curve { points, stroke });
    }

    /// A thick cross.
    pub fn cross(&mut self, role: Role, (x, y): Pair, reach: i32) {
        let (left, right, top, bottom) = (x - reach, x + reach, y - reach, y + reach);
        for (from, to) in [
            ((left, top), (right, bottom)),
            ((left, bottom), (right, top)),
        ] {
            let stroke = stroke(role, 2.5, 1.0);
            self.0.add(Shape::Line { from, to, stroke });
        }
    }

    /// A filled bar.
    pub fn bar(&mut self, corner: Pair, size: Pair, role: Role) {
        self.0.add(Shape::Rectangle {
            corner,
            size,
            paint: Paint::role(role, 0.75),
        });
    }

    /// A cell of this size at `(x, y)`.
    pub fn cell(&mut self, (x, y): Pair, (width, height): Pair, cell: &Cell) {
        let middle = (x + width / 2, y + height / 2);
        let (role, opacity, text) = match cell {
            Cell::Number(role, text) => (*role, TINT, text.as_str()),
            Cell::Shade(role, value) => (*role, strength(*value), ""),
            Cell::Weight(value, text) => (WEIGHT, strength(*value), text.as_str()),
            Cell::Hidden(text) => (PLAIN, 0.0, *text),
            Cell::Crossed(text) => (PLAIN, 0.0, text.as_str()),
        };
        let (corner, size) = ((x, y), (width, height));
        self.0.add(Shape::Frame {
            corner,
            size,
            radius: 0,
            role,
            width: 1.0,
            opacity,
        });
        if matches!(cell, Cell::Hidden(_)) {
            let paint = Paint::Lines(PLAIN);
            self.0.add(Shape::Rectangle {
                corner,
                size,
                paint,
            });
        }
        if matches!(cell, Cell::Crossed(_)) {
            let (right, bottom) = (x + width - 3, y + height - 3);
            self.line(PLAIN, &[(x + 3, y + 3), (right, bottom)]);
            self.line(PLAIN, &[(x + 3, bottom), (right, y + 3)]);
        }
        if !text.is_empty() {
            self.text(middle, if width < 42 { SMALL } else { NORMAL }, text);
        }
    }

    /// Cells in rows and columns; `cell` gives the contents of each.
    pub fn matrix(
        &mut self,
        (x, y): Pair,
        (width, height): Pair,
        (rows, columns): (usize, usize),
        cell: impl Fn(usize, usize) -> Cell,
    ) {
        for row in 0..rows {
            for column in 0..columns {
                let place = (x + width * column as i32, y + height * row as i32);
                self.cell(place, (width, height), &cell(row, column));
            }
        }
    }
}

fn stroke(role: Role, width: f64, opacity: f64) -> Stroke {
    Stroke {
        colour: Colour::Role(role),
        opacity,
        width,
    }
}

/// The opacity of a cell. The square root makes small weights easier to tell apart.
fn strength(value: f32) -> f64 {
    rounded(0.7 * value.clamp(0.0, 1.0).sqrt(), 100.0)
}

/// Rounded to 1 / `parts`, because finer steps are invisible.
fn rounded(number: f32, parts: f64) -> f64 {
    (f64::from(number) * parts).round() / parts
}
