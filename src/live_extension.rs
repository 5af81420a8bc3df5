//! The JupyterLab extension for live pictures, formatting and stale cells: three files. VS Code's
//! is in `vscode_extension.rs`.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The extension's name, and its files with their paths inside its folder.
const NAME: &str = "notebook-live";
const FILES: [(&str, &str); 3] = [
    ("package.json", include_str!("live_extension/package.json")),
    (
        "schemas/notebook-live/plugin.json",
        include_str!("live_extension/schema.json"),
    ),
    (
        "static/live.js",
        concat!(
            "(() => {\n",
            include_str!("live_extension/controls.js"),
            include_str!("live_extension/picture.js"),
            include_str!("live_extension/format.js"),
            include_str!("live_extension/stale.js"),
            include_str!("live_extension/live.js"),
            "})();\n"
        ),
    ),
];

/// The folder of the extension under a Jupyter data folder.
pub fn folder(data: &Path) -> PathBuf {
    data.join("labextensions").join(NAME)
}

/// Writes the extension under a Jupyter data folder, and returns its folder.
pub fn write(data: &Path) -> Result<PathBuf> {
    let folder = folder(data);
    for (place, content) in FILES {
        let file = folder.join(place);
        let above = file.parent().unwrap_or(&folder);
        fs::create_dir_all(above).with_context(|| format!("cannot make {}", above.display()))?;
        fs::write(&file, content).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(folder)
}

/// Whether the folder contains this extension, in any version.
pub fn is_ours(folder: &Path) -> bool {
    let package = fs::read(folder.join("package.json")).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_slice(&package).unwrap_or_default();
    package["name"] == NAME && folder.join("static/live.js").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use notebook::convention::{LIVE_ATTRIBUTE, LIVE_CAPTION, LIVE_TARGET, STALE_TARGET};

    #[test]
    fn the_script_uses_the_names_of_the_convention() {
        let [(_, package), (schema, settings), (_, script)] = FILES;
        for name in [LIVE_ATTRIBUTE, LIVE_TARGET, STALE_TARGET, NAME] {
            assert!(script.contains(&format!("= \"{name}\";")), "{name}");
        }
        assert!(script.contains(&format!(".{LIVE_CAPTION} {{")));
        let package: serde_json::Value = serde_json::from_str(package).expect("JSON");
        assert_eq!(package["name"], NAME);
        assert_eq!(package["jupyterlab"]["_build"]["load"], FILES[2].0);
        // JupyterLab finds the toolbar buttons by the plugin's name.
        assert_eq!(schema, format!("schemas/{NAME}/plugin.json"));
        assert!(script.contains("${NAME}:plugin"));
        for command in ["format", "run-stale-cells", "mark-stale-cells"] {
            assert!(settings.contains(&format!("\"{NAME}:{command}\"")));
            assert!(script.contains(&format!("`${{NAME}}:{command}`")));
        }
    }

    #[test]
    fn what_is_written_is_known_again() -> Result<()> {
        let data = tempfile::tempdir()?;
        assert!(!is_ours(&folder(data.path())));
        assert!(is_ours(&write(data.path())?));
        Ok(())
    }
}
