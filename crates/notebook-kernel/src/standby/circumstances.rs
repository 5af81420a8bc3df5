//! What must be the same for a standby and for the kernel that takes it over.

use crate::config::Config;
use crate::evaluation::place::Place;
use anyhow::{Context, Result};
use rustix::fs::Mode;
use rustix::process::umask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// How the names begin of the variables that Jupyter sets for itself and for each kernel. No
/// compiler reads these, nor those of [`OF_SHELLS`], so they may differ; the standby gets those
/// of the kernel.
const OF_JUPYTER: [&str; 3] = ["IPYTHON", "JPY_", "JUPYTER"];
/// What a shell sets anew for each command.
const OF_SHELLS: [&str; 4] = ["OLDPWD", "PWD", "SHLVL", "_"];
/// Jupyter's server raises this limit for itself and its kernels.
const RAISED_LIMIT: &str = "Max open files";
/// evcxr's settings, which it reads at its start in the folder of the notebook.
const SETTINGS: &str = "evcxr.toml";

/// The circumstances of a process, from before it has changed any of them.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
pub struct Circumstances {
    /// The device, the number, the size and the time of the program's file.
    program: [i64; 4],
    config: String,
    variables: BTreeMap<String, String>,
    /// The rights that new files do not get.
    umask: u32,
    limits: String,
    control_group: String,
}

impl Circumstances {
    /// Of this process.
    ///
    /// # Errors
    ///
    /// If an environment variable is not UTF-8: then it could not be compared.
    pub fn here(config: &Config) -> Result<Circumstances> {
        let program = fs::metadata("/proc/self/exe").or_else(|_| env::current_exe()?.metadata())?;
        let (variables, _) = variables()?;
        let mask = umask(Mode::RWXG | Mode::RWXO);
        umask(mask);
        let of_this_process =
            |file: &str| fs::read_to_string(format!("/proc/self/{file}")).unwrap_or_default();
        let limits = of_this_process("limits");
        let limits = limits
            .lines()
            .filter(|line| !line.starts_with(RAISED_LIMIT));
        Ok(Circumstances {
            program: [
                program.dev().cast_signed(),
                program.ino().cast_signed(),
                program.size().cast_signed(),
                program.mtime(),
            ],
            config: format!("{config:?}"),
            variables,
            umask: mask.as_raw_mode(),
            limits: limits.collect(),
            control_group: of_this_process("cgroup"),
        })
    }
}

/// Where the cells of this process's notebook run.
///
/// # Errors
///
/// If there are settings for evcxr, which a standby has not read.
pub fn place() -> Result<Place> {
    let folder = env::current_dir()?;
    anyhow::ensure!(!folder.join(SETTINGS).exists(), "there is an {SETTINGS}");
    let (_, variables) = variables()?;
    Ok(Place {
        folder: Some(folder),
        variables: variables
            .into_iter()
            .map(|(name, value)| (name, Some(value)))
            .collect(),
    })
}

/// A place, together with the removal of what is set here and not there.
pub fn without_others(mut place: Place) -> Result<Place> {
    for name in variables()?.1.into_keys() {
        place.variables.entry(name).or_insert(None);
    }
    Ok(place)
}

/// The environment variables that must be the same, and those that may differ.
fn variables() -> Result<(BTreeMap<String, String>, BTreeMap<String, String>)> {
    let mut all = BTreeMap::new();
    for (name, value) in env::vars_os() {
        let text = |text: std::ffi::OsString| text.into_string().ok();
        let variable = text(name).zip(text(value));
        let (name, value) = variable.context("a variable is not UTF-8")?;
        all.insert(name, value);
    }
    Ok(all.into_iter().partition(|(name, _)| !may_differ(name)))
}

fn may_differ(name: &str) -> bool {
    OF_JUPYTER.iter().any(|start| name.starts_with(start)) || OF_SHELLS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_the_variables_of_jupyter_and_of_shells_decides() -> Result<()> {
        let config = Config::new("toy-kernel", "toy", "/toy");
        let here = || Circumstances::here(&config);
        assert_eq!(here()?, here()?);
        assert!(here()?.variables.contains_key("PATH"));
        assert!(
            !here()?
                .variables
                .keys()
                .any(|name| name.starts_with("JPY_"))
        );
        let mut others = [here()?, here()?, here()?, here()?, here()?];
        others[0].program[3] += 1;
        others[1].variables.insert("RUSTFLAGS".into(), "-g".into());
        others[2].umask ^= 0o022;
        others[3].limits += "x";
        others[4].control_group += "x";
        for other in others {
            assert_ne!(here()?, other);
        }
        let another = Config::new("toy-kernel", "toy", "/another");
        assert_ne!(here()?, Circumstances::here(&another)?);
        Ok(())
    }

    #[test]
    fn what_the_kernel_does_not_have_is_removed() -> Result<()> {
        let place = without_others(place()?)?;
        assert_eq!(place.folder, Some(env::current_dir()?));
        assert!(place.variables.keys().all(|name| may_differ(name)));
        Ok(())
    }
}
