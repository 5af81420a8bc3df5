//! The process that runs the cells, as the evaluator sees it.

mod descendants;
mod idle_text;
mod reader;
mod standard_input;
mod stream;

pub use descendants::{descendants, kill};
pub use standard_input::StdinReader;
pub use stream::Part;

use crossbeam_channel::Receiver;
use reader::EventQueue;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time a process may take to connect.
const LONGEST_START: Duration = Duration::from_secs(10);
/// Maximum time a killed process may take to disappear.
const LONGEST_END: Duration = Duration::from_secs(2);
/// Polling interval.
const PAUSE: Duration = Duration::from_millis(2);
/// Maximum size of a datagram on standard input.
const LONGEST_PIECE: usize = 4096;

/// Something that happens while a cell runs.
#[derive(Debug)]
pub enum Event {
    /// A piece of its standard output.
    Part(Part),
    /// A piece of its standard error that did not go through the cell's macros.
    Stderr(String),
    /// The end of the cell, after everything that it has printed.
    Ended(Ending),
}

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ran to completion.
    Done,
    /// An error was propagated by `?`; its message.
    Failed(String),
    /// It panicked.
    Panicked(ReportedPanic),
    /// Its library could not be loaded; the reason.
    NotLoaded(String),
    /// The process is gone.
    Gone,
}

/// A panic, and its place in the compiled source; the line is 0 if it is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedPanic {
    /// The message.
    pub message: String,
    /// The source file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// The current process of the cells, shared with every thread that may have to kill it.
#[derive(Clone, Default)]
pub struct Running(Arc<Mutex<Option<Child>>>);

impl Running {
    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills it and everything it has started.
    pub fn kill(&self) {
        if let Some(child) = &mut *self.child()
            && matches!(child.try_wait(), Ok(None))
        {
            let began = Instant::now();
            // A supervisor exits by itself once all its descendants are gone.
            while kill(child.id(), |_| true) > 0 && began.elapsed() < LONGEST_END {
                thread::sleep(PAUSE);
            }
            while matches!(child.try_wait(), Ok(None)) && began.elapsed() < LONGEST_END / 4 {
                thread::sleep(PAUSE);
            }
            let _ = child.kill(); // it may have exited by itself
            let _ = child.wait();
        }
    }

    /// Its exit status, if it has exited.
    pub fn status(&self) -> Option<ExitStatus> {
        self.child().as_mut()?.try_wait().ok()?
    }

    /// Waits for a process that is known to be exiting, and returns its status; `None` if it
    /// takes too long.
    pub fn wait(&self) -> Option<ExitStatus> {
        let began = Instant::now();
        loop {
            let status = self.status();
            if status.is_some() || began.elapsed() > LONGEST_END {
                return status;
            }
            thread::sleep(PAUSE);
        }
    }
}

/// A process that holds a notebook's variables.
pub struct Process {
    running: Running,
    /// Its process ID. Under a supervisor, this is not the ID of the process that was started.
    id: u32,
    kernel: UnixStream,
    /// The other end of its standard input.
    input: OwnedFd,
    events: Receiver<Event>,
    queue: Arc<EventQueue>,
}

impl Process {
    /// Starts `command` with an additional argument: the path of a socket in `folder`, which it has
    /// to pass on to [`Tools::program`]. Outputs that carry `secret` are trusted.
    ///
    /// [`Tools::program`]: crate::Tools::program
    ///
    /// # Errors
    ///
    /// If it does not start.
    pub fn start(
        mut command: Command,
        folder: &Path,
        secret: &str,
        running: &Running,
    ) -> io::Result<Process> {
        let path = folder.join("cells");
        let _ = fs::remove_file(&path); // left by an earlier process
        let listener = UnixListener::bind(&path)?;
        let (of_cells, input) = input()?;
        let child = command
            .arg(&path)
            .stdin(of_cells)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        *running.child() = Some(child);
        let kernel = accept(&listener, running)?;
        let _ = fs::remove_file(&path); // only one process may connect
        let mut hello = String::new();
        kernel.set_read_timeout(Some(LONGEST_START))?;
        BufReader::new(&kernel).read_line(&mut hello)?;
        kernel.set_read_timeout(None)?;
        let id = hello.trim().parse();
        let id =
            id.map_err(|_| io::Error::other("the process of the cells did not send its ID"))?;
        let (stdout, stderr) = match &mut *running.child() {
            Some(child) => (child.stdout.take(), child.stderr.take()),
            None => (None, None),
        };
        let missing = || io::Error::other("the process of the cells has no output streams");
        let streams = (stdout.ok_or_else(missing)?, stderr.ok_or_else(missing)?);
        let (queue, events) = reader::start(streams, kernel.try_clone()?, secret)?;
        Ok(Process {
            running: running.clone(),
            id,
            kernel,
            input,
            events,
            queue,
        })
    }

    /// The events from [`Process::run`] until the cell has ended.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Starts a cell: the function `name` of a library.
    ///
    /// # Errors
    ///
    /// If the process is gone.
    pub fn run(&mut self, library: &Path, name: &str) -> io::Result<()> {
        self.queue.begin();
        writeln!(self.kernel, "run\t{}\t{name}", library.display())
    }

    /// The text printed while no cell ran.
    pub fn take_idle_text(&self) -> String {
        self.queue.take_idle_text()
    }

    /// The process's exit status, if it has exited.
    pub fn status(&self) -> Option<ExitStatus> {
        self.running.status()
    }

    /// The reader that is waiting for a line on the cells' standard input, if any.
    pub fn waiting_reader(&self) -> Option<StdinReader> {
        standard_input::waiting_reader(self.id)
    }

    /// Sends a line to whatever reads the cells' standard input; `None` signals the end of the
    /// input.
    pub fn answer(&self, line: Option<&str>) {
        let sent = match line {
            Some(line) => self.send(&format!("{line}\n")),
            // An empty datagram, which reads as a single end of input.
            None => send(&self.input, &[], SendFlags::NOSIGNAL).map(drop),
        };
        let _ = sent; // the process may have exited in the meantime
    }

    fn send(&self, line: &str) -> rustix::io::Result<()> {
        for piece in line.as_bytes().chunks(LONGEST_PIECE) {
            rustix::io::retry_on_intr(|| send(&self.input, piece, SendFlags::NOSIGNAL))?;
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.running.kill();
    }
}

/// Waits for the process to connect, as long as it is alive and up to a time limit.
fn accept(listener: &UnixListener, running: &Running) -> io::Result<UnixStream> {
    let began = Instant::now();
    let limit = Timespec {
        tv_sec: 0,
        tv_nsec: 50_000_000,
    };
    loop {
        if poll(&mut [PollFd::new(listener, PollFlags::IN)], Some(&limit))? > 0 {
            return Ok(listener.accept()?.0);
        }
        if let Some(status) = running.status() {
            return Err(io::Error::other(format!("it exited immediately: {status}")));
        }
        if began.elapsed() > LONGEST_START {
            return Err(io::Error::other("it does not answer"));
        }
    }
}

/// The two ends of the cells' standard input. An empty datagram reads as an end of input, after
/// which more can follow.
#[cfg(target_os = "linux")]
fn input() -> io::Result<(OwnedFd, OwnedFd)> {
    let (family, kind) = (AddressFamily::UNIX, SocketType::SEQPACKET);
    Ok(socketpair(family, kind, SocketFlags::CLOEXEC, None)?)
}

#[cfg(not(target_os = "linux"))]
fn input() -> io::Result<(OwnedFd, OwnedFd)> {
    let (one, other) = UnixStream::pair()?;
    Ok((one.into(), other.into()))
}
