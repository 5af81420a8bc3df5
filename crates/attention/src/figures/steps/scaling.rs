//! The factor applied to the scores before the softmax.

use super::columns::number;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scaling {
    /// 1 / √D, where D is the width of a query.
    Root(usize),
    /// A factor given by the caller; not 1.
    Factor(f64),
    /// No factor: the scores stay as they are.
    Unscaled,
}

impl Scaling {
    pub fn by(factor: f64) -> Scaling {
        match factor {
            1.0 => Scaling::Unscaled,
            _ => Scaling::Factor(factor),
        }
    }

    /// What is done to each score, such as "÷ √2"; `None` if nothing is done.
    pub fn formula(self) -> Option<String> {
        match self {
            Scaling::Root(width) => Some(format!("÷ √{width}")),
            Scaling::Factor(factor) => Some(format!("× {}", number(factor))),
            Scaling::Unscaled => None,
        }
    }

    /// The operator and the number that scale a score; `None` if it is not scaled.
    pub fn operator_and_number(self) -> Option<(&'static str, String)> {
        match self {
            Scaling::Root(width) => Some(("÷", number((width as f64).sqrt()))),
            Scaling::Factor(factor) => Some(("×", number(factor))),
            Scaling::Unscaled => None,
        }
    }

    pub fn in_words(self) -> String {
        match self {
            Scaling::Root(width) => format!(", which are divided by √{width}"),
            Scaling::Factor(factor) => format!(", which are multiplied by {}", number(factor)),
            Scaling::Unscaled => ", which are not scaled".to_owned(),
        }
    }
}
