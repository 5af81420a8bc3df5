//! evcxr's own kernel: a package that nothing else depends on, compiled only on request.

use crate::{project, set_up_report};
use anyhow::{Context, Result, bail};
use notebook_session::SetUpStep;
use std::path::PathBuf;
use std::process::Command;

/// The name of the package and of its program.
pub const PROGRAM: &str = "evcxr-kernel";

/// Compiles the kernel if necessary, and returns its program.
pub fn compiled() -> Result<PathBuf> {
    let root = project::root();
    let target = root.join("target").join(PROGRAM);
    let program = target.join("release").join(PROGRAM);
    if !program.exists() {
        set_up_report::step(SetUpStep::Begins(
            "Compiling evcxr's own kernel (once, a few minutes) ...",
        ));
    }
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--release", "--locked", "--quiet"])
        .arg("--manifest-path")
        .arg(root.join("crates").join(PROGRAM).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target);
    let status = cargo.status().context(
        "cargo could not be started: searched PATH; install Rust from https://rustup.rs",
    )?;
    if !status.success() {
        bail!("evcxr's own kernel could not be compiled; the lines above say why");
    }
    Ok(program)
}
