//! Which notebook a kernel serves.

use std::env;
use std::path::PathBuf;

/// The variable in which Jupyter tells a kernel the path of its notebook.
const NOTEBOOK: &str = "JPY_SESSION_NAME";

/// The path of the notebook, where Jupyter has told it.
pub fn notebook() -> Option<PathBuf> {
    let path = env::var_os(NOTEBOOK).map(PathBuf::from);
    path.filter(|path| !path.as_os_str().is_empty())
}
