//! How a value reaches the notebook: blocks on standard output, which the kernel turns
//! into one output with several MIME types.

use crate::convention::{
    BEGIN_CONTENT, CLEAR_OUTPUT_TYPE, END_CONTENT, LIVE_DISPLAY_VARIABLE, NAME_PARAMETER,
};

/// Prints one output; each item is a MIME type and the content for it.
///
/// Python: `display({"text/plain": "1/2", "text/html": "<b>½</b>"}, raw=True)`
///
/// ```
/// notebook::emit(&[("text/plain", "1/2"), ("text/html", "<b>½</b>")]);
/// ```
pub fn emit(contents: &[(&str, &str)]) {
    print!("{}", blocks(contents, ""));
}

/// The same for an output that replaces the one of this name. Only for a notebook that
/// [`is_live`].
///
/// Python: `update_display({"text/plain": "10 %"}, display_id=name, raw=True)`
///
/// ```
/// if notebook::is_live() {
///     notebook::emit_named("bar-1", &[("text/plain", "10 %")]);
/// }
/// ```
pub fn emit_named(name: &str, contents: &[(&str, &str)]) {
    print!("{}", blocks(contents, &format!("{NAME_PARAMETER}{name}")));
}

/// Whether outputs can be replaced here.
///
/// ```
/// assert!(!notebook::is_live(), "this is no notebook");
/// ```
pub fn is_live() -> bool {
    std::env::var_os(LIVE_DISPLAY_VARIABLE).is_some()
}

/// Clears what the cell has shown so far, in a notebook whose kernel can do that;
/// elsewhere nothing happens.
///
/// IPython: `clear_output()`
///
/// ```
/// notebook::clear_output(); // not in a notebook: prints nothing
/// ```
pub fn clear_output() {
    if is_live() {
        emit(&[(CLEAR_OUTPUT_TYPE, "")]);
    }
}

fn blocks(contents: &[(&str, &str)], parameters: &str) -> String {
    let block = |(mime, content): &(&str, &str)| {
        format!("{BEGIN_CONTENT}{mime}{parameters}\n{content}\n{END_CONTENT}\n")
    };
    contents.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_behind_the_mime_type() {
        assert_eq!(
            blocks(&[("text/plain", "10 %")], ";name=p1"),
            "EVCXR_BEGIN_CONTENT text/plain;name=p1\n10 %\nEVCXR_END_CONTENT\n"
        );
    }
}
