//! The files that a workspace consists of before evcxr and cargo add to it.
//!
//! It has two members: `ctx`, the crate that evcxr writes each cell into, and `pin`, which
//! depends on the helper crate and its companions so that cargo keeps the versions of its lock file although
//! `ctx` starts without dependencies.

use crate::config::{Config, Helper};
use crate::evaluation::dep_paths::OnlyCrates;
use crate::evaluation::prelude::prelude;
use crate::workspace::helper_manifest;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The helper crate is compiled like a release. A cell is compiled to start soon: not
/// optimised, as one unit, with nothing kept for the next one, which together halve rustc's
/// time; its own loops take twice as long then, while what it calls is as fast as ever. The
/// rest is as evcxr has it; in a workspace cargo reads profiles from the root only.
const WORKSPACE: &str = r#"[workspace]
members = ["ctx", "pin"]
resolver = "3"

[profile.dev]
opt-level = 0
lto = "off"
debug = false
strip = "debuginfo"
rpath = true
codegen-units = 1
incremental = false

[profile.dev.package."*"]
opt-level = 3
codegen-units = 16
debug-assertions = false
overflow-checks = false
"#;

/// The manifest of the workspace.
pub fn workspace(helper: &Helper) -> String {
    let units = format!(
        "\n[profile.dev.package.{}]\ncodegen-units = {}\n",
        helper.name, helper.codegen_units
    );
    let unoptimised = helper.unoptimised.iter();
    let unoptimised =
        unoptimised.map(|name| format!("\n[profile.dev.package.{name}]\nopt-level = 0\n"));
    format!("{WORKSPACE}{units}{}", unoptimised.collect::<String>())
}

/// evcxr's own configuration: cargo stays offline, and each process that runs
/// cells begins with the prelude.
fn evcxr_config() -> String {
    format!(
        "[evcxr]\noffline_mode = true\nprelude = '''\n{}'''\n",
        prelude()
    )
}

/// Writes the files.
pub fn write(config: &Config, folder: &Path) -> Result<()> {
    let helper = &config.helper;
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n");
    let pin = package("pin") + &helper_manifest::dependencies(helper)?;
    fs::create_dir_all(folder.join("pin/src"))?;
    fs::create_dir_all(folder.join("ctx/src"))?;
    fs::create_dir_all(folder.join("config"))?;
    // Where rust-analyzer's cargo keeps what rustc says of itself; it makes no folder for that.
    fs::create_dir_all(folder.join("target"))?;
    fs::write(folder.join("Cargo.toml"), workspace(helper))?;
    helper_manifest::write(config, folder)?;
    let lock = helper.workspace.join("Cargo.lock");
    fs::copy(&lock, folder.join("Cargo.lock"))
        .with_context(|| format!("cannot copy {}", lock.display()))?;
    fs::write(folder.join("config/evcxr.toml"), evcxr_config())?;
    if config.installed.is_some() {
        OnlyCrates::write(folder, &helper_manifest::loaded_crates(helper)?)?;
    }
    fs::write(folder.join("pin/Cargo.toml"), pin)?;
    fs::write(folder.join("pin/src/lib.rs"), "")?;
    // evcxr replaces these two, but cargo asks for them before it does.
    fs::write(folder.join("ctx/Cargo.toml"), package("ctx"))?;
    fs::write(folder.join("ctx/src/lib.rs"), "")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Table;

    #[test]
    fn the_profile_has_what_the_configuration_says() {
        let mut helper = Config::new("toy-kernel", "toy", "/toy").helper;
        helper.codegen_units = 3;
        helper.unoptimised = vec!["cold".to_owned()];
        let manifest: Table = toml::from_str(&workspace(&helper)).expect("a manifest");
        let packages = &manifest["profile"]["dev"]["package"];
        assert_eq!(packages["toy"]["codegen-units"].as_integer(), Some(3));
        assert_eq!(packages["cold"]["opt-level"].as_integer(), Some(0));
        assert_eq!(packages["*"]["opt-level"].as_integer(), Some(3));
    }

    #[test]
    fn evcxr_reads_the_prelude_from_its_configuration() {
        let config: Table = toml::from_str(&evcxr_config()).expect("a configuration");
        assert_eq!(config["evcxr"]["prelude"].as_str(), Some(&*prelude()));
    }
}
