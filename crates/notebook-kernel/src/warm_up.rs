//! The way from a reserved workspace to an evaluator that answers quickly.

use crate::config::Config;
use crate::evaluation::controls::Controls;
use crate::evaluation::failure::Failure;
use crate::evaluation::place::Place;
use crate::evaluation::session::Session;
use crate::locked::locked;
use crate::workspace::cell_workspace::TemplateCopy;
use anyhow::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// Makes an evaluator ready, in a thread of its own.
pub struct WarmUp {
    shared: Arc<Shared>,
    /// The one that is being made ready, until somebody has taken it.
    ready: Mutex<Option<Receiver<Result<Session, Failure>>>>,
    /// Where it will have to be.
    place: Mutex<Option<Place>>,
}

struct Shared {
    config: Config,
    copy: TemplateCopy,
    controls: Mutex<Option<Controls>>,
    a_cell_waits: AtomicBool,
}

impl WarmUp {
    /// Begins.
    pub fn begin(config: &Config, copy: TemplateCopy) -> WarmUp {
        let shared = Arc::new(Shared {
            config: config.clone(),
            copy,
            controls: Mutex::default(),
            a_cell_waits: AtomicBool::new(false),
        });
        WarmUp {
            ready: Mutex::new(Some(shared.begin())),
            shared,
            place: Mutex::default(),
        }
    }

    /// Its cells will run there.
    pub fn will_be_in(&self, place: Place) {
        *locked(&self.place) = Some(place);
    }

    /// A cell waits: only what it needs has to be done before it.
    pub fn hurry(&self) {
        self.shared.a_cell_waits.store(true, Ordering::Relaxed);
    }

    /// What stops the cells, as soon as there is an evaluator.
    pub fn controls(&self) -> Option<Controls> {
        locked(&self.shared.controls).clone()
    }

    /// Waits until the evaluator is ready; once it has been had, makes another one.
    pub fn session(&self) -> Result<Session, Failure> {
        let ready = locked(&self.ready).take();
        let ready = ready.unwrap_or_else(|| self.shared.begin());
        let mut session = ready
            .recv()
            .unwrap_or_else(|_| Err(Failure::no_evaluator()))?;
        if !session.is_alive() {
            // It has waited for long, and somebody has ended its process.
            drop(session);
            let ready = self.shared.begin().recv();
            session = ready.unwrap_or_else(|_| Err(Failure::no_evaluator()))?;
        }
        if let Some(place) = locked(&self.place).clone() {
            let moved = session.move_to(place);
            moved.map_err(|error| Failure::no_workspace(&format!("{error:#}")))?;
        }
        Ok(session)
    }
}

impl Shared {
    fn begin(self: &Arc<Shared>) -> Receiver<Result<Session, Failure>> {
        let (sender, ready) = channel();
        let shared = Arc::clone(self);
        thread::spawn(move || {
            let _ = sender.send(shared.prepare()); // nobody waits any more
        });
        ready
    }

    /// Starts the evaluator, loads the crate, and takes the first steps that cost
    /// time: afterwards cells answer quickly.
    fn prepare(&self) -> Result<Session, Failure> {
        // The `use` in it belongs to it: without it a value whose type the crate can show
        // could not be shown at all.
        let first_cell = &self.config.first_cell;
        let workspace = self.copy.fill();
        let started = workspace.and_then(|folder| {
            Session::start_with(folder, first_cell, &self.config.commands, true)
        });
        let failure = |error| Failure::no_workspace(&format!("{error:#}"));
        let mut session = started.map_err(failure)?;
        *locked(&self.controls) = Some(session.controls());
        // The first variable takes seconds; a cell that waits already brings one itself.
        if !self.a_cell_waits.load(Ordering::Relaxed) {
            let first = &self.config.warm_up_cell;
            // What fails here fails again, and is shown, in the learner's cell.
            let _ = session.execute(first, &mut |_| (), &mut |_| None);
        }
        Ok(session)
    }
}
