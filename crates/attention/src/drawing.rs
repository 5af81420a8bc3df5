//! What figures are drawn with: text, colours, and short forms of numbers.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The surface that plotters draws on, in pixels.
pub(crate) type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// What can go wrong in plotters.
pub(crate) type Trouble = DrawingAreaErrorKind<std::io::Error>;

/// Fonts by name, never by file: the browser that shows the picture has one of
/// them, and some of these have Japanese.
const FONTS: &str =
    "Helvetica, Arial, 'DejaVu Sans', 'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', sans-serif";
/// A longer label is cut.
const LONGEST_LABEL: usize = 18;

/// Which point of a text is put at the given place.
pub(crate) enum Anchor {
    Top,
    Middle,
    Bottom,
    Left,
    Right,
    /// Turned by a quarter, reading upwards from the place.
    Climbing,
}

/// Writes `content` at `place`.
pub(crate) fn text(
    canvas: &Canvas,
    content: &str,
    place: (i32, i32),
    anchor: Anchor,
    size: u32,
    ink: &RGBColor,
) -> Result<(), Trouble> {
    let (horizontal, vertical) = match anchor {
        Anchor::Top => (HPos::Center, VPos::Top),
        Anchor::Middle => (HPos::Center, VPos::Center),
        Anchor::Bottom => (HPos::Center, VPos::Bottom),
        Anchor::Left | Anchor::Climbing => (HPos::Left, VPos::Center),
        Anchor::Right => (HPos::Right, VPos::Center),
    };
    // plotters writes the size divided by 1.24 into the SVG.
    let font = (FONTS, f64::from(size) * 1.24).into_font();
    let font = match anchor {
        Anchor::Climbing => font.transform(FontTransform::Rotate270),
        _ => font,
    };
    let style = TextStyle::from(font)
        .color(ink)
        .pos(Pos::new(horizontal, vertical));
    canvas.draw(&Text::new(content, place, style))
}

/// The colour of `value` in viridis, which runs from `low` to `high`; grey for
/// what is not finite.
pub(crate) fn colour(value: f64, low: f64, high: f64) -> RGBColor {
    if value.is_finite() {
        ViridisRGB.get_color_normalized(value.clamp(low, high), low, high)
    } else {
        RGBColor(200, 200, 200)
    }
}

/// Black or white, whichever has more contrast with `ground` (WCAG 2.2,
/// relative luminance).
pub(crate) fn ink_on(ground: RGBColor) -> RGBColor {
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
        WHITE
    } else {
        BLACK
    }
}

/// At most five characters, so that a value fits into its cell.
pub(crate) fn short_number(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() || size >= 999.5 => format!("{value:.0e}").replace("inf", "∞"),
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A label, shortened if it is very long.
pub(crate) fn cut(label: &str) -> String {
    if label.chars().count() <= LONGEST_LABEL {
        return label.to_owned();
    }
    let start: String = label.chars().take(LONGEST_LABEL - 1).collect();
    start + "…"
}

/// About how wide a text of size 13 is: no font file is read, so this is a
/// careful guess; Chinese and Japanese characters are twice as wide.
pub(crate) fn text_width(text: &str) -> i32 {
    text.chars()
        .map(|c| if c >= '\u{1100}' { 14 } else { 8 })
        .sum()
}
