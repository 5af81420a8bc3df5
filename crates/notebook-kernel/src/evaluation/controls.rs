//! What stops cells, for other threads than that of the session.

use crate::evaluation::interrupt::{Demand, GRACE, Interrupter, kill_cells, kill_compilers};
use crate::evaluation::live::hub::Hub;
use crate::evaluation::live::picture::Picture;
use crate::locked::locked;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked whether a picture has stopped.
const TICK: Duration = Duration::from_millis(20);
/// What becomes of a picture that does not stop, and of everything else.
const DID_NOT_STOP: &str = "the closure of this picture did not stop, so the process that runs \
    the cells was ended: all variables are lost";

/// Stops the cells of one [`Session`](crate::Session), from any thread.
#[derive(Clone)]
pub struct Controls {
    interrupter: Interrupter,
    process: Arc<Mutex<Child>>,
    /// The live pictures, where a front end can move them.
    live: Option<Hub>,
}

impl Controls {
    pub(crate) fn new(
        interrupter: Interrupter,
        process: Arc<Mutex<Child>>,
        live: Option<Hub>,
    ) -> Controls {
        Controls {
            interrupter,
            process,
            live,
        }
    }

    /// Asks the running cell to stop, and makes it if it does not. Without one, the live
    /// pictures that are being drawn.
    pub fn interrupt(&self) {
        if self.interrupter.interrupt() {
            return;
        }
        let drawing = self.live.as_ref().map(Hub::drawing).unwrap_or_default();
        if !drawing.is_empty() {
            let controls = self.clone();
            thread::spawn(move || controls.stop_drawing(&drawing));
        }
    }

    /// Asks the closures of live pictures to stop; ends their process if they do not.
    fn stop_drawing(&self, drawing: &[Arc<Picture>]) {
        self.interrupter.raise_flag();
        drawing.iter().for_each(|picture| picture.stop());
        let asked = Instant::now();
        let is_drawing = || drawing.iter().any(|picture| picture.is_stopping());
        while is_drawing() && asked.elapsed() < GRACE {
            thread::sleep(TICK);
        }
        if is_drawing() {
            drawing
                .iter()
                .for_each(|picture| picture.fail(DID_NOT_STOP));
            kill_cells(&mut locked(&self.process));
        }
        self.interrupter.lower_flag_unless_stopping();
    }

    /// From now on there is a cell that can be stopped: this one, if the front end says so.
    pub(crate) fn begin_cell(&self, cell: Option<&str>) {
        self.interrupter.begin();
        if let Some(live) = &self.live {
            live.begin_cell(cell);
        }
    }

    /// The live picture with this id.
    pub(crate) fn live_picture(&self, id: &str) -> Option<Arc<Picture>> {
        self.live.as_ref()?.picture(id)
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
