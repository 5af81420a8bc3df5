//! Jupyter: the kernel's registration, and the JupyterLab server.

use crate::jupyter_folders::{config, inside_the_project, runtime};
use crate::kernel_config::kernel_config;
use crate::{kernelspecs, live_extension, project, python, server_config};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Poll interval for a running server.
const POLL: Duration = Duration::from_millis(100);
/// How long a server may take to start, and to stop.
const START_LIMIT: Duration = Duration::from_secs(180);
const STOP_LIMIT: Duration = Duration::from_secs(60);

/// Registers this program's kernel, and evcxr's if its program is given; returns the files
/// written.
pub fn register_this(data: &Path, evcxr: Option<&Path>) -> Result<Vec<PathBuf>> {
    kernelspecs::write(data, &env::current_exe()?, evcxr, environment())
}

/// The variables through which a kernel finds the tools that set-up found, even if Jupyter was
/// started from a desktop, without the user's shell environment.
fn environment() -> Vec<(String, String)> {
    let set = |(name, usual): (&str, _)| Some((name.to_owned(), set_or_usual(name, usual)?));
    let mut variables: Vec<(String, String)> = FOUND_WITH.into_iter().filter_map(set).collect();
    variables.extend([generated(), python()]);
    variables
}

/// The variable that tells cells where a learner's progress is.
fn generated() -> (String, String) {
    let generated = project::generated().display().to_string();
    (project::GENERATED.to_owned(), generated)
}

/// The variable that tells cells where Python is.
fn python() -> (String, String) {
    let interpreter = python::interpreter().display().to_string();
    (project::PYTHON.to_owned(), interpreter)
}

/// Variables and, for folders, their defaults under the home folder. A kernel uses the recorded
/// values even if they have been changed since; otherwise all crates would be compiled again, or
/// not be found.
const FOUND_WITH: [(&str, Option<&str>); 4] = [
    ("PATH", None),
    ("CARGO_HOME", Some(".cargo")),
    ("RUSTUP_HOME", Some(".rustup")),
    ("RUSTUP_TOOLCHAIN", None),
];

/// Restarts this program with the folders that set-up used, unless it is using them already:
/// without them, crates would be missing or be compiled again. If cells are to `record`
/// answers, they must be told where.
pub fn look_where_set_up_did(record: bool) -> Result<()> {
    let mut found = found_elsewhere();
    let is_told = || env::var_os(project::GENERATED).is_some();
    let is_found = found.iter().any(|(name, _)| name == project::GENERATED);
    if record && !is_found && !is_told() {
        found.push(generated());
    }
    if found.is_empty() {
        return Ok(());
    }
    let mut again = Command::new(env::current_exe()?);
    again.args(env::args_os().skip(1)).envs(found);
    Err(again.exec()).context("this program could not be started again")
}

/// The environment variables to restart with. In a checkout: the cargo and rustup folders that
/// set-up used, if they still exist and this process would use others; set-up's search path,
/// if this process finds no Rust in its own; and set-up's Python, unless one is set.
fn found_elsewhere() -> Vec<(String, String)> {
    if let Some(root) = project::installed() {
        return for_all(root); // it has its own compiler
    }
    if project::environment().is_some() {
        // A wheel's kernelspec is written before its environment exists.
        let is_new = |(name, value): &(String, String)| env::var(name).ok().as_ref() != Some(value);
        return [generated(), python()].into_iter().filter(is_new).collect();
    }
    let data = python::environment().join("share").join("jupyter");
    let spec = fs::read(kernelspecs::folders(&data)[0].join("kernel.json")).unwrap_or_default();
    let spec: Value = serde_json::from_slice(&spec).unwrap_or_default();
    let recorded = |(name, usual): (&str, Option<&str>)| {
        let found = spec["env"][name].as_str()?;
        let is_elsewhere = match usual {
            Some(_) => set_or_usual(name, usual).as_deref() != Some(found),
            None => {
                let path = env::var_os("PATH").unwrap_or_default();
                name == "PATH" && !has_rust(&path) && has_rust(found.as_ref())
            }
        };
        let is_there = usual.is_none() || Path::new(found).is_dir();
        (is_elsewhere && is_there).then(|| (name.to_owned(), found.to_owned()))
    };
    let unknown = env::var_os(project::PYTHON).is_none().then(python);
    let elsewhere = FOUND_WITH.into_iter().filter_map(recorded);
    elsewhere.chain(unknown).collect()
}

/// The variables that an installation's cells need, unless this process has them already.
fn for_all(root: &Path) -> Vec<(String, String)> {
    let models = project::models(root).filter(|_| env::var_os(project::MODELS).is_none());
    let variable = |models: PathBuf| (project::MODELS.to_owned(), models.display().to_string());
    models.map(variable).into_iter().collect()
}

fn has_rust(path: &OsStr) -> bool {
    env::split_paths(path).any(|folder| folder.join("rustc").is_file())
}

fn set_or_usual(name: &str, usual: Option<&str>) -> Option<String> {
    if let Ok(value) = env::var(name)
        && !value.is_empty()
    {
        return Some(value);
    }
    let folder = env::home_dir()?.join(usual?);
    let is_there = folder.is_dir();
    folder
        .into_os_string()
        .into_string()
        .ok()
        .filter(|_| is_there)
}

/// Creates whatever the lessons still need inside the project, and returns the Python
/// interpreter that has JupyterLab.
pub fn set_up() -> Result<PathBuf> {
    if !project::is_own() {
        let _ = project::keep_progress_in_homes(&project::generated()); // an installation has done so
    }
    // In parallel, because one waits for the network while the other computes. If Python fails,
    // this program ends, and the compilation ends with it.
    let compiling = thread::spawn(|| notebook_session::prepare(&kernel_config()));
    let python = python::prepare()?;
    if project::environment().is_none() {
        // A wheel already contains the kernelspec, the extension and the settings.
        let data = python::environment().join("share").join("jupyter");
        register_this(&data, None)?;
        live_extension::write(&data)?;
        server_config::write_for_exports(&python::environment().join("etc/jupyter"))?;
    }
    let compiled = compiling.join();
    compiled.unwrap_or_else(|panic| panic::resume_unwind(panic))?;
    Ok(python)
}

/// A running JupyterLab server.
pub struct Server {
    process: Child,
    /// The address, including the token.
    pub address: String,
}

impl Server {
    /// Starts JupyterLab for a folder, accessible from this machine only, and waits until it
    /// answers. Its page opens the notebook `first`, if that is in the folder.
    pub fn start(
        python: &Path,
        folder: &Path,
        first: Option<&Path>,
        open_browser: bool,
        port: Option<u16>,
        more: &[String],
    ) -> Result<Server> {
        server_config::write(&config())?;
        let first_page = first_page(folder, first);
        // Ends the server and its kernels when this program ends, even if it is killed.
        let mut command = Command::new(env::current_exe()?);
        command
            .args(["end-with-parent", &std::process::id().to_string()])
            .arg(python)
            .args([
                "-m",
                "jupyterlab",
                "--ServerApp.ip=127.0.0.1",
                "--log-level=WARN",
            ])
            // Containers run as root; access still requires this machine and the token.
            .arg("--allow-root")
            // jupyter_lsp would look for the language servers of twenty languages, and nothing here
            // uses one.
            .arg("--ServerApp.jpserver_extensions={'jupyter_lsp': False}")
            .arg(format!("--LabApp.default_url=/{first_page}"))
            // Not the lessons' own folder: they show pictures from `../assets`, and Jupyter serves
            // no files above its root.
            .arg(with_value("--ServerApp.root_dir=", folder))
            .envs(inside_the_project())
            .stdin(Stdio::null());
        if let Some(port) = port {
            command.args([
                format!("--ServerApp.port={port}"),
                "--ServerApp.port_retries=0".into(),
            ]);
        }
        if !open_browser {
            command.arg("--no-browser");
        }
        command.args(more);
        // Ctrl-C in the terminal is for this program, which shuts Jupyter down cleanly.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let process = command.spawn().context("JupyterLab could not be started")?;
        let mut server = Server {
            process,
            address: String::new(),
        };
        server.wait_until_ready(&first_page)?;
        Ok(server)
    }

    fn wait_until_ready(&mut self, first_page: &str) -> Result<()> {
        let description = runtime().join(format!("jpserver-{}.json", self.process.id()));
        let started = Instant::now();
        while started.elapsed() < START_LIMIT {
            if let Some(status) = self.process.try_wait()? {
                bail!("JupyterLab ended before it was ready ({status}); its lines above say why");
            }
            if let Some(address) = answering_address(&description, first_page) {
                self.address = address;
                return Ok(());
            }
            std::thread::sleep(POLL);
        }
        self.stop(None)?;
        bail!(
            "JupyterLab did not answer within {} s: searched {}; run this command again",
            START_LIMIT.as_secs(),
            description.display()
        )
    }

    /// Waits until the server ends, or stops it when a message arrives.
    pub fn wait(mut self, end: &Receiver<()>) -> Result<ExitStatus> {
        loop {
            match end.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = self.process.try_wait()? {
                        return Ok(status);
                    }
                }
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return self.stop(Some(end)),
            }
        }
    }

    /// Stops the server and its kernels, immediately if another message arrives.
    fn stop(&mut self, again: Option<&Receiver<()>>) -> Result<ExitStatus> {
        ask_to_end(&mut self.process)?;
        let asked = Instant::now();
        let is_asked_again = || again.is_some_and(|again| again.try_recv().is_ok());
        while asked.elapsed() < STOP_LIMIT && !is_asked_again() {
            if let Some(status) = self.process.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(POLL);
        }
        self.process.kill()?;
        Ok(self.process.wait()?)
    }
}

/// Sends a message for each Ctrl-C, and when the terminal closes.
pub fn end_requests() -> Result<Receiver<()>> {
    let (sender, receiver) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = sender.send(()); // fails if this program is already ending
    })?;
    Ok(receiver)
}

/// Lets Jupyter shut down its kernels and exit.
#[cfg(unix)]
fn ask_to_end(process: &mut Child) -> Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    Ok(kill_process(Pid::from_child(process), Signal::TERM)?)
}

#[cfg(not(unix))]
fn ask_to_end(process: &mut Child) -> Result<()> {
    Ok(process.kill()?)
}

/// The address from the file that a Jupyter server writes about itself, once the
/// server accepts connections.
fn answering_address(description: &Path, first_page: &str) -> Option<String> {
    let description: Value = serde_json::from_str(&fs::read_to_string(description).ok()?).ok()?;
    let port = u16::try_from(description["port"].as_u64()?).ok()?;
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    let (url, token) = (description["url"].as_str()?, description["token"].as_str()?);
    Some(format!("{url}{first_page}?token={token}"))
}

/// The page to open, relative to the server's address.
fn first_page(folder: &Path, first: Option<&Path>) -> String {
    let first = first.and_then(|first| first.strip_prefix(folder).ok());
    first.map_or_else(
        || "lab".to_owned(),
        |first| format!("lab/tree/{}", first.display()),
    )
}

/// Fails if a server cannot listen on this port.
pub fn check_free(port: u16) -> Result<()> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| {
        format!("port {port} on 127.0.0.1 cannot be used; choose another one with --port, or leave --port out")
    })?;
    Ok(())
}

fn with_value(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_kernel_gets_what_set_up_found_rust_with() -> Result<()> {
        let data = tempfile::tempdir()?;
        for file in register_this(data.path(), Some(Path::new("/evcxr-kernel")))? {
            let spec: Value = serde_json::from_slice(&fs::read(file)?)?;
            for (name, usual) in FOUND_WITH {
                let set = env::var(name).ok().filter(|value| !value.is_empty());
                let home = || env::home_dir().unwrap_or_default();
                let usual = usual.map(|usual| home().join(usual));
                let usual = usual.filter(|usual| usual.is_dir());
                let expected = set.or_else(|| usual?.to_str().map(str::to_owned));
                assert_eq!(spec["env"][name].as_str(), expected.as_deref(), "{name}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_second_ctrl_c_ends_a_server_that_does_not_stop() -> Result<()> {
        let mut deaf = Command::new("sh");
        deaf.args(["-c", "trap '' TERM; echo; exec sleep 100"]);
        let mut process = deaf.stdout(Stdio::piped()).spawn()?;
        // The line says that the signal is ignored by now.
        process
            .stdout
            .take()
            .context("piped")?
            .read_exact(&mut [0])?;
        let server = Server {
            process,
            address: String::new(),
        };
        let (sender, receiver) = mpsc::channel();
        sender.send(())?;
        sender.send(())?;
        let asked = Instant::now();
        assert!(!server.wait(&receiver)?.success());
        assert!(asked.elapsed() < STOP_LIMIT / 2);
        Ok(())
    }
}
