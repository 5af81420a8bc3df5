//! The numbers of sliders and players.

use std::cmp::Ordering;
use std::fmt;

/// A number of a slider or a player. Integers are exact, however large.
///
/// ```
/// use notebook::live::Number;
///
/// assert_eq!(Number::Whole(9_007_199_254_740_993).to_string(), "9007199254740993");
/// assert!(Number::Fraction(0.5) < Number::Fraction(1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Whole(i128),
    /// A number that may have a fractional part.
    Fraction(f64),
}

use Number::{Fraction, Whole};

impl Number {
    /// Whether it is an integer.
    pub fn is_whole(&self) -> bool {
        matches!(self, Whole(_))
    }

    /// Parses a number of the same kind as this one.
    ///
    /// ```
    /// use notebook::live::Number;
    ///
    /// assert_eq!(Number::Whole(0).read("4"), Some(Number::Whole(4)));
    /// assert_eq!(Number::Whole(0).read("4.5"), None);
    /// assert_eq!(Number::Fraction(0.0).read("4"), Some(Number::Fraction(4.0)));
    /// ```
    pub fn read(&self, text: &str) -> Option<Number> {
        match self {
            Whole(_) => text.parse().ok().map(Whole),
            Fraction(_) => text.parse().ok().map(Fraction),
        }
    }

    /// The number as text that shows its kind: a fraction has a point or an exponent.
    pub(super) fn to_text(self) -> String {
        match self {
            Whole(number) => number.to_string(),
            Fraction(number) => format!("{number:?}"),
        }
    }

    pub(super) fn from_text(text: &str) -> Option<Number> {
        Whole(0).read(text).or_else(|| Fraction(0.0).read(text))
    }
}

/// Compares only numbers of the same kind.
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        match (self, other) {
            (Whole(a), Whole(b)) => a.partial_cmp(b),
            (Fraction(a), Fraction(b)) => a.partial_cmp(b),
            _ => None,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whole(number) => number.fmt(formatter),
            Fraction(number) => number.fmt(formatter),
        }
    }
}
