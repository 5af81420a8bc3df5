//! The shapes of a picture: recorded once, from plotters and our own functions, then
//! written as SVG or painted as PNG.

mod arrow;
pub(crate) mod backend;
mod bezier;
pub(crate) mod canvas;
mod contours;
mod fonts;
mod glyphs;
mod image;
mod paint;
mod pixels;
pub(crate) mod png;
mod role_colours;
pub mod svg;
#[cfg(test)]
mod tests;

use ndarray::Array2;

pub(crate) use paint::INK;
pub use paint::{Colour, Paint, Rgb, Stroke, TINT};
pub use role_colours::Role;

/// Coordinates (x, y), or a width and a height, in pixels.
pub type Point = (i32, i32);

/// Shapes, each covering those before it.
#[derive(Debug)]
pub struct Scene {
    pub size: Point,
    title: String,
    /// The picture in words, for screen readers.
    description: String,
    shapes: Vec<Shape>,
}

impl Scene {
    /// A scene with nothing but its background.
    pub fn new(size: Point, title: &str, description: &str) -> Scene {
        Scene::rounded(size, 0, title, description)
    }

    /// A scene with nothing but its background, which has round corners.
    pub fn rounded(size: Point, radius: u32, title: &str, description: &str) -> Scene {
        Scene {
            size,
            title: title.to_owned(),
            description: description.to_owned(),
            shapes: vec![Shape::Background { size, radius }],
        }
    }

    /// Adds a shape on top of the existing ones.
    pub fn add(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    /// Places another scene with its upper left corner at `corner`.
    pub fn place(&mut self, corner: Point, scene: Scene) {
        self.add(Shape::Scene { corner, scene });
    }

    /// Stacks a scene above another.
    pub fn above(self, lower: Scene) -> Scene {
        let size = (self.size.0.max(lower.size.0), self.size.1 + lower.size.1);
        let joined = |upper: &str, lower: &str| format!("{upper} {lower}").trim().to_owned();
        let title = joined(&self.title, &lower.title);
        let mut both = Scene::new(size, &title, &joined(&self.description, &lower.description));
        let below = (0, self.size.1);
        both.place((0, 0), self);
        both.place(below, lower);
        both
    }
}

/// A shape and its position.
#[derive(Debug)]
pub enum Shape {
    /// The background of all other shapes: white, or dark in a dark theme.
    Background {
        size: Point,
        radius: u32,
    },
    Rectangle {
        corner: Point,
        size: Point,
        paint: Paint,
    },
    /// A rectangle with round corners and an outline of this width, filled with the
    /// outline's colour at this opacity.
    Frame {
        corner: Point,
        size: Point,
        radius: u32,
        role: Role,
        width: f64,
        opacity: f64,
    },
    Line {
        from: Point,
        to: Point,
        stroke: Stroke,
    },
    Polyline {
        points: Vec<Point>,
        stroke: Stroke,
    },
    /// A dashed line, fainter than other lines.
    Dashes {
        from: Point,
        to: Point,
        role: Role,
    },
    /// A line through two or more points, with an arrowhead at the last one.
    Arrow {
        points: Vec<Point>,
        stroke: Stroke,
    },
    /// A Bézier curve: its start, the two control points, and its end.
    Curve {
        points: [Point; 4],
        stroke: Stroke,
    },
    Polygon {
        points: Vec<Point>,
        paint: Paint,
    },
    Circle {
        centre: Point,
        radius: u32,
        paint: Paint,
    },
    Text(Text),
    /// A matrix of colours, each drawn as a rectangle.
    Image {
        corner: Point,
        size: Point,
        colours: Array2<Rgb>,
    },
    Scene {
        corner: Point,
        scene: Scene,
    },
}

/// The lengths of dashes and of the gaps between them.
const DASHES: [i32; 2] = [5, 4];
const DASHES_OPACITY: f64 = 0.65;

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub content: Vec<Span>,
    pub at: Point,
    /// Which point of the text is placed at `at`.
    pub horizontal: Horizontal,
    pub vertical: Vertical,
    pub direction: Direction,
    pub size: f64,
    pub ink: Paint,
    pub style: TextStyle,
}

/// Letters at one level of a line of text: on the baseline, or raised or lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub letters: String,
    pub level: Level,
}

impl Span {
    /// Letters on the baseline.
    pub fn on_the_line(letters: &str) -> Span {
        Span {
            letters: letters.to_owned(),
            level: Level::Line,
        }
    }
}

/// The level of letters; those off the baseline are smaller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    Line,
    Raised,
    Lowered,
}

impl Level {
    /// The distance below the baseline.
    fn below(self) -> i32 {
        match self {
            Level::Line => 0,
            Level::Raised => -5,
            Level::Lowered => 4,
        }
    }

    /// The size of letters at this level, in text of this size.
    fn size(self, size: f64) -> f64 {
        match self {
            Level::Line => size,
            Level::Raised | Level::Lowered => 12.0,
        }
    }
}

/// The direction in which text runs from its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    Across,
    /// Up by 35 degrees.
    Climbing,
    /// Straight up.
    Upwards,
}

impl Direction {
    /// How many degrees the text is rotated to the left.
    fn degrees(self) -> u32 {
        match self {
            Direction::Across => 0,
            Direction::Climbing => 35,
            Direction::Upwards => 90,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Horizontal {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Vertical {
    Top,
    Middle,
    Baseline,
    Bottom,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextStyle {
    Normal,
    Bold,
    Monospace,
}
