//! `site`: the lessons as web pages.

use crate::cli::Site;
use crate::kernel_config::kernel_config;
use crate::lesson_crates;
use crate::printed::say;
use crate::project;
use anyhow::{Context, Result, bail};
use std::process::{Command, ExitCode};

pub fn site(options: &Site) -> Result<ExitCode> {
    project::check_own("site", "a copy of the project can make it")?;
    notebook_session::prepare(&kernel_config())?;
    let root = project::root();
    let work = root.join("target/site");
    let compiled = lesson_crates::compile(&work.join("crates"))?;
    let folder = options.folder.clone().unwrap_or_else(|| work.join("pages"));
    let status = Command::new("cargo")
        .args(["run", "--release", "--quiet", "--locked", "--package", "site", "--"])
        .args([root, &folder, &compiled.program, &compiled.cells])
        .current_dir(root)
        .status()
        .context("cargo could not be started: searched PATH; install Rust from https://rustup.rs")?;
    if !status.success() {
        bail!("the site could not be made; the lines above say why");
    }
    say!("The site is in {}", folder.display())?;
    Ok(ExitCode::SUCCESS)
}
