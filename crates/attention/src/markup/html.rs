//! Pictures and lines of text as HTML.

use crate::markup::text::escape;

/// The SVG as an HTML image, which even an untrusted notebook shows. It is never wider than the
/// page.
pub(crate) fn image(svg: &str, description: &str) -> String {
    format!(
        "<img alt=\"{}\" style=\"display:block;max-width:100%;height:auto;margin:0\" src=\"{}\">",
        escape(description),
        data_uri(svg),
    )
}

/// Lines of text, wrapped between words if they are wider than the page: otherwise JupyterLab would
/// break them anywhere.
pub(crate) fn preformatted(text: &str) -> String {
    format!(
        "<pre style=\"white-space:pre-wrap;word-break:normal\">{}</pre>",
        escape(text)
    )
}

/// The SVG as a percent-encoded data URI, which is shorter than base64.
fn data_uri(svg: &str) -> String {
    let svg = svg
        .replace('\'', "&apos;")
        .replace('"', "'")
        .replace('%', "%25")
        .replace('#', "%23")
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('&', "%26")
        .replace('\n', "");
    format!("data:image/svg+xml,{svg}")
}
