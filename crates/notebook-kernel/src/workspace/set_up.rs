//! Set-up: the helper crate is compiled for cells once, in the template.

use crate::config::Config;
use crate::evaluation::session::Session;
use crate::own_process;
use crate::tell::tell;
use crate::workspace::cargo_shim::links;
use crate::workspace::cell_workspace::CellWorkspace;
use crate::workspace::ending::{By, Ending};
use crate::workspace::environment::{SingleThread, Variables};
use crate::workspace::fingerprint::fingerprint;
use crate::workspace::toolchain::Toolchain;
use crate::workspace::{manifest, rust_sources, template};
use anyhow::{Result, anyhow, bail};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

/// What the process that compiles the helper crate is called on its command line.
const WARM: &str = "warm";
/// What that process writes before the reason why it failed.
const REASON: &str = "error: ";

/// Compiles the helper crate for cells, unless that has been done for exactly
/// these sources, versions and compiler.
///
/// # Errors
///
/// If Rust or one of its sources is missing, if a crate cannot be downloaded, or if the
/// helper crate does not compile.
pub fn prepare(config: &Config) -> Result<()> {
    let toolchain = Toolchain::find(config)?;
    let wanted = fingerprint(config, &toolchain)?;
    if template::is_prepared(config, &wanted) {
        return Ok(());
    }
    let lock = template::lock_file(config)?;
    lock.lock()?;
    if template::is_prepared(config, &wanted) {
        return Ok(()); // another process did it meanwhile
    }
    toolchain.add_sources()?;
    tell(format_args!(
        "Compiling the {} crate for cells (once, {}) ...",
        config.helper.name, config.helper.compile_time
    ));
    compile_in_own_process(config)
}

/// The folder of the compiler that cells are compiled with, which has all that a kernel needs: for
/// who makes an [installation](crate::Installed) of it.
///
/// # Errors
///
/// If Rust or its sources are missing.
pub fn compiler(config: &Config) -> Result<PathBuf> {
    let toolchain = Toolchain::find(config)?;
    toolchain.add_sources()?;
    Ok(toolchain.sysroot)
}

/// Compiles in a process of its own, with which rust-analyzer's half gigabyte
/// of memory ends. Its progress is shown as it comes, its error is returned.
fn compile_in_own_process(config: &Config) -> Result<()> {
    let mut warm = own_process::command(WARM)?.stderr(Stdio::piped()).spawn()?;
    let mut failure = String::new();
    for line in warm
        .stderr
        .take()
        .into_iter()
        .flat_map(|stderr| BufReader::new(stderr).lines())
    {
        let line = line?;
        match line.strip_prefix(REASON) {
            Some(message) if failure.is_empty() => message.clone_into(&mut failure),
            _ if failure.is_empty() => tell(format_args!("{line}")),
            _ => failure += &format!("\n{line}"),
        }
    }
    if !warm.wait()?.success() {
        let name = &config.helper.name;
        bail!("the {name} crate could not be compiled for cells: {failure}");
    }
    Ok(())
}

/// Compiles, and ends this process, if it was started for that; otherwise returns what it was
/// given.
pub fn compile_if_asked(config: &Config, thread: SingleThread) -> SingleThread {
    let Some(parent) = own_process::parent(WARM) else {
        return thread;
    };
    let compiled = compile(config, thread, parent);
    match compiled {
        Ok(()) => process::exit(0),
        Err(error) => {
            tell(format_args!("{REASON}{error:#}"));
            process::exit(2)
        }
    }
}

/// Makes the template: compiles the helper crate in a copy of the last one, if
/// there is one, and puts the result in its place.
fn compile(config: &Config, thread: SingleThread, parent: u32) -> Result<()> {
    let toolchain = Toolchain::find(config)?;
    let fingerprint = fingerprint(config, &toolchain)?;
    rust_sources::copy(config, &toolchain.sources())?;
    let workspace = CellWorkspace::new(config)?;
    let folder = workspace.path();
    let mut variables = Variables::default();
    workspace.add_variables(config, &toolchain, &mut variables)?;
    links::hide_rust(folder, &mut variables)?; // what is compiled here has no variable
    thread.set(variables)?;
    let ending = Ending::of(folder, By::SignalsAndParent(parent))?;
    if let Err(error) = compile_in(config, &toolchain, folder) {
        ending.is_no_reason();
        return Err(error);
    }
    let _replaced = ending.not_now();
    template::replace(config, folder, &fingerprint)
}

/// Compiles the helper crate in the workspace `folder`, as the first cell does it.
fn compile_in(config: &Config, toolchain: &Toolchain, folder: &Path) -> Result<()> {
    template::copy_old_to(config, folder)?;
    manifest::write(config, folder)?;
    toolchain.download_crates(folder)?;
    {
        let mut session = Session::start(folder, "", &[])?;
        let first_cell = &config.first_cell;
        let loaded = session.execute(first_cell, &mut |_| (), &mut |_| None);
        loaded.map_err(|failure| anyhow!(failure.text()))?;
    }
    links::remove_shim(folder)
}
