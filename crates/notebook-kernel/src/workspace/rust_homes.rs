//! The folders in which cargo and rustup keep what they have downloaded.
//!
//! In a process with an evaluator cargo's is hidden: rust-analyzer calls the cargo that it finds in
//! it, and is to call the one among the links. Everybody else gets the user's back.

use crate::config::Config;
use crate::workspace::environment::{Variables, set_all};
use anyhow::{Result, bail};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variables that name them, where they are not where they usually are.
pub const CARGO: &str = "CARGO_HOME";
const RUSTUP: &str = "RUSTUP_HOME";
/// The variable that names cargo itself, in what cargo has started.
const CARGO_ITSELF: &str = "CARGO";
/// What is hidden, each with the variable that then has the user's value; it is empty where the user
/// has set none.
const HIDDEN: [(&str, &str); 2] = [
    (CARGO, "NOTEBOOK_KERNEL_CARGO_HOME"),
    (CARGO_ITSELF, "NOTEBOOK_KERNEL_CARGO"),
];

/// Hides cargo's folder: rust-analyzer looks into `folder`, which need not be there, and calls
/// `cargo`.
pub fn hide(folder: &Path, cargo: &Path, variables: &mut Variables) {
    for ((name, kept), value) in HIDDEN.into_iter().zip([folder, cargo]) {
        variables.set(kept, variables.get(name).unwrap_or_default());
        variables.set(name, value);
    }
}

/// The variables that undo it in another process; `None` is not set.
pub fn of_user() -> impl Iterator<Item = (&'static str, Option<OsString>)> {
    HIDDEN.into_iter().flat_map(|(name, kept)| {
        let of_user = env::var_os(kept).map(|value| (name, not_empty(value)));
        of_user.into_iter().chain([(kept, None)])
    })
}

/// Gives a process the user's variables.
pub fn give_back(command: &mut Command) {
    set_all(command, of_user());
}

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
    let hidden = of_user().find(|(hidden, _)| *hidden == name);
    let value = hidden.map_or_else(|| env::var_os(name).and_then(not_empty), |(_, value)| value);
    value.map(PathBuf::from)
}

fn not_empty(value: OsString) -> Option<OsString> {
    Some(value).filter(|value| !value.is_empty())
}
