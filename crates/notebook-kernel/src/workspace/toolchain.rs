//! The Rust compiler that cells are compiled with.

use crate::config::Config;
use crate::tell::tell;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const NO_RUST: &str =
    "cargo and rustc could not be started: searched PATH; install Rust from https://rustup.rs";

/// One installed compiler.
pub struct Toolchain {
    /// `rustc -vV`: version, commit and host.
    pub version: String,
    pub sysroot: PathBuf,
}

impl Toolchain {
    /// The compiler of an installation, else the one that `rustc` in the search path stands for.
    pub fn find(config: &Config) -> Result<Toolchain> {
        Toolchain::find_in(config, Path::new("."))
    }

    /// The same in a folder, for which `rustc` can stand for another compiler.
    pub fn find_in(config: &Config, folder: &Path) -> Result<Toolchain> {
        let installed = config.installed.as_ref();
        let rustc = installed.map_or_else(|| "rustc".into(), |own| own.rust.join("bin/rustc"));
        // Both at once: rustup takes its time.
        let version = Asked::rustc(&rustc, folder, &["-vV"])?;
        let sysroot = Asked::rustc(&rustc, folder, &["--print", "sysroot"])?;
        Ok(Toolchain {
            version: version.answer()?,
            sysroot: sysroot.answer()?.into(),
        })
    }

    /// The platform it compiles for, as in `x86_64-unknown-linux-gnu`.
    pub fn host(&self) -> &str {
        self.version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap_or_default()
    }

    /// The folder of `cargo` and `rustc` themselves, without rustup in between.
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

    /// The sources of the standard library.
    pub fn sources(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib/src/rust/library")
    }

    /// Makes sure that the sources of the standard library are there: without
    /// them a cell's `let` of a `Vec` or `String` needs its type written out.
    pub fn add_sources(&self) -> Result<()> {
        let sources = self.sources();
        if sources.is_dir() {
            return Ok(());
        }
        tell(format_args!(
            "Adding the Rust component rust-src, which tells the kernel the types of variables ..."
        ));
        let added = Command::new("rustup")
            .args(["component", "add", "rust-src"])
            .status();
        match added {
            Ok(status) if status.success() && sources.is_dir() => Ok(()),
            Ok(_) => bail!(
                "`rustup component add rust-src` failed; connect to the network and run it, then \
                 run this command again"
            ),
            Err(_) => bail!(
                "the sources of the standard library are missing: searched {}; install the \
                 package that has them (Debian, Ubuntu: rust-src; Fedora: rust-src; Arch: \
                 rust-src), or Rust from https://rustup.rs, then run this command again",
                sources.display()
            ),
        }
    }

    /// Downloads the crates that the cargo workspace in `folder` needs and that
    /// are not on this machine yet; those of other platforms too, for
    /// rust-analyzer asks cargo about all of them.
    pub fn download_crates(&self, folder: &Path) -> Result<()> {
        let fetched = Command::new("cargo")
            .args(["fetch", "--quiet"])
            .current_dir(folder)
            .output()
            .context(NO_RUST)?;
        if !fetched.status.success() {
            let said = String::from_utf8_lossy(&fetched.stderr);
            bail!(
                "cargo could not download the crates of Cargo.lock: {}; connect to the network and \
                 run this command again",
                said.lines().next().unwrap_or("no message")
            );
        }
        Ok(())
    }
}

/// A question to rustc.
struct Asked {
    question: String,
    process: Child,
}

impl Asked {
    fn rustc(rustc: &Path, folder: &Path, arguments: &[&str]) -> Result<Asked> {
        let mut command = Command::new(rustc);
        command
            .args(arguments)
            .current_dir(folder)
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
