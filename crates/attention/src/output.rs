//! How a value reaches the notebook: the blocks on standard output that the
//! evcxr kernels turn into one output with several MIME types.
//!
//! A kernel that can do more says so with `NOTEBOOK_LIVE_DISPLAY` in the
//! environment: there `;name=N` behind a MIME type lets a later block of the same
//! name replace the output, and a block of the type
//! `application/x-attention-clear-output` clears those of the cell.

/// Prints one output; each item is a MIME type and the content for it.
pub(crate) fn emit(contents: &[(&str, &str)]) {
    print!("{}", blocks(contents, ""));
}

/// The same for an output that replaces the one of this name. Only for a
/// [`is_live`] notebook.
pub(crate) fn emit_named(name: &str, contents: &[(&str, &str)]) {
    print!("{}", blocks(contents, &format!(";name={name}")));
}

/// Whether outputs can be replaced here.
pub(crate) fn is_live() -> bool {
    std::env::var_os("NOTEBOOK_LIVE_DISPLAY").is_some()
}

/// Clears what the cell has shown so far, in a notebook whose kernel can do that;
/// elsewhere nothing happens.
///
/// IPython: `clear_output()`
///
/// ```
/// attention::clear_output(); // not in a notebook: prints nothing
/// ```
pub fn clear_output() {
    if is_live() {
        emit(&[("application/x-attention-clear-output", "")]);
    }
}

fn blocks(contents: &[(&str, &str)], parameters: &str) -> String {
    let block = |(mime, content): &(&str, &str)| {
        format!("EVCXR_BEGIN_CONTENT {mime}{parameters}\n{content}\nEVCXR_END_CONTENT\n")
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
