//! Colours by role: what something is decides its colour, in every drawing the same.

/// What something is. Queries are blue, keys orange, values green, contexts purple, weights
/// yellow, all else grey; ink is for texts.
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
    /// The lighter tone for a dark theme.
    pub dark: [u8; 3],
}

impl Role {
    /// The colours follow Okabe and Ito's palette, which colour-blind readers can tell
    /// apart; darker on white for more contrast.
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

    /// Its colour on white.
    pub(in crate::figures) fn light(self) -> [u8; 3] {
        self.colours().light
    }

    /// The letter that stands for it in a file.
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
