//! Labels and titles as the pictures store them.

use crate::markup::text::printable;

/// Longer text is truncated to this length.
const LONGEST: usize = 200;

/// A title without characters that cannot be drawn, truncated if it is excessively long.
pub(crate) fn title(text: &str) -> String {
    printable(&kept(text)).into_owned()
}

/// The first 200 characters, and how many more there were.
fn kept(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… ({more} more characters)", &text[..end])
        }
    }
}

/// Owned copies of the labels, truncated if they are very long.
pub(crate) fn owned<S: AsRef<str>>(labels: &[S]) -> Vec<String> {
    labels.iter().map(|label| kept(label.as_ref())).collect()
}
