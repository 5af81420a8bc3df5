//! The forms in which a live picture is shown.

use crate::convention::LIVE_ATTRIBUTE;

/// The forms of a picture: MIME types and their content, including `text/html`.
pub type Forms = Vec<(&'static str, String)>;

/// The HTML of a picture, in an element that identifies the picture.
///
/// ```
/// use notebook::live::marked;
///
/// assert_eq!(marked("live-1", "<b>3</b>"), "<div data-notebook-live=\"live-1\"><b>3</b></div>");
/// ```
pub fn marked(id: &str, html: &str) -> String {
    format!("<div {LIVE_ATTRIBUTE}=\"{id}\">{html}</div>")
}
