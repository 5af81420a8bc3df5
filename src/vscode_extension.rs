//! The VS Code extension for live pictures, packed as a `.vsix`: a zip archive of an extension and
//! two descriptions of it.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const PACKAGE: &str = include_str!("vscode_extension/package.json");
/// The files of the archive, with their paths inside it.
const FILES: [(&str, &str); 5] = [
    (
        "[Content_Types].xml",
        include_str!("vscode_extension/content_types.xml"),
    ),
    (
        "extension.vsixmanifest",
        include_str!("vscode_extension/extension.vsixmanifest"),
    ),
    ("extension/package.json", PACKAGE),
    (
        "extension/extension.js",
        include_str!("vscode_extension/extension.js"),
    ),
    (
        "extension/renderer.js",
        concat!(
            include_str!("live_extension/controls.js"),
            include_str!("live_extension/picture.js"),
            include_str!("vscode_extension/renderer.js")
        ),
    ),
];

/// Packs the extension into a file.
///
/// # Errors
///
/// If the file cannot be written, or there is no Python, which packs it (with `zipfile`).
pub fn pack(file: &Path) -> Result<()> {
    let file = std::path::absolute(file)?;
    let folder = tempfile::tempdir()?;
    for (path, content) in FILES {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
        fs::write(path, content)?;
    }
    let mut python = Command::new("python3");
    python.args(["-m", "zipfile", "-c"]).arg(&file);
    python.args(["[Content_Types].xml", "extension.vsixmanifest", "extension"]);
    let packed = python
        .current_dir(&folder)
        .stderr(Stdio::piped())
        .output()
        .context("python3 could not be started: searched PATH")?;
    if !packed.status.success() {
        let said = String::from_utf8_lossy(&packed.stderr);
        let reason = said.lines().last().unwrap_or("python3 -m zipfile failed");
        bail!("cannot write {}: {reason}", file.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use notebook::convention::{LIVE_ATTRIBUTE, LIVE_CELL};
    use serde_json::Value;

    #[test]
    fn the_files_agree_with_each_other_and_with_the_convention() {
        let [types, (_, manifest), _, (_, host), (_, renderer)] = FILES;
        let package: Value = serde_json::from_str(PACKAGE).expect("JSON");
        for (attribute, key) in [
            ("Id", "name"),
            ("Version", "version"),
            ("Publisher", "publisher"),
        ] {
            let value = package[key].as_str().expect(key);
            assert!(
                manifest.contains(&format!(" {attribute}=\"{value}\"")),
                "{key}"
            );
        }
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
        for (path, _) in FILES.iter().filter(|(path, _)| *path != types.0) {
            let ending = path.rsplit('.').next().expect("an ending");
            assert!(types.1.contains(&format!("\".{ending}\"")), "{path}");
        }
        let contributed = &package["contributes"]["notebookRenderer"][0];
        let id = contributed["id"].as_str().expect("an id");
        assert!(host.contains(&format!("RENDERER = \"{id}\";")));
        assert!(host.contains(&format!("CELL = \"{LIVE_CELL}\";")));
        assert!(renderer.contains(&format!("MARK = \"{LIVE_ATTRIBUTE}\";")));
        let extended = contributed["entrypoint"]["extends"].as_str();
        let extended = extended.expect("a renderer of VS Code");
        assert!(renderer.contains(&format!("getRenderer(\"{extended}\")")));
    }

    #[test]
    fn the_archive_has_the_layout_that_vs_code_reads() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("live.vsix");
        pack(&file)?;
        let mut python = Command::new("python3");
        let listed = python.args(["-m", "zipfile", "-l"]).arg(&file).output()?;
        let listed = String::from_utf8_lossy(&listed.stdout);
        for (path, content) in FILES {
            let line = listed.lines().find(|line| line.starts_with(path));
            let size = content.len().to_string();
            assert!(line.is_some_and(|line| line.ends_with(&size)), "{listed}");
        }
        let nowhere = folder.path().join("missing/live.vsix");
        let refused = pack(&nowhere).expect_err("no folder").to_string();
        assert!(
            refused.starts_with(&format!(
                "cannot write {}: FileNotFoundError",
                nowhere.display()
            )),
            "{refused}"
        );
        Ok(())
    }
}
