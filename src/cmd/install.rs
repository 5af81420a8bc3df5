//! `install`: registers the kernel in the user's own Jupyter or VS Code (`--user`), or installs
//! everything under a prefix, for all users of a machine.

use crate::cli::Destination;
use crate::evcxr;
use crate::installation::Installation;
use crate::jupyter;
use crate::kernel_config::kernel_config;
use crate::kernelspecs::{self, Registered};
use crate::live_extension;
use crate::printed::mention;
use crate::project;
use anyhow::{Context, Result, bail};
use rustix::fs::Mode;
use rustix::process::umask;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Describes a folder that is where a kernel would be registered, but is not a kernel.
pub const NOBODYS: &str = "not a kernel: it has no kernel.json that says what to start";

pub fn install(destination: &Destination, evcxr: bool) -> Result<ExitCode> {
    project::check_own("install", "a copy of the project can install another one")?;
    let prefix = prefix(destination)?;
    match (&prefix, evcxr) {
        (Some(_), _) => project::check_repository("install --prefix")?,
        (None, true) => project::check_repository("install --evcxr")?,
        (None, false) => {}
    }
    match prefix {
        Some(_) if evcxr => bail!(
            "evcxr's own kernel needs Rust and a project that it may write into, which the users of \
             an installation do not have; use `install --user --evcxr`"
        ),
        Some(prefix) => for_all(&prefix),
        None => for_this_user(evcxr),
    }
}

fn for_this_user(evcxr: bool) -> Result<ExitCode> {
    let data = user_data()?;
    check_free(&data)?;
    notebook_session::prepare(&kernel_config())?;
    let evcxr = evcxr.then(evcxr::compiled).transpose()?;
    for file in jupyter::register_this(&data, evcxr.as_deref())? {
        mention!("Wrote {}", file.display())?;
    }
    let extension = live_extension::write(&data)?;
    mention!("Wrote {}", extension.display())?;
    mention!(
        "The kernel \"Rust (attention)\" runs {}",
        env::current_exe()?.display()
    )?;
    mention!("In a notebook outside this project, load the crate with")?;
    mention!("  {}", project::dependency())?;
    mention!(
        "`{}` removes the registration.",
        project::command("uninstall --user")
    )?;
    Ok(ExitCode::SUCCESS)
}

fn for_all(prefix: &Path) -> Result<ExitCode> {
    let installation = Installation::below(prefix)?;
    check_free(&installation.data())?;
    // These files are for all users, whatever this user's umask is.
    umask(Mode::WGRP | Mode::WOTH);
    let registered = installation.make()?;
    mention!("Wrote {}", installation.root().display())?;
    for file in registered {
        mention!("Wrote {}", file.display())?;
    }
    mention!(
        "Jupyter finds the kernel \"Rust (attention)\" if its environment is {0}, or if \
         JUPYTER_PATH contains {0}/share/jupyter",
        prefix.display()
    )?;
    mention!(
        "`{} uninstall` removes all of it.",
        installation.command().display()
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Fails if something else occupies the folders of the kernels or the extension.
fn check_free(data: &Path) -> Result<()> {
    for folder in kernelspecs::folders(data) {
        let path = folder.display();
        let whose = match kernelspecs::registered(&folder) {
            Registered::Nowhere | Registered::ForThis => continue,
            Registered::ForAnother(program) => format!("the kernel of another program ({program})"),
            Registered::ForNobody => NOBODYS.to_owned(),
        };
        bail!("{path} is {whose}; move it out of the way, then run this command again");
    }
    let extension = live_extension::folder(data);
    if extension.exists() && !live_extension::is_ours(&extension) {
        let path = extension.display();
        bail!(
            "{path} is another extension of JupyterLab; move it out of the way, then run this command again"
        );
    }
    Ok(())
}

/// The chosen prefix; `None` for the user's own folder.
pub fn prefix(destination: &Destination) -> Result<Option<PathBuf>> {
    match (&destination.prefix, destination.sys_prefix) {
        (Some(prefix), _) => Ok(Some(std::path::absolute(prefix)?)),
        (None, true) => sys_prefix().map(Some),
        (None, false) => Ok(None),
    }
}

/// The folder of Python's environment, as in Jupyter's own `--sys-prefix`.
fn sys_prefix() -> Result<PathBuf> {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.prefix)"])
        .output()
        .context("python3 could not be started: searched PATH; use --prefix DIR")?;
    let answer = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    if !asked.status.success() || answer.is_empty() {
        bail!("python3 did not report its prefix; use --prefix DIR");
    }
    Ok(answer.into())
}

/// Where Jupyter looks for the user's kernels.
///
/// Source: <https://docs.jupyter.org/en/latest/use/jupyter-directories.html>
pub fn user_data() -> Result<PathBuf> {
    if let Some(chosen) = set("JUPYTER_DATA_DIR") {
        return Ok(chosen);
    }
    let below_home = |folders: &str| {
        let home = env::home_dir().filter(|home| home.as_os_str() != OsStr::new(""));
        home.map(|home| home.join(folders))
            .context("there is no home folder: set HOME, or JUPYTER_DATA_DIR")
    };
    if cfg!(target_os = "macos") {
        below_home("Library/Jupyter")
    } else if cfg!(windows) {
        set("APPDATA")
            .map(|data| data.join("jupyter"))
            .context("APPDATA is not set: set it, or JUPYTER_DATA_DIR")
    } else {
        let data = set("XDG_DATA_HOME").map_or_else(|| below_home(".local/share"), Ok)?;
        Ok(data.join("jupyter"))
    }
}

/// The folder that an environment variable names.
fn set(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
