//! The folder of the links, and the variables that tell them where everything is.

use crate::own_process::running_program;
use crate::workspace::environment::Variables;
use crate::workspace::files::remove_folder;
use crate::workspace::temporary::TMPDIR;
use crate::workspace::{rust_homes, rust_sources};
use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The variable that names the folder of the links.
pub const SHIMS: &str = "NOTEBOOK_KERNEL_SHIMS";
/// The variable that names the folder of the real cargo and rustc.
pub const PROGRAMS: &str = "NOTEBOOK_KERNEL_PROGRAMS";

pub const CARGO: &str = "cargo";
pub const RUSTUP: &str = "rustup";
pub const RECORD_RUSTC: &str = "record-rustc";
/// Among the links: the folder for temporary files of rust-analyzer and the compilers, which leave
/// them behind when they are ended.
const TEMPORARY: &str = "tmp";
/// Among them, too: where rust-analyzer looks for cargo, and for the standard library.
const CARGO_HOME: &str = "cargo-home";
const RUST_SOURCES: &str = "rust-src";

/// Makes the links in `workspace`, and puts their folder before all others in the search
/// path; `programs` is the folder of the real cargo and rustc.
pub fn install_shim(programs: &Path, workspace: &Path, variables: &mut Variables) -> Result<()> {
    let folder = of_workspace(workspace);
    let temporary = folder.join(TEMPORARY);
    fs::create_dir_all(&temporary)?;
    for name in [CARGO, RUSTUP, RECORD_RUSTC] {
        symlink(running_program()?, folder.join(name))?;
    }
    variables.set(SHIMS, &folder);
    variables.set(PROGRAMS, programs);
    variables.set(TMPDIR, temporary);
    variables.prepend("PATH", folder);
    Ok(())
}

/// Has rust-analyzer, in the process of an evaluator, call the link that stands for cargo, and find
/// no standard library yet: returns the folder in which it looks for it.
pub fn hide_rust(workspace: &Path, variables: &mut Variables) -> Result<PathBuf> {
    let links = of_workspace(workspace);
    rust_homes::hide(&links.join(CARGO_HOME), &links.join(CARGO), variables);
    let sources = links.join(RUST_SOURCES);
    rust_sources::hide(&sources, variables)?;
    Ok(sources)
}

/// Takes the links and the record out of `workspace`: they are for one kernel.
pub fn remove_shim(workspace: &Path) -> Result<()> {
    remove_folder(&of_workspace(workspace))
}

/// Where the links of a workspace are.
pub fn of_workspace(workspace: &Path) -> PathBuf {
    workspace.join("bin")
}

/// The folder that a variable names.
pub fn folder(variable: &str) -> Result<PathBuf> {
    let folder = env::var_os(variable).with_context(|| format!("{variable} is not set"))?;
    Ok(folder.into())
}
