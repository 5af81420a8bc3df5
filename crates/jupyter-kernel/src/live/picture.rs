//! The kernel's side of one live picture: the values being drawn, and those next in line.

use crate::locked::locked;
use notebook::live::{Control, Value, marked, wire};
use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::time::Duration;

/// The outcome of drawing a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawOutcome {
    /// The picture as HTML.
    Picture(String),
    /// The message of a panic, or why the drawing was stopped.
    Failed(String),
    /// The picture no longer exists.
    Gone,
    /// Newer values arrived before these were drawn.
    Overtaken,
}

/// Called with the outcome of drawing.
pub type OnDrawn = Box<dyn FnOnce(DrawOutcome) + Send>;
/// Called when the picture is gone.
pub type OnGone = Box<dyn FnOnce() + Send>;

/// Shown instead of a picture whose drawing was interrupted.
const STOPPED: &str = "stopped; all variables are kept, and the next value draws the picture again";
const HTML: &str = "text/html";
/// Time limit for sending a value to a process that has stopped reading.
const LONGEST_WRITE: Duration = Duration::from_secs(5);

/// A picture drawn by a thread in the process that runs the cells.
pub struct Picture {
    pub id: String,
    /// The front end's id for the cell that showed it, if there is one.
    pub cell: Option<String>,
    pub controls: Vec<Control>,
    stream: UnixStream,
    state: Mutex<DrawingState>,
}

#[derive(Default)]
struct DrawingState {
    is_gone: bool,
    /// The values being drawn, or those drawn last.
    values: Vec<Value>,
    drawing: Option<OnDrawn>,
    /// Whether the drawing in progress was interrupted.
    is_stopped: bool,
    /// The forms of the last picture: MIME types and contents.
    shown: Vec<(String, String)>,
    /// The newest values, waiting for the current drawing to finish.
    next: Option<(Vec<Value>, OnDrawn)>,
    /// The callbacks to run when the picture is gone, by comm.
    watchers: HashMap<String, OnGone>,
}

impl Picture {
    pub fn new(
        id: String,
        cell: Option<String>,
        controls: Vec<Control>,
        stream: UnixStream,
    ) -> io::Result<Picture> {
        stream.set_write_timeout(Some(LONGEST_WRITE))?;
        let values = controls.iter().map(Control::first).collect();
        let state = DrawingState {
            values,
            ..DrawingState::default()
        };
        Ok(Picture {
            id,
            cell,
            controls,
            stream,
            state: Mutex::new(state),
        })
    }

    /// The values being drawn, or those drawn last.
    pub fn values(&self) -> Vec<Value> {
        locked(&self.state).values.clone()
    }

    /// The forms of the last picture, as its cell would output them; empty before the first move.
    pub fn shown(&self) -> Vec<(String, String)> {
        let mut forms = locked(&self.state).shown.clone();
        for (_, html) in forms.iter_mut().filter(|(mime, _)| mime == HTML) {
            *html = marked(&self.id, html);
        }
        forms
    }

    /// Draws the picture for these values, after any drawing in progress. Values that arrive while
    /// these are waiting displace them.
    pub fn draw(&self, values: Vec<Value>, answered: OnDrawn) {
        let mut state = locked(&self.state);
        if state.is_gone {
            drop(state);
            return answered(DrawOutcome::Gone);
        }
        if state.drawing.is_some() {
            let overtaken = state.next.replace((values, answered));
            drop(state);
            if let Some((_, answered)) = overtaken {
                answered(DrawOutcome::Overtaken);
            }
            return;
        }
        self.send(&mut state, values, answered);
    }

    fn send(&self, state: &mut DrawingState, values: Vec<Value>, answered: OnDrawn) {
        let texts: Vec<String> = values.iter().map(Value::to_string).collect();
        state.values = values;
        state.drawing = Some(answered);
        if wire::write(&mut &self.stream, &texts).is_err() {
            self.forget(); // `listen` will notice
        }
    }

    /// Handles the process's answers until it or the kernel closes the connection.
    pub fn listen(&self) {
        while let Ok(texts) = wire::read(&mut &self.stream) {
            let mut texts = texts.into_iter();
            match texts.next().as_deref() {
                Some(wire::PICTURE) => self.answer(Ok(pairs(texts))),
                Some(wire::FAILED) => self.answer(Err(texts.next().unwrap_or_default())),
                _ => break,
            }
        }
        self.end();
    }

    fn answer(&self, drawn: Result<Vec<(String, String)>, String>) {
        let mut state = locked(&self.state);
        let answer = match (std::mem::take(&mut state.is_stopped), drawn) {
            (true, _) => DrawOutcome::Failed(STOPPED.to_owned()),
            (false, Err(reason)) => DrawOutcome::Failed(reason),
            (false, Ok(forms)) => {
                let html = forms.iter().find(|(mime, _)| mime == HTML);
                let html = html.map_or_else(String::new, |(_, html)| html.clone());
                state.shown = forms;
                DrawOutcome::Picture(html)
            }
        };
        let answered = state.drawing.take();
        if let Some((values, answered)) = state.next.take() {
            self.send(&mut state, values, answered);
        }
        drop(state);
        if let Some(answered) = answered {
            answered(answer);
        }
    }

    /// Whether it is being drawn.
    pub fn is_drawing(&self) -> bool {
        locked(&self.state).drawing.is_some()
    }

    /// Whether it is still being drawn although it was asked to stop.
    pub fn is_stopping(&self) -> bool {
        let state = locked(&self.state);
        state.is_stopped && state.drawing.is_some()
    }

    /// Marks the drawing in progress as interrupted, so that its answer is not mistaken for a
    /// picture.
    pub fn stop(&self) {
        let mut state = locked(&self.state);
        state.is_stopped = state.drawing.is_some();
    }

    /// Answers on behalf of a process that is about to be killed.
    pub fn fail(&self, reason: &str) {
        let answered = locked(&self.state).drawing.take();
        if let Some(answered) = answered {
            answered(DrawOutcome::Failed(reason.to_owned()));
        }
    }

    /// Lets the picture's thread end, which frees everything its closure holds.
    pub fn forget(&self) {
        let _ = self.stream.shutdown(Shutdown::Both); // fails if the process has ended
    }

    /// Calls `gone` when the picture is gone, at once if it already is.
    pub fn watch(&self, comm: &str, gone: OnGone) {
        let mut state = locked(&self.state);
        if state.is_gone {
            drop(state);
            return gone();
        }
        state.watchers.insert(comm.to_owned(), gone);
    }

    pub fn unwatch(&self, comm: &str) {
        locked(&self.state).watchers.remove(comm);
    }

    fn end(&self) {
        self.forget();
        let mut state = locked(&self.state);
        state.is_gone = true;
        let waiting = state.next.take().map(|(_, answered)| answered);
        let unanswered = [state.drawing.take(), waiting];
        let watchers = std::mem::take(&mut state.watchers);
        drop(state);
        for answered in unanswered.into_iter().flatten() {
            answered(DrawOutcome::Gone);
        }
        for gone in watchers.into_values() {
            gone();
        }
    }
}

/// Groups strings into pairs: the first with the second, the third with the fourth, and so on.
fn pairs(mut texts: impl Iterator<Item = String>) -> Vec<(String, String)> {
    std::iter::from_fn(|| Some((texts.next()?, texts.next()?))).collect()
}

#[cfg(test)]
mod tests;
