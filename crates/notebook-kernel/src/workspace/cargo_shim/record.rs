//! The call of rustc that compiles a cell, recorded.
//!
//! Of the environment it has what cargo set for rustc, and nothing else: the rest is that of
//! the kernel, with whatever secrets the user keeps there, and whoever repeats the call has it
//! anyway.

use crate::workspace::cargo_shim::links::{SHIMS, folder};
use crate::workspace::cargo_shim::looks::Looks;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The variable that makes cargo call another program in place of rustc.
pub const RUSTC_WRAPPER: &str = "RUSTC_WRAPPER";
/// The variable with the wrapper of rustc that was set before `record-rustc` was, empty if there was
/// none.
pub const WRAPPER: &str = "NOTEBOOK_KERNEL_WRAPPER";
/// The variable with the file in which evcxr looks for the path of the compiled library.
pub const EVCXR_LIBRARY: &str = "EVCXR_EXECUTION_SO_PATH";
/// What is set for the recording alone.
const FOR_RECORDING: [&str; 2] = [RUSTC_WRAPPER, WRAPPER];
/// What names open files of that cargo, which are closed when the call is repeated.
const OF_JOBSERVER: [&str; 3] = ["CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS"];
/// The record, in the folder of the links.
const FILE: &str = "recorded-rustc.json";
/// The [`Request`], beside it.
const REQUEST: &str = "request.json";

/// What cargo was called for.
#[derive(Deserialize, Serialize)]
struct Request {
    /// Of what evcxr wanted of cargo.
    fingerprint: u64,
    began: SystemTime,
    /// Hashes of the variables that cargo was called with.
    environment: BTreeSet<u64>,
    /// Before cargo began.
    looks: Looks,
}

/// A call of rustc.
#[derive(Deserialize, Serialize)]
pub struct Recorded {
    /// Of what evcxr wanted of cargo.
    pub request_fingerprint: u64,
    pub began: SystemTime,
    pub looks: Looks,
    /// Whether that cargo has succeeded: only then has it listed what it compiled from.
    pub is_listed: bool,
    folder: PathBuf,
    program: String,
    arguments: Vec<String>,
    /// What cargo set, to its own environment added or changed in it.
    environment: BTreeMap<String, String>,
}

/// Tells the process that will record a call what the call is for.
pub fn announce(fingerprint: u64) -> Result<()> {
    let request = Request {
        fingerprint,
        began: SystemTime::now(),
        environment: env::vars_os().map(hash).collect(),
        looks: Looks::now(),
    };
    write(REQUEST, &request)
}

impl Recorded {
    /// The last call, if there is one.
    pub fn read() -> Option<Recorded> {
        serde_json::from_slice(&fs::read(file(FILE).ok()?).ok()?).ok()
    }

    /// Writes down a call that is about to begin.
    pub fn make(rustc: &Command) -> Result<()> {
        let request: Request = serde_json::from_slice(&fs::read(file(REQUEST)?)?)?;
        let arguments: Option<Vec<String>> = rustc.get_args().map(text).collect();
        let environment = set_since(&request.environment, env::vars_os());
        let record = Recorded {
            request_fingerprint: request.fingerprint,
            began: request.began,
            // Not below the folder that cargo calls rustc in, which is another one.
            looks: request.looks.with_new_lock(&workspace()?),
            is_listed: false,
            folder: env::current_dir()?,
            program: text(rustc.get_program()).context("not UTF-8")?,
            // As cargo hands messages on: without colours.
            arguments: (arguments.context("not UTF-8")?.into_iter())
                .map(|argument| argument.replace("diagnostic-rendered-ansi,", ""))
                .collect(),
            environment: environment.context("not UTF-8")?,
        };
        record.save()
    }

    /// Notes that the cargo that has made the last call has succeeded.
    pub fn note_success() -> Result<()> {
        let mut last = Recorded::read().context("nothing was recorded")?;
        last.is_listed = true;
        last.save()
    }

    /// Puts it in the place of the last one.
    pub fn save(&self) -> Result<()> {
        write(FILE, self)
    }

    /// The library that the call makes.
    pub fn library(&self) -> Option<PathBuf> {
        let mut arguments = self.arguments.iter();
        arguments.find(|argument| *argument == "--out-dir")?;
        let folder = arguments.next()?;
        let tail = (self.arguments.iter())
            .find_map(|argument| argument.strip_prefix("extra-filename="))
            .unwrap_or_default();
        let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
        Some(Path::new(folder).join(format!("{prefix}ctx{tail}{suffix}")))
    }

    /// The same call again, for a process with the environment that cargo was called with.
    pub fn build(&self) -> Option<Command> {
        let library = self.library()?;
        let _ = fs::remove_file(&library); // never write into what a process has loaded
        fs::write(env::var_os(EVCXR_LIBRARY)?, library.to_str()?).ok()?;
        Some(self.command(|argument| argument.to_owned()))
    }

    /// A call for its messages alone, which makes no library.
    pub fn check(&self) -> Command {
        self.command(|argument| match argument.starts_with("--emit=") {
            true => "--emit=metadata".to_owned(),
            false => argument.to_owned(),
        })
    }

    fn command(&self, argument: impl Fn(&String) -> String) -> Command {
        let mut rustc = Command::new(&self.program);
        rustc
            .args(self.arguments.iter().map(argument))
            .envs(&self.environment)
            .current_dir(&self.folder);
        for name in OF_JOBSERVER {
            rustc.env_remove(name);
        }
        rustc
    }
}

/// The folder in which the folder of the links is.
fn workspace() -> Result<PathBuf> {
    let links = folder(SHIMS)?;
    Ok(links
        .parent()
        .context("the links are in no folder")?
        .to_owned())
}

fn file(name: &str) -> Result<PathBuf> {
    Ok(folder(SHIMS)?.join(name))
}

fn write(name: &str, contents: &impl Serialize) -> Result<()> {
    let mut create = OpenOptions::new();
    create.write(true).create(true).truncate(true).mode(0o600);
    let mut file = create.open(file(name)?)?;
    Ok(file.write_all(&serde_json::to_vec(contents)?)?)
}

fn text(text: &OsStr) -> Option<String> {
    text.to_str().map(str::to_owned)
}

fn hash(variable: (OsString, OsString)) -> u64 {
    let mut hasher = DefaultHasher::new();
    variable.hash(&mut hasher);
    hasher.finish()
}

/// The variables that are not among those with these hashes; `None` if one is not UTF-8.
fn set_since(
    before: &BTreeSet<u64>,
    now: impl Iterator<Item = (OsString, OsString)>,
) -> Option<BTreeMap<String, String>> {
    now.filter(|(name, _)| !FOR_RECORDING.iter().any(|ours| name == ours))
        .filter(|variable| !before.contains(&hash(variable.clone())))
        .map(|(name, value)| Some((text(&name)?, text(&value)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_set_is_recorded_and_what_the_user_has_set_is_not() {
        let variables = |texts: &[(&str, &str)]| -> Vec<(OsString, OsString)> {
            let owned = |(name, value): &(&str, &str)| (name.into(), value.into());
            texts.iter().map(owned).collect()
        };
        let users = [
            ("CARGO_REGISTRY_TOKEN", "secret"),
            ("LD_LIBRARY_PATH", "/a"),
        ];
        let before = variables(&users).into_iter().map(hash).collect();
        let now = variables(&[
            ("CARGO_REGISTRY_TOKEN", "secret"),
            ("LD_LIBRARY_PATH", "/a:/b"),
            ("CARGO_PKG_NAME", "ctx"),
            (WRAPPER, "/kernel"),
        ]);
        let set = set_since(&before, now.into_iter()).expect("UTF-8");
        let of_cargo = [("CARGO_PKG_NAME", "ctx"), ("LD_LIBRARY_PATH", "/a:/b")];
        assert!(
            set.iter()
                .map(|(name, value)| (&**name, &**value))
                .eq(of_cargo)
        );
    }
}
