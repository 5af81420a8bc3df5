//! Parses `:dep` lines.

use crate::crates::trouble::Trouble;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The keys that cargo understands in a dependency; it would ignore any other.
const KEYS: [&str; 11] = [
    "branch",
    "default-features",
    "features",
    "git",
    "package",
    "path",
    "registry",
    "rev",
    "tag",
    "version",
    "workspace",
];

/// A requested crate: its name for cells, and its value in a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    pub name: String,
    pub value: Value,
}

/// The fields of a dependency, for comparison with an existing crate.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Wanted {
    pub version: Option<String>,
    pub path: Option<PathBuf>,
    pub package: Option<String>,
    #[serde(default)]
    pub features: Vec<String>,
    #[serde(default = "always")]
    pub default_features: bool,
    /// Keys for a source other than a folder or the usual registry.
    #[serde(flatten)]
    pub source: Table,
}

fn always() -> bool {
    true
}

impl Dependency {
    /// Parses what follows `:dep`: `name = "1.2"`, `name = { ... }`, `name` or a crate's folder.
    /// Paths are made absolute; if there is no crate at a path, `prebuilt` looks up the folder by
    /// the crate's name.
    ///
    /// # Errors
    ///
    /// If it is none of these, or the folder contains no crate.
    pub fn parse(
        line: &str,
        prebuilt: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Dependency, Trouble> {
        let line = line.trim();
        let line = line.strip_prefix(":dep").unwrap_or(line).trim();
        if line.starts_with(['.', '/']) {
            return Dependency::of_folder(line);
        }
        let is_name = |text: &str| {
            text.chars()
                .all(|one| one.is_alphanumeric() || "-_".contains(one))
        };
        if !line.is_empty() && is_name(line) {
            return Ok(Dependency {
                name: line.to_owned(),
                value: "*".into(),
            });
        }
        let table: Table = toml::from_str(line).map_err(|error| unread(line, error.message()))?;
        let mut entries = table.into_iter();
        match (entries.next(), entries.next()) {
            (Some((name, value)), None) if is_name(&name) => {
                Dependency { name, value }.completed(prebuilt)
            }
            _ => Err(unread(line, "one crate stands on each line")),
        }
    }

    /// The crate in a folder.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn of_folder(path: &str) -> Result<Dependency, Trouble> {
        let folder = folder(path)?;
        let manifest = fs::read_to_string(Path::new(&folder).join("Cargo.toml"))?;
        let manifest: Option<Table> = toml::from_str(&manifest).ok();
        let package = manifest
            .as_ref()
            .and_then(|manifest| manifest.get("package"));
        let name = package.and_then(|package| package.get("name")?.as_str());
        let name = name.ok_or_else(|| {
            Trouble::Refused(format!(
                "{folder}/Cargo.toml does not name a package; `:dep` needs the folder of a single crate."
            ))
        })?;
        let value = Table::from_iter([("path".to_owned(), folder.into())]);
        Ok(Dependency {
            name: name.to_owned(),
            value: value.into(),
        })
    }

    fn completed(
        mut self,
        prebuilt: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Dependency, Trouble> {
        match &mut self.value {
            Value::String(_) => {}
            Value::Table(table) => {
                if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
                    let reason = format!("there is no `{key}`; it can have {}", KEYS.join(", "));
                    return Err(unread(&self.name, &reason));
                }
                if let Some(path) = table.get_mut("path") {
                    let found = folder(path.as_str().unwrap_or_default());
                    let found = found.or_else(|trouble| prebuilt(&self.name).ok_or(trouble))?;
                    *path = Value::from(found);
                }
            }
            other => {
                let reason = format!(
                    "the version stands between quotation marks: `{} = \"{other}\"`",
                    self.name
                );
                return Err(unread(&self.name, &reason));
            }
        }
        Ok(self)
    }

    /// The fields of the dependency; `None` if its value is malformed.
    pub fn wanted(&self) -> Option<Wanted> {
        match &self.value {
            Value::String(version) => {
                let version = Value::from(version.as_str());
                Table::from_iter([("version".to_owned(), version)])
                    .try_into()
                    .ok()
            }
            other => other.clone().try_into().ok(),
        }
    }
}

fn unread(what: &str, reason: &str) -> Trouble {
    Trouble::Refused(format!(
        "`:dep {what}` cannot be read: {reason}. Write `:dep name = \"1.2\"` or `:dep name = {{ path \
         = \"folder\" }}`."
    ))
}

/// The absolute path of a crate's folder.
fn folder(path: &str) -> Result<String, Trouble> {
    let found = fs::canonicalize(path)
        .ok()
        .filter(|folder| folder.join("Cargo.toml").is_file());
    let found = found.and_then(|folder| folder.to_str().map(str::to_owned));
    found.ok_or_else(|| {
        Trouble::Refused(format!(
            "there is no crate in {path}: the folder of a crate has a file Cargo.toml. Correct the \
             path in `:dep`, and run the cell again."
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> String {
        match Dependency::parse(line, &|_| None) {
            Err(Trouble::Refused(sentence)) => sentence,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_names_a_crate_and_what_of_it() {
        for (line, name, value) in [
            (":dep a = \"1.2\"", "a", "\"1.2\""),
            ("a-b", "a-b", "\"*\""),
            (
                ":dep a={version=\"1\", features=[\"x\"]} # why",
                "a",
                "{version=\"1\",features=[\"x\"]}",
            ),
            ("a.git = \"https://b.c\"", "a", "{git=\"https://b.c\"}"),
        ] {
            let value: Table = toml::from_str(&format!("it = {value}")).expect("a value");
            let expected = Dependency {
                name: name.to_owned(),
                value: value["it"].clone(),
            };
            assert_eq!(Dependency::parse(line, &|_| None).expect(line), expected);
        }
    }

    /// Tests run in this crate's folder.
    #[test]
    fn a_folder_is_found_from_where_the_notebook_is() {
        let here = env!("CARGO_MANIFEST_DIR");
        let parent =
            format!(".{}", &here[here.rfind('/').expect("a parent")..]).replace("./", "../");
        for line in [
            ".".to_owned(),
            format!("cell-evaluator = {{ path = {parent:?} }}"),
        ] {
            let dependency = Dependency::parse(&line, &|_| None).expect("a crate");
            assert_eq!(dependency.name, "cell-evaluator");
            assert_eq!(dependency.value["path"].as_str(), Some(here));
        }
        for line in ["/etc", ":dep x = { path = \"/etc\" }"] {
            assert!(
                refused(line).starts_with("there is no crate in /etc: "),
                "{line}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_what_can() {
        for (line, words) in [
            (":dep", "one crate stands on each line"),
            (
                "a = 1",
                "the version stands between quotation marks: `a = \"1\"`",
            ),
            ("a = { verion = \"1\" }", "there is no `verion`"),
            ("a = { version = ", "cannot be read"),
            ("a b", "cannot be read"),
        ] {
            assert!(refused(line).contains(words), "{}", refused(line));
        }
    }
}
