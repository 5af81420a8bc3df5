//! What a live picture is shown as.

use crate::convention::LIVE_ATTRIBUTE;

/// The forms of a picture: MIME types and what is shown of them, one of them `text/html`.
pub type Forms = Vec<(&'static str, String)>;

/// The HTML of a picture in an element that says which picture it is.
///
/// ```
/// use notebook::live::marked;
///
/// assert_eq!(marked("live-1", "<b>3</b>"), "<div data-notebook-live=\"live-1\"><b>3</b></div>");
/// ```
pub fn marked(id: &str, html: &str) -> String {
    format!("<div {LIVE_ATTRIBUTE}=\"{id}\">{html}</div>")
}
