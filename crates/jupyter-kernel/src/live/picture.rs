//! One live picture on the kernel's side: which values it is waiting for.

use crate::locked::locked;
use notebook::live::{Control, Value, marked, wire};
use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::time::Duration;

/// What a picture was drawn to, or why it was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// HTML.
    Picture(String),
    /// The message of a panic, or why it was stopped.
    Failed(String),
    /// A newer value has come before it was this one's turn.
    Overtaken,
}

/// Where an answer goes.
pub type Answered = Box<dyn FnOnce(Answer) + Send>;
/// Called when the picture is gone.
pub type Gone = Box<dyn FnOnce() + Send>;

/// Said in the place of a picture that was interrupted.
const STOPPED: &str = "stopped; all variables are kept, and the next value draws the picture again";
const HTML: &str = "text/html";
/// A process that takes nothing any more has so long to take a value.
const LIMIT: Duration = Duration::from_secs(5);

/// A picture that a thread in the process of the cells draws.
pub struct Picture {
    pub id: String,
    /// The cell that has shown it, if the front end says which that is.
    pub cell: Option<String>,
    pub controls: Vec<Control>,
    stream: UnixStream,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_gone: bool,
    /// The values that were drawn last, or are drawn now.
    values: Vec<Value>,
    drawing: Option<Answered>,
    /// The one that is drawn was interrupted.
    is_stopped: bool,
    /// The picture that was drawn last: MIME types and contents.
    shown: Vec<(String, String)>,
    /// The newest values while others are drawn.
    next: Option<(Vec<Value>, Answered)>,
    /// By the comm.
    watchers: HashMap<String, Gone>,
}

impl Picture {
    pub fn new(
        id: String,
        cell: Option<String>,
        controls: Vec<Control>,
        stream: UnixStream,
    ) -> io::Result<Picture> {
        stream.set_write_timeout(Some(LIMIT))?;
        let values = controls.iter().map(Control::first).collect();
        let state = State {
            values,
            ..State::default()
        };
        Ok(Picture {
            id,
            cell,
            controls,
            stream,
            state: Mutex::new(state),
        })
    }

    /// The values that it shows.
    pub fn values(&self) -> Vec<Value> {
        locked(&self.state).values.clone()
    }

    /// The picture that was drawn last, as an output of its cell; nothing before the first move.
    pub fn shown(&self) -> Vec<(String, String)> {
        let mut forms = locked(&self.state).shown.clone();
        for (_, html) in forms.iter_mut().filter(|(mime, _)| mime == HTML) {
            *html = marked(&self.id, html);
        }
        forms
    }

    /// Draws the picture of these values, after the one that is being drawn; of those that wait
    /// only the newest is drawn.
    pub fn draw(&self, values: Vec<Value>, answered: Answered) {
        let mut state = locked(&self.state);
        if state.is_gone {
            drop(state);
            return answered(Answer::Failed(String::new())); // its watchers know
        }
        if state.drawing.is_some() {
            let overtaken = state.next.replace((values, answered));
            drop(state);
            if let Some((_, answered)) = overtaken {
                answered(Answer::Overtaken);
            }
            return;
        }
        self.send(&mut state, values, answered);
    }

    fn send(&self, state: &mut State, values: Vec<Value>, answered: Answered) {
        let texts: Vec<String> = values.iter().map(Value::to_string).collect();
        state.values = values;
        state.drawing = Some(answered);
        if wire::write(&mut &self.stream, &texts).is_err() {
            self.forget(); // `listen` will find that it is gone
        }
    }

    /// Takes its answers until the process or the kernel has closed the connection.
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
            (true, _) => Answer::Failed(STOPPED.to_owned()),
            (false, Err(reason)) => Answer::Failed(reason),
            (false, Ok(forms)) => {
                let html = forms.iter().find(|(mime, _)| mime == HTML);
                let html = html.map_or_else(String::new, |(_, html)| html.clone());
                state.shown = forms;
                Answer::Picture(html)
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

    /// Whether it is being drawn at the moment.
    pub fn is_drawing(&self) -> bool {
        locked(&self.state).drawing.is_some()
    }

    /// Whether what was asked to stop is still being drawn.
    pub fn is_stopping(&self) -> bool {
        let state = locked(&self.state);
        state.is_stopped && state.drawing.is_some()
    }

    /// What is drawn now has been asked to stop: its answer is not what was asked for.
    pub fn stop(&self) {
        let mut state = locked(&self.state);
        state.is_stopped = state.drawing.is_some();
    }

    /// Answers in the place of a process that will be ended.
    pub fn fail(&self, reason: &str) {
        let answered = locked(&self.state).drawing.take();
        if let Some(answered) = answered {
            answered(Answer::Failed(reason.to_owned()));
        }
    }

    /// Lets the thread of the picture end, and with it everything that its closure holds.
    pub fn forget(&self) {
        let _ = self.stream.shutdown(Shutdown::Both); // it may have ended by itself
    }

    /// Tells when the picture is gone; at once if it is.
    pub fn watch(&self, comm: &str, gone: Gone) {
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
            answered(Answer::Failed(String::new()));
        }
        for gone in watchers.into_values() {
            gone();
        }
    }
}

/// The first with the second, the third with the fourth, and so on.
fn pairs(mut texts: impl Iterator<Item = String>) -> Vec<(String, String)> {
    std::iter::from_fn(|| Some((texts.next()?, texts.next()?))).collect()
}

#[cfg(test)]
mod tests;
