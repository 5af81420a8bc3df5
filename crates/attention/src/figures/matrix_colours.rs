//! What a matrix represents, and the colours that its values get as a result. The drawings of the
//! lessons use the same colours.
//!
//! 0 is white. A value above 0 has the colour of its kind, and the larger the value, the stronger
//! the colour: queries blue, keys orange, values green, contexts purple, weights yellow, and
//! inputs, scores and everything else slate. A value below 0 is slate too, or red if slate already
//! stands for values above 0. A scale that does not include 0 starts from white at the end nearer
//! to 0. NaN and infinities are light grey, and values hidden by a mask are hatched.

use crate::figures::scene::Role;
use plotters::prelude::*;

/// What a matrix represents, which decides its colours.
///
/// ```
/// use attention::figures::{Kind, heatmap};
/// use ndarray::array;
///
/// let picture = heatmap(&array![[0.5_f32, 1.0]]).kind(Kind::Query);
/// assert!(picture.svg()?.contains("#"));
/// # Ok::<(), attention::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Inputs, embeddings: slate.
    Input,
    /// Queries: blue.
    Query,
    /// Keys: orange.
    Key,
    /// Values: green.
    Value,
    /// Scores, logits: slate.
    Score,
    /// Weights, which sum to 1: yellow.
    Weight,
    /// Contexts: purple.
    Context,
}

const NEUTRAL: RGBColor = RGBColor(255, 255, 255);
const SLATE: RGBColor = RGBColor(61, 70, 82);
const RED: RGBColor = RGBColor(178, 24, 43);
const NOT_FINITE: RGBColor = RGBColor(200, 200, 200);

impl Kind {
    /// The colour of `value` on the scale from `low` to `high`; grey if it is not finite.
    pub(crate) fn colour(self, value: f64, (low, high): (f64, f64)) -> RGBColor {
        if !value.is_finite() {
            return NOT_FINITE;
        }
        let (above, below) = self.ends();
        let value = value.clamp(low, high);
        // Halved first, because the difference between the ends may overflow an f64.
        let share = |from: f64, to: f64| (value / 2.0 - from / 2.0) / (to / 2.0 - from / 2.0);
        if low >= 0.0 {
            mix(above, share(low, high))
        } else if high <= 0.0 {
            mix(below, share(high, low))
        } else {
            let furthest = high.max(-low);
            let end = if value < 0.0 { below } else { above };
            mix(end, value.abs() / furthest)
        }
    }

    /// The colour of bars and lines of this kind, visible on light and dark backgrounds.
    pub(crate) fn bar(self) -> RGBColor {
        match self {
            Kind::Input | Kind::Score => of_role(Role::Plain),
            _ => self.ends().0,
        }
    }

    /// The colours of the largest positive value, and of the most negative one.
    fn ends(self) -> (RGBColor, RGBColor) {
        let of = |role: Role| (of_role(role), SLATE);
        match self {
            Kind::Input | Kind::Score => (SLATE, RED),
            Kind::Query => of(Role::Query),
            Kind::Key => of(Role::Key),
            Kind::Value => of(Role::Value),
            Kind::Weight => of(Role::Weight),
            Kind::Context => of(Role::Context),
        }
    }

    /// The kind to assume for numbers whose kind was not given: weights if each row sums to 1 and
    /// no number is below 0, otherwise scores, which have no colour of their own.
    pub(crate) fn of_rows<'a, R: IntoIterator<Item = &'a f64>>(
        rows: impl IntoIterator<Item = R>,
    ) -> Kind {
        let are_weights = |row: R| {
            let (mut sum, mut is_negative) = (0.0, false);
            for &value in row {
                sum += value;
                is_negative |= value < 0.0;
            }
            !is_negative && (sum - 1.0_f64).abs() < 1e-3
        };
        match rows.into_iter().all(are_weights) {
            true => Kind::Weight,
            false => Kind::Score,
        }
    }
}

fn of_role(role: Role) -> RGBColor {
    let [red, green, blue] = role.light();
    RGBColor(red, green, blue)
}

/// Mixes a share of a colour with white. The square root makes small values easier to tell apart.
fn mix(colour: RGBColor, share: f64) -> RGBColor {
    let share = share.clamp(0.0, 1.0).sqrt();
    let channel = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
    };
    RGBColor(
        channel(NEUTRAL.0, colour.0),
        channel(NEUTRAL.1, colour.1),
        channel(NEUTRAL.2, colour.2),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 7] = [
        Kind::Input,
        Kind::Query,
        Kind::Key,
        Kind::Value,
        Kind::Score,
        Kind::Weight,
        Kind::Context,
    ];

    #[test]
    fn zero_is_white_and_the_ends_are_the_colours_of_the_kind() {
        for kind in KINDS {
            let (above, below) = kind.ends();
            for range in [
                (-2.0, 2.0),
                (-2.0, 1.0),
                (-1.0, 2.0),
                (0.0, 2.0),
                (-2.0, 0.0),
            ] {
                assert_eq!(kind.colour(0.0, range), NEUTRAL, "{kind:?}, {range:?}");
            }
            assert_eq!(kind.colour(2.0, (-2.0, 2.0)), above);
            assert_eq!(kind.colour(-9.0, (-2.0, 2.0)), below);
            assert_eq!(kind.colour(2.0, (0.0, 2.0)), above);
            assert_eq!(kind.colour(3.0, (3.0, 4.0)), NEUTRAL);
            assert_eq!(kind.colour(-4.0, (-4.0, -3.0)), below);
            assert_eq!(kind.colour(f64::MAX, (f64::MIN, f64::MAX)), above);
            assert_eq!(kind.colour(f64::NAN, (0.0, 1.0)), NOT_FINITE);
        }
    }

    #[test]
    fn a_larger_value_is_darker_in_every_kind() {
        let light = |colour: RGBColor| {
            let RGBColor(red, green, blue) = colour;
            u32::from(red) + u32::from(green) + u32::from(blue)
        };
        for kind in KINDS {
            for step in 1..20 {
                let at = |step: i32| light(kind.colour(f64::from(step), (-20.0, 20.0)));
                assert!(
                    at(step) > at(step + 1) && at(-step) > at(-step - 1),
                    "{kind:?}"
                );
            }
        }
    }

    #[test]
    fn rows_that_sum_to_1_are_weights() {
        let kind = |rows: &[&[f64]]| Kind::of_rows(rows.iter().map(|row| row.iter()));
        assert_eq!(kind(&[&[0.25, 0.75], &[1.0, 0.0]]), Kind::Weight);
        assert_eq!(kind(&[&[0.25, 0.75], &[0.5, 0.0]]), Kind::Score);
        assert_eq!(kind(&[&[-0.25, 1.25]]), Kind::Score);
        assert_eq!(kind(&[&[f64::NAN, 1.0]]), Kind::Score);
    }
}
