//! Registers the kernels with Jupyter: a folder for each, which says how to start it.

use crate::evcxr;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A kernel: its name on disk, its display name, the argument before its connection file, and the
/// name of its program.
struct Spec {
    name: &'static str,
    display_name: &'static str,
    start: &'static str,
    program: &'static str,
    /// Whether it supports the part of the debug protocol with which JupyterLab shows variables.
    shows_variables: bool,
}

const OURS: Spec = Spec {
    name: "attention",
    display_name: "Rust (attention)",
    start: "kernel",
    program: env!("CARGO_BIN_NAME"),
    shows_variables: true,
};

/// evcxr's own kernel.
const EVCXRS: Spec = Spec {
    name: "attention-evcxr",
    display_name: "Rust (evcxr)",
    start: "--control_file",
    program: evcxr::PROGRAM,
    shows_variables: false,
};

/// Our kernel's icon in JupyterLab's launcher, with the file name that Jupyter expects.
const LOGO: (&str, &str) = ("logo-svg.svg", include_str!("kernel_logo.svg"));

/// Registers a program's kernel under a Jupyter data folder, with the variables it needs, and
/// evcxr's if its program is given; returns the files written.
pub fn write(
    data: &Path,
    program: &Path,
    evcxr: Option<&Path>,
    environment: Vec<(String, String)>,
) -> Result<Vec<PathBuf>> {
    let environment: BTreeMap<_, _> = environment.into_iter().collect();
    let [ours, evcxrs] = folders(data);
    let write = |folder: &Path, spec: Spec, program: &Path| -> Result<PathBuf> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let described = json!({
            "argv": [program, spec.start, "{connection_file}"],
            "display_name": spec.display_name,
            "language": "rust",
            "interrupt_mode": "message",
            "metadata": { "debugger": spec.shows_variables },
            "env": environment,
        });
        let file = folder.join("kernel.json");
        fs::write(&file, format!("{described:#}\n"))
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    };
    let mut written = vec![write(&ours, OURS, program)?];
    let (name, logo) = LOGO;
    let logo_file = ours.join(name);
    fs::write(&logo_file, logo).with_context(|| format!("cannot write {}", logo_file.display()))?;
    if let Some(program) = evcxr {
        written.push(write(&evcxrs, EVCXRS, program)?);
    } else if registered(&evcxrs) == Registered::ForThis {
        let failed = || format!("cannot remove {}", evcxrs.display());
        fs::remove_dir_all(&evcxrs).with_context(failed)?;
    }
    Ok(written)
}

/// The folders of the kernels under a Jupyter data folder.
pub fn folders(data: &Path) -> [PathBuf; 2] {
    [OURS, EVCXRS].map(|spec| data.join("kernels").join(spec.name))
}

/// The program for which a folder registers a kernel.
#[derive(Debug, PartialEq)]
pub enum Registered {
    Nowhere,
    ForThis,
    /// The program it starts.
    ForAnother(String),
    /// The folder names no program.
    ForNobody,
}

/// Determines whose kernel a folder registers. This program is recognised by its name, wherever it
/// is installed.
pub fn registered(folder: &Path) -> Registered {
    if folder.symlink_metadata().is_err() {
        return Registered::Nowhere;
    }
    if folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_none())
    {
        return Registered::Nowhere; // an empty folder
    }
    let spec = fs::read(folder.join("kernel.json")).unwrap_or_default();
    let spec: Value = serde_json::from_slice(&spec).unwrap_or_default();
    match spec["argv"][0].as_str() {
        Some(program)
            if [OURS, EVCXRS]
                .iter()
                .any(|spec| Path::new(program).ends_with(spec.program)) =>
        {
            Registered::ForThis
        }
        Some(program) => Registered::ForAnother(program.to_owned()),
        None => Registered::ForNobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/target/release/attention-notebooks";

    #[test]
    fn evcxrs_kernel_is_registered_only_where_it_was_asked_for() -> Result<()> {
        let data = tempfile::tempdir()?;
        let kernels = data.path().join("kernels");
        let evcxr = Path::new("/target/evcxr-kernel/release/evcxr-kernel");
        for asked in [Some(evcxr), None] {
            write(data.path(), Path::new(PROGRAM), asked, Vec::new())?;
            let registered = kernels.join("attention-evcxr").exists();
            assert_eq!(registered, asked.is_some());
            assert!(kernels.join("attention/logo-svg.svg").is_file());
        }
        let foreign = kernels.join("attention-evcxr/kernel.json");
        fs::create_dir_all(foreign.parent().context("a folder")?)?;
        fs::write(&foreign, r#"{"argv": ["python3"]}"#)?;
        write(data.path(), Path::new(PROGRAM), None, Vec::new())?;
        assert!(foreign.exists(), "it is another program's");
        Ok(())
    }

    #[test]
    fn a_kernel_is_this_programs_wherever_that_lies() -> Result<()> {
        let data = tempfile::tempdir()?;
        let folder = data.path().join("kernels/attention");
        assert_eq!(registered(&folder), Registered::Nowhere);
        fs::create_dir_all(&folder)?;
        let another = |program: &str| Registered::ForAnother(program.to_owned());
        assert_eq!(registered(&folder), Registered::Nowhere, "it is empty");
        for (spec, expected) in [
            ("no JSON", Registered::ForNobody),
            (
                r#"{"argv": ["/old/target/release/attention-notebooks", "kernel"]}"#,
                Registered::ForThis,
            ),
            (
                r#"{"argv": ["python3", "-m", "attention"]}"#,
                another("python3"),
            ),
            (
                r#"{"argv": ["/my-attention-notebooks"]}"#,
                another("/my-attention-notebooks"),
            ),
        ] {
            fs::write(folder.join("kernel.json"), spec)?;
            assert_eq!(registered(&folder), expected, "{spec}");
        }
        Ok(())
    }
}
