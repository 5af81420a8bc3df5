//! Which colour stands for which value, and how values are written.

use super::Heatmap;
use crate::figures::matrix_colours::Kind;
use crate::figures::numbers::{around, number_on};
use plotters::style::RGBColor;

/// A colour scale: its ends, the kind of matrix, and the decimals of its numbers if they were set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub limits: (f64, f64),
    pub kind: Kind,
    decimals: Option<usize>,
}

impl Scale {
    /// The scale for values of this kind between these limits.
    pub fn of(limits: (f64, f64), kind: Kind) -> Scale {
        Scale {
            limits,
            kind,
            decimals: None,
        }
    }

    /// The colour of a value.
    pub fn colour(&self, value: f64) -> RGBColor {
        self.kind.colour(value, self.limits)
    }

    /// A value as the picture writes it.
    pub fn number(&self, value: f64) -> String {
        match self.decimals {
            // Larger numbers have no significant decimals, and too many digits to fit.
            Some(decimals) if value.abs() < 1e15 => {
                let text = format!("{value:.decimals$}");
                let is_zero = text.parse() == Ok(0.0);
                text.trim_start_matches(if is_zero { "-" } else { "" })
                    .to_owned()
            }
            _ => number_on(value, self.limits),
        }
    }
}

impl Heatmap {
    /// The ends of the colour scale, and how its numbers are written.
    pub(crate) fn scale(&self) -> Scale {
        Scale {
            limits: self.limits(),
            kind: self
                .kind
                .unwrap_or_else(|| Kind::of_rows(self.matrix.rows())),
            decimals: self.decimals,
        }
    }

    /// The values at the two ends of the colour scale.
    pub(crate) fn limits(&self) -> (f64, f64) {
        if let Some(range) = self.range {
            return range;
        }
        let finite = || {
            self.matrix
                .iter()
                .copied()
                .filter(|value| value.is_finite())
        };
        let low = finite().fold(f64::INFINITY, f64::min);
        let high = finite().fold(f64::NEG_INFINITY, f64::max);
        match low.partial_cmp(&high) {
            Some(std::cmp::Ordering::Less) if low < 0.0 && high > 0.0 => {
                let largest = high.max(-low);
                (-largest, largest)
            }
            Some(std::cmp::Ordering::Less) => (low, high),
            Some(std::cmp::Ordering::Equal) => around(low),
            _ => (0.0, 1.0), // nothing finite to draw
        }
    }
}
