//! What stands in the search path for cargo, which evcxr calls for each cell.
//!
//! Cargo takes a third of the time of a cell's compilation to find that of the hundred
//! crates below the cell none has changed. So it is called for the first cell and
//! whenever anything but the cell is different; from then on rustc does with the next
//! cell what cargo had it do with the last one.
//!
//! This program is linked into a folder of the workspace under the names below, and
//! evcxr finds it there:
//!
//! - `rustup which cargo` names the `cargo` of that folder, `rustup which rustc` the real
//!   rustc;
//! - `cargo build` calls rustc as recorded, if nothing but the cell has changed, and
//!   otherwise the real cargo, with
//! - `record-rustc` as its rustc, which records the call that compiles the cell.

use crate::environment;
use crate::workspace::remove_folder;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::SystemTime;

/// The folder of the links.
const LINKS: &str = "ATTENTION_NOTEBOOKS_LINKS";
/// The folder of the real cargo and rustc.
const PROGRAMS: &str = "ATTENTION_NOTEBOOKS_PROGRAMS";
/// What evcxr asked cargo for, as a hash: see [`asked`].
const ASKED: &str = "ATTENTION_NOTEBOOKS_ASKED";
/// The wrapper of rustc that was set before [`RECORD`] was.
const WRAPPER: &str = "ATTENTION_NOTEBOOKS_WRAPPER";
/// Where evcxr looks for the path of the library that has been compiled.
const EVCXR_LIBRARY: &str = "EVCXR_EXECUTION_SO_PATH";

const CARGO: &str = "cargo";
const RUSTUP: &str = "rustup";
const RECORD: &str = "record-rustc";

/// The record, in the folder of the links.
const RECORDED: &str = "recorded-rustc.json";

/// The files besides sources that decide about a compilation, seen from the crate into
/// which evcxr writes each cell.
const MANIFESTS: [&str; 4] = [
    "Cargo.toml",
    ".cargo/config.toml",
    "../Cargo.toml",
    "../Cargo.lock",
];

/// A call of rustc.
#[derive(Deserialize, Serialize)]
struct Recorded {
    asked: u64,
    began: SystemTime,
    folder: PathBuf,
    program: String,
    arguments: Vec<String>,
    environment: BTreeMap<String, String>,
}

/// Makes the links in `workspace` and puts their folder before all others in the search
/// path of this process; `programs` is the folder of the real cargo and rustc.
pub fn stand_before(programs: &Path, workspace: &Path) -> Result<()> {
    let folder = links(workspace);
    fs::create_dir_all(&folder)?;
    for name in [CARGO, RUSTUP, RECORD] {
        symlink(env::current_exe()?, folder.join(name))?;
    }
    environment::set(LINKS, &folder);
    environment::set(PROGRAMS, programs);
    environment::prepend_path("PATH", folder.as_os_str());
    Ok(())
}

/// Takes the links and the record out of `workspace`: the record has the environment in it.
pub fn leave(workspace: &Path) -> Result<()> {
    remove_folder(&links(workspace))
}

fn links(workspace: &Path) -> PathBuf {
    workspace.join("bin")
}

/// Does the work of the link that this program was started as; returns if it was
/// started under its own name.
pub fn stand_in() -> Option<ExitCode> {
    let started_as = PathBuf::from(env::args_os().next()?);
    let outcome = match started_as.file_name()?.to_str()? {
        CARGO => cargo(),
        RUSTUP => rustup(),
        RECORD => record(),
        _ => return None,
    };
    let Err(error) = outcome;
    eprintln!("error: {error:#}");
    Some(ExitCode::FAILURE)
}

/// Returns only if it fails: otherwise this process goes on as another program or ends.
type Outcome = Result<Infallible>;

fn rustup() -> Outcome {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let folder = match arguments.as_slice() {
        [which, tool] if which == "which" && tool == CARGO => folder(LINKS)?,
        [which, tool] if which == "which" && tool == "rustc" => folder(PROGRAMS)?,
        _ => return replace(Command::new(real_rustup()?).args(arguments)),
    };
    println!("{}", folder.join(&arguments[1]).display());
    std::process::exit(0)
}

fn cargo() -> Outcome {
    let mut real = Command::new(folder(PROGRAMS)?.join(CARGO));
    real.args(env::args_os().skip(1));
    let cell_crate = folder(LINKS)?.with_file_name("ctx");
    let is_cell = fs::canonicalize(cell_crate)? == fs::canonicalize(".")?;
    if !is_cell || !env::args_os().any(|argument| argument == "build") {
        return replace(&mut real);
    }
    let asked = asked();
    if let Some(mut recorded) = recorded(asked) {
        return replace(&mut recorded);
    }
    let now = serde_json::to_string(&SystemTime::now())?;
    if let Some(wrapper) = env::var_os("RUSTC_WRAPPER").filter(|wrapper| !wrapper.is_empty()) {
        real.env(WRAPPER, wrapper);
    }
    real.env(ASKED, format!("{asked} {now}"));
    real.env("RUSTC_WRAPPER", folder(LINKS)?.join(RECORD));
    replace(&mut real)
}

/// What decides about a compilation besides files: arguments and environment.
fn asked() -> u64 {
    let mut hasher = DefaultHasher::new();
    env::args_os().for_each(|argument| argument.hash(&mut hasher));
    let environment: BTreeMap<_, _> = env::vars_os().collect();
    environment.hash(&mut hasher);
    hasher.finish()
}

/// The recorded call of rustc, ready to start, if cargo would start the same one.
fn recorded(asked: u64) -> Option<Command> {
    let record: Recorded = serde_json::from_slice(&fs::read(record_file().ok()?).ok()?).ok()?;
    if record.asked != asked {
        return None;
    }
    let library = record.library()?;
    let listed = library.parent()?.parent()?.join("libctx.d");
    let cell = fs::canonicalize("src/lib.rs").ok()?;
    let mut read = dependencies(&fs::read_to_string(listed).ok()?);
    read.retain(|file| *file != cell);
    read.extend(MANIFESTS.map(PathBuf::from));
    let unchanged = |file: &PathBuf| modified(file).is_some_and(|when| when < record.began);
    if !read.iter().all(unchanged) {
        return None;
    }
    let _ = fs::remove_file(&library); // never write into what a process has loaded
    fs::write(env::var_os(EVCXR_LIBRARY)?, library.to_str()?).ok()?;
    let mut rustc = Command::new(&record.program);
    rustc
        .args(&record.arguments)
        .env_clear()
        .envs(&record.environment)
        .current_dir(&record.folder);
    Some(rustc)
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// The files that cargo lists in a rule of make, which escapes spaces.
fn dependencies(rule: &str) -> Vec<PathBuf> {
    let files = rule
        .split_once(": ")
        .map_or("", |(_, files)| files.trim_end());
    let files = files.replace("\\ ", "\0");
    let files = files.split(' ').filter(|file| !file.is_empty());
    files.map(|file| file.replace('\0', " ").into()).collect()
}

impl Recorded {
    /// The library that the call makes.
    fn library(&self) -> Option<PathBuf> {
        let mut arguments = self.arguments.iter();
        arguments.find(|argument| *argument == "--out-dir")?;
        let folder = arguments.next()?;
        let tail = (self.arguments.iter())
            .find_map(|argument| argument.strip_prefix("extra-filename="))
            .unwrap_or_default();
        let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
        Some(Path::new(folder).join(format!("{prefix}ctx{tail}{suffix}")))
    }
}

/// Stands for rustc: records the call if it compiles a cell, and calls rustc.
fn record() -> Outcome {
    let mut call = env::var_os(WRAPPER)
        .into_iter()
        .chain(env::args_os().skip(1));
    let mut rustc = Command::new(call.next().context("no rustc was named")?);
    rustc.args(call);
    let arguments: Vec<_> = rustc.get_args().collect();
    if arguments
        .windows(2)
        .any(|pair| pair == ["--crate-name", "ctx"])
    {
        // Without a record cargo does the next cell, too.
        let _ = write_record(&rustc);
    }
    replace(&mut rustc)
}

fn write_record(rustc: &Command) -> Result<()> {
    let text = |text: &OsStr| text.to_str().map(str::to_owned);
    let asked = env::var(ASKED)?;
    let (asked, began) = asked.split_once(' ').context("no time")?;
    let arguments: Option<Vec<String>> = rustc.get_args().map(text).collect();
    let environment: Option<BTreeMap<String, String>> = env::vars_os()
        .map(|(name, value)| Some((text(&name)?, text(&value)?)))
        .collect();
    let record = Recorded {
        asked: asked.parse()?,
        began: serde_json::from_str(began)?,
        folder: env::current_dir()?,
        program: text(rustc.get_program()).context("not UTF-8")?,
        // As cargo hands messages on: without colours.
        arguments: (arguments.context("not UTF-8")?.into_iter())
            .map(|argument| argument.replace("diagnostic-rendered-ansi,", ""))
            .collect(),
        environment: environment.context("not UTF-8")?,
    };
    let record = serde_json::to_vec(&record)?;
    Ok(fs::write(record_file()?, record)?)
}

fn record_file() -> Result<PathBuf> {
    Ok(folder(LINKS)?.join(RECORDED))
}

fn folder(variable: &str) -> Result<PathBuf> {
    let folder = env::var_os(variable).with_context(|| format!("{variable} is not set"))?;
    Ok(folder.into())
}

/// The next one in the search path.
fn real_rustup() -> Result<PathBuf> {
    let links = folder(LINKS)?;
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|folder| *folder != links)
        .map(|folder| folder.join(RUSTUP))
        .find(|program| program.is_file())
        .context("rustup was not found in PATH")
}

/// Goes on as another program.
fn replace(command: &mut Command) -> Outcome {
    let error = command.exec();
    Err(error).with_context(|| format!("cannot start {}", command.get_program().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_make_lists_files_with_spaces() {
        let rule = "/t/libctx.so: /a/lib.rs /b\\ c/README.md /d.rs\n";
        let files = ["/a/lib.rs", "/b c/README.md", "/d.rs"].map(PathBuf::from);
        assert_eq!(dependencies(rule), files);
        assert!(dependencies("").is_empty());
    }
}
