//! What figures are drawn with: text, colours, and short forms of numbers.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::borrow::Cow;

/// The surface that plotters draws on, in pixels.
pub(crate) type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// What can go wrong in plotters.
pub(crate) type Trouble = DrawingAreaErrorKind<std::io::Error>;

/// Fonts by name, never by file: the browser that shows the picture has one of
/// them, and some of these have Japanese.
pub(crate) const FONTS: &str =
    "Helvetica, Arial, 'DejaVu Sans', 'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', sans-serif";
/// So wide a figure of several pictures may be, in pixels: the output of a cell is about as
/// wide in JupyterLab.
pub(crate) const PAGE: i32 = 860;
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
    if content.is_empty() {
        return Ok(());
    }
    let content = &printable(content);
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
    canvas.draw(&Text::new(content.as_ref(), place, style))
}

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

/// What stands at this share of the way from `low` to `high`.
pub(crate) fn between((low, high): (f64, f64), share: f64) -> f64 {
    match (high - low).is_finite() {
        true => low + (high - low) * share,
        false => low * (1.0 - share) + high * share,
    }
}

/// Limits for a value that is the only one: half below it and half above, or, where so
/// little makes no difference, half of it.
pub(crate) fn around(value: f64) -> (f64, f64) {
    let half = match value - 0.5 < value && value < value + 0.5 {
        true => 0.5,
        false => value.abs() / 2.0,
    };
    ((value - half).max(f64::MIN), (value + half).min(f64::MAX))
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

/// Around what the mouse is over, and around the row of which a picture speaks.
pub(crate) const HIGHLIGHT: RGBColor = RGBColor(255, 127, 0);

/// Stands for hatching until the SVG is finished: plotters has no patterns.
pub(crate) const HATCHED: RGBColor = RGBColor(1, 2, 3);
/// Stands for an image of all cells until the SVG is finished.
pub(crate) const IMAGE: RGBColor = RGBColor(1, 2, 4);
pub(crate) const IMAGE_MARK: &str = "fill=\"#010204\"";
/// Stands for the ink on cells, which stays when a dark theme turns other ink light.
const CELL_BLACK: RGBColor = RGBColor(0, 0, 1);

/// What plotters cannot write: hatching, words for a screen reader, colours for a
/// dark theme; and without attributes that say what holds anyway.
pub(crate) fn finish(svg: &str, title: &str, description: &str) -> String {
    let svg: String = svg.lines().map(shorter).collect();
    // plotters escapes the quotes in the names of fonts.
    let fonts = FONTS.replace('\'', "&apos;");
    let svg = svg
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\"", "")
        .replace(&format!(" font-family=\"{fonts}\""), "")
        .replace(" text-anchor=\"middle\" ", " ")
        .replace("fill=\"#010203\"", "fill=\"url(#hatch)\"");
    let (head, body) = svg.split_once('>').unwrap_or((&svg, ""));
    format!(
        "{head} role=\"img\" font-family=\"{FONTS}\" text-anchor=\"middle\"><title>{}</title><desc>{}</desc><style>@media (prefers-color-scheme: dark) \
         {{ text[fill=\"#000000\"] {{ fill: #e6e6e6 }} rect[fill=\"#FFFFFF\"] {{ fill: #111111 }} [stroke=\"#000000\"] {{ stroke: #e6e6e6 }} [stroke=\"#D2D2D2\"] {{ stroke: #444444 }} polygon[fill=\"#31688E\"] {{ fill: #8cc4e8 }} }}</style>\
         <defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
         <rect width=\"6\" height=\"6\" fill=\"#d9d9d9\"/><path d=\"M0 6L6 0\" stroke=\"#8c8c8c\"/>\
         </pattern></defs>{body}",
        escape(title),
        escape(description),
    )
}

/// Several pictures as one, under a title.
pub(crate) fn sheet(size: (i32, i32), title: &str, description: &str, inside: &str) -> String {
    let (width, height) = size;
    let (title, description) = (escape(title), escape(description));
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" font-family=\"{FONTS}\" \
         text-anchor=\"middle\"><title>{title}</title><desc>{description}</desc>\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\
         <text x=\"{}\" y=\"20\" font-size=\"16\" fill=\"#000000\">{title}</text>{inside}</svg>",
        width / 2,
    )
}

/// A filled rectangle as a path, which takes fewer bytes; other lines as they are.
/// (Backgrounds stay: they are in the corner, or not opaque; and so do frames.)
fn shorter(line: &str) -> String {
    let attribute = |name: &str| {
        let (_, rest) = line.split_once(&format!(" {name}=\""))?;
        rest.split_once('"').map(|(value, _)| value)
    };
    let path = || {
        line.starts_with("<rect ").then_some(())?;
        let (x, y) = (attribute("x")?, attribute("y")?);
        let (width, height) = (attribute("width")?, attribute("height")?);
        let fill = attribute("fill")?;
        let is_ground = (x, y) == ("0", "0") || attribute("opacity") != Some("1") || fill == "none";
        (!is_ground)
            .then(|| format!("<path d=\"M{x} {y}h{width}v{height}h-{width}\" fill=\"{fill}\"/>"))
    };
    path().unwrap_or_else(|| line.to_owned())
}

/// Text for SVG and HTML, also inside attributes; without characters that XML forbids.
pub(crate) fn escape(text: &str) -> String {
    printable(text)
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The text with a sign of replacement for each character that XML forbids, and that a
/// terminal would obey.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(is_forbidden) {
        true => text.replace(is_forbidden, "\u{fffd}").into(),
        false => text.into(),
    }
}

fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// (Nearly) black or white, whichever has more contrast with `ground` (WCAG 2.2,
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
        CELL_BLACK
    }
}

/// At most five characters, so that a value fits into its cell.
pub(crate) fn short_number(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() || size >= 999.5 => format!("{value:.0e}").replace("inf", "∞"),
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size < 0.005 => "0.00".to_owned(), // not -0.00
        _ => format!("{value:.2}"),
    }
}

/// A value on a scale with these ends: where two decimals would say little even of the larger
/// one, with more of them instead of the 0 before the point, or as a power of ten.
pub(crate) fn number_on(value: f64, (low, high): (f64, f64)) -> String {
    let decimals = match value.abs().max(low.abs()).max(high.abs()) {
        size if size >= 0.0995 || !value.is_finite() => return short_number(value),
        size if size >= 0.00995 => 3,
        size if size >= 0.000_995 && low >= 0.0 => 4,
        _ if value == 0.0 => return "0".to_owned(),
        _ => return format!("{value:.0e}"),
    };
    let size = format!("{:.decimals$}", value.abs()).replacen("0.", ".", 1);
    let is_zero = size.chars().all(|c| matches!(c, '.' | '0'));
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    sign.to_owned() + &size
}

/// A label, shortened if it is very long; characters that cannot be seen are shown.
pub(crate) fn cut(label: &str) -> String {
    let label = &visible(label);
    if label.chars().count() <= LONGEST_LABEL {
        return label.to_owned();
    }
    let start: String = label.chars().take(LONGEST_LABEL - 1).collect();
    start + "…"
}

/// Newlines, tabs, and spaces at the ends as signs that can be seen; other control
/// characters by their number, and an empty token, too.
pub(crate) fn visible(label: &str) -> String {
    if label.is_empty() {
        return "∅".to_owned();
    }
    let inner = label.trim_matches(' ');
    let start = label.len() - label.trim_start_matches(' ').len();
    let end = label.len() - inner.len() - start;
    let sign = |c: char| match c {
        '\n' => "⏎".to_owned(),
        '\t' => "⇥".to_owned(),
        _ if c.is_control() => c.escape_default().to_string(),
        _ if is_forbidden(c) => '\u{fffd}'.to_string(),
        _ => c.to_string(),
    };
    let inner: String = inner.chars().map(sign).collect();
    format!("{}{inner}{}", "␣".repeat(start), "␣".repeat(end))
}

/// A label within a sentence: one that reads from right to left does not turn round
/// what stands after it.
pub(crate) fn in_a_line(label: &str) -> String {
    let label = visible(label);
    match label.contains(reads_from_the_right) {
        true => format!("\u{2068}{label}\u{2069}"), // first strong isolate and its end
        false => label,
    }
}

/// Whether it is a letter of Hebrew, Arabic or another script from right to left.
pub(crate) fn reads_from_the_right(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// About how wide a text of size 13 is: no font file is read, so this is a
/// careful guess; Chinese and Japanese characters are twice as wide.
pub(crate) fn text_width(text: &str) -> i32 {
    text.chars()
        .map(|c| if c >= '\u{1100}' { 14 } else { 8 })
        .sum()
}
