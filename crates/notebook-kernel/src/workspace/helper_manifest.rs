//! The helper crate and its companions as cells have them: shared libraries, too.
//!
//! A cell that is linked with a shared library is there 50 ms earlier, and all cells of a
//! kernel share the crate's threads and other statics. But a crate that says so in its own
//! manifest cannot be used by a program with `panic = "abort"`. So a second manifest of the
//! same sources says it, and in the workspace of the cells cargo takes that one in place of
//! the crate's own, wherever a cell asks for it: cargo's configuration calls it `paths`.

use crate::config::{Config, Helper};
use crate::workspace::files::utf8;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What cells are not compiled with.
const LEFT_OUT: [&str; 4] = ["dev-dependencies", "bench", "example", "lints"];

/// Writes the second manifests, and to `workspace` the configuration of cargo that names their
/// folders.
pub fn write(config: &Config, workspace: &Path) -> Result<()> {
    let mut folders = Vec::new();
    for (name, text) in texts(&config.helper)? {
        let folder = config.generated.join("helper").join(name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("Cargo.toml"), text)?;
        folders.push(Value::from(utf8(&folder)?));
    }
    fs::create_dir_all(workspace.join(".cargo"))?;
    let paths = Table::from_iter([("paths".to_owned(), Value::from(folders))]);
    Ok(fs::write(
        workspace.join(".cargo/config.toml"),
        paths.to_string(),
    )?)
}

/// The folders of the crates that cells load, the helper crate first.
fn loaded(helper: &Helper) -> impl Iterator<Item = &PathBuf> {
    [&helper.folder].into_iter().chain(&helper.companions)
}

/// The names and folders of all crates that cells load.
pub fn loaded_crates(helper: &Helper) -> Result<BTreeMap<String, PathBuf>> {
    loaded(helper)
        .map(|folder| Ok((name(folder)?, folder.clone())))
        .collect()
}

/// The names and the second manifests of all crates that cells load.
pub fn texts(helper: &Helper) -> Result<Vec<(String, String)>> {
    loaded(helper)
        .map(|folder| Ok((name(folder)?, text(helper, folder)?)))
        .collect()
}

/// What depends on all crates that cells load.
pub fn dependencies(helper: &Helper) -> Result<String> {
    let mut lines = "[dependencies]\n".to_owned();
    for folder in loaded(helper) {
        lines += &format!("{} = {{ path = {folder:?} }}\n", name(folder)?);
    }
    Ok(lines)
}

/// What a crate is called.
fn name(folder: &Path) -> Result<String> {
    let manifest = read(folder)?;
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name"));
    let name = name.and_then(Value::as_str);
    let name = name.with_context(|| format!("{} has no package", folder.display()))?;
    Ok(name.to_owned())
}

/// The second manifest of the crate in `folder`: for another folder, and as a shared library.
fn text(helper: &Helper, folder: &Path) -> Result<String> {
    let root = read(&helper.workspace)?;
    let mut manifest = read(folder)?;
    manifest.retain(|key, _| !LEFT_OUT.contains(&key));
    let package = manifest.get_mut("package").and_then(Value::as_table_mut);
    let package = package.with_context(|| format!("{} has no package", folder.display()))?;
    package.remove("readme");
    for (key, value) in package.iter_mut() {
        if is_inherited(value) {
            *value = of_workspace(&root, "package", key)?;
        }
    }
    for dependencies in dependency_tables(&mut manifest) {
        for (name, dependency) in dependencies.iter_mut() {
            complete(dependency, name, (folder, helper), &root)?;
        }
    }
    let library = [
        ("path", Value::from(utf8(&folder.join("src/lib.rs"))?)),
        ("crate-type", Value::from(vec!["lib", "dylib"])),
    ];
    let library = library.map(|(key, value)| (key.to_owned(), value));
    manifest.insert("lib".to_owned(), Table::from_iter(library).into());
    // In a workspace of its own it is not looked for in that of the crate.
    manifest.insert("workspace".to_owned(), Table::new().into());
    Ok(manifest.to_string())
}

/// The folders of the crates that cells load, and of all crates beside them that they depend on.
pub fn folders(helper: &Helper) -> Result<Vec<PathBuf>> {
    let root = read(&helper.workspace)?;
    let mut folders: Vec<PathBuf> = loaded(helper).cloned().collect();
    let mut next = 0;
    while let Some(folder) = folders.get(next).cloned() {
        let mut manifest = read(&folder)?;
        for dependencies in dependency_tables(&mut manifest) {
            for (name, dependency) in dependencies.iter() {
                let (dependency, base) = match is_inherited(dependency) {
                    true => (
                        of_workspace(&root, "dependencies", name)?,
                        &helper.workspace,
                    ),
                    false => (dependency.clone(), &folder),
                };
                if let Some(path) = dependency.get("path").and_then(Value::as_str) {
                    let found = fs::canonicalize(base.join(path));
                    let found = found.with_context(|| format!("{name} is not at {path}"))?;
                    if !folders.contains(&found) {
                        folders.push(found);
                    }
                }
            }
        }
        next += 1;
    }
    Ok(folders)
}

/// Makes a dependency one that means the same in any folder.
fn complete(
    dependency: &mut Value,
    name: &str,
    (folder, helper): (&Path, &Helper),
    root: &Table,
) -> Result<()> {
    let mut base = folder;
    if is_inherited(dependency) {
        let shared = of_workspace(root, "dependencies", name)?;
        *dependency = with_own_features(shared, dependency);
        base = &helper.workspace;
    }
    if let Some(path) = dependency.get_mut("path") {
        let beside = path.as_str().context("a path is a text")?;
        *path = Value::from(utf8(&base.join(beside))?);
    }
    Ok(())
}

/// A dependency of the workspace as a member has it that adds features to it.
fn with_own_features(shared: Value, own: &Value) -> Value {
    let mut dependency = match shared {
        Value::Table(table) => table,
        version => Table::from_iter([("version".to_owned(), version)]),
    };
    let own = own.as_table().into_iter().flatten();
    for (key, value) in own.filter(|(key, _)| *key != "workspace") {
        match (dependency.get_mut(key), value) {
            (Some(Value::Array(features)), Value::Array(more)) => features.extend(more.clone()),
            _ => drop(dependency.insert(key.clone(), value.clone())),
        }
    }
    dependency.into()
}

/// The tables of dependencies, those for some platforms, too.
fn dependency_tables(manifest: &mut Table) -> Vec<&mut Table> {
    let mut tables = Vec::new();
    for (key, value) in manifest.iter_mut() {
        match (key.as_str(), value) {
            ("dependencies", Value::Table(table)) => tables.push(table),
            ("target", Value::Table(targets)) => {
                let of_targets = targets.iter_mut();
                tables.extend(
                    of_targets
                        .filter_map(|(_, target)| target.get_mut("dependencies")?.as_table_mut()),
                );
            }
            _ => {}
        }
    }
    tables
}

fn is_inherited(value: &Value) -> bool {
    value.get("workspace").is_some()
}

/// What the workspace says for all of its members.
fn of_workspace(root: &Table, part: &str, key: &str) -> Result<Value> {
    let value = root
        .get("workspace")
        .and_then(|table| table.get(part)?.get(key));
    let value = value.with_context(|| format!("the workspace has no {part} {key}"))?;
    Ok(value.clone())
}

fn read(folder: &Path) -> Result<Table> {
    let file = folder.join("Cargo.toml");
    let contents = fs::read_to_string(&file);
    let contents = contents.with_context(|| format!("cannot read {}", file.display()))?;
    toml::from_str(&contents).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace with a helper crate, which has a crate beside it, which has another one.
    fn workspace() -> Result<(tempfile::TempDir, Helper)> {
        let folder = tempfile::tempdir()?;
        let write = |file: &str, text: &str| -> Result<()> {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().context("a folder")?)?;
            Ok(fs::write(file, text)?)
        };
        write(
            "Cargo.toml",
            "[workspace.package]\nedition = \"2024\"\n[workspace.dependencies]\n\
             far = { path = \"crates/far\", features = [\"one\"] }\nplain = \"1\"\n",
        )?;
        write(
            "crates/toy/Cargo.toml",
            "[package]\nname = \"toy\"\nedition.workspace = true\nreadme = \"README.md\"\n\
             [dependencies]\nbeside = { path = \"../beside\" }\nplain.workspace = true\n\
             [target.'cfg(unix)'.dependencies]\n\
             far = { workspace = true, features = [\"two\"] }\n\
             [dev-dependencies]\nunused = \"1\"\n",
        )?;
        let further = "[dependencies]\nfurther = { path = \"../further\" }\n";
        write("crates/beside/Cargo.toml", further)?;
        write(
            "crates/further/Cargo.toml",
            "[package]\nname = \"further\"\n",
        )?;
        write("crates/far/Cargo.toml", "[package]\nname = \"far\"\n")?;
        let mut helper = Config::new("toy-kernel", "toy", folder.path().join("crates/toy")).helper;
        helper.workspace = folder.path().to_owned();
        Ok((folder, helper))
    }

    #[test]
    fn the_shared_library_has_the_sources_and_the_dependencies_of_the_crate() -> Result<()> {
        let (folder, helper) = workspace()?;
        let manifest: Table = toml::from_str(&text(&helper, &helper.folder)?)?;
        assert_eq!(manifest["package"]["edition"].as_str(), Some("2024"));
        assert_eq!(manifest["package"].get("readme"), None);
        assert_eq!(manifest.get("dev-dependencies"), None);
        let library = folder.path().join("crates/toy/src/lib.rs");
        assert_eq!(manifest["lib"]["path"].as_str(), library.to_str());
        let beside = manifest["dependencies"]["beside"]["path"].as_str();
        assert!(Path::new(beside.context("a path")?).is_absolute());
        let plain = &manifest["dependencies"]["plain"];
        assert_eq!(plain["version"].as_str(), Some("1"));
        let far = &manifest["target"]["cfg(unix)"]["dependencies"]["far"];
        let path = folder.path().join("crates/far");
        assert_eq!(far["path"].as_str(), path.to_str());
        assert_eq!(far["features"], Value::from(vec!["one", "two"]));
        assert_eq!(far.get("workspace"), None);
        Ok(())
    }

    #[test]
    fn a_companion_is_loaded_like_the_crate() -> Result<()> {
        let (folder, mut helper) = workspace()?;
        let companion = folder.path().join("crates/companion");
        fs::create_dir(&companion)?;
        let manifest =
            "[package]\nname = \"friend\"\n[dependencies]\ntoy = { path = \"../toy\" }\n";
        fs::write(companion.join("Cargo.toml"), manifest)?;
        helper.companions.push(companion.clone());
        let names: Vec<String> = texts(&helper)?.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["toy", "friend"]);
        let manifest: Table = toml::from_str(&texts(&helper)?[1].1)?;
        let library = companion.join("src/lib.rs");
        assert_eq!(manifest["lib"]["path"].as_str(), library.to_str());
        let toy = manifest["dependencies"]["toy"]["path"].as_str();
        assert!(Path::new(toy.context("a path")?).is_absolute());
        let dependencies: Table = toml::from_str(&dependencies(&helper)?)?;
        let friend = &dependencies["dependencies"]["friend"]["path"];
        assert_eq!(friend.as_str(), companion.to_str());
        assert!(folders(&helper)?.contains(&companion));
        Ok(())
    }

    #[test]
    fn crates_beside_the_helper_crate_are_found_wherever_they_are_named() -> Result<()> {
        let (_folder, helper) = workspace()?;
        let names = folders(&helper)?
            .iter()
            .map(|folder| folder.file_name().map(|name| name.display().to_string()))
            .collect::<Option<Vec<String>>>();
        let mut names = names.context("names")?;
        names.sort();
        assert_eq!(names, ["beside", "far", "further", "toy"]);
        Ok(())
    }
}
