//! Stopping a cell: first by asking, then by force.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    Nothing,
    /// A loop that looks for the flag ends by itself.
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

    /// Asks the running cell to stop; `false` without one.
    pub fn interrupt(&self) -> bool {
        let mut state = self.state();
        if *state == State::Running {
            *state = State::Stopping(Instant::now());
            self.raise_flag();
        }
        *state != State::Idle
    }

    /// Asks whatever looks for the flag to stop.
    pub fn raise_flag(&self) {
        let _ = fs::write(&*self.flag, ""); // without it the grace period still ends the cell
    }

    /// What was asked to stop while no cell ran has ended.
    pub fn lower_flag(&self) {
        if !matches!(*self.state(), State::Stopping(_)) {
            let _ = fs::remove_file(&*self.flag); // mostly it is not there
        }
    }

    /// Begins a cell, unless that was done already; says whether it was not.
    pub fn begin(&self) -> bool {
        let mut state = self.state();
        let begins = *state == State::Idle;
        if begins {
            *state = State::Running;
        }
        begins
    }

    /// Ends a cell.
    pub fn end(&self) {
        let mut state = self.state();
        *state = State::Idle;
        let _ = fs::remove_file(&*self.flag); // mostly it is not there
    }

    pub fn demand(&self) -> Demand {
        match *self.state() {
            State::Stopping(when) if when.elapsed() > GRACE => Demand::Kill,
            State::Stopping(_) => Demand::Stop,
            State::Idle | State::Running => Demand::Nothing,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_cell_is_asked_by_a_file_and_then_made_to_stop() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let flag = folder.path().join("interrupt");
        let interrupter = Interrupter::new(flag.clone());
        assert!(!interrupter.interrupt(), "no cell runs");
        assert!(interrupter.begin() && !interrupter.begin());
        assert_eq!(interrupter.demand(), Demand::Nothing);
        assert!(interrupter.interrupt() && flag.exists());
        assert_eq!(interrupter.demand(), Demand::Stop);
        interrupter.lower_flag();
        assert!(flag.exists(), "the cell has not ended");
        *interrupter.state() = State::Stopping(Instant::now() - 2 * GRACE);
        assert_eq!(interrupter.demand(), Demand::Kill);
        interrupter.end();
        assert!(!flag.exists());
        assert_eq!(interrupter.demand(), Demand::Nothing);
        Ok(())
    }
}
