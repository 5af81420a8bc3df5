//! The folders in which cargo and rustup keep what they have downloaded.

use crate::config::Config;
use anyhow::{Result, bail};
use std::env;
use std::path::PathBuf;

/// The variables that name them, where they are not where they usually are.
pub const CARGO: &str = "CARGO_HOME";
const RUSTUP: &str = "RUSTUP_HOME";

/// The folder of the sources of all crates. What is compiled in a template names them.
pub fn cargo(config: &Config) -> Option<PathBuf> {
    let installed = config.installed.as_ref().map(|own| own.crates.clone());
    installed
        .or_else(|| set(CARGO))
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
}

/// Makes sure that the folders are there that variables name: cargo would make an empty one. An
/// installation looks at no variable.
///
/// # Errors
///
/// The one that is not, and what to do.
pub fn check(config: &Config) -> Result<()> {
    if config.installed.is_some() {
        return Ok(());
    }
    for name in [CARGO, RUSTUP] {
        if let Some(folder) = set(name).filter(|folder| !folder.is_dir()) {
            bail!(
                "{name} is {}, and there is no such folder any more: what set-up found in it is \
                 missing; {}, which looks where it is now",
                folder.display(),
                config.set_up
            );
        }
    }
    Ok(())
}

fn set(name: &str) -> Option<PathBuf> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}
