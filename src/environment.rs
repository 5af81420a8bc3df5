//! The environment variables of this process, which evcxr reads and hands on to
//! cargo and to the process that runs the cells.

use std::ffi::OsStr;

/// Sets a variable. Only for the start of a command, before any thread exists.
#[allow(unsafe_code, reason = "evcxr takes these settings from nowhere else")]
pub fn set(name: &str, value: impl AsRef<OsStr>) {
    // SAFETY: `set_var` is unsound only while another thread reads or writes the
    // environment. Commands call this before they start evcxr or any thread.
    unsafe { std::env::set_var(name, value) };
}

/// Sets a variable that is a list of folders to `folder` and what it was.
pub fn prepend_path(name: &str, folder: &OsStr) {
    let mut folders = vec![folder.into()];
    if let Some(old) = std::env::var_os(name) {
        folders.extend(std::env::split_paths(&old));
    }
    // Fails only if a folder's name has a `:` in it; such a folder cannot be listed.
    if let Ok(joined) = std::env::join_paths(folders) {
        set(name, joined);
    }
}
