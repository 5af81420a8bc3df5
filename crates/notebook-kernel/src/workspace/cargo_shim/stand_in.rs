//! The work of the links.
//!
//! - `rustup which cargo` names the `cargo` of their folder, `rustup which rustc` the real
//!   rustc;
//! - `cargo check` and `cargo build` call rustc as recorded, if nothing but the cell has
//!   changed, and otherwise the real cargo; a build does so at first for a cell that keeps what
//!   it shadows, and has the real cargo call
//! - `record-rustc` as its rustc, which records the call that compiles the cell. Cargo calls the
//!   program itself for that, as long as its file is there.

use crate::evaluation::broken_tools::CANNOT_START;
use crate::evaluation::interrupt::flag;
use crate::huge_pages;
use crate::workspace::cargo_shim::links::{CARGO, PROGRAMS, RECORD_RUSTC, RUSTUP, SHIMS, folder};
use crate::workspace::cargo_shim::metadata::{self, METADATA};
use crate::workspace::cargo_shim::moved::about_variables_alone;
use crate::workspace::cargo_shim::progress;
use crate::workspace::cargo_shim::record::{self, RUSTC_WRAPPER, Recorded, WRAPPER};
use crate::workspace::cargo_shim::replay::{BUILD, CHECK, request_fingerprint, unchanged_record};
use crate::workspace::cargo_shim::shadowed::keeping_shadowed;
use crate::workspace::rust_homes;
use anyhow::{Context, Result, bail};
use std::convert::Infallible;
use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::panic;
use std::path::PathBuf;
use std::process::{self, Command, Output, Stdio};
use std::thread;

/// How evcxr tells cargo to stay offline, and how that can be told otherwise.
const OFFLINE: &str = "--offline";
const NET_OFFLINE: &str = "CARGO_NET_OFFLINE";
/// The source of the cell, in its crate.
const SOURCE: &str = "src/lib.rs";
/// What cargo writes before the name of a crate.
const COMPILING: &[u8] = b"Compiling ";

/// Returns only if it fails: otherwise this process goes on as another program or ends.
type Outcome = Result<Infallible>;

/// Does the work of the link that this program was started as; returns if it was
/// started under its own name, and not in place of rustc.
pub fn run_if_linked() {
    let started_as = env::args_os().next().map(PathBuf::from);
    let name = started_as.as_ref().and_then(|path| path.file_name());
    let outcome = match name.and_then(|name| name.to_str()) {
        Some(CARGO) => cargo(),
        Some(RUSTUP) => rustup(),
        Some(RECORD_RUSTC) => record_rustc(),
        _ if env::var_os(WRAPPER).is_some() => record_rustc(),
        _ => return,
    };
    let Err(error) = outcome;
    eprintln!("error: {error:#}");
    process::exit(1)
}

fn rustup() -> Outcome {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let folder = match arguments.as_slice() {
        [which, tool] if which == "which" && tool == CARGO => folder(SHIMS)?,
        [which, tool] if which == "which" && tool == "rustc" => folder(PROGRAMS)?,
        _ => {
            let mut real = Command::new(real_rustup()?);
            rust_homes::give_back(&mut real);
            return become_program(real.args(arguments));
        }
    };
    println!("{}", folder.join(&arguments[1]).display());
    process::exit(0)
}

fn cargo() -> Outcome {
    huge_pages::accept();
    let mut real = real_cargo()?;
    let cell_crate = folder(SHIMS)?.with_file_name("ctx");
    let is_cell = fs::canonicalize(&cell_crate)? == fs::canonicalize(".")?;
    let workspace = cell_crate.parent().unwrap_or(&cell_crate);
    if is_cell && flag(workspace).exists() {
        bail!("the cell should stop"); // nobody reads this
    }
    let has_argument = |wanted: &str| env::args_os().any(|argument| argument == wanted);
    if is_cell && !has_argument(OFFLINE) && env::var_os(NET_OFFLINE).is_none() {
        // evcxr has changed its mind, and the configuration that it wrote for the last cell.
        real.env(NET_OFFLINE, "false");
    }
    if is_cell && has_argument(CHECK) {
        // The real one would first check all crates below the cell, for a minute.
        if let Some(recorded) = unchanged_record(request_fingerprint()) {
            return become_program(&mut recorded.check());
        }
    }
    // rust-analyzer asks in the folder of the workspace.
    let is_here = is_cell || fs::canonicalize(workspace)? == fs::canonicalize(".")?;
    if is_here && has_argument(METADATA) {
        if is_cell {
            replace_rustc(&mut real)?;
        }
        let asked = output(&mut real)?;
        io::stdout().write_all(&metadata::with_names(&asked.stdout))?;
        io::stderr().write_all(&asked.stderr)?;
        process::exit(asked.status.code().unwrap_or(1))
    }
    if !is_cell || !has_argument(BUILD) {
        return become_program(&mut real);
    }
    let source = fs::read_to_string(SOURCE)?;
    if let Some(keeping) = keeping_shadowed(&source) {
        fs::write(SOURCE, keeping)?;
        let mut build = Build::of_cell()?;
        let built = output(&mut build.command)?;
        if built.status.success() {
            build.has_succeeded();
            pass_on(&built)?;
            process::exit(0)
        }
        fs::write(SOURCE, source)?;
    }
    let mut build = Build::of_cell()?;
    let built = output(&mut build.command)?;
    if built.status.success() {
        build.has_succeeded();
    }
    pass_on(&built)?;
    process::exit(built.status.code().unwrap_or(1))
}

/// The real cargo, called as this process was.
fn real_cargo() -> Result<Command> {
    let mut cargo = Command::new(folder(PROGRAMS)?.join(CARGO));
    cargo.args(env::args_os().skip(1));
    rust_homes::give_back(&mut cargo);
    Ok(cargo)
}

/// Has cargo call `record-rustc` in place of rustc.
///
/// What rustc says of itself cargo keeps beside what it compiles, and so in the template. It asks
/// again, for a tenth of a second each time, if it is to call a program of another path or time than
/// the last time. The program's own path is the same for all kernels, and for all calls. A wrapper of
/// the user's is asked anew in each kernel.
fn replace_rustc(cargo: &mut Command) -> Result<()> {
    let link = folder(SHIMS)?.join(RECORD_RUSTC);
    let wrapper = env::var_os(RUSTC_WRAPPER).filter(|wrapper| !wrapper.is_empty());
    let program = match wrapper {
        None => fs::canonicalize(&link).unwrap_or(link), // its file may be gone
        Some(_) => link,
    };
    cargo.env(WRAPPER, wrapper.unwrap_or_default());
    cargo.env(RUSTC_WRAPPER, program);
    Ok(())
}

/// Runs a compiler to its end. What cargo does is told meanwhile.
fn output(compiler: &mut Command) -> Result<Output> {
    let started = compiler
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut running =
        started.with_context(|| format!("{CANNOT_START}{}", compiler.get_program().display()))?;
    let stderr = running.stderr.take().context("no standard error")?;
    let links = folder(SHIMS)?;
    let telling = thread::spawn(move || {
        tell_compiling(stderr, &mut io::stderr(), &mut |line| {
            let _ = progress::tell(&links, line); // the kernel is ending
        })
    });
    let mut built = running.wait_with_output()?;
    let rest = telling.join();
    built.stderr = rest.unwrap_or_else(|panic| panic::resume_unwind(panic))?;
    Ok(built)
}

/// Tells every line; hands on what says which crate is compiled, and returns the rest.
fn tell_compiling(
    stderr: impl Read,
    reader: &mut impl Write,
    tell: &mut dyn FnMut(&[u8]),
) -> io::Result<Vec<u8>> {
    let mut stderr = BufReader::new(stderr);
    let mut rest = Vec::new();
    loop {
        let mut line = Vec::new();
        if stderr.read_until(b'\n', &mut line)? == 0 {
            return Ok(rest);
        }
        tell(&line);
        match line.trim_ascii_start().starts_with(COMPILING) {
            true => reader.write_all(&line)?,
            false => rest.append(&mut line),
        }
    }
}

/// What evcxr reads of a build.
fn pass_on(built: &Output) -> io::Result<()> {
    io::stdout().write_all(&about_variables_alone(&built.stdout))?;
    io::stderr().write_all(&about_variables_alone(&built.stderr))
}

/// The call that builds a cell.
struct Build {
    command: Command,
    /// It is a call of the real cargo, not of rustc.
    is_cargo: bool,
}

impl Build {
    fn of_cell() -> Result<Build> {
        let request = request_fingerprint();
        let recorded = unchanged_record(request).filter(|recorded| recorded.is_listed);
        let recorded = recorded.and_then(|recorded| recorded.build());
        if let Some(command) = recorded {
            return Ok(Build {
                command,
                is_cargo: false,
            });
        }
        let mut command = real_cargo()?;
        if let Some(last) = Recorded::read() {
            last.looks.forget_changed();
        }
        record::announce(request)?;
        replace_rustc(&mut command)?;
        Ok(Build {
            command,
            is_cargo: true,
        })
    }

    fn has_succeeded(&self) {
        if self.is_cargo {
            // Without a record cargo does the next cell, too.
            let _ = Recorded::note_success();
        }
    }
}

/// Stands for rustc: records the call if it compiles a cell, and calls rustc.
fn record_rustc() -> Outcome {
    let wrapper = env::var_os(WRAPPER).filter(|wrapper| !wrapper.is_empty());
    let mut call = wrapper.into_iter().chain(env::args_os().skip(1));
    let mut rustc = Command::new(call.next().context("no rustc was named")?);
    rustc.args(call);
    let arguments: Vec<_> = rustc.get_args().collect();
    if arguments
        .windows(2)
        .any(|pair| pair == ["--crate-name", "ctx"])
    {
        // Without a record cargo does the next cell, too.
        let _ = Recorded::make(&rustc);
    }
    become_program(&mut rustc)
}

/// The next one in the search path.
fn real_rustup() -> Result<PathBuf> {
    let shims = folder(SHIMS)?;
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|folder| *folder != shims)
        .map(|folder| folder.join(RUSTUP))
        .find(|program| program.is_file())
        .context("rustup was not found in PATH")
}

fn become_program(command: &mut Command) -> Outcome {
    let error = command.exec();
    Err(error).with_context(|| format!("{CANNOT_START}{}", command.get_program().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_told_and_messages_are_kept() -> io::Result<()> {
        let stderr =
            "   Compiling toy v0.1.0\nerror: no\n   Compiling cell v0.1.0\n  --> Compiling";
        let mut told = Vec::new();
        let mut lines = 0;
        let rest = tell_compiling(stderr.as_bytes(), &mut told, &mut |_| lines += 1)?;
        assert_eq!(lines, 4);
        assert_eq!(told, b"   Compiling toy v0.1.0\n   Compiling cell v0.1.0\n");
        assert_eq!(rest, b"error: no\n  --> Compiling");
        Ok(())
    }
}
