//! `wheel`: lays out the files of a Python wheel, for maturin to pack.

use crate::installation::wheel;
use crate::printed::say;
use crate::project;
use anyhow::Result;
use std::process::ExitCode;

pub fn wheel() -> Result<ExitCode> {
    project::check_repository("wheel")?;
    say!("Laid out {}", wheel::lay_out()?.display())?;
    say!("`maturin build --release` packs it, with the program, into target/wheels.")?;
    Ok(ExitCode::SUCCESS)
}
