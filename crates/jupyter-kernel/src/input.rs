//! The line of input that a cell is waiting for.

use crate::locked::locked;
use notebook::evaluator::Remote;
use std::sync::Mutex;
use std::sync::mpsc::{self, Sender};

/// Where to send the answer; empty unless a cell is waiting for one.
#[derive(Default)]
pub struct Input(Mutex<Option<Sender<String>>>);

impl Input {
    /// Asks and blocks until the answer arrives; `None` if the cell should stop.
    pub fn wait_for(&self, remote: &dyn Remote, ask: impl FnOnce()) -> Option<String> {
        let (sender, answer) = mpsc::channel();
        {
            let mut waiting = locked(&self.0);
            if remote.is_stopping() {
                return None; // `cancel` may already have been called
            }
            *waiting = Some(sender);
        }
        ask();
        answer.recv().ok()
    }

    pub fn answer(&self, text: &str) {
        if let Some(answer) = locked(&self.0).take() {
            let _ = answer.send(text.to_owned()); // fails if the cell has ended
        }
    }

    /// Makes `wait_for` return `None`, because the cell should stop.
    pub fn cancel(&self) {
        locked(&self.0).take();
    }
}
