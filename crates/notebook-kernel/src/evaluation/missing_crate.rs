//! Crates that cells depend on and whose folder is no longer there: then nothing compiles.

use crate::evaluation::failure::Failure;
use std::fs;
use std::path::Path;
use toml::Table;

/// Why the cells of a crate cannot be compiled, if that is it.
pub fn failure(cell_crate: &Path) -> Option<Failure> {
    let manifest = fs::read_to_string(cell_crate.join("Cargo.toml")).ok()?;
    let (name, folder) = missing(&manifest)?;
    let message = format!(
        "the crate `{name}` is no longer in {folder}, from where this kernel has loaded it. If you \
         have moved it, start the kernel again with the new place: after a move of a whole project, \
         set that up there first."
    );
    Some(Failure::new("CompileError", message))
}

/// The first dependency whose folder has no manifest, and that folder.
fn missing(manifest: &str) -> Option<(String, String)> {
    let manifest: Table = manifest.parse().ok()?;
    let dependencies = manifest.get("dependencies")?.as_table()?;
    dependencies.iter().find_map(|(name, dependency)| {
        let folder = dependency.get("path")?.as_str()?;
        let is_there = Path::new(folder).join("Cargo.toml").exists();
        (!is_there).then(|| (name.clone(), folder.to_owned()))
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
}
