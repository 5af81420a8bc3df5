//! Ink that is readable on a colour, and the highlight colour.

use crate::figures::scene::Paint;
use plotters::prelude::*;

/// Black or white, whichever has the higher contrast with `ground` (WCAG 2.2,
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

/// The colour that marks the cell under the mouse, and the row of the chosen query or key.
pub(crate) const HIGHLIGHT: RGBColor = RGBColor(255, 127, 0);
