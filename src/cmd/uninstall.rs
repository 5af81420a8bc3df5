//! `uninstall`: removes what `install` wrote, or what a Python package's set-up made.

use crate::cli::Destination;
use crate::cmd::install::{NOBODYS, prefix, user_data};
use crate::installation::Installation;
use crate::kernelspecs::{self, Registered};
use crate::live_extension;
use crate::printed::mention;
use crate::project;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn uninstall(destination: &Destination) -> Result<ExitCode> {
    let of_this_program = || match destination.user {
        true => None,
        false => project::prefix().map(Path::to_owned),
    };
    let prefix: Option<PathBuf> = prefix(destination)?.or_else(of_this_program);
    let Some(prefix) = prefix else {
        unregister(&user_data()?)?;
        if !destination.user && project::environment().is_some() {
            remove_what_set_up_made()?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let installation = Installation::below(&prefix)?;
    unregister(&installation.data())?;
    let removed = installation.remove()?;
    if removed.is_empty() {
        let root = installation.root();
        mention!("Nothing to remove: searched {}", root.display())?;
    }
    for path in removed {
        mention!("Removed {}", path.display())?;
    }
    installation.remove_empty();
    Ok(ExitCode::SUCCESS)
}

/// Removes what pip does not know about.
fn remove_what_set_up_made() -> Result<()> {
    let generated = project::generated();
    if generated.exists() {
        let path = generated.display();
        fs::remove_dir_all(&generated).with_context(|| format!("cannot remove {path}"))?;
        mention!("Removed {path}")?;
    }
    mention!("`pip uninstall {}` removes the rest.", project::INSTALLED)
}

/// Removes the kernels and the extension from a Jupyter data folder.
fn unregister(data: &Path) -> Result<()> {
    for folder in kernelspecs::folders(data) {
        let path = folder.display();
        match kernelspecs::registered(&folder) {
            Registered::Nowhere => mention!("Nothing to remove: searched {path}")?,
            Registered::ForAnother(program) => {
                mention!("Left {path} alone: it is the kernel of another program ({program})")?;
            }
            Registered::ForNobody => mention!("Left {path} alone: it is {NOBODYS}")?,
            Registered::ForThis => {
                fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {path}"))?;
                mention!("Removed {path}")?;
            }
        }
    }
    let extension = live_extension::folder(data);
    if live_extension::is_ours(&extension) {
        let path = extension.display();
        fs::remove_dir_all(&extension).with_context(|| format!("cannot remove {path}"))?;
        mention!("Removed {path}")?;
    }
    Ok(())
}
