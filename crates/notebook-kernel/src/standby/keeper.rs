//! Keeps one standby ready, for the kernels that will start.

use crate::config::Config;
use crate::locked::locked;
use crate::own_process;
use crate::standby::quiet;
use crate::standby::taking::missed;
use crate::standby::waiting::{NOBODY_CAME, STANDBY};
use anyhow::Result;
use rustix::process::{Pid, Signal, kill_process};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long the machine must have had time before a standby is made.
const QUIET: Duration = Duration::from_secs(2);
/// After a standby that did not come to be, or had to go.
const PAUSE: Duration = Duration::from_secs(30);
/// How long one is asked to end.
const LIMIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(50);

/// An evaluator that is ready for the next kernel, which then answers at once. As long as this
/// lives, there is one, whenever the machine has time and memory for it:
///
/// - the first is made at once, the next one when half of the processors' time has been free
///   for two seconds;
/// - it is made with at least 2 GB of free memory, and goes with less than 1 GB;
/// - it goes after two hours in which no kernel came, until one has come.
///
/// A kernel takes it over if its program, its configuration, its environment (but for the
/// variables of Jupyter), its limits and the sources and compiler of its crate are the same;
/// otherwise it makes its own evaluator, which takes longer.
pub struct Standby {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    end: Condvar,
}

#[derive(Default)]
struct State {
    should_end: bool,
    /// The one that waits.
    process: Option<Pid>,
}

impl Standby {
    /// Keeps one for the kernels of `config` that are started with the environment of this
    /// process and `variables` besides.
    pub fn keep(config: &Config, variables: Vec<(String, String)>) -> Standby {
        let shared = Arc::new(Shared::default());
        let (of_thread, config) = (Arc::clone(&shared), config.clone());
        let thread = thread::spawn(move || of_thread.keep(&config, &variables));
        Standby {
            shared,
            thread: Some(thread),
        }
    }
}

/// How a standby ends as one.
enum End {
    /// A kernel has taken it over.
    Taken(Child),
    NobodyCame,
    /// It could not be made, or had to go.
    Gone,
}

/// Ends the one that waits. Those that kernels have taken over end with them.
impl Drop for Standby {
    fn drop(&mut self) {
        locked(&self.shared.state).should_end = true;
        self.shared.end.notify_all();
        let Some(thread) = self.thread.take() else {
            return;
        };
        for _ in 0..LIMIT.as_millis() / POLL.as_millis() {
            if let Some(process) = locked(&self.shared.state).process {
                let _ = kill_process(process, Signal::TERM); // it has ended already
            }
            if thread.is_finished() {
                break;
            }
            thread::sleep(POLL);
        }
    }
}

impl Shared {
    fn keep(&self, config: &Config, variables: &[(String, String)]) {
        let mut taken: Vec<Child> = Vec::new();
        let mut should_make_one = self.waits(Duration::ZERO);
        while should_make_one {
            let end = match quiet::memory_is_enough() {
                true => self.make_one(variables).unwrap_or(End::Gone),
                false => End::Gone,
            };
            should_make_one = match end {
                End::Taken(process) => {
                    taken.push(process);
                    self.waits_until_quiet()
                }
                End::NobodyCame => self.waits_until_missed(config) && self.waits_until_quiet(),
                End::Gone => self.waits(PAUSE),
            };
            // Those that have ended.
            taken.retain_mut(|process| matches!(process.try_wait(), Ok(None)));
        }
    }

    /// Makes one, and waits for its end.
    fn make_one(&self, variables: &[(String, String)]) -> Result<End> {
        let mut process = own_process::command(STANDBY)?
            .envs(variables.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C in the terminal is for this program.
            .process_group(0)
            .spawn()?;
        locked(&self.state).process = Some(Pid::from_child(&process));
        // Its standard output is the kernel's as soon as one has taken it over.
        let mut reason = String::new();
        if let Some(mut output) = process.stdout.take() {
            output.read_to_string(&mut reason)?;
        }
        locked(&self.state).process = None;
        thread::sleep(POLL);
        if process.try_wait()?.is_none() && reason.is_empty() {
            return Ok(End::Taken(process));
        }
        process.wait()?;
        match reason.trim() == NOBODY_CAME {
            true => Ok(End::NobodyCame),
            false => Ok(End::Gone),
        }
    }

    /// Waits; says whether another one should be made then.
    fn waits(&self, time: Duration) -> bool {
        let ended = self
            .end
            .wait_timeout_while(locked(&self.state), time, |state| !state.should_end);
        !ended.unwrap_or_else(PoisonError::into_inner).0.should_end
    }

    /// Waits until the machine has time.
    fn waits_until_quiet(&self) -> bool {
        loop {
            let before = quiet::times();
            if !self.waits(QUIET) {
                return false;
            }
            if quiet::was_quiet(before, quiet::times()) {
                return true;
            }
        }
    }

    /// Waits until a kernel has had to do without one.
    fn waits_until_missed(&self, config: &Config) -> bool {
        let before = missed(config);
        while self.waits(QUIET) {
            if missed(config) != before {
                return true;
            }
        }
        false
    }
}
