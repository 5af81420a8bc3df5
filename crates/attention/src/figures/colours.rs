//! Colours for values, and the ink that can be read on them.

use crate::figures::scene::Paint;
use plotters::prelude::*;

/// The colour of `value` on the scale from `low` to `high`; grey for what is not
/// finite.
///
/// Viridis, whose order survives colour blindness and grey printing; for a scale
/// that is symmetric around 0 blue, white at 0, and red, which stay apart, too.
pub(crate) fn colour(value: f64, low: f64, high: f64) -> RGBColor {
    if !value.is_finite() {
        return RGBColor(200, 200, 200);
    }
    let value = value.clamp(low, high);
    if low == -high {
        let side = if value < 0.0 { COLD } else { WARM };
        return mix(NEUTRAL, side, value.abs() / high);
    }
    match (high - low).is_finite() {
        true => ViridisRGB.get_color_normalized(value, low, high),
        // Half of each: the difference of the ends is no number of 64 bits.
        false => ViridisRGB.get_color_normalized(value / 2.0, low / 2.0, high / 2.0),
    }
}

/// Ends and middle of the scale around 0: ColorBrewer's RdBu.
const COLD: RGBColor = RGBColor(33, 102, 172);
const NEUTRAL: RGBColor = RGBColor(247, 247, 247);
const WARM: RGBColor = RGBColor(178, 24, 43);

fn mix(from: RGBColor, to: RGBColor, share: f64) -> RGBColor {
    let channel = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
    };
    RGBColor(
        channel(from.0, to.0),
        channel(from.1, to.1),
        channel(from.2, to.2),
    )
}

/// Black or white, whichever has more contrast with `ground` (WCAG 2.2,
/// relative luminance).
pub(crate) fn ink_on(ground: RGBColor) -> Paint {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    let RGBColor(red, green, blue) = ground;
    let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    // Contrast with white is 1.05 / (l + 0.05), with black (l + 0.05) / 0.05.
    if luminance + 0.05 < (1.05_f64 * 0.05).sqrt() {
        Paint::opaque([255; 3])
    } else {
        Paint::CellInk
    }
}

/// Around what the mouse is over, and around the row of which a picture speaks.
pub(crate) const HIGHLIGHT: RGBColor = RGBColor(255, 127, 0);
