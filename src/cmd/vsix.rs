//! `vsix`: packs the extension that moves live pictures in VS Code.

use crate::printed::{mention, say};
use crate::vscode_extension;
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;

pub fn vsix(file: &Path) -> Result<ExitCode> {
    vscode_extension::pack(file)?;
    let file = file.display();
    say!("Wrote {file}")?;
    mention!("`code --install-extension {file}` installs it in VS Code.")?;
    Ok(ExitCode::SUCCESS)
}
