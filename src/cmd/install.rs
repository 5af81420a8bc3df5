//! `install --user` and `uninstall`: the kernel in the user's own Jupyter or VS
//! Code.

use crate::jupyter::{self, Registered};
use crate::live_extension;
use crate::printed::say;
use crate::project;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// What a folder is that something else has put where a kernel is registered.
const NOBODYS: &str = "no kernel: it has no kernel.json that says what to start";

pub fn install() -> Result<ExitCode> {
    let data = user_data()?;
    for folder in jupyter::kernelspec_folders(&data) {
        let path = folder.display();
        let whose = match jupyter::registered(&folder) {
            Registered::Nowhere | Registered::ForThis => continue,
            Registered::ForAnother(program) => format!("the kernel of another program ({program})"),
            Registered::ForNobody => NOBODYS.to_owned(),
        };
        bail!("{path} is {whose}; move it away, then run this command again");
    }
    let extension = live_extension::folder(&data);
    if extension.exists() && !live_extension::is_ours(&extension) {
        let path = extension.display();
        bail!(
            "{path} is another extension of JupyterLab; move it away, then run this command again"
        );
    }
    notebook_kernel::prepare(&project::kernel())?;
    for file in jupyter::write_kernelspecs(&data)? {
        say!("Wrote {}", file.display())?;
    }
    let extension = live_extension::write(&data)?;
    say!("Wrote {}", extension.display())?;
    say!(
        "The kernel \"Rust (attention)\" runs {}",
        std::env::current_exe()?.display()
    )?;
    say!("In a notebook outside of this project, load the crate with")?;
    say!("  {}", project::dependency())?;
    say!("`cargo run --release -- uninstall` removes the registration.")?;
    Ok(ExitCode::SUCCESS)
}

pub fn uninstall() -> Result<ExitCode> {
    for folder in jupyter::kernelspec_folders(&user_data()?) {
        let path = folder.display();
        match jupyter::registered(&folder) {
            Registered::Nowhere => say!("Nothing to remove: searched {path}")?,
            Registered::ForAnother(program) => {
                say!("Left {path} alone: it is the kernel of another program ({program})")?;
            }
            Registered::ForNobody => say!("Left {path} alone: it is {NOBODYS}")?,
            Registered::ForThis => {
                fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {path}"))?;
                say!("Removed {path}")?;
            }
        }
    }
    let extension = live_extension::folder(&user_data()?);
    if live_extension::is_ours(&extension) {
        let path = extension.display();
        fs::remove_dir_all(&extension).with_context(|| format!("cannot remove {path}"))?;
        say!("Removed {path}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where Jupyter looks for the user's kernels.
///
/// Source: <https://docs.jupyter.org/en/latest/use/jupyter-directories.html>
fn user_data() -> Result<PathBuf> {
    if let Some(chosen) = set("JUPYTER_DATA_DIR") {
        return Ok(chosen);
    }
    let below_home = |folders: &str| {
        let home = std::env::home_dir().filter(|home| home.as_os_str() != OsStr::new(""));
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

/// A folder that an environment variable names.
fn set(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
