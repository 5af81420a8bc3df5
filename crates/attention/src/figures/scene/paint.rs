//! What shapes are painted with.

use super::role::Role;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// What the inside of a shape is filled with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// A colour, which covers what is below it if its opacity is 1.
    Solid { colour: Colour, opacity: f64 },
    /// What a mask hides: grey lines on a lighter grey.
    Hatch,
    /// The same as lines only, between which what is below is seen.
    Lines(Role),
    /// Black on a coloured cell, which stays black when a dark theme makes other ink light.
    CellInk,
}

impl Paint {
    /// A colour that covers what is below it.
    pub const fn opaque(colour: Rgb) -> Paint {
        Paint::Solid {
            colour: Colour::Fixed(colour),
            opacity: 1.0,
        }
    }

    /// The colour of a role, at this opacity.
    pub const fn role(role: Role, opacity: f64) -> Paint {
        Paint::Solid {
            colour: Colour::Role(role),
            opacity,
        }
    }
}

/// The usual opacity of a frame's inside, on which ink can be read.
pub const TINT: f64 = 0.16;

/// The opacity of the lines that hatch something.
pub(super) const LINES_OPACITY: f64 = 0.45;

/// A colour that is the same in every theme, or that of a role, which each theme has its own
/// for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    Fixed(Rgb),
    Role(Role),
}

/// The ink of labels and titles.
pub(crate) const INK: Paint = Paint::opaque([0; 3]);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    pub colour: Colour,
    pub opacity: f64,
    pub width: f64,
}

impl Stroke {
    /// What fills a shape that is drawn with it.
    pub(super) fn paint(self) -> Paint {
        Paint::Solid {
            colour: self.colour,
            opacity: self.opacity,
        }
    }
}
