//! Text styles.

use attention::figures::scene::{Horizontal, Role, TextStyle};

#[derive(Clone, Copy)]
pub struct Look {
    pub size: f64,
    pub style: TextStyle,
    pub horizontal: Horizontal,
    pub role: Role,
}

/// The usual style: centred at its position, like all the others except the title.
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
    /// The same look for text that starts at its position.
    pub const fn starting(self) -> Look {
        Look {
            horizontal: Horizontal::Start,
            ..self
        }
    }

    /// The same look for text that ends at its position.
    pub const fn ending(self) -> Look {
        Look {
            horizontal: Horizontal::End,
            ..self
        }
    }

    /// The same look in grey, for less important text.
    pub const fn grey(self) -> Look {
        Look {
            role: Role::Plain,
            ..self
        }
    }
}
