//! The cells that wait to be run, and the thread that runs them.

use crate::evaluation::analysis::{Analysed, Analysis};
use crate::evaluation::controls::Controls;
use crate::evaluation::event::Input;
use crate::evaluation::failure::Failure;
use crate::evaluation::live::picture::Picture;
use crate::evaluation::output::Output;
use crate::evaluation::session::Session;
use crate::locked::locked;
use crate::protocol::execution::{self, Execution};
use crate::protocol::history::History;
use crate::protocol::message::Message;
use crate::protocol::outbox::Outbox;
use crate::protocol::zmtp::Frames;
use crate::warm_up::WarmUp;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// Waits for cells, and runs them one after the other.
///
/// There are two locks. `session` is held while a cell runs. `state` is held for a look or a
/// change, and for the message that tells of it, and never while something is waited for; the thread that holds `session` may take
/// it, and nobody who holds it takes `session`.
pub struct Executor {
    outbox: Outbox,
    /// The way to an evaluator, or why there is none.
    warm_up: Result<WarmUp, String>,
    session: Mutex<Option<Session>>,
    state: Mutex<State>,
    /// A cell has been added to the queue.
    arrival: Condvar,
}

#[derive(Default)]
struct State {
    /// The evaluator is not ready, and nothing in it can be stopped.
    is_warming_up: bool,
    count: u64,
    queue: VecDeque<Job>,
    /// The request whose cell runs.
    running: Option<Value>,
    /// Of the session, for other threads.
    controls: Option<Controls>,
    /// Where the answer to the cell that asked goes.
    answer: Option<Sender<String>>,
    history: History,
    notebook: Option<PathBuf>,
}

/// An `execute_request`, and where its reply goes.
pub struct Job {
    pub request: Message,
    pub replies: UnboundedSender<Frames>,
}

impl Executor {
    /// Starts the thread, which waits for the evaluator before its first cell.
    pub fn start(outbox: Outbox, warm_up: Result<WarmUp, String>) -> Arc<Executor> {
        let executor = Arc::new(Executor {
            outbox,
            warm_up,
            session: Mutex::default(),
            state: Mutex::new(State {
                is_warming_up: true,
                ..State::default()
            }),
            arrival: Condvar::new(),
        });
        let of_thread = Arc::clone(&executor);
        std::thread::spawn(move || of_thread.run());
        executor
    }

    pub fn add(&self, job: Job) {
        if let Ok(warm_up) = &self.warm_up {
            warm_up.hurry();
        }
        locked(&self.state).queue.push_back(job);
        self.arrival.notify_one();
    }

    /// Stops the cell that runs, or those that wait for the evaluator to be ready.
    pub fn interrupt(&self) {
        let mut state = locked(&self.state);
        if state.is_warming_up {
            return self.stop_waiting(&mut state);
        }
        if let Some(controls) = &state.controls {
            controls.interrupt();
        }
        // A cell that waits for text gets none.
        state.answer.take();
    }

    /// Answers the cells that wait while there is nothing to run them.
    fn stop_waiting(&self, state: &mut State) {
        let message = "stopped before it ran; the kernel is still getting ready";
        let failure = Failure::new("Interrupted", message);
        if let Some(Job { request, replies }) = state.queue.pop_front() {
            self.outbox.busy(&request.header);
            self.tell_failure(&request, &failure);
            let reply = execution::reply(&Err(failure), state.count);
            self.outbox.reply(&replies, &request, &reply);
            self.outbox.idle(&request.header);
        }
        self.abort_waiting(state);
    }

    /// Hands over the text that a cell asked for.
    pub fn answer(&self, text: &str) {
        let answer = locked(&self.state).answer.take();
        if let Some(answer) = answer {
            let _ = answer.send(text.to_owned()); // the cell ended meanwhile
        }
    }

    /// Says that a request is done with that had nothing to do with the cell that runs.
    pub fn idle(&self, request: &Value) {
        // The state is held so that the cell does not end in between.
        let state = locked(&self.state);
        self.outbox.idle(request);
        if let Some(running) = &state.running {
            self.outbox.busy(running); // front ends show the last state they heard
        }
    }

    pub fn history(&self, request: &Message) -> Value {
        locked(&self.state).history.reply(request)
    }

    /// Asks about code, unless a cell runs or the evaluator is not there yet.
    pub fn analyse(&self, analysis: Analysis) -> Option<Analysed> {
        let answer = {
            let mut session = self.session.try_lock().ok()?;
            session.as_mut()?.ask_about(analysis)?
        };
        // A cell that comes meanwhile is the session's next task.
        answer.recv().ok()?
    }

    /// The path of the notebook, where Jupyter has told it.
    pub fn notebook(&self) -> Option<PathBuf> {
        locked(&self.state).notebook.clone()
    }

    /// The live picture with this id.
    pub fn live_picture(&self, id: &str) -> Option<Arc<Picture>> {
        let state = locked(&self.state);
        state.controls.as_ref()?.live_picture(id)
    }

    /// Ends the evaluation process and the compilers, whatever they do.
    pub fn end(&self) {
        if let Some(controls) = self.controls() {
            controls.end();
        }
    }

    fn controls(&self) -> Option<Controls> {
        self.warm_up.as_ref().ok()?.controls()
    }

    fn run(&self) {
        let mut trouble = self.get_ready().err();
        loop {
            self.wait_for_job();
            if trouble.is_some() {
                trouble = self.get_ready().err(); // perhaps it is over
            }
            let Some(job) = self.begin_job() else {
                continue; // it was stopped
            };
            let request = &job.request;
            let outcome = match &trouble {
                None => self.execute(request),
                Some(failure) => Err(failure.clone()),
            };
            if let Err(failure) = &outcome {
                self.tell_failure(request, failure);
            }
            let mut state = locked(&self.state);
            let reply = execution::reply(&outcome, state.count);
            self.outbox.reply(&job.replies, request, &reply);
            if let Some(controls) = &state.controls {
                controls.end_cell();
            }
            state.running = None;
            // Cells that wait do not run. One that is sent after the idle does.
            let aborted = match outcome.is_err() && request.flag("stop_on_error", true) {
                true => self.abort_waiting(&mut state),
                false => Vec::new(),
            };
            self.outbox.idle(&request.header);
            drop(state);
            if let Some(session) = locked(&self.session).as_mut() {
                for job in &aborted {
                    session.note_aborted(job.request.text("code"));
                }
            }
        }
    }

    fn wait_for_job(&self) {
        let mut state = locked(&self.state);
        while state.queue.is_empty() {
            let woken = self.arrival.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the first job. From now on it can be stopped.
    fn begin_job(&self) -> Option<Job> {
        let mut state = locked(&self.state);
        let job = state.queue.pop_front()?;
        state.running = Some(job.request.header.clone());
        if let Some(controls) = &state.controls {
            controls.begin_cell(job.request.metadata["cellId"].as_str());
        }
        self.outbox.busy(&job.request.header);
        Some(job)
    }

    fn tell_failure(&self, request: &Message, failure: &Failure) {
        if !request.flag("silent", false) {
            let content = execution::error(failure);
            self.outbox.publish(request, "error", &content);
        }
    }

    /// Waits for the evaluator; the cells that wait for it, too, can be stopped.
    fn get_ready(&self) -> Result<(), Failure> {
        locked(&self.state).is_warming_up = true;
        let session = match &self.warm_up {
            Ok(warm_up) => warm_up.session(),
            Err(reason) => Err(Failure::no_workspace(reason)),
        };
        let mut state = locked(&self.state);
        state.is_warming_up = false;
        let session = session?;
        state.controls = Some(session.controls());
        state.notebook = session.notebook().map(Path::to_owned);
        drop(state);
        *locked(&self.session) = Some(session);
        Ok(())
    }

    /// Runs the cell of a request; returns the values of its `user_expressions`.
    fn execute(&self, request: &Message) -> Result<Map<String, Value>, Failure> {
        let code = request.text("code");
        let silent = request.flag("silent", false);
        let store = !silent && request.flag("store_history", true);
        let count = {
            let mut state = locked(&self.state);
            state.count += u64::from(store);
            state.count
        };
        if !silent {
            let content = json!({ "code": code, "execution_count": count });
            self.outbox.publish(request, "execute_input", &content);
        }
        let mut show = |output: Output| {
            if !silent {
                self.outbox.show(request, output, count);
            }
        };
        let mut answer = |input: &Input| self.ask(request, input);
        let mut session = locked(&self.session);
        let session = session.as_mut().expect("the evaluator is warm");
        if store {
            session.number_next_cell(count);
        }
        let mut execution = Execution {
            session,
            show: &mut show,
            answer: &mut answer,
        };
        let (executed, result) = execution.run(code);
        if store {
            locked(&self.state).history.add(count, code, result);
        }
        executed?;
        Ok(execution.user_expressions(request))
    }

    /// The learner's answer to a cell; `None` if the front end cannot ask, or the cell should
    /// stop.
    fn ask(&self, request: &Message, input: &Input) -> Option<String> {
        if !request.flag("allow_stdin", true) {
            return None;
        }
        let (sender, answer) = mpsc::channel();
        {
            let mut state = locked(&self.state);
            if state.controls.as_ref().is_some_and(Controls::is_stopping) {
                return None;
            }
            state.answer = Some(sender);
        }
        self.outbox.ask(request, &input.prompt, input.is_password);
        answer.recv().ok()
    }

    /// Cells that were sent before the failure was known do not run; returns them.
    fn abort_waiting(&self, state: &mut State) -> Vec<Job> {
        let waiting: Vec<Job> = std::mem::take(&mut state.queue).into();
        for job in &waiting {
            self.outbox.busy(&job.request.header);
            let reply = json!({ "status": "aborted" });
            self.outbox.reply(&job.replies, &job.request, &reply);
            self.outbox.idle(&job.request.header);
        }
        waiting
    }
}
