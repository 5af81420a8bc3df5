//! The template: a workspace in which the helper crate is compiled, so that its copies have
//! only cells left to compile.

use crate::config::Config;
use crate::workspace::files::{Rights, Sharing, copy_folder, remove_folder};
use crate::workspace::rust_sources;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The file in the template that says what it was compiled for.
const STAMP: &str = "compiled-for.txt";

/// Whether there is a template for exactly these sources, versions and compiler.
pub fn is_prepared(config: &Config, fingerprint: &str) -> bool {
    let stamped = fs::read_to_string(stamp(config)).is_ok_and(|found| found == fingerprint);
    stamped && rust_sources::folder(config).exists()
}

/// Copies the template to `workspace`, in which evcxr can then work.
pub fn copy_to(config: &Config, workspace: &Path) -> Result<()> {
    if !stamp(config).exists() {
        bail!(
            "the {} crate is not compiled for cells: searched {}; {}",
            config.helper.name,
            folder(config).display(),
            config.set_up
        );
    }
    if config.installed.is_some() {
        // Nobody who may write there changes it, and who may not write cannot lock it.
        return copy_folder(&folder(config), workspace, Rights::User, Sharing::Links);
    }
    let lock = lock_file(config)?;
    lock.lock_shared()?;
    copy_folder(&folder(config), workspace, Rights::User, Sharing::Names)
}

/// Copies an older template to `workspace`, if there is one.
pub fn copy_old_to(config: &Config, workspace: &Path) -> Result<()> {
    match stamp(config).exists() {
        true => copy_folder(&folder(config), workspace, Rights::AsBefore, Sharing::Names),
        false => Ok(()),
    }
}

/// Puts a copy of `workspace` in the place of the template.
pub fn replace(config: &Config, workspace: &Path, fingerprint: &str) -> Result<()> {
    fs::write(workspace.join(STAMP), fingerprint)?;
    let unfinished = config.generated.join("cells.new");
    remove_folder(&unfinished)?;
    copy_folder(workspace, &unfinished, Rights::AsBefore, Sharing::Names)?;
    remove_folder(&folder(config))?;
    Ok(fs::rename(unfinished, folder(config))?)
}

/// Held alone by a process that changes the template, shared by those that copy it.
pub fn lock_file(config: &Config) -> Result<File> {
    let file = config.generated.join("cells.lock");
    let made = fs::create_dir_all(&config.generated).and_then(|()| File::create(&file));
    made.with_context(|| {
        let path = file.display();
        match config.installed {
            Some(_) => format!(
                "the crate for cells is not compiled as it is now, and {path} cannot be written: {}",
                config.set_up
            ),
            None => format!("{path} cannot be written"),
        }
    })
}

fn folder(config: &Config) -> PathBuf {
    config.generated.join("cells")
}

/// In the template, which appears under its name only when it is whole.
fn stamp(config: &Config) -> PathBuf {
    folder(config).join(STAMP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_prepared_for_its_own_fingerprint_alone() -> Result<()> {
        let (generated, workspace) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let mut config = Config::new("toy-kernel", "toy", "/toy");
        config.generated = generated.path().to_owned();
        let copy = |to: &str| copy_to(&config, &workspace.path().join(to));
        let refusal = copy("too-early").expect_err("no template").to_string();
        assert!(refusal.starts_with("the toy crate is not compiled for cells: searched "));
        assert!(refusal.ends_with("; run `toy-kernel setup`"), "{refusal}");
        fs::create_dir(rust_sources::folder(&config))?;
        replace(&config, workspace.path(), "rustc 1")?;
        assert!(is_prepared(&config, "rustc 1"));
        assert!(!is_prepared(&config, "rustc 2"));
        copy("copy")?;
        assert!(workspace.path().join("copy").join(STAMP).exists());
        Ok(())
    }
}
