//! Where the workspaces of kernels lie, and what they are called.

use crate::config::Config;
use std::path::PathBuf;

/// Start of the names of the copies.
pub fn prefix(config: &Config) -> String {
    format!("{}-", config.program)
}

/// The system's folder for temporary files; evcxr does not get along with a
/// space in its path.
pub fn temporary() -> PathBuf {
    let folder = std::env::temp_dir();
    let has_space = folder.to_string_lossy().contains(' ');
    if has_space && cfg!(unix) {
        "/tmp".into()
    } else {
        folder
    }
}
