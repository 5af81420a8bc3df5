//! The process that stands ready: it makes an evaluator, and waits for a kernel to take over.

use crate::config::Config;
use crate::descriptors;
use crate::huge_pages;
use crate::own_process;
use crate::protocol::connection::Connection;
use crate::protocol::server::{Served, serve_notebook};
use crate::standby::circumstances::{Circumstances, without_others};
use crate::standby::handover::{Answer, DOOR, Ended, GoOn, LIMIT, Request, Serving, hear, say};
use crate::standby::quiet::memory_is_short;
use crate::warm_up::WarmUp;
use crate::workspace::cell_workspace::CellWorkspace;
use crate::workspace::ending::{By, Ending};
use crate::workspace::environment::SingleThread;
use crate::workspace::fingerprint::fingerprint;
use crate::workspace::template;
use crate::workspace::toolchain::Toolchain;
use anyhow::{Result, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};
use std::env;
use std::fs::{self, File};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

/// What this process is called on its command line.
pub const STANDBY: &str = "standby";
/// Why it goes when nobody has come for a long time.
pub const NOBODY_CAME: &str = "nobody came";
/// How long that is.
const LONG: Duration = Duration::from_secs(2 * 60 * 60);
/// How often it looks whether it should go.
const LOOK: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// Stands by, if this process was started for that, and ends with the notebook that it has
/// served; otherwise returns what it was given.
pub fn stand_by_if_asked(config: &Config, thread: SingleThread) -> SingleThread {
    let Some(parent) = own_process::parent(STANDBY) else {
        return thread;
    };
    let served = stand_by(config, thread, parent).and_then(|taken| taken.serve(config));
    if let Err(reason) = served {
        // To who keeps this process or, as soon as a kernel has taken it over, into its log.
        println!("{reason:#}");
        process::exit(1)
    }
    process::exit(0)
}

/// A kernel has come.
struct Taker {
    stream: UnixStream,
    request: Request,
    /// The kernel's standard output and error.
    files: Vec<File>,
}

/// What a kernel has taken over.
struct TakenOver {
    workspace: CellWorkspace,
    warm_up: WarmUp,
    taker: Taker,
}

fn stand_by(config: &Config, thread: SingleThread, parent: u32) -> Result<TakenOver> {
    huge_pages::decline();
    let here = Circumstances::here(config)?;
    let fingerprint = current_fingerprint(config, Path::new("."))?;
    ensure!(
        template::is_prepared(config, &fingerprint),
        "the crate for cells is not compiled as it is now"
    );
    let workspace = CellWorkspace::reserve(config, thread)?;
    let ending = Ending::of(workspace.path(), By::SignalsAndParent(parent))?;
    let door = UnixListener::bind(workspace.path().join(DOOR))?;
    let warm_up = WarmUp::begin(config, workspace.copy(config));
    match wait(config, &door, &here, &fingerprint) {
        Ok(taker) => {
            // The notebook decides from now on about the end.
            std::mem::forget(ending.not_now());
            fs::remove_file(workspace.path().join(DOOR))?;
            Ok(TakenOver {
                workspace,
                warm_up,
                taker,
            })
        }
        Err(reason) => {
            println!("{reason:#}");
            let _ = kill_process(getpid(), Signal::TERM); // ends this process in order
            loop {
                thread::park();
            }
        }
    }
}

impl TakenOver {
    /// Serves the kernel's notebook, until it is ended.
    fn serve(self, config: &Config) -> Result<()> {
        let Taker {
            stream,
            request,
            files,
        } = self.taker;
        rustix::stdio::dup2_stdout(&files[0])?;
        rustix::stdio::dup2_stderr(&files[1])?;
        if let Some(folder) = &request.place.folder {
            env::set_current_dir(folder)?;
        }
        self.warm_up.will_be_in(without_others(request.place)?);
        let connection = Connection::read(&request.connection_file)?;
        let served = Served {
            workspace: Ok(self.workspace),
            warm_up: Ok(self.warm_up),
            face: Some(stream.try_clone()?),
        };
        serve_notebook(config, &connection, served, || say(&stream, &Serving))?;
        let _ = say(&stream, &Ended); // the kernel's process has been killed
        Ok(())
    }
}

/// Waits for a kernel in the same circumstances; an error is a reason to go.
fn wait(
    config: &Config,
    door: &UnixListener,
    here: &Circumstances,
    fingerprint: &str,
) -> Result<Taker> {
    let began = Instant::now();
    loop {
        let mut ends = [PollFd::new(door, PollFlags::IN)];
        if poll(&mut ends, Some(&LOOK)).is_ok_and(|ready| ready > 0) {
            let (stream, _) = door.accept()?;
            if let Ok(taker) = meet(config, stream, here, fingerprint) {
                return Ok(taker);
            }
            ensure!(
                current_fingerprint(config, Path::new("."))? == fingerprint,
                "the crate for cells or its compiler has changed"
            );
        }
        ensure!(!memory_is_short(), "memory is short");
        ensure!(began.elapsed() < LONG, NOBODY_CAME);
    }
}

/// Meets a kernel: whether it takes this process over.
fn meet(
    config: &Config,
    stream: UnixStream,
    here: &Circumstances,
    fingerprint: &str,
) -> Result<Taker> {
    stream.set_read_timeout(Some(LIMIT))?;
    let files = descriptors::receive(&stream)?;
    ensure!(files.len() == 2, "no standard output and error");
    let request: Request = hear(&stream, LIMIT)?;
    if let Err(reason) = agree(config, &request, here, fingerprint) {
        let reason = format!("{reason:#}");
        say(&stream, &Answer::Refused(reason.clone()))?;
        bail!(reason);
    }
    say(&stream, &Answer::Agreed(process::id()))?;
    hear::<GoOn>(&stream, LIMIT)?;
    Ok(Taker {
        stream,
        request,
        files,
    })
}

/// Whether the kernel may have this evaluator.
fn agree(
    config: &Config,
    request: &Request,
    here: &Circumstances,
    fingerprint: &str,
) -> Result<()> {
    let folder = request.place.folder.as_deref();
    ensure!(request.circumstances == *here, "the circumstances differ");
    ensure!(
        current_fingerprint(config, folder.unwrap_or(Path::new(".")))? == fingerprint,
        "the crate for cells or its compiler differs"
    );
    Ok(())
}

/// What the evaluator depends on, as it is now.
fn current_fingerprint(config: &Config, folder: &Path) -> Result<String> {
    fingerprint(config, &Toolchain::find_in(config, folder)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::place::Place;

    #[test]
    fn a_kernel_gets_the_crate_as_it_is_now_or_none() -> Result<()> {
        let toy = tempfile::tempdir()?;
        fs::write(toy.path().join("Cargo.toml"), "[package]\nname = \"toy\"\n")?;
        fs::write(toy.path().join("Cargo.lock"), "")?;
        fs::create_dir(toy.path().join("src"))?;
        fs::write(toy.path().join("src/lib.rs"), "1")?;
        let config = Config::new("toy-kernel", "toy", toy.path());
        let here = Circumstances::here(&config)?;
        let loaded = current_fingerprint(&config, Path::new("."))?;
        let request = |folder: &Path| -> Result<Request> {
            Ok(Request {
                circumstances: Circumstances::here(&config)?,
                place: Place {
                    folder: Some(folder.to_owned()),
                    ..Place::default()
                },
                connection_file: "unused".into(),
            })
        };
        let agree = |folder: &Path| agree(&config, &request(folder)?, &here, &loaded);
        agree(toy.path())?;
        fs::write(toy.path().join("src/lib.rs"), "2")?;
        assert!(agree(toy.path()).is_err(), "another crate");
        Ok(())
    }

    #[test]
    fn a_kernel_in_other_circumstances_is_refused() -> Result<()> {
        let config = Config::new("toy-kernel", "toy", "/toy");
        let another = Config::new("toy-kernel", "toy", "/another");
        let request = Request {
            circumstances: Circumstances::here(&another)?,
            place: Place::default(),
            connection_file: "unused".into(),
        };
        let refused = agree(&config, &request, &Circumstances::here(&config)?, "");
        let reason = refused.expect_err("another crate").to_string();
        assert_eq!(reason, "the circumstances differ");
        Ok(())
    }
}
