//! What stops cells, for other threads than that of the session.

use crate::evaluation::interrupt::{Demand, Interrupter, kill_cells, kill_compilers};
use crate::locked::locked;
use std::process::Child;
use std::sync::{Arc, Mutex};

/// Stops the cells of one [`Session`](crate::Session), from any thread.
#[derive(Clone)]
pub struct Controls {
    interrupter: Interrupter,
    process: Arc<Mutex<Child>>,
}

impl Controls {
    pub(crate) fn new(interrupter: Interrupter, process: Arc<Mutex<Child>>) -> Controls {
        Controls {
            interrupter,
            process,
        }
    }

    /// Asks the running cell to stop, and makes it if it does not; without one, nothing
    /// happens.
    pub fn interrupt(&self) {
        self.interrupter.interrupt();
    }

    /// From now on there is a cell that can be stopped.
    pub(crate) fn begin_cell(&self) {
        self.interrupter.begin();
    }

    /// From now on there is none.
    pub(crate) fn end_cell(&self) {
        self.interrupter.end();
    }

    /// Whether the cell should stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.interrupter.demand() != Demand::Nothing
    }

    /// Ends the process that runs the cells, and the compilers, whatever they do.
    pub fn end(&self) {
        kill_compilers(&self.process);
        kill_cells(&mut locked(&self.process));
        let _ = locked(&self.process).wait();
    }
}
