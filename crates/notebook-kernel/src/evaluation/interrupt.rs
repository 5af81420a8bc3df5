//! Stopping a cell: first by asking, then by force.

use crate::descendants::descendants;
use crate::locked::locked;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Child};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a cell has that does not run yet: then nobody waits for its compilation.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long a cell has to stop by itself.
pub const GRACE: Duration = Duration::from_millis(1500);

/// The file that exists while a cell should stop, of an evaluator in this workspace.
pub fn flag(workspace: &Path) -> PathBuf {
    workspace.join("session/interrupt")
}

/// Stops the cell that runs, from any thread.
#[derive(Clone)]
pub struct Interrupter {
    shared: Arc<Mutex<Shared>>,
    /// Exists while the cell should stop; cells look for it.
    flag: Arc<PathBuf>,
}

struct Shared {
    state: State,
    /// The flag stays when the cell is over.
    keeps_flag: bool,
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
    /// The same; a cell that does not run yet is left to itself.
    Leave,
    /// The grace period is over.
    Kill,
}

impl Interrupter {
    pub fn new(flag: PathBuf) -> Interrupter {
        Interrupter {
            shared: Arc::new(Mutex::new(Shared {
                state: State::Idle,
                keeps_flag: false,
            })),
            flag: Arc::new(flag),
        }
    }

    /// Asks the running cell to stop; `false` without one.
    pub fn interrupt(&self) -> bool {
        let mut shared = locked(&self.shared);
        if shared.state == State::Running {
            shared.state = State::Stopping(Instant::now());
            self.raise_flag();
        }
        shared.state != State::Idle
    }

    /// Asks whatever looks for the flag to stop.
    pub fn raise_flag(&self) {
        // Without the flag the grace period still ends the cell.
        let _ = fs::write(&*self.flag, "");
    }

    /// What was asked to stop while no cell ran has ended.
    pub fn lower_flag_unless_stopping(&self) {
        let shared = locked(&self.shared);
        if !matches!(shared.state, State::Stopping(_)) && !shared.keeps_flag {
            self.lower_flag();
        }
    }

    /// Begins a cell, unless that was done already.
    pub fn begin(&self) {
        let mut shared = locked(&self.shared);
        if shared.state == State::Idle {
            shared.state = State::Running;
        }
    }

    /// Ends a cell; says whether it was asked to stop.
    pub fn end(&self) -> bool {
        let mut shared = locked(&self.shared);
        let was_asked = matches!(shared.state, State::Stopping(_));
        shared.state = State::Idle;
        if !shared.keeps_flag {
            let _ = fs::remove_file(&*self.flag); // mostly it is not there
        }
        was_asked
    }

    /// Lets the flag stay when the cell ends that should stop: nothing is compiled meanwhile.
    pub fn keep_flag(&self) {
        locked(&self.shared).keeps_flag = true;
    }

    /// Takes the flag away: what is compiled now is needed.
    pub fn lower_flag(&self) {
        let _ = fs::remove_file(&*self.flag); // mostly it is not there
    }

    /// The flag is no longer needed for that.
    pub fn release_flag(&self) {
        let mut shared = locked(&self.shared);
        if std::mem::take(&mut shared.keeps_flag) && !matches!(shared.state, State::Stopping(_)) {
            let _ = fs::remove_file(&*self.flag); // its folder is gone
        }
    }

    pub fn demand(&self) -> Demand {
        match locked(&self.shared).state {
            State::Stopping(when) if when.elapsed() > GRACE => Demand::Kill,
            State::Stopping(when) if when.elapsed() > PATIENCE => Demand::Leave,
            State::Stopping(_) => Demand::Stop,
            State::Idle | State::Running => Demand::Nothing,
        }
    }
}

/// Ends all processes that this one started, and those that they started, except
/// for the evaluation process and its own: cargo and rustc. Who only answers a question about
/// the crates or the compiler stays, too: it takes no time, and without the answer evcxr would
/// know less from then on.
pub fn kill_compilers(evaluation: &Mutex<Child>) {
    let evaluation = locked(evaluation).id();
    kill_descendants(|id| id != evaluation && !answers_question(id));
}

fn answers_question(id: u32) -> bool {
    let arguments = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let mut arguments = arguments.split(|byte| *byte == 0);
    arguments.any(|argument| {
        [
            &b"metadata"[..],
            b"config",
            b"--print",
            b"--version",
            b"-vV",
        ]
        .contains(&argument)
    })
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
    let doomed = descendants(ancestor, is_doomed);
    for id in &doomed {
        if let Some(id) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
            let _ = kill_process(id, Signal::KILL); // it may have ended by itself
        }
    }
    doomed.len()
}
