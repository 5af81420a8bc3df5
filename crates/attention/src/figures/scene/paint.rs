//! How shapes are coloured.

use super::role_colours::Role;

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The fill of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// A colour, which hides what is below if its opacity is 1.
    Solid { colour: Colour, opacity: f64 },
    /// For values hidden by a mask: grey lines on a lighter grey.
    Hatch,
    /// Only the hatching lines, with what is below visible between them.
    Lines(Role),
    /// Black on a coloured cell, which stays black when a dark theme lightens other ink.
    CellInk,
}

impl Paint {
    /// An opaque colour.
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

/// The usual opacity of a frame's fill, light enough for text on it to be readable.
pub const TINT: f64 = 0.16;

/// The greys of a hatched surface: the ground and the lines.
pub(super) const HATCH: [Rgb; 2] = [[217; 3], [140; 3]];

/// The opacity of hatching lines.
pub(super) const LINES_OPACITY: f64 = 0.45;

/// A colour that is the same in every theme, or that of a role, which differs between
/// themes.
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
    /// A fill with the colour and the opacity of the stroke.
    pub(super) fn paint(self) -> Paint {
        Paint::Solid {
            colour: self.colour,
            opacity: self.opacity,
        }
    }
}
