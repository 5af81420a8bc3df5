//! A sheet to draw on: boxes, arrows, texts, cells of vectors and matrices.

pub use super::style::{CONTEXT, KEY, PLAIN, QUERY, VALUE, WEIGHT};
use super::style::{FONTS, HATCH, STYLE};

/// A place, or width and height, in pixels.
pub type Pair = (i32, i32);

/// What one cell of a vector or a matrix shows.
pub enum Cell {
    /// A number, and what it is.
    Number(&'static str, String),
    /// The colour of a kind, the stronger the nearer the number is to 1.
    Shade(&'static str, f32),
    /// A weight with its digits.
    Weight(f32, String),
    /// What a query must not see.
    Hidden(&'static str),
    /// A number that is crossed out.
    Crossed(String),
}

pub struct Sheet {
    size: Pair,
    title: String,
    description: String,
    body: String,
}

impl Sheet {
    /// An empty sheet under a title. The description says what is seen.
    pub fn new(size: Pair, title: &str, description: &str) -> Sheet {
        let mut sheet = Sheet {
            size,
            title: escape(title),
            description: escape(description),
            body: String::new(),
        };
        sheet.text((16, 24), "h l i", title);
        sheet
    }

    /// The sheet as the text of an SVG file.
    pub fn svg(&self) -> String {
        let Sheet {
            size: (width, height),
            title,
            description,
            body,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FONTS}\" \
             text-anchor=\"middle\">\n<title>{title}</title>\n<desc>{description}</desc>\n\
             <style>{STYLE}</style>\n{HATCH}\n\
             <rect class=\"g\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n{body}</svg>\n"
        )
    }

    fn add(&mut self, element: &str) {
        self.body += element;
        self.body.push('\n');
    }

    /// A text around `place`; `look` has a colour and, if wanted, `b` bold, `s` small,
    /// `l` starting there, `r` ending there, `f` a little larger for a formula. `x^{2}` and `x_{2}` are raised and lowered.
    pub fn text(&mut self, (x, y): Pair, look: &str, text: &str) {
        let (y, text) = (y + 5, raised(&escape(text)));
        self.add(&format!(
            "<text class=\"{look}\" x=\"{x}\" y=\"{y}\">{text}</text>"
        ));
    }

    /// A text that climbs to the right from `place`.
    pub fn climbing(&mut self, (x, y): Pair, look: &str, text: &str) {
        let text = escape(text);
        self.add(&format!(
            "<text class=\"l {look}\" transform=\"translate({x} {y})rotate(-35)\">{text}</text>"
        ));
    }

    /// A box of a colour, a text in each of its lines.
    pub fn boxed(&mut self, (x, y): Pair, (width, height): Pair, kind: &str, lines: &[&str]) {
        self.add(&rect("box", (x, y), (width, height), kind, " rx=\"5\""));
        for (index, line) in lines.iter().enumerate() {
            let middle = y + height / 2 - 9 * (lines.len() as i32 - 1) + 18 * index as i32;
            let look = if index == 0 { "b i" } else { "s i" };
            self.text((x + width / 2, middle), look, line);
        }
    }

    /// A frame around something.
    pub fn frame(&mut self, place: Pair, size: Pair, kind: &str) {
        self.add(&rect("frame", place, size, kind, " rx=\"3\""));
    }

    /// A line from place to place.
    pub fn line(&mut self, kind: &str, places: &[Pair]) {
        self.add(&path(kind, "line", places, " stroke-width=\"1.5\""));
    }

    /// A dashed line from place to place.
    pub fn dashes(&mut self, kind: &str, places: &[Pair]) {
        self.add(&path(kind, "line thin", places, ""));
    }

    /// An arrow from place to place, its head at the last one.
    pub fn arrow(&mut self, kind: &str, places: &[Pair]) {
        let [.., from, to] = places else {
            panic!("an arrow needs two places");
        };
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = dx.hypot(dy);
        let at = |back: f64, aside: f64| {
            let x = f64::from(to.0) - (dx * back + dy * aside) / length;
            let y = f64::from(to.1) - (dy * back - dx * aside) / length;
            format!("{x:.1} {y:.1}")
        };
        let mut way = places.to_vec();
        let neck = (6.0 * dx / length, 6.0 * dy / length);
        let end = (to.0 - neck.0.round() as i32, to.1 - neck.1.round() as i32);
        way.pop();
        way.push(end);
        self.add(&path(kind, "line", &way, " stroke-width=\"1.5\""));
        self.add(&format!(
            "<path class=\"full {kind}\" d=\"M{} {}L{}L{}z\"/>",
            to.0,
            to.1,
            at(9.0, 4.5),
            at(9.0, -4.5)
        ));
    }

    /// A curve from above to below, as wide as a weight is large.
    pub fn strand(&mut self, kind: &str, width: f32, from: Pair, to: Pair) {
        let middle = (from.1 + to.1) / 2;
        self.add(&format!(
            "<path class=\"line {kind}\" stroke-width=\"{width:.1}\" stroke-opacity=\".8\" \
             d=\"M{} {}C{} {middle} {} {middle} {} {}\"/>",
            from.0, from.1, from.0, to.0, to.0, to.1
        ));
    }

    /// A curve from left to right, as wide as a weight is large.
    pub fn slope(&mut self, kind: &str, width: f32, from: Pair, to: Pair) {
        let middle = (from.0 + to.0) / 2;
        self.add(&format!(
            "<path class=\"line {kind}\" stroke-width=\"{width:.1}\" stroke-opacity=\".8\" \
             d=\"M{} {}C{middle} {} {middle} {} {} {}\"/>",
            from.0, from.1, from.1, to.1, to.0, to.1
        ));
    }

    /// A thick cross.
    pub fn cross(&mut self, kind: &str, (x, y): Pair, reach: i32) {
        let (left, right, top, bottom) = (x - reach, x + reach, y - reach, y + reach);
        self.add(&path(kind, "frame", &[(left, top), (right, bottom)], ""));
        self.add(&path(kind, "frame", &[(left, bottom), (right, top)], ""));
    }

    /// A bar that is full of a colour.
    pub fn bar(&mut self, place: Pair, size: Pair, kind: &str) {
        self.add(&rect("full", place, size, kind, " fill-opacity=\".75\""));
    }

    /// One cell.
    pub fn cell(&mut self, (x, y): Pair, (width, height): Pair, cell: &Cell) {
        let middle = (x + width / 2, y + height / 2);
        let (kind, strength, text) = match cell {
            Cell::Number(kind, text) => (*kind, None, text.as_str()),
            Cell::Shade(kind, value) => (*kind, Some(*value), ""),
            Cell::Weight(value, text) => (WEIGHT, Some(*value), text.as_str()),
            Cell::Hidden(text) => (PLAIN, Some(0.0), *text),
            Cell::Crossed(text) => (PLAIN, Some(0.0), text.as_str()),
        };
        // The square root tells small weights apart.
        let opacity = strength.map_or(String::new(), |value| {
            format!(
                " style=\"fill-opacity:{:.2}\"",
                0.7 * value.clamp(0.0, 1.0).sqrt()
            )
        });
        self.add(&rect("box", (x, y), (width, height), kind, &opacity));
        if matches!(cell, Cell::Hidden(_)) {
            self.add(&rect("hatch", (x, y), (width, height), "", ""));
        }
        if matches!(cell, Cell::Crossed(_)) {
            let (right, bottom) = (x + width - 3, y + height - 3);
            self.line(KEY, &[(x + 3, y + 3), (right, bottom)]);
            self.line(KEY, &[(x + 3, bottom), (right, y + 3)]);
        }
        if !text.is_empty() {
            self.text(middle, if width < 42 { "s i" } else { "i" }, text);
        }
    }

    /// Cells in rows and columns; `cell` says what is in each.
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

fn rect(class: &str, (x, y): Pair, (width, height): Pair, kind: &str, more: &str) -> String {
    format!(
        "<rect class=\"{class} {kind}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" \
         height=\"{height}\"{more}/>"
    )
}

fn path(kind: &str, class: &str, places: &[Pair], more: &str) -> String {
    let way: Vec<String> = places.iter().map(|(x, y)| format!("{x} {y}")).collect();
    format!(
        "<path class=\"{class} {kind}\"{more} d=\"M{}\"/>",
        way.join("L")
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// `x^{2}` raised, `x_{2}` lowered.
fn raised(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    let next_mark = |rest: &str| {
        [rest.find("^{"), rest.find("_{")]
            .into_iter()
            .flatten()
            .min()
    };
    while let Some(start) = next_mark(rest) {
        let shift = if rest[start..].starts_with('^') {
            -5
        } else {
            4
        };
        let inside = &rest[start + 2..];
        let end = inside.find('}').expect("a brace that closes");
        let (small, back) = (&inside[..end], -shift);
        result += &rest[..start];
        result += &format!("<tspan dy=\"{shift}\" font-size=\"12\">{small}</tspan>");
        rest = &inside[end + 1..];
        if !rest.is_empty() {
            let next = rest.chars().next().map_or(0, char::len_utf8);
            result += &format!("<tspan dy=\"{back}\">{}</tspan>", &rest[..next]);
            rest = &rest[next..];
        }
    }
    result + rest
}
