//! `install --user` and `uninstall`: the kernel in the user's own Jupyter or VS
//! Code.

use crate::{jupyter, project};
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

pub fn install() -> Result<ExitCode> {
    notebook_kernel::prepare(&project::kernel())?;
    for file in jupyter::write_kernelspecs(&user_data()?)? {
        println!("Wrote {}", file.display());
    }
    println!(
        "The kernel \"Rust (attention)\" runs {}",
        std::env::current_exe()?.display()
    );
    println!("In a notebook outside of this project, load the crate with");
    println!("  {}", project::dependency());
    println!("`cargo run --release -- uninstall` removes the registration.");
    Ok(ExitCode::SUCCESS)
}

pub fn uninstall() -> Result<ExitCode> {
    for folder in jupyter::kernelspec_folders(&user_data()?) {
        match fs::remove_dir_all(&folder) {
            Ok(()) => println!("Removed {}", folder.display()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                println!("Nothing to remove: searched {}", folder.display());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot remove {}", folder.display()));
            }
        }
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
