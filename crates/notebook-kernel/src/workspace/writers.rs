//! The threads of this process that write into its workspace: whoever deletes it waits for them.

use anyhow::{Result, ensure};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Those of this process.
pub static WRITERS: Writers = Writers {
    at_work: RwLock::new(()),
    have_stopped: AtomicBool::new(false),
};

pub struct Writers {
    at_work: RwLock<()>,
    have_stopped: AtomicBool,
}

/// Held by a thread as long as it may write. Nobody holds two: the second would wait for the first
/// as soon as somebody waits for both.
pub struct Writing {
    _at_work: RwLockReadGuard<'static, ()>,
}

impl Writers {
    /// Leave to write; an error if they have stopped.
    pub fn begin(&'static self) -> Result<Writing> {
        let at_work = self.at_work.read().unwrap_or_else(PoisonError::into_inner);
        let have_stopped = self.have_stopped.load(Ordering::Relaxed); // the lock orders it
        ensure!(!have_stopped, "the process ends");
        Ok(Writing { _at_work: at_work })
    }

    /// Waits until nobody writes. From then on nobody does.
    pub fn stop(&self) {
        let _alone = self.at_work.write().unwrap_or_else(PoisonError::into_inner);
        self.have_stopped.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn who_stops_writers_waits_for_them_and_none_comes_after_that() {
        static WRITERS: Writers = Writers {
            at_work: RwLock::new(()),
            have_stopped: AtomicBool::new(false),
        };
        let writing = WRITERS.begin();
        assert!(writing.is_ok());
        let stopping = thread::spawn(|| WRITERS.stop());
        thread::sleep(Duration::from_millis(50));
        assert!(!stopping.is_finished());
        drop(writing);
        stopping.join().expect("no panic");
        assert!(WRITERS.begin().is_err());
    }
}
