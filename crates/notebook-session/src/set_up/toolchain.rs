//! The Rust compiler used for cells.

use crate::config::Config;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const NO_RUST: &str = "cargo and rustc could not be started: searched PATH; install Rust from https://rustup.rs and, \
     for its linker, a C compiler (Debian, Ubuntu: `sudo apt install gcc`; Fedora: `sudo dnf install \
     gcc`; macOS: `xcode-select --install`)";

/// An installed compiler.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Toolchain {
    /// Output of `rustc -vV`: version, commit and host.
    pub version: String,
    pub sysroot: PathBuf,
}

impl Toolchain {
    /// The installation's compiler, or else the one that `rustc` in the search path resolves to.
    pub fn find(config: &Config) -> Result<Toolchain> {
        let Some(installed) = &config.installed else {
            return Toolchain::of("rustc".as_ref(), None);
        };
        // rustc is not asked for its sysroot: if LD_LIBRARY_PATH contains another compiler's
        // libraries, as under `cargo run`, it would report that compiler's folder.
        let rustc = installed.rust.join("bin/rustc");
        Toolchain::of(&rustc, Some(installed.rust.clone()))
    }

    fn of(rustc: &Path, sysroot: Option<PathBuf>) -> Result<Toolchain> {
        // Start both queries at once, because rustup is slow.
        let version = Asked::rustc(rustc, &["-vV"])?;
        let sysroot = match sysroot {
            Some(known) => known,
            None => Asked::rustc(rustc, &["--print", "sysroot"])?
                .answer()?
                .into(),
        };
        Ok(Toolchain {
            version: version.answer()?,
            sysroot,
        })
    }

    /// The host platform, such as `x86_64-unknown-linux-gnu`.
    pub fn host(&self) -> &str {
        self.version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap_or_default()
    }

    /// The folder of the real `cargo` and `rustc`, without rustup's wrappers.
    pub fn programs(&self) -> PathBuf {
        self.sysroot.join("bin")
    }

    /// The folder of the standard library as a shared library.
    pub fn libraries(&self) -> PathBuf {
        self.sysroot
            .join("lib")
            .join("rustlib")
            .join(self.host())
            .join("lib")
    }
}

/// A running query to rustc.
struct Asked {
    question: String,
    process: Child,
}

impl Asked {
    fn rustc(rustc: &Path, arguments: &[&str]) -> Result<Asked> {
        let mut command = Command::new(rustc);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(Asked {
            question: arguments.join(" "),
            process: command.spawn().context(NO_RUST)?,
        })
    }

    fn answer(self) -> Result<String> {
        let output = self.process.wait_with_output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("`rustc {}` failed: {said}", self.question);
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}
