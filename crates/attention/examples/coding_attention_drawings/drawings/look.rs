//! Text styles.

use attention::figures::scene::{Horizontal, Role, TextStyle};

#[derive(Clone, Copy)]
pub struct Look {
    pub size: f64,
    pub style: TextStyle,
    pub horizontal: Horizontal,
    pub role: Role,
}

/// Centred at its position, like all the following unless stated.
pub const NORMAL: Look = Look {
    size: 13.0,
    style: TextStyle::Normal,
    horizontal: Horizontal::Middle,
    role: Role::Ink,
};
pub const SMALL: Look = Look {
    size: 12.0,
    ..NORMAL
};
pub const BOLD: Look = Look {
    style: TextStyle::Bold,
    ..NORMAL
};
/// A little larger, for a formula.
pub const FORMULA: Look = Look {
    size: 15.0,
    ..NORMAL
};
pub const TITLE: Look = Look {
    size: 16.0,
    ..BOLD.starting()
};

impl Look {
    /// Starts at its position.
    pub const fn starting(self) -> Look {
        Look {
            horizontal: Horizontal::Start,
            ..self
        }
    }

    /// Ends at its position.
    pub const fn ending(self) -> Look {
        Look {
            horizontal: Horizontal::End,
            ..self
        }
    }

    /// In grey, for less important text.
    pub const fn grey(self) -> Look {
        Look {
            role: Role::Plain,
            ..self
        }
    }
}
