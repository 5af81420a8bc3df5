//! Labels and titles as the pictures keep them.

use crate::figures::text::printable;

/// Of a longer text only the beginning is kept.
const LONGEST: usize = 200;

/// A title without what cannot be drawn, and cut if it is longer than a reader would read.
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

/// The labels as texts of their own, cut if they are very long.
pub(crate) fn owned<S: AsRef<str>>(labels: &[S]) -> Vec<String> {
    labels.iter().map(|label| kept(label.as_ref())).collect()
}
