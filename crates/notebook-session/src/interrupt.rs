//! Interrupts a cell: first politely, then by force.

use jupyter_kernel::locked;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Grace period before the process is killed.
const GRACE: Duration = Duration::from_millis(1500);

/// Interrupts the running cell, from any thread.
#[derive(Clone)]
pub struct Interrupter {
    phase: Arc<Mutex<Phase>>,
    /// A file that exists while the cell should stop; cells poll for it.
    flag: Arc<PathBuf>,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Idle,
    Running,
    Stopping(Instant),
}

/// What to do about a cell that should stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    Nothing,
    /// Wait for it to end by itself, as a loop that polls for the flag does.
    Stop,
    /// The grace period has expired.
    Kill,
}

impl Interrupter {
    pub fn new(flag: PathBuf) -> Interrupter {
        Interrupter {
            phase: Arc::new(Mutex::new(Phase::Idle)),
            flag: Arc::new(flag),
        }
    }

    /// Asks the running cell to stop; returns `false` if there is none.
    pub fn interrupt(&self) -> bool {
        let mut phase = locked(&self.phase);
        if *phase == Phase::Running {
            *phase = Phase::Stopping(Instant::now());
            self.raise_flag();
        }
        *phase != Phase::Idle
    }

    /// Asks anything that polls for the flag to stop.
    pub fn raise_flag(&self) {
        let _ = fs::write(&*self.flag, ""); // if this fails, the cell is killed after the grace period
    }

    /// Removes the flag after interrupting something other than a cell.
    pub fn lower_flag(&self) {
        if !matches!(*locked(&self.phase), Phase::Stopping(_)) {
            let _ = fs::remove_file(&*self.flag); // usually absent
        }
    }

    /// Marks a cell as running; returns `false` if one is running already.
    pub fn begin(&self) -> bool {
        let mut phase = locked(&self.phase);
        let begins = *phase == Phase::Idle;
        if begins {
            *phase = Phase::Running;
        }
        begins
    }

    /// Marks the cell as finished.
    pub fn end(&self) {
        let mut phase = locked(&self.phase);
        *phase = Phase::Idle;
        let _ = fs::remove_file(&*self.flag); // usually absent
    }

    pub fn demand(&self) -> Demand {
        match *locked(&self.phase) {
            Phase::Stopping(when) if when.elapsed() > GRACE => Demand::Kill,
            Phase::Stopping(_) => Demand::Stop,
            Phase::Idle | Phase::Running => Demand::Nothing,
        }
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
        *locked(&interrupter.phase) = Phase::Stopping(Instant::now() - 2 * GRACE);
        assert_eq!(interrupter.demand(), Demand::Kill);
        interrupter.end();
        assert!(!flag.exists());
        assert_eq!(interrupter.demand(), Demand::Nothing);
        Ok(())
    }
}
