//! Colours by role: the same thing has the same colour in every drawing.

/// The role of a shape. Queries are blue, keys orange, values green, contexts purple, weights
/// yellow, everything else grey; ink is for text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Ink,
    Plain,
    Query,
    Key,
    Value,
    Context,
    Weight,
}

/// The colours of a role.
pub(super) struct Colours {
    pub light: [u8; 3],
    /// The shade for a dark theme.
    pub dark: [u8; 3],
}

impl Role {
    /// The colours of the role. They follow Okabe and Ito's palette, which colour-blind readers can
    /// distinguish, darkened for more contrast on white.
    pub(super) fn colours(self) -> Colours {
        let (light, dark) = match self {
            Role::Ink => (0x1b1b1b, 0xececec),
            Role::Plain => (0x67707b, 0xa2abb6),
            Role::Query => (0x0069a8, 0x62b8ef),
            Role::Key => (0xb84a00, 0xf5a15c),
            Role::Value => (0x00735a, 0x45c9a0),
            Role::Context => (0x7a3fa3, 0xcba6ee),
            Role::Weight => (0xd99a00, 0xb58900),
        };
        let channels = |colour: u32| [16, 8, 0].map(|bits| (colour >> bits) as u8);
        Colours {
            light: channels(light),
            dark: channels(dark),
        }
    }

    /// The role's colour on white.
    pub(in crate::figures) fn light(self) -> [u8; 3] {
        self.colours().light
    }

    /// The letter that stands for the role in an SVG file.
    pub(super) fn letter(self) -> char {
        match self {
            Role::Ink => 'i',
            Role::Plain => 'p',
            Role::Query => 'q',
            Role::Key => 'k',
            Role::Value => 'v',
            Role::Context => 'c',
            Role::Weight => 'w',
        }
    }
}
