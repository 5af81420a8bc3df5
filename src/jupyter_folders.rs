//! Where the project's JupyterLab keeps its own files.

use crate::project;
use std::path::PathBuf;

/// Variables that keep all of Jupyter's files inside the project.
pub fn inside_the_project() -> [(&'static str, PathBuf); 6] {
    let generated = project::generated();
    [
        ("JUPYTER_CONFIG_DIR", config()),
        ("JUPYTER_DATA_DIR", data()),
        ("JUPYTER_RUNTIME_DIR", runtime()),
        ("JUPYTERLAB_SETTINGS_DIR", generated.join("lab/settings")),
        (
            "JUPYTERLAB_WORKSPACES_DIR",
            generated.join("lab/workspaces"),
        ),
        ("IPYTHONDIR", generated.join("ipython")),
    ]
}

/// The folder of JupyterLab's settings.
pub fn config() -> PathBuf {
    project::generated().join("config")
}

/// The folder for what JupyterLab remembers, such as its signatures of notebooks.
pub fn data() -> PathBuf {
    project::generated().join("data")
}

/// The folder of JupyterLab's connection files and tokens.
pub fn runtime() -> PathBuf {
    project::generated().join("runtime")
}
