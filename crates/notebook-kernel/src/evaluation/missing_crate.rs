//! Crates that cells depend on and whose folder is no longer there: then nothing compiles.

use crate::evaluation::failure::Failure;
use crate::evaluation::first_lines;
use std::fs;
use std::path::Path;
use toml::Table;

/// Why a cell cannot be compiled, if that is it.
pub fn failure(cell_crate: &Path, cell: &str) -> Option<Failure> {
    let message = match asked_for(cell) {
        Some(folder) => format!(
            "there is no crate in {folder}: the folder of a crate has a file Cargo.toml. Correct \
             the path in `:dep`, and run the cell again."
        ),
        None => {
            let manifest = fs::read_to_string(cell_crate.join("Cargo.toml")).ok()?;
            let (name, folder) = missing(&manifest)?;
            format!(
                "the crate `{name}` is no longer in {folder}, from where this kernel has loaded \
                 it. If you have moved it, start the kernel again with the new place: after a move \
                 of a whole project, set that up there first."
            )
        }
    };
    Some(Failure::new("CompileError", message))
}

/// The first folder without a manifest from which the cell itself loads a crate.
fn asked_for(cell: &str) -> Option<&str> {
    let asked = first_lines::commands(cell).filter(|(word, _)| *word == ":dep");
    let mut folders = asked.filter_map(|(_, what)| folder(what.trim()));
    folders.find(|folder| !has_manifest(folder))
}

/// The folder in `FOLDER` or in `name = { path = "FOLDER" }`.
fn folder(dependency: &str) -> Option<&str> {
    if dependency.starts_with(['.', '/']) {
        return Some(dependency);
    }
    let (_, value) = dependency.split_once("path")?;
    value.trim_start().strip_prefix('=')?.split('"').nth(1)
}

fn has_manifest(folder: &str) -> bool {
    Path::new(folder).join("Cargo.toml").exists()
}

/// The first dependency whose folder has no manifest, and that folder.
fn missing(manifest: &str) -> Option<(String, String)> {
    let manifest: Table = manifest.parse().ok()?;
    let dependencies = manifest.get("dependencies")?.as_table()?;
    dependencies.iter().find_map(|(name, dependency)| {
        let folder = dependency.get("path")?.as_str()?;
        (!has_manifest(folder)).then(|| (name.clone(), folder.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_missing_if_its_folder_has_no_manifest() {
        let here = env!("CARGO_MANIFEST_DIR");
        let manifest = format!(
            "[dependencies]\nserde = \"1\"\nhere = {{ path = {here:?} }}\n\
             gone = {{ path = \"/gone\", features = [] }}\n"
        );
        let expected = ("gone".to_owned(), "/gone".to_owned());
        assert_eq!(missing(&manifest), Some(expected));
        assert_eq!(
            missing(&manifest.replace("\"/gone\"", &format!("{here:?}"))),
            None
        );
        assert_eq!(missing("no manifest"), None);
    }

    #[test]
    fn a_crate_that_was_never_loaded_is_not_gone() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let manifest = "[dependencies]\ngone = { path = \"/gone\" }\n";
        fs::write(folder.path().join("Cargo.toml"), manifest)?;
        let never = "there is no crate in /gone";
        let no_longer = "the crate `gone` is no longer in /gone";
        for (cell, expected) in [
            (":dep gone = { path = \"/gone\" }", never),
            (":dep gone={version=\"1\",path=\"/gone\"}\n1", never),
            (":dep /gone", never),
            (":dep other = \"1\"\n1", no_longer),
            (":dep .", no_longer),
            ("1 + 1", no_longer),
        ] {
            let message = failure(folder.path(), cell).map(|failure| failure.message);
            assert!(
                message.is_some_and(|message| message.starts_with(expected)),
                "{cell}"
            );
        }
        Ok(())
    }
}
