//! Set-up: compiles everything that all notebooks share, once, with the compiler in `toolchain`.

mod components;
mod toolchain;

use crate::broken_tools;
use crate::config::{Config, SetUpStep};
use crate::kernel_folder::KernelFolder;
use crate::kernel_folder::shutdown::Shutdown;
use crate::set_up::toolchain::Toolchain;
use anyhow::{Context, Result, anyhow, bail};
use cell_evaluator::assist::Library;
use cell_evaluator::{
    Cargo, CompileCache, Compiler, Compilers, Crates, PrebuiltCrates, Tools, Trouble, try_compiler,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The tools and crates a session compiles with.
#[derive(Clone)]
pub struct Prepared {
    /// The compiler, with the library that all cells share.
    pub compiler: Compiler,
    /// The program that runs cells, and the library that they link to.
    pub tools: Tools,
    /// The crates available to cells.
    pub crates: Crates,
    /// Compiles further crates on request.
    pub cargo: Cargo,
    /// The toolchain's folder.
    pub sysroot: PathBuf,
}

/// Identifies the tools that were set up.
#[derive(Deserialize, PartialEq, Serialize)]
struct ToolsRecord {
    toolchain: Toolchain,
    sources: u64,
}

const RECORD: &str = "tools.json";

/// Compiles what cells need, unless this has already been done for the current sources, versions
/// and compiler.
///
/// # Errors
///
/// If Rust is missing, or a crate cannot be downloaded or compiled.
pub fn prepare(config: &Config) -> Result<()> {
    let toolchain = Toolchain::find(config)?;
    let folder = folder(config);
    fs::create_dir_all(&folder)
        .with_context(|| format!("{} cannot be written", folder.display()))?;
    // Partial outputs of the compilers are deleted with this folder, even on Ctrl-C.
    let temporary = KernelFolder::new(config)?;
    let shutdown = Shutdown::of(temporary.path())?;
    let compilers = Compilers::default();
    let compiler = compiler(&toolchain, &compilers);
    let wanted = ToolsRecord {
        sources: Tools::fingerprint(),
        toolchain,
    };
    if read_record(&folder).ok().as_ref() != Some(&wanted) {
        if config.installed.is_none() {
            components::add_missing(&wanted.toolchain.sysroot, config.report);
        }
        let tools = Tools::make(&folder, &compiler).map_err(explained)?;
        let mut of_cells = compiler.clone();
        tools.add_to(&mut of_cells);
        try_compiler(&of_cells, temporary.path())
            .map_err(|why| unknown_compiler(&wanted.toolchain, &why))?;
        fs::write(folder.join(RECORD), serde_json::to_vec(&wanted)?)?;
    }
    let mut has_told = false;
    let cargo = cargo(config, &compiler, temporary.path());
    let made = prebuilt_crates(config).make(&folder, &cargo, &mut |line, left| {
        if !has_told {
            has_told = true;
            (config.report)(SetUpStep::Begins(&format!(
                "Compiling the crates for cells (once, {}) ...",
                config.prebuilt.compile_time
            )));
        }
        let name = line.split_whitespace().nth(1);
        (config.report)(SetUpStep::Compiles(name.unwrap_or_default(), left));
    });
    if made.is_err() {
        shutdown.wait_if_begun();
    }
    match made {
        Err(Trouble::Unreachable { reason, .. }) => bail!(
            "cargo could not download the crates of Cargo.lock: {}; connect to the network and run \
             this command again",
            reason.lines().next().unwrap_or_default()
        ),
        made => {
            made?;
            Ok(Library::prepare(&folder)?)
        }
    }
}

/// The error, with advice if a tool is missing.
fn explained(error: io::Error) -> anyhow::Error {
    match broken_tools::failure(&error.to_string()) {
        Some(failure) => anyhow!(failure.message),
        None => error.into(),
    }
}

/// The error for a compiler whose output cannot be read.
fn unknown_compiler(toolchain: &Toolchain, why: &str) -> anyhow::Error {
    let found = toolchain.version.lines().next().unwrap_or_default();
    let works = env!("CARGO_PKG_RUST_VERSION");
    anyhow!(
        "cells cannot be compiled with this compiler, {found}: its messages about the types of \
         their variables have changed. Rust {works} works: `rustup toolchain install {works}`, \
         `rustup default {works}`, then run this command again. ({why})"
    )
}

/// Loads the results of set-up for a kernel that writes to `own`.
pub fn prepared(config: &Config, own: &Path) -> Result<Prepared> {
    let folder = folder(config);
    let missing = || {
        format!(
            "the crates for cells are not compiled: searched {}; {}",
            folder.display(),
            config.set_up
        )
    };
    let toolchain = read_record(&folder).with_context(missing)?.toolchain;
    let crates = Crates::read(&folder, own).with_context(missing)?;
    let tools = Tools::of(&folder);
    let mut compiler = compiler(&toolchain, &Compilers::default());
    tools.add_to(&mut compiler);
    let cache = config.cache.as_deref();
    compiler.cache = cache.and_then(|folder| CompileCache::open(folder).ok());
    Ok(Prepared {
        cargo: cargo(config, &compiler, own),
        compiler,
        tools,
        crates,
        sysroot: toolchain.sysroot,
    })
}

/// The folder of the compiler used for cells, for building an [installation](crate::Installed) from
/// it.
///
/// # Errors
///
/// If Rust is missing.
pub fn sysroot(config: &Config) -> Result<PathBuf> {
    Ok(Toolchain::find(config)?.sysroot)
}

fn folder(config: &Config) -> PathBuf {
    config.generated.join("for-cells")
}

fn read_record(folder: &Path) -> Result<ToolsRecord> {
    Ok(serde_json::from_slice(&fs::read(folder.join(RECORD))?)?)
}

fn compiler(toolchain: &Toolchain, compilers: &Compilers) -> Compiler {
    let rustc = toolchain.programs().join("rustc");
    let mut compiler = Compiler::new(rustc, toolchain.libraries());
    compiler.compilers = compilers.clone();
    compiler
}

/// Cargo, with its temporary files in `temporary`.
fn cargo(config: &Config, compiler: &Compiler, temporary: &Path) -> Cargo {
    let installed = config.installed.iter();
    let home = installed.map(|installed| ("CARGO_HOME".into(), installed.crates.clone().into()));
    let temporary = ("TMPDIR".into(), temporary.into());
    Cargo {
        program: compiler.rustc.with_file_name("cargo"),
        rustc: compiler.rustc.clone(),
        variables: BTreeMap::from_iter(home.chain([temporary])),
        compilers: compiler.compilers.clone(),
    }
}

fn prebuilt_crates(config: &Config) -> PrebuiltCrates {
    PrebuiltCrates {
        workspace: config.prebuilt.workspace.clone(),
        crates: config.prebuilt.crates.clone(),
        unoptimised: config.prebuilt.unoptimised.clone(),
        codegen_units: config.prebuilt.codegen_units.clone(),
        are_installed: config.prebuilt.are_installed,
    }
}
