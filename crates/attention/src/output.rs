//! How a value reaches the notebook: the blocks on standard output that the
//! evcxr kernels turn into one output with several MIME types.

/// Prints one output; each item is a MIME type and the content for it.
pub(crate) fn emit(contents: &[(&str, &str)]) {
    let mut blocks = String::new();
    for (mime, content) in contents {
        blocks += &format!("EVCXR_BEGIN_CONTENT {mime}\n{content}\nEVCXR_END_CONTENT\n");
    }
    print!("{blocks}");
}
