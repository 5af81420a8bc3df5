//! The path of a crate in a `:dep` line, made absolute as evcxr does it.
//!
//! evcxr compares the line with what it has made of the line before, so a crate with a relative
//! path is never the one that is loaded already: it asks cargo about it anew, for half a second.
//!
//! Where a kernel is installed for many users, the crates that it has loaded are the only ones of
//! their names: a notebook that lies beside a copy of them, as one that was fetched with its
//! repository does, gets those that are compiled already.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The file in a workspace that names these crates.
const FILE: &str = "config/crates.json";

/// The crates of an installation: their names and folders. None elsewhere.
#[derive(Default)]
pub struct OnlyCrates(BTreeMap<String, PathBuf>);

impl OnlyCrates {
    /// Those of a workspace.
    pub fn of(workspace: &Path) -> OnlyCrates {
        let file = fs::read(workspace.join(FILE)).unwrap_or_default();
        OnlyCrates(serde_json::from_slice(&file).unwrap_or_default())
    }

    /// Writes them into a workspace.
    pub fn write(workspace: &Path, crates: &BTreeMap<String, PathBuf>) -> anyhow::Result<()> {
        Ok(fs::write(
            workspace.join(FILE),
            serde_json::to_string(crates)?,
        )?)
    }

    /// The line as it is, unless it names one of these crates, or a relative path to a crate that
    /// is there.
    pub fn with_path<'a>(&self, line: &'a str) -> Cow<'a, str> {
        match self.changed(line) {
            Some(line) => line.into(),
            None => line.into(),
        }
    }

    fn changed(&self, line: &str) -> Option<String> {
        let (before, rest) = line.strip_prefix(":dep ")?.split_once("path")?;
        let (equals, rest) = rest.split_once('"')?;
        let (path, after) = rest.split_once('"')?;
        if equals.trim() != "=" {
            return None;
        }
        let name = before.split('=').next().unwrap_or_default().trim();
        let path = match self.0.get(name) {
            Some(folder) => folder.clone(),
            None if path.starts_with('.') => fs::canonicalize(path).ok()?,
            None => return None,
        };
        let path = path.to_str().filter(|path| !path.contains(['"', '\\']))?;
        Some(format!(":dep {before}path = \"{path}\"{after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests run in the folder of the crate.
    #[test]
    fn relative_paths_become_absolute_and_the_rest_stays() {
        let none = OnlyCrates::default();
        let here = env!("CARGO_MANIFEST_DIR");
        let src = none.with_path(":dep a = { path = \"./src\", features = [\"x\"] }");
        let expected = format!(":dep a = {{ path = \"{here}/src\", features = [\"x\"] }}");
        assert_eq!(src, expected);
        let up = none.with_path(":dep a = {path=\"../notebook-kernel\"}");
        assert_eq!(up, format!(":dep a = {{path = \"{here}\"}}"));
        for other in [
            ":dep a = { path = \"/src\" }",
            ":dep a = { path = \"./no-such-folder\" }",
            ":dep a = \"1\"",
            ":dep ./src",
            "let path = \"./src\";",
            ":dep a = { path = ",
        ] {
            assert_eq!(none.with_path(other), other);
        }
    }

    #[test]
    fn the_crates_of_an_installation_are_the_only_ones_of_their_names() -> anyhow::Result<()> {
        let workspace = tempfile::tempdir()?;
        let of_workspace = || OnlyCrates::of(workspace.path());
        let line = ":dep toy = { path = \"../crates/toy\" }";
        assert_eq!(
            of_workspace().with_path(line),
            line,
            "it is no installation"
        );
        fs::create_dir(workspace.path().join("config"))?;
        let crates = BTreeMap::from([("toy".to_owned(), PathBuf::from("/opt/toy"))]);
        OnlyCrates::write(workspace.path(), &crates)?;
        let installed = ":dep toy = { path = \"/opt/toy\" }";
        for line in [line, installed, ":dep toy = { path = \"/home/a/toy\" }"] {
            assert_eq!(of_workspace().with_path(line), installed);
        }
        let other = ":dep tool = { path = \"/home/a/toy\" }";
        assert_eq!(of_workspace().with_path(other), other);
        Ok(())
    }
}
