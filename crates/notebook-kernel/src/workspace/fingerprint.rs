//! What decides about a compiled template, as a text to compare.

use crate::config::Config;
use crate::evaluation::prelude::prelude;
use crate::workspace::toolchain::Toolchain;
use crate::workspace::{helper_manifest, manifest, rust_homes, rust_sources};
use anyhow::{Context, Result};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// The compiler, and a hash of everything that it compiles.
pub fn fingerprint(config: &Config, toolchain: &Toolchain) -> Result<String> {
    let helper = &config.helper;
    let mut hasher = DefaultHasher::new();
    manifest::workspace(helper).hash(&mut hasher);
    helper_manifest::texts(helper)?.hash(&mut hasher);
    prelude().hash(&mut hasher);
    (rust_sources::STUBS, rust_sources::WAY).hash(&mut hasher);
    config.first_cell.hash(&mut hasher);
    // Their paths stand in what is compiled and configured.
    [&config.generated, &helper.folder, &helper.workspace].hash(&mut hasher);
    helper.companions.hash(&mut hasher);
    rust_homes::cargo(config).hash(&mut hasher);
    helper.signatures_cfg.hash(&mut hasher);
    for file in ["Cargo.toml", "Cargo.lock"] {
        hash_tree(&helper.workspace.join(file), &mut hasher)?;
    }
    for folder in helper_manifest::folders(helper)? {
        for part in helper.parts.iter().map(|part| folder.join(part)) {
            if part.exists() {
                hash_tree(&part, &mut hasher)?;
            }
        }
    }
    Ok(format!(
        "{}\nsources {:016x}\n",
        toolchain.version,
        hasher.finish()
    ))
}

fn hash_tree(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    if path.is_dir() {
        let entries: io::Result<Vec<PathBuf>> =
            path.read_dir()?.map(|entry| Ok(entry?.path())).collect();
        let mut entries = entries?;
        entries.sort();
        return entries
            .iter()
            .try_for_each(|entry| hash_tree(entry, hasher));
    }
    path.file_name().hash(hasher);
    let contents = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    contents.hash(hasher);
    // Cargo goes by times: a file that was changed and changed back is compiled again, and it
    // is better compiled here than by every kernel.
    path.metadata()?.modified()?.hash(hasher);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::files::remove_folder;
    use std::fs::File;
    use std::time::SystemTime;

    #[test]
    fn names_contents_and_times_of_sources_decide() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let hash = |files: &[(&str, &str)]| -> Result<u64> {
            let sources = folder.path().join("src");
            remove_folder(&sources)?;
            fs::create_dir_all(sources.join("inner"))?;
            for (name, text) in files {
                fs::write(sources.join(name), text)?;
                let file = File::options().append(true).open(sources.join(name))?;
                file.set_modified(SystemTime::UNIX_EPOCH)?;
            }
            let mut hasher = DefaultHasher::new();
            hash_tree(&sources, &mut hasher)?;
            Ok(hasher.finish())
        };
        let first = hash(&[("a.rs", "1"), ("inner/b.rs", "2")])?;
        assert_eq!(hash(&[("inner/b.rs", "2"), ("a.rs", "1")])?, first);
        assert_ne!(hash(&[("a.rs", "1"), ("inner/b.rs", "3")])?, first);
        assert_ne!(hash(&[("a.rs", "1"), ("inner/c.rs", "2")])?, first);
        assert_eq!(hash(&[("a.rs", "1"), ("inner/b.rs", "2")])?, first);
        let sources = folder.path().join("src");
        let file = File::options().append(true).open(sources.join("a.rs"))?;
        file.set_modified(SystemTime::now())?;
        let mut hasher = DefaultHasher::new();
        hash_tree(&sources, &mut hasher)?;
        assert_ne!(hasher.finish(), first, "cargo would compile it again");
        Ok(())
    }

    #[test]
    fn the_configuration_and_the_crates_beside_the_helper_crate_decide() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let (toy, beside) = (folder.path().join("toy"), folder.path().join("beside"));
        fs::create_dir_all(&toy)?;
        fs::create_dir_all(beside.join("src"))?;
        let dependency = "[dependencies]\nbeside = { path = \"../beside\" }\n";
        fs::write(
            toy.join("Cargo.toml"),
            format!("[package]\nname = \"toy\"\n{dependency}"),
        )?;
        fs::write(toy.join("Cargo.lock"), "")?;
        fs::write(beside.join("Cargo.toml"), "")?;
        fs::write(beside.join("src/lib.rs"), "1")?;
        let config = Config::new("toy-kernel", "toy", toy);
        let of_a_compiler = |config: &Config| {
            let toolchain = Toolchain {
                version: "rustc 1".to_owned(),
                sysroot: PathBuf::new(),
            };
            fingerprint(config, &toolchain)
        };
        let first = of_a_compiler(&config)?;
        assert!(first.starts_with("rustc 1\nsources "), "{first}");
        assert_eq!(of_a_compiler(&config)?, first);
        let mut another = config.clone();
        another.helper.unoptimised.push("beside".to_owned());
        assert_ne!(of_a_compiler(&another)?, first);
        let mut moved = config.clone();
        moved.generated = folder.path().join("moved");
        assert_ne!(of_a_compiler(&moved)?, first);
        fs::write(beside.join("notes.txt"), "no part of what is compiled")?;
        assert_eq!(of_a_compiler(&config)?, first);
        fs::write(beside.join("src/lib.rs"), "2")?;
        assert_ne!(of_a_compiler(&config)?, first);
        let now = of_a_compiler(&config)?;
        let toy = folder.path().join("moved");
        fs::rename(&config.helper.folder, &toy)?;
        let mut moved = config.clone();
        moved.helper.folder.clone_from(&toy);
        moved.helper.workspace = toy;
        assert_ne!(of_a_compiler(&moved)?, now);
        Ok(())
    }
}
