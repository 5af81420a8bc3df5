//! Finds the path of the notebook.

use std::env;
use std::path::PathBuf;

/// The environment variable in which Jupyter passes the notebook's path.
const NOTEBOOK: &str = "JPY_SESSION_NAME";

/// The path of the notebook, if Jupyter provided it.
pub fn notebook() -> Option<PathBuf> {
    let path = env::var_os(NOTEBOOK).map(PathBuf::from);
    path.filter(|path| !path.as_os_str().is_empty())
}
