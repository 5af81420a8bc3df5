//! Text in figures: escaped, truncated, and with invisible characters made visible.

use std::borrow::Cow;

/// The maximum length of a label, in characters; longer ones are truncated.
const LONGEST_LABEL: usize = 18;

/// Escapes text for SVG and HTML, attributes included, and replaces characters that XML forbids.
pub(crate) fn escape(text: &str) -> String {
    printable(text)
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The text with a replacement character for each character that XML forbids or that a
/// terminal would interpret.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(is_forbidden) {
        true => text.replace(is_forbidden, "\u{fffd}").into(),
        false => text.into(),
    }
}

fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// A label, shortened if it is very long, with invisible characters shown.
pub(crate) fn cut(label: &str) -> String {
    let label = &visible(label);
    if label.chars().count() <= LONGEST_LABEL {
        return label.to_owned();
    }
    let start: String = label.chars().take(LONGEST_LABEL - 1).collect();
    start + "…"
}

/// The label with newlines, tabs, and leading or trailing spaces as visible symbols, and other
/// control characters as escape codes; `∅` for an empty label.
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

/// A label within a sentence: isolated if it reads from right to left, so that it does not
/// reverse the text after it.
pub(crate) fn in_a_line(label: &str) -> String {
    let label = visible(label);
    match label.contains(reads_from_the_right) {
        true => format!("\u{2068}{label}\u{2069}"), // first strong isolate and its end
        false => label,
    }
}

/// Whether `c` is a letter of Hebrew, Arabic or another right-to-left script.
pub(crate) fn reads_from_the_right(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// The text, truncated to this width, in pixels at this font size.
pub(crate) fn fitting(text: &str, width: i32, size: i32) -> String {
    if text_width(text) * size / 13 <= width {
        return text.to_owned();
    }
    let mut left = width * 13 / size - text_width("…");
    let fits = |c: &char| {
        left -= text_width(c.encode_utf8(&mut [0; 4]));
        left >= 0
    };
    text.chars().take_while(fits).collect::<String>() + "…"
}

/// A count with its noun: "1 query" or "2 queries".
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The approximate width of text of size 13, in pixels. No font file is read, so this is a
/// conservative estimate; Chinese and Japanese characters, for example, count nearly double.
pub(crate) fn text_width(text: &str) -> i32 {
    text.chars()
        .map(|c| if c >= '\u{1100}' { 14 } else { 8 })
        .sum()
}
