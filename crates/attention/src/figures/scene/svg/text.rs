//! Text elements in an SVG.

use super::attributes::Attributes;
use crate::figures::scene::{Horizontal, Span, Text, TextStyle, Vertical};
use crate::markup::text::escape;

const MONOSPACE: &str = "'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// Text as an element.
pub(super) fn text_element(text: &Text, attributes: &mut Attributes) -> String {
    let (x, y) = text.at;
    let vertical = match text.vertical {
        Vertical::Top => " dy=\"0.76em\"",
        Vertical::Middle => " dy=\"0.5ex\"",
        Vertical::Bottom => " dy=\"-0.5ex\"",
        Vertical::Baseline => "",
    };
    let horizontal = match text.horizontal {
        Horizontal::Start => " text-anchor=\"start\"",
        Horizontal::End => " text-anchor=\"end\"",
        Horizontal::Middle => "", // the default for the file
    };
    let style = match text.style {
        TextStyle::Normal => String::new(),
        TextStyle::Bold => " font-weight=\"bold\"".to_owned(),
        TextStyle::Monospace => format!(" font-family=\"{MONOSPACE}\""),
    };
    let look = attributes.letters(text.size, text.ink);
    let turn = match text.direction.degrees() {
        0 => String::new(),
        degrees => format!(" transform=\"rotate({}, {x}, {y})\"", 360 - degrees),
    };
    let spans = spans(&text.content, text.size);
    format!("<text x=\"{x}\" y=\"{y}\"{vertical}{horizontal}{style} {look}{turn}>{spans}</text>")
}

/// The letters of the text, with small ones raised or lowered.
fn spans(content: &[Span], size: f64) -> String {
    let mut written = String::new();
    let mut below = 0;
    for Span { letters, level } in content {
        let letters: String = letters.lines().collect();
        let letters = escape(&letters).replace('\'', "&apos;");
        let shift = match level.below() - below {
            0 => String::new(),
            shift => format!(" dy=\"{shift}\""),
        };
        let own_size = match level.size(size) {
            same if same == size => String::new(),
            other => format!(" font-size=\"{other}\""),
        };
        written += &match shift + &own_size {
            same if same.is_empty() => letters,
            attributes => format!("<tspan{attributes}>{letters}</tspan>"),
        };
        below = level.below();
    }
    written
}
