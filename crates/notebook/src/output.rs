//! Sends values to the notebook: blocks on standard output, which the kernel combines
//! into one output with several MIME types.

use crate::convention::{
    ALLOW_PRINTED_OUTPUTS_TYPE, BEGIN_CONTENT, CLEAR_OUTPUT_TYPE, END_CONTENT,
    LIVE_DISPLAY_VARIABLE, NAME_PARAMETER, SECRET_PARAMETER, SECRET_VARIABLE,
};

/// Prints one output; each item is a MIME type and its content.
///
/// Python: `display({"text/plain": "1/2", "text/html": "<b>½</b>"}, raw=True)`
///
/// ```
/// notebook::emit(&[("text/plain", "1/2"), ("text/html", "<b>½</b>")]);
/// ```
pub fn emit(contents: &[(&str, &str)]) {
    print!("{}", blocks(contents, "", &secret()));
}

/// Like [`emit`], but replaces an earlier output of the same name. Call it only if [`is_live`]
/// returns `true`.
///
/// Python: `update_display({"text/plain": "10 %"}, display_id=name, raw=True)`
///
/// ```
/// if notebook::is_live() {
///     notebook::emit_named("bar-1", &[("text/plain", "10 %")]);
/// }
/// ```
pub fn emit_named(name: &str, contents: &[(&str, &str)]) {
    let parameter = format!("{NAME_PARAMETER}{name}");
    print!("{}", blocks(contents, &parameter, &secret()));
}

/// Whether outputs can be replaced here.
///
/// ```
/// assert!(!notebook::is_live(), "this is no notebook");
/// ```
pub fn is_live() -> bool {
    std::env::var_os(LIVE_DISPLAY_VARIABLE).is_some()
}

/// Clears what the cell has shown so far, if the notebook's kernel supports it;
/// otherwise does nothing.
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

/// Makes the kernel accept, from here on, outputs that a library prints directly, in evcxr's
/// format.
///
/// Otherwise a kernel with a secret treats them as text: anything a cell prints, from a file or
/// from the network, could look like an output and bring a script into the notebook. Call this once
/// in a notebook that uses such a library, for example plotters with its `evcxr_figure`.
///
/// ```
/// notebook::allow_printed_outputs(); // not in a notebook: prints nothing
/// ```
pub fn allow_printed_outputs() {
    if !secret().is_empty() {
        emit(&[(ALLOW_PRINTED_OUTPUTS_TYPE, "")]);
    }
}

/// The parameter with the kernel's secret; empty if there is none.
fn secret() -> String {
    match std::env::var(SECRET_VARIABLE) {
        Ok(secret) => format!("{SECRET_PARAMETER}{secret}"),
        Err(_) => String::new(),
    }
}

fn blocks(contents: &[(&str, &str)], parameters: &str, secret: &str) -> String {
    let block = |(mime, content): &(&str, &str)| {
        format!("{BEGIN_CONTENT}{mime}{parameters}{secret}\n{content}\n{END_CONTENT}{secret}\n")
    };
    contents.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_behind_the_mime_type() {
        assert_eq!(
            blocks(&[("text/plain", "10 %")], ";name=p1", ""),
            "EVCXR_BEGIN_CONTENT text/plain;name=p1\n10 %\nEVCXR_END_CONTENT\n"
        );
    }

    #[test]
    fn the_secret_stands_at_both_ends() {
        assert_eq!(
            blocks(&[("text/plain", "1")], ";name=p1", ";secret=5e"),
            "EVCXR_BEGIN_CONTENT text/plain;name=p1;secret=5e\n1\nEVCXR_END_CONTENT;secret=5e\n"
        );
    }
}
