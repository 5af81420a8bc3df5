//! What a picture consists of: shapes, which plotters and our own functions
//! draw once, and which are then written as SVG or painted as PNG.

pub(crate) mod backend;
pub(crate) mod canvas;
mod fonts;
mod glyphs;
mod image;
mod pixels;
pub(crate) mod png;
pub(crate) mod svg;
#[cfg(test)]
mod tests;

use ndarray::Array2;

/// Across and down, or a width and a height, in pixels.
pub(crate) type Point = (i32, i32);

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// Shapes, of which later ones cover earlier ones.
#[derive(Debug)]
pub(crate) struct Scene {
    pub size: Point,
    title: String,
    /// What is seen, in words.
    description: String,
    shapes: Vec<Shape>,
}

impl Scene {
    /// A scene with nothing but its background.
    pub fn new(size: Point, title: &str, description: &str) -> Scene {
        let background = Shape::Rectangle {
            corner: (0, 0),
            size,
            paint: Paint::Background,
        };
        Scene {
            size,
            title: title.to_owned(),
            description: description.to_owned(),
            shapes: vec![background],
        }
    }

    /// Puts another scene with its corner here.
    pub fn place(&mut self, corner: Point, scene: Scene) {
        self.shapes.push(Shape::Scene { corner, scene });
    }
}

/// A shape, and where it stands.
#[derive(Debug)]
pub(crate) enum Shape {
    Rectangle {
        corner: Point,
        size: Point,
        paint: Paint,
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
    /// A matrix of colours, each a rectangle.
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

/// What the inside of a shape is filled with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint {
    /// A colour, which covers what is below it if its opacity is 1.
    Solid { colour: Rgb, opacity: f64 },
    /// What a mask hides.
    Hatch,
    /// Black on a coloured cell, which stays black when a dark theme makes other ink light.
    CellInk,
    /// White, or in a dark theme dark.
    Background,
}

impl Paint {
    /// A colour that covers what is below it.
    pub const fn opaque(colour: Rgb) -> Paint {
        Paint::Solid {
            colour,
            opacity: 1.0,
        }
    }
}

/// The ink of labels and titles.
pub(crate) const INK: Paint = Paint::opaque([0; 3]);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub colour: Rgb,
    pub opacity: f64,
    pub width: u32,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub content: String,
    pub at: Point,
    /// Which point of the text that is.
    pub horizontal: Horizontal,
    pub vertical: Vertical,
    /// Whether it is turned by a quarter around that point and reads upwards.
    pub upwards: bool,
    pub size: f64,
    pub ink: Paint,
    pub style: TextStyle,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Horizontal {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Vertical {
    Top,
    Middle,
    Baseline,
    Bottom,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TextStyle {
    Normal,
    Bold,
    Monospace,
}
