//! The cells that wait to be run, and the thread that runs them.

use crate::evaluation::analysis::{Analysed, Analysis};
use crate::evaluation::controls::Controls;
use crate::evaluation::event::Input;
use crate::evaluation::failure::Failure;
use crate::evaluation::output::{Output, Stream};
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
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// Waits for cells, and runs them one after the other.
///
/// There are two locks. `session` is held while a cell runs. `state` is held for a look or a
/// change and never while something is waited for; the thread that holds `session` may take
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
    queue: VecDeque<Job>,
    /// The request whose cell runs.
    running: Option<Value>,
    /// Where the answer to the cell that asked goes.
    answer: Option<Sender<String>>,
    history: History,
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
            state: Mutex::default(),
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

    pub fn interrupt(&self) {
        if let Some(controls) = self.controls() {
            controls.interrupt();
        }
        // A cell that waits for text gets none.
        locked(&self.state).answer.take();
    }

    /// Hands over the text that a cell asked for.
    pub fn answer(&self, text: &str) {
        let answer = locked(&self.state).answer.take();
        if let Some(answer) = answer {
            let _ = answer.send(text.to_owned()); // the cell ended meanwhile
        }
    }

    pub fn running(&self) -> Option<Value> {
        locked(&self.state).running.clone()
    }

    pub fn history(&self, request: &Message) -> Value {
        locked(&self.state).history.reply(request)
    }

    /// Asks about code, unless a cell runs or the evaluator is not there yet.
    pub fn analyse(&self, analysis: Analysis) -> Option<Analysed> {
        let session = self.session.try_lock().ok()?;
        session.as_ref()?.analyse(analysis)
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
        let mut count = 0;
        let mut trouble = self.warm_up().err();
        loop {
            let job = self.next_job();
            if trouble.is_some() {
                trouble = self.warm_up().err(); // perhaps it is over
            }
            let request = &job.request;
            locked(&self.state).running = Some(request.header.clone());
            self.outbox.busy(&request.header);
            let outcome = match &trouble {
                None => self.execute(request, &mut count),
                Some(failure) => Err(failure.clone()),
            };
            if let Err(failure) = &outcome
                && !request.flag("silent", false)
            {
                self.outbox
                    .publish(request, "error", &execution::error(failure));
            }
            let reply = execution::reply(&outcome, count);
            self.outbox.reply(&job.replies, request, &reply);
            locked(&self.state).running = None;
            // Cells that wait do not run. One that is sent after the idle does.
            if outcome.is_err() && request.flag("stop_on_error", true) {
                self.abort_waiting();
            }
            self.outbox.idle(&request.header);
        }
    }

    fn next_job(&self) -> Job {
        let mut state = locked(&self.state);
        loop {
            match state.queue.pop_front() {
                Some(job) => return job,
                None => {
                    let woken = self.arrival.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn warm_up(&self) -> Result<(), Failure> {
        let warm_up = self.warm_up.as_ref();
        let none = |reason: &String| Failure::no_workspace(reason);
        *locked(&self.session) = Some(warm_up.map_err(none)?.session()?);
        Ok(())
    }

    /// Runs the cell of a request; returns the values of its `user_expressions`.
    fn execute(&self, request: &Message, count: &mut u64) -> Result<Map<String, Value>, Failure> {
        let code = request.text("code");
        let silent = request.flag("silent", false);
        let store = !silent && request.flag("store_history", true);
        if store {
            *count += 1;
        }
        if !silent {
            let content = json!({ "code": code, "execution_count": *count });
            self.outbox.publish(request, "execute_input", &content);
        }
        let mut show = |output: Output| {
            if !silent {
                self.outbox.show(request, output, *count);
            }
        };
        let mut answer = |input: &Input| self.ask(request, input);
        let mut session = locked(&self.session);
        let session = session.as_mut().expect("the evaluator is warm");
        if store {
            session.number_next_cell(*count);
        }
        let mut execution = Execution {
            session,
            show: &mut show,
            answer: &mut answer,
        };
        let (executed, result) = execution.run(code);
        if store {
            locked(&self.state).history.add(*count, code, result);
        }
        executed?;
        Ok(execution.user_expressions(request))
    }

    /// The learner's answer to a cell; empty if the front end cannot ask.
    fn ask(&self, request: &Message, input: &Input) -> String {
        if !request.flag("allow_stdin", true) {
            let message = "This front end cannot ask for text; the cell got an empty line.\n";
            let text = Output::Text(Stream::Stderr, message.to_owned());
            self.outbox.show(request, text, 0);
            return String::new();
        }
        let (sender, answer) = mpsc::channel();
        locked(&self.state).answer = Some(sender);
        self.outbox.ask(request, &input.prompt, input.is_password);
        answer.recv().unwrap_or_default()
    }

    /// Cells that were sent before the failure was known do not run.
    fn abort_waiting(&self) {
        let waiting = std::mem::take(&mut locked(&self.state).queue);
        for job in waiting {
            if let Some(session) = locked(&self.session).as_mut() {
                session.note_aborted(job.request.text("code"));
            }
            self.outbox.busy(&job.request.header);
            let reply = json!({ "status": "aborted" });
            self.outbox.reply(&job.replies, &job.request, &reply);
            self.outbox.idle(&job.request.header);
        }
    }
}
