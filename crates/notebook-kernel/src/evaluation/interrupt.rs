//! Stopping a cell: first by asking, then by force.

use crate::locked::locked;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::PathBuf;
use std::process::{self, Child};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a cell has to stop by itself.
const GRACE: Duration = Duration::from_millis(1500);

/// Stops the cell that runs, from any thread.
#[derive(Clone)]
pub struct Interrupter {
    state: Arc<Mutex<State>>,
    /// Exists while the cell should stop; cells look for it.
    flag: Arc<PathBuf>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Idle,
    Running,
    Stopping(Instant),
}

/// What has to be done for a cell that should stop.
#[derive(Debug, PartialEq)]
pub enum Demand {
    Nothing,
    /// End compilers; a loop that looks for the flag ends by itself.
    Stop,
    /// The grace period is over.
    Kill,
}

impl Interrupter {
    pub fn new(flag: PathBuf) -> Interrupter {
        Interrupter {
            state: Arc::new(Mutex::new(State::Idle)),
            flag: Arc::new(flag),
        }
    }

    /// Asks the running cell to stop; without one, nothing happens.
    pub fn interrupt(&self) {
        let mut state = locked(&self.state);
        if *state == State::Running {
            *state = State::Stopping(Instant::now());
            // Without the flag the grace period still ends the cell.
            let _ = fs::write(&*self.flag, "");
        }
    }

    pub fn begin(&self) {
        self.set(State::Running);
    }

    /// Ends a cell; says whether it was asked to stop.
    pub fn end(&self) -> bool {
        let was_asked = self.demand() != Demand::Nothing;
        self.set(State::Idle);
        let _ = fs::remove_file(&*self.flag); // mostly it is not there
        was_asked
    }

    pub fn demand(&self) -> Demand {
        match *locked(&self.state) {
            State::Stopping(when) if when.elapsed() > GRACE => Demand::Kill,
            State::Stopping(_) => Demand::Stop,
            State::Idle | State::Running => Demand::Nothing,
        }
    }

    fn set(&self, state: State) {
        *locked(&self.state) = state;
    }
}

/// Ends all processes that this one started, and those that they started, except
/// for the evaluation process and its own: cargo and rustc.
pub fn kill_compilers(evaluation: &Mutex<Child>) {
    let evaluation = locked(evaluation).id();
    kill_descendants(|id| id != evaluation);
}

/// Ends the process that runs the cells, and what they have started.
pub fn kill_cells(process: &mut Child) {
    if !matches!(process.try_wait(), Ok(None)) {
        return; // its number may be another one's by now
    }
    // On Linux it is the guardian, which ends when nothing of what it guards is left.
    let killed = kill_below(process.id(), |_| true);
    if killed == 0 || !cfg!(target_os = "linux") {
        let _ = process.kill(); // it may have ended by itself
    }
}

/// Ends the processes that this one has started, and those that they have started, as far as
/// `is_doomed` says so; of others, their own stay, too.
pub fn kill_descendants(is_doomed: impl Fn(u32) -> bool) {
    kill_below(process::id(), is_doomed);
}

/// The same for what another process has started; says how many that were.
fn kill_below(ancestor: u32, is_doomed: impl Fn(u32) -> bool) -> usize {
    let processes = processes();
    let mut doomed = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = doomed.get(next) {
        let children = processes.iter().filter(|(_, of)| *of == parent);
        doomed.extend(children.map(|(id, _)| *id).filter(|id| is_doomed(*id)));
        next += 1;
    }
    for id in &doomed[1..] {
        if let Some(id) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
            let _ = kill_process(id, Signal::KILL); // it may have ended by itself
        }
    }
    doomed.len() - 1
}

/// All processes with their parents.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(u32, u32)> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let parent = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // After the name, which is in brackets: the state, then the parent.
        let after_name = stat.rsplit_once(')')?.1;
        after_name.split_whitespace().nth(1)?.parse().ok()
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|id| Some((id, parent(id)?)))
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn processes() -> Vec<(u32, u32)> {
    let Ok(listed) = process::Command::new("ps")
        .args(["-A", "-o", "pid=,ppid="])
        .output()
    else {
        return Vec::new();
    };
    let line = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter_map(line)
        .collect()
}
