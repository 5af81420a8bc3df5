//! Operations that other threads may perform on a session.

use crate::assistance::Assistance;
use crate::completeness;
use crate::interrupt::{Demand, Interrupter};
use crate::stale_cells::StaleCells;
use cell_evaluator::{Compilers, Running};
use jupyter_kernel::locked;
use notebook::evaluator::{Completeness, Completions, Description, Remote, StaleCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The state that a session shares with other threads.
#[derive(Clone)]
pub struct SessionRemote {
    pub interrupter: Interrupter,
    pub compilers: Compilers,
    pub running: Running,
    pub is_shut_down: Arc<AtomicBool>,
    pub assistance: Assistance,
    pub stale_cells: Arc<Mutex<StaleCells>>,
}

impl SessionRemote {
    /// Marks a cell as running; returns `false` if one is running already.
    pub fn begin_cell(&self) -> bool {
        let begins = self.interrupter.begin();
        if begins && !self.is_shut_down.load(Ordering::Relaxed) {
            self.compilers.allow();
        }
        begins
    }
}

impl Remote for SessionRemote {
    fn begin(&self) {
        self.begin_cell();
    }

    fn end(&self) {
        self.interrupter.end();
    }

    fn interrupt(&self) -> bool {
        let was_running = self.interrupter.interrupt();
        if was_running {
            self.compilers.stop();
        }
        was_running
    }

    fn is_stopping(&self) -> bool {
        self.interrupter.demand() != Demand::Nothing
    }

    fn interrupt_rest(&self, should_stop: bool) {
        match should_stop {
            true => self.interrupter.raise_flag(),
            false => self.interrupter.lower_flag(),
        }
    }

    fn kill(&self) {
        self.running.kill();
    }

    fn shut_down(&self) {
        self.is_shut_down.store(true, Ordering::Relaxed);
        self.compilers.stop();
        self.running.kill();
    }

    fn complete(&self, code: &str, place: usize) -> Option<Completions> {
        self.assistance.complete(code, place)
    }

    fn describe(&self, code: &str, place: usize) -> Option<Description> {
        self.assistance.describe(code, place)
    }

    fn completeness(&self, code: &str) -> Option<Completeness> {
        Some(completeness::of(code))
    }

    fn stale_cells(&self, order: &[String]) -> Vec<StaleCell> {
        locked(&self.stale_cells).stale(order)
    }
}
