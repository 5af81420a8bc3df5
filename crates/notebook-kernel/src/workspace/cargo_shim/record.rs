//! The call of rustc that compiles a cell, recorded.

use crate::workspace::cargo_shim::links::{SHIMS, folder};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The variable with what evcxr wants of cargo, as a fingerprint, and when it was asked for.
const REQUEST: &str = "NOTEBOOK_KERNEL_REQUEST";
/// The record, in the folder of the links.
const FILE: &str = "recorded-rustc.json";

/// A call of rustc.
#[derive(Deserialize, Serialize)]
pub struct Recorded {
    /// Of what evcxr wanted of cargo.
    pub request_fingerprint: u64,
    pub began: SystemTime,
    folder: PathBuf,
    program: String,
    arguments: Vec<String>,
    environment: BTreeMap<String, String>,
}

/// Tells the process that will record a call what the call is for.
pub fn announce(request_fingerprint: u64, cargo: &mut Command) -> Result<()> {
    let now = serde_json::to_string(&SystemTime::now())?;
    cargo.env(REQUEST, format!("{request_fingerprint} {now}"));
    Ok(())
}

impl Recorded {
    /// The last call, if there is one.
    pub fn read() -> Option<Recorded> {
        serde_json::from_slice(&fs::read(file().ok()?).ok()?).ok()
    }

    /// Writes down a call that is about to begin.
    pub fn write(rustc: &Command) -> Result<()> {
        let text = |text: &OsStr| text.to_str().map(str::to_owned);
        let request = env::var(REQUEST)?;
        let (request_fingerprint, began) = request.split_once(' ').context("no time")?;
        let arguments: Option<Vec<String>> = rustc.get_args().map(text).collect();
        let environment: Option<BTreeMap<String, String>> = env::vars_os()
            .map(|(name, value)| Some((text(&name)?, text(&value)?)))
            .collect();
        let record = Recorded {
            request_fingerprint: request_fingerprint.parse()?,
            began: serde_json::from_str(began)?,
            folder: env::current_dir()?,
            program: text(rustc.get_program()).context("not UTF-8")?,
            // As cargo hands messages on: without colours.
            arguments: (arguments.context("not UTF-8")?.into_iter())
                .map(|argument| argument.replace("diagnostic-rendered-ansi,", ""))
                .collect(),
            environment: environment.context("not UTF-8")?,
        };
        Ok(fs::write(file()?, serde_json::to_vec(&record)?)?)
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

    /// The same call again.
    pub fn command(&self) -> Command {
        let mut rustc = Command::new(&self.program);
        rustc
            .args(&self.arguments)
            .env_clear()
            .envs(&self.environment)
            .current_dir(&self.folder);
        rustc
    }
}

fn file() -> Result<PathBuf> {
    Ok(folder(SHIMS)?.join(FILE))
}
