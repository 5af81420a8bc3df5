//! Maps numbers to positions on an axis, and labels the axis.

use crate::figures::numbers::around;
use std::ops::Range;

/// A number in the units of its axis: on a logarithmic axis its base-2 logarithm, or NaN if it is
/// not above 0.
pub(super) fn on_axis(value: f64, logarithmic: bool) -> f64 {
    match logarithmic {
        true if value > 0.0 => value.log2(),
        true => f64::NAN,
        false => value,
    }
}

/// Maps the numbers of an axis to positions: the numbers themselves, unless they are too large, too
/// small or too close together to compute with.
pub(super) struct AxisScale {
    /// The lowest and the highest number; `None` if there are no numbers.
    ends: Option<(f64, f64)>,
    /// The position of a number is its distance above the base, in units.
    base: f64,
    unit: f64,
    logarithmic: bool,
}

impl AxisScale {
    pub fn of(values: impl Iterator<Item = f64>, logarithmic: bool) -> AxisScale {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let mut axis = AxisScale {
            ends: (low <= high).then_some((low, high)),
            base: 0.0,
            unit: 1.0,
            logarithmic,
        };
        let (low, high) = match low.partial_cmp(&high) {
            Some(std::cmp::Ordering::Less) => (low, high),
            Some(std::cmp::Ordering::Equal) if low.abs() > 1e9 => around(low),
            _ => return axis,
        };
        axis.ends = Some((low, high));
        let size = low.abs().max(high.abs());
        let width = (high - low).min(f64::MAX);
        let is_narrow = width < size * 1e-9;
        if is_narrow || size > 1e100 || width < 1e-9 {
            axis.base = if is_narrow { low } else { 0.0 };
            axis.unit = 10_f64.powf(width.log10().floor()).max(f64::MIN_POSITIVE);
        }
        axis
    }

    pub fn position(&self, value: f64) -> f64 {
        (value - self.base) / self.unit
    }

    /// The range from the lowest to the highest position, plus this share of it on each side.
    pub fn span(&self, margin: f64) -> Range<f64> {
        let Some((low, high)) = self.ends else {
            return 0.0..1.0;
        };
        let (low, high) = (self.position(low), self.position(high));
        if low == high {
            return low - 0.5..high + 0.5;
        }
        let more = (high - low) * margin;
        low - more..high + more
    }

    /// The label at a position: its number, relative to the base if there is one.
    pub fn tick(&self, position: f64) -> String {
        match self.base {
            0.0 => tick(position * self.unit, self.logarithmic),
            base if position.abs() < 1e-9 => format!("{base:.1e}"),
            _ if position > 0.0 => format!("+{}", tick(position * self.unit, false)),
            _ => tick(position * self.unit, false),
        }
    }
}

/// The maximum number of labels on an axis; on a logarithmic one, only whole powers of 2 have
/// labels.
pub(super) fn label_count(span: &Range<f64>, logarithmic: bool) -> usize {
    match logarithmic {
        true => ((span.end - span.start) as usize + 1).clamp(2, 10),
        false => 10,
    }
}

/// A number on an axis, with up to three decimals, or as a power of ten if it is very small or
/// large.
fn tick(position: f64, logarithmic: bool) -> String {
    let value = if logarithmic {
        position.exp2()
    } else {
        position
    };
    if value != 0.0 && value.abs() < 0.001 {
        return format!("{value:.0e}");
    }
    if value.abs() >= 1e15 {
        return match value.is_finite() {
            true => format!("{value:.0e}"),
            false => String::new(), // beyond the end of the axis
        };
    }
    let text = format!("{:.3}", value + 0.0); // never -0
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
