//! The helper crate as cells have it: a shared library, too.
//!
//! A cell that is linked with a shared library is there 50 ms earlier, and all cells of a
//! kernel share the crate's threads and fonts. But a crate that says so in its own manifest
//! cannot be used by a program with `panic = "abort"`. So a second manifest of the same
//! sources says it, and in the workspace of the cells cargo takes that one in place of the
//! crate's own, wherever a cell asks for it: cargo's configuration calls it `paths`.

use crate::project;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// What cells are not compiled with.
const LEFT_OUT: [&str; 4] = ["dev-dependencies", "bench", "example", "lints"];

/// The second manifest.
pub fn text() -> Result<String> {
    let manifest = shared(
        &project::root().join("Cargo.toml"),
        &project::helper_crate(),
    )?;
    Ok(manifest.to_string())
}

/// Writes the second manifest, and to `workspace` the configuration of cargo that names its
/// folder.
pub fn write(workspace: &Path) -> Result<()> {
    let folder = project::generated().join("helper");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("Cargo.toml"), text()?)?;
    fs::create_dir_all(workspace.join(".cargo"))?;
    let paths = Table::from_iter([("paths".to_owned(), Value::from(vec![utf8(&folder)?]))]);
    Ok(fs::write(
        workspace.join(".cargo/config.toml"),
        paths.to_string(),
    )?)
}

/// The manifest of the crate in `folder`, member of the workspace with the manifest `root`,
/// for another folder and as a shared library.
fn shared(root: &Path, folder: &Path) -> Result<Table> {
    let read = |file: &Path| -> Result<Table> {
        let contents = fs::read_to_string(file);
        let contents = contents.with_context(|| format!("cannot read {}", file.display()))?;
        toml::from_str(&contents).with_context(|| format!("cannot read {}", file.display()))
    };
    let root = read(root)?;
    let mut manifest = read(&folder.join("Cargo.toml"))?;
    manifest.retain(|key, _| !LEFT_OUT.contains(&key));
    let package = manifest.get_mut("package").and_then(Value::as_table_mut);
    let package = package.context("the helper crate is no package")?;
    package.remove("readme");
    for (key, value) in package.iter_mut() {
        if value.get("workspace").is_some() {
            *value = root["workspace"]["package"][key].clone();
        }
    }
    let dependencies = manifest
        .get_mut("dependencies")
        .and_then(Value::as_table_mut);
    for (_, dependency) in dependencies.into_iter().flatten() {
        if let Some(path) = dependency.get_mut("path") {
            let beside = path.as_str().context("a path is a text")?;
            *path = Value::from(utf8(&folder.join(beside))?);
        }
    }
    let library = [
        ("path", Value::from(utf8(&folder.join("src/lib.rs"))?)),
        ("crate-type", Value::from(vec!["lib", "dylib"])),
    ];
    let library = library.map(|(key, value)| (key.to_owned(), value));
    manifest.insert("lib".to_owned(), Table::from_iter(library).into());
    // In a workspace of its own it is not looked for in that of the project.
    manifest.insert("workspace".to_owned(), Table::new().into());
    Ok(manifest)
}

fn utf8(path: &Path) -> Result<&str> {
    path.to_str()
        .with_context(|| format!("{} is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_library_has_the_sources_and_the_dependencies_of_the_crate() {
        let folder = project::helper_crate();
        let manifest = shared(&project::root().join("Cargo.toml"), &folder).unwrap();
        let own = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let own: Table = toml::from_str(&own).unwrap();
        assert!(own.get("lib").is_none(), "programs get a plain library");
        assert_eq!(manifest["target"], own["target"]);
        let names = |manifest: &Table| -> Vec<String> {
            let dependencies = manifest["dependencies"].as_table().unwrap();
            dependencies.keys().cloned().collect()
        };
        assert_eq!(names(&manifest), names(&own));
        assert_eq!(manifest["package"]["edition"].as_str(), Some("2024"));
        let library = manifest["lib"]["path"].as_str().unwrap();
        assert!(Path::new(library).is_file(), "{library}");
        let beside = manifest["dependencies"]["cell-instances"]["path"].as_str();
        assert!(Path::new(beside.unwrap()).join("Cargo.toml").is_file());
    }
}
