//! Standard output and error of the evaluation process, live.
//!
//! evcxr reads them line by line and hands displays on when a cell has ended. So
//! the evaluation process connects its streams to this process instead, and
//! gives it the pipes of evcxr; here the bytes become events as they come,
//! and only the lines of the runtime go on to evcxr. The kernel's end of the
//! streams survives whatever a cell does to its process. What evcxr says takes the same
//! way back (`commands`).

use crate::descriptors;
use crate::evaluation::commands::{Commands, Process};
use crate::evaluation::event::Event;
use crate::evaluation::idle_text::IdleText;
use crate::evaluation::place::{self, Place, Placing};
use crate::evaluation::stream::{Activity, INPUT, Parser, Part, unfinished_character};
use crate::locked::locked;
use crossbeam_channel::{SendTimeoutError, Sender};
use notebook::convention::{RELAY_VARIABLE, SECRET_VARIABLE, STDERR_TYPE};
use rustix::event::{PollFd, PollFlags, poll};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

/// How often a relay looks whether it should end although its streams are open.
const POLL: rustix::event::Timespec = rustix::event::Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// How often standard error is read before it is standard output's turn: more than a stream
/// can hold.
const MOST_READS: usize = 64;
/// How often a relay that has found the queue of events full looks whether a cell still runs.
const FULL: Duration = Duration::from_millis(20);

/// In the evaluation process, before anything is printed. Where the relay is not
/// there, the streams stay what they are.
pub fn connect() {
    if let Some(path) = std::env::var_os(RELAY_VARIABLE) {
        let _ = connect_to(path.as_ref());
    }
}

fn connect_to(path: &Path) -> io::Result<()> {
    let (stdout, stderr) = (UnixStream::connect(path)?, UnixStream::connect(path)?);
    let places = UnixStream::connect(path)?;
    let (input, of_kernel) = pair()?;
    let (to_evcxr, commands) = (io::stdout(), io::stdin());
    let ends = [to_evcxr.as_fd(), commands.as_fd(), of_kernel.as_fd()];
    descriptors::send(&stdout, &ends)?;
    rustix::stdio::dup2_stdin(&input)?;
    rustix::stdio::dup2_stdout(&stdout)?;
    rustix::stdio::dup2_stderr(&stderr)?;
    place::follow(places)
}

/// The two ends of the standard input. An empty piece is read as an end of the input.
#[cfg(target_os = "linux")]
fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    let kind = SocketType::SEQPACKET;
    Ok(socketpair(
        AddressFamily::UNIX,
        kind,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

#[cfg(not(target_os = "linux"))]
fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let (one, other) = UnixStream::pair()?;
    Ok((one.into(), other.into()))
}

/// The relay of one evaluator, whose evaluation processes follow one another.
pub struct Relay {
    shared: Arc<Shared>,
}

/// What the relay's threads share with its owner.
struct Shared {
    events: Sender<Event>,
    secret: String,
    hang_up: AtomicBool,
    activity: CurrentActivity,
    idle_text: Mutex<IdleText>,
    placing: Mutex<Placing>,
    commands: Commands,
}

impl Relay {
    /// Listens at `path`, tells `command` where that is, and sends what its
    /// processes print to `events`.
    pub fn open(path: &Path, command: &mut Command, events: Sender<Event>) -> io::Result<Relay> {
        let _ = fs::remove_file(path); // of an evaluator that did not start
        let listener = UnixListener::bind(path)?;
        let secret = Uuid::new_v4().simple().to_string();
        command
            .env(RELAY_VARIABLE, path)
            .env(SECRET_VARIABLE, &secret);
        let shared = Arc::new(Shared {
            events,
            secret,
            hang_up: AtomicBool::new(false),
            activity: CurrentActivity::default(),
            idle_text: Mutex::default(),
            placing: Mutex::default(),
            commands: Commands::default(),
        });
        let opened = Relay {
            shared: Arc::clone(&shared),
        };
        std::thread::spawn(move || {
            while let (Ok((stdout, _)), Ok((stderr, _)), Ok((places, _))) =
                (listener.accept(), listener.accept(), listener.accept())
            {
                let shared = Arc::clone(&shared);
                locked(&shared.placing).begin(places);
                shared.hang_up.store(false, Ordering::Relaxed);
                std::thread::spawn(move || {
                    let _ = relay(stdout, stderr, &shared);
                });
            }
        });
        Ok(opened)
    }

    /// Where evcxr's thread says what it does.
    pub fn activity(&self) -> CurrentActivity {
        self.shared.activity.clone()
    }

    /// Moves the evaluation process, and those that follow it.
    pub fn move_to(&self, place: Place) -> io::Result<()> {
        locked(&self.shared.placing).move_to(place)
    }

    /// The standard input of the process that runs the cells.
    pub fn commands(&self) -> &Commands {
        &self.shared.commands
    }

    /// Keeps what has been printed while nothing ran.
    pub fn keep_idle_text(&self, text: &str) {
        locked(&self.shared.idle_text).push(text);
    }

    /// What has been printed while nothing ran.
    pub fn take_idle_text(&self) -> IdleText {
        std::mem::take(&mut *locked(&self.shared.idle_text))
    }

    /// Ends the relay of a process that was killed, also while processes started
    /// by its cells hold the streams open.
    pub fn hang_up(&self) {
        self.shared.hang_up.store(true, Ordering::Relaxed);
    }
}

/// What evcxr does at the moment: at first, its first steps.
#[derive(Clone)]
pub struct CurrentActivity(Arc<Mutex<Activity>>);

impl Default for CurrentActivity {
    fn default() -> CurrentActivity {
        CurrentActivity(Arc::new(Mutex::new(Activity::Unmarked)))
    }
}

impl CurrentActivity {
    pub fn set(&self, activity: Activity) {
        *locked(&self.0) = activity;
    }

    fn get(&self) -> Activity {
        *locked(&self.0)
    }
}

impl Shared {
    /// Sends an event, or keeps its text where nobody takes events. As long as the queue is
    /// full, whoever prints has to wait, as for a pipe.
    fn send(&self, mut event: Event) {
        loop {
            if self.activity.get() == Activity::Idle {
                return self.send_while_idle(event);
            }
            match self.events.send_timeout(event, FULL) {
                Err(SendTimeoutError::Timeout(same)) if !self.hang_up.load(Ordering::Relaxed) => {
                    event = same;
                }
                // Nobody listens any more: the session has ended, or the process was killed.
                _ => return,
            }
        }
    }

    /// Text is kept aside, and what a cell that is over still shows, as far as there is room.
    fn send_while_idle(&self, event: Event) {
        match event {
            Event::Stderr(text) | Event::Part(Part::Text(text) | Part::Disbelieved(text)) => {
                locked(&self.idle_text).push(&text);
            }
            Event::Part(Part::Block(mime, text)) if mime == STDERR_TYPE => {
                locked(&self.idle_text).push(&text);
            }
            event => {
                let _ = self.events.try_send(event);
            }
        }
    }
}

fn relay(stdout: UnixStream, stderr: UnixStream, shared: &Shared) -> io::Result<()> {
    let [to_evcxr, commands, input] = receive_ends(&stdout)?;
    let (id, output) = (id(&stdout), stdout.try_clone()?);
    let process = Arc::new(Process::new(input.into(), to_evcxr, id, output));
    shared.commands.begin(&process);
    let (of_thread, all) = (Arc::clone(&process), shared.commands.clone());
    std::thread::spawn(move || {
        let _ = all.hand_on(&of_thread, commands); // the process has ended
    });
    let relayed = relay_output(stdout, stderr, &process, shared);
    shared.commands.forget(&process);
    relayed
}

/// Until the streams are closed, or given up.
fn relay_output(
    stdout: UnixStream,
    stderr: UnixStream,
    process: &Process,
    shared: &Shared,
) -> io::Result<()> {
    let mut printed = Printed {
        process,
        stream: stdout,
        parser: Parser::new(&shared.secret),
        is_open: true,
    };
    let mut errors = Errors {
        stream: stderr,
        rest: Vec::new(),
        is_open: true,
    };
    printed.stream.set_nonblocking(true)?;
    errors.stream.set_nonblocking(true)?;
    while printed.is_open || errors.is_open {
        wait(&printed, &errors)?;
        if shared.hang_up.load(Ordering::Relaxed) {
            break;
        }
        errors.forward(shared);
        printed.forward(&mut errors, shared)?;
    }
    if !errors.rest.is_empty() {
        let rest = String::from_utf8_lossy(&errors.rest).into_owned();
        shared.send(Event::Stderr(rest));
    }
    if let Some(rest) = printed.parser.finish() {
        shared.send(Event::Part(rest));
    }
    Ok(())
}

/// Waits until something has been printed, or for [`POLL`].
fn wait(printed: &Printed<'_>, errors: &Errors) -> io::Result<()> {
    let mut ends = [
        PollFd::new(&printed.stream, PollFlags::IN),
        PollFd::new(&errors.stream, PollFlags::IN),
    ];
    let waiting = match (printed.is_open, errors.is_open) {
        (true, true) => &mut ends[..],
        (true, false) => &mut ends[..1],
        (false, _) => &mut ends[1..],
    };
    poll(waiting, Some(&POLL))?;
    Ok(())
}

/// Standard output.
struct Printed<'a> {
    stream: UnixStream,
    parser: Parser,
    process: &'a Process,
    is_open: bool,
}

impl Printed<'_> {
    /// Sends what has come, once.
    fn forward(&mut self, errors: &mut Errors, shared: &Shared) -> io::Result<()> {
        let mut bytes = [0; 1 << 16];
        let _until_understood = self.process.understanding();
        let count = match self.stream.read(&mut bytes) {
            Ok(0) => {
                self.is_open = false;
                return Ok(());
            }
            Ok(count) => count,
            Err(_) => return Ok(()), // nothing has come
        };
        for part in self.parser.push(&bytes[..count], shared.activity.get()) {
            if let Part::Runtime(line) = &part {
                let line = line.clone();
                // What was printed before this line belongs before it.
                errors.forward(shared);
                shared.send(Event::Part(part));
                let is_question = line.starts_with(INPUT);
                shared.commands.printed(&line, is_question);
                self.process.tell_evcxr(&line)?;
            } else {
                shared.send(Event::Part(part));
            }
        }
        shared.commands.set_in_cell(self.parser.is_in_cell());
        Ok(())
    }
}

/// Standard error, whole characters at a time.
struct Errors {
    stream: UnixStream,
    rest: Vec<u8>,
    is_open: bool,
}

impl Errors {
    /// Sends what has come: all of it, unless more comes without an end.
    fn forward(&mut self, shared: &Shared) {
        let mut bytes = [0; 1 << 14];
        for _ in 0..MOST_READS {
            if !self.is_open || shared.hang_up.load(Ordering::Relaxed) {
                return;
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => self.is_open = false,
                Ok(count) => {
                    self.rest.extend_from_slice(&bytes[..count]);
                    let held_back = unfinished_character(&self.rest);
                    let rest = self.rest.split_off(self.rest.len() - held_back);
                    let ready = std::mem::replace(&mut self.rest, rest);
                    let text = String::from_utf8_lossy(&ready).into_owned();
                    shared.send(Event::Stderr(text));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.is_open = false,
            }
        }
    }
}

/// What the evaluation process sends: the pipe that evcxr reads, the one that evcxr writes
/// into, and the other end of the process's standard input.
fn receive_ends(stdout: &UnixStream) -> io::Result<[File; 3]> {
    let ends = descriptors::receive(stdout)?;
    let unexpected = |_| io::Error::other("the evaluation process sent no pipes");
    ends.try_into().map_err(unexpected)
}

/// The number of the process at the other end: not always the one that evcxr has started.
#[cfg(target_os = "linux")]
fn id(stdout: &UnixStream) -> Option<u32> {
    let peer = rustix::net::sockopt::socket_peercred(stdout).ok()?;
    Some(peer.pid.as_raw_pid().cast_unsigned())
}

#[cfg(not(target_os = "linux"))]
fn id(_stdout: &UnixStream) -> Option<u32> {
    None
}
