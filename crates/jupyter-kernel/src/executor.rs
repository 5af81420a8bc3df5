//! The queue of cells, and the thread that runs them.

use crate::debug_reply::{self, Command};
use crate::execution::{self, Execution};
use crate::history::History;
use crate::input::Input;
use crate::kernel::Start;
use crate::live::picture::Picture;
use crate::live::registry::PictureRegistry;
use crate::locked::locked;
use crate::message::Message;
use crate::outbox::Outbox;
use crate::zmtp::Frames;
use notebook::evaluator::{Cell, Evaluator, Failure, Output, Question, Remote, VariableSummary};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use tokio::sync::mpsc::UnboundedSender;

/// Runs cells one at a time, in the order in which they were sent.
///
/// `state` is locked only briefly, to read it or to change it and send the message that announces
/// the change, and never while waiting.
pub struct Executor {
    outbox: Outbox,
    start: Start,
    /// The live pictures, if they are enabled.
    live: Option<PictureRegistry>,
    state: Mutex<ExecutorState>,
    /// Signalled when a job joins the queue.
    arrival: Condvar,
    /// The input that the running cell is waiting for.
    pub input: Input,
}

#[derive(Default)]
struct ExecutorState {
    count: u64,
    queue: VecDeque<Job>,
    /// Whether a job is running.
    is_running: bool,
    /// Whether an interrupt came while jobs were queued and none was running.
    stops_next: bool,
    /// Controls the evaluator; set once the evaluator has started.
    remote: Option<Arc<dyn Remote>>,
    history: History,
    variables: Variables,
}

/// The variables as they were when a front end last asked for them.
#[derive(Default)]
struct Variables {
    seen: Vec<VariableSummary>,
    /// Whether no cell has run since then.
    are_current: bool,
}

/// Stack size of the thread: parsers recurse for each level of nested code. The system allocates
/// only the pages that are used.
const STACK: usize = 512 << 20;

/// An `execute_request`, or a `debug_request` about variables, and the channel for its reply.
pub struct Job {
    pub request: Message,
    pub replies: UnboundedSender<Frames>,
}

impl Job {
    fn is_cell(&self) -> bool {
        self.request.kind() == "execute_request"
    }
}

impl ExecutorState {
    /// Marks the running job as ended, so that it can no longer be interrupted.
    fn end_job(&mut self) {
        if let Some(remote) = &self.remote {
            remote.end();
        }
        self.is_running = false;
    }
}

impl Executor {
    /// Spawns the thread, which then starts the evaluator.
    pub fn start(outbox: Outbox, start: Start, live: Option<PictureRegistry>) -> Arc<Executor> {
        let executor = Arc::new(Executor {
            outbox,
            start,
            live,
            state: Mutex::default(),
            arrival: Condvar::new(),
            input: Input::default(),
        });
        let of_thread = Arc::clone(&executor);
        let thread = Builder::new().stack_size(STACK);
        let started = thread.spawn(move || of_thread.run());
        started.expect("the system has room for a thread");
        executor
    }

    pub fn add(&self, job: Job) {
        locked(&self.state).queue.push_back(job);
        self.arrival.notify_one();
    }

    /// Stops the running cell, or the one that is about to run; if there is none, the live pictures
    /// that are being drawn.
    pub fn interrupt(&self) {
        let mut state = locked(&self.state);
        if !state.is_running && !state.queue.is_empty() {
            state.stops_next = true;
        } else if let Some(remote) = &state.remote
            && !remote.interrupt()
            && let Some(live) = &self.live
        {
            live.interrupt(Arc::clone(remote));
        }
        self.input.cancel();
    }

    pub fn history(&self, request: &Message) -> Value {
        locked(&self.state).history.reply(request)
    }

    /// Whether the variables should be listed again: a cell has run since they last were, and none
    /// is running now.
    pub fn has_new_variables(&self) -> bool {
        let state = locked(&self.state);
        !state.variables.are_current && !state.is_running
    }

    /// The variables as they were last listed.
    pub fn variables(&self) -> Vec<VariableSummary> {
        locked(&self.state).variables.seen.clone()
    }

    /// A handle to the evaluator that works even while a cell runs; `None` until it has started.
    pub fn remote(&self) -> Option<Arc<dyn Remote>> {
        locked(&self.state).remote.clone()
    }

    /// The live picture with this id.
    pub fn live_picture(&self, id: &str) -> Option<Arc<Picture>> {
        self.live.as_ref()?.picture(id)
    }

    fn run(&self) {
        let mut evaluator = self.start_evaluator();
        loop {
            self.wait_for_job();
            if evaluator.is_err() {
                evaluator = self.start_evaluator(); // the cause may be gone
            }
            let job = self.begin_job();
            let request = &job.request;
            if !job.is_cell() {
                self.look(&mut evaluator, &job);
                continue;
            }
            let mut rewritten = None;
            let outcome = match &mut evaluator {
                Ok(evaluator) => self.execute(&mut **evaluator, request, &mut rewritten),
                Err(failure) => Err(failure.clone()),
            };
            if let Err(failure) = &outcome
                && !request.flag("silent", false)
            {
                let content = execution::error(failure);
                self.outbox.publish(request, "error", &content);
            }
            let mut state = locked(&self.state);
            let reply = execution::reply(&outcome, state.count, rewritten);
            self.outbox.reply(&job.replies, request, &reply);
            state.end_job();
            // Abort the queued cells before reporting idle: those sent later should run.
            let aborted = match outcome.is_err() && request.flag("stop_on_error", true) {
                true => self.abort_waiting(&mut state),
                false => Vec::new(),
            };
            self.outbox.idle(&request.header);
            drop(state);
            if let Ok(evaluator) = &mut evaluator {
                for job in &aborted {
                    evaluator.skipped(job.request.text("code"));
                }
            }
        }
    }

    /// Answers a request about variables.
    fn look(&self, evaluator: &mut Result<Box<dyn Evaluator>, Failure>, job: &Job) {
        let request = &job.request;
        let (mut seen, mut value) = (None, None);
        if let Ok(evaluator) = evaluator {
            match Command::of(request) {
                Command::ShowVariable(name) => {
                    value = Some(execution::value_of(&mut **evaluator, name));
                }
                _ => seen = Some(evaluator.variables()),
            }
        }
        let mut state = locked(&self.state);
        if let Some(seen) = seen {
            state.variables = Variables {
                seen,
                are_current: true,
            };
        }
        let reply = match value {
            Some(value) => debug_reply::value(request, &value),
            None => debug_reply::variables(request, &state.variables.seen),
        };
        self.outbox.reply(&job.replies, request, &reply);
        state.end_job();
        self.outbox.idle(&request.header);
    }

    fn start_evaluator(&self) -> Result<Box<dyn Evaluator>, Failure> {
        let evaluator = (self.start)()?;
        locked(&self.state).remote = Some(evaluator.remote());
        Ok(evaluator)
    }

    fn wait_for_job(&self) {
        let mut state = locked(&self.state);
        while state.queue.is_empty() {
            let woken = self.arrival.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the first job from the queue and marks it as running, so that it can be interrupted.
    fn begin_job(&self) -> Job {
        let mut state = locked(&self.state);
        let first = state.queue.pop_front();
        let job = first.expect("only this thread takes jobs");
        state.is_running = true;
        let is_stopped = std::mem::take(&mut state.stops_next);
        if let Some(remote) = &state.remote {
            remote.begin();
            if is_stopped {
                remote.interrupt();
            }
        }
        if job.is_cell() {
            state.variables.are_current = false;
            if let Some(live) = &self.live {
                live.begin_cell(job.request.cell());
            }
        }
        self.outbox.busy(&job.request.header);
        job
    }

    /// Runs the cell of a request; returns the values of its `user_expressions`. If the cell's text
    /// is rewritten, stores the new text in `rewritten`.
    fn execute(
        &self,
        evaluator: &mut dyn Evaluator,
        request: &Message,
        rewritten: &mut Option<String>,
    ) -> Result<Map<String, Value>, Failure> {
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
        let mut show = |output: Output| match output {
            Output::Rewritten(text) => *rewritten = Some(text),
            _ if silent => {}
            output => self.outbox.show(request, output, count),
        };
        let mut execution = Execution {
            evaluator,
            show: &mut show,
            answer: &mut |question| self.ask(request, question),
        };
        let (executed, result) = execution.run(Cell {
            code,
            number: store.then_some(count),
            key: request.cell(),
        });
        if store {
            locked(&self.state).history.add(count, code, result);
        }
        executed?;
        Ok(execution.user_expressions(request))
    }

    /// The learner's answer to a cell's question; `None` if the front end cannot ask for input or
    /// the cell should stop.
    fn ask(&self, request: &Message, question: &Question) -> Option<String> {
        if !request.flag("allow_stdin", true) {
            return None;
        }
        let ask = || self.outbox.ask(request, question);
        self.input.wait_for(&*self.remote()?, ask)
    }

    /// Aborts the cells that were queued before the failure was known, and returns them.
    fn abort_waiting(&self, state: &mut ExecutorState) -> Vec<Job> {
        let queue = std::mem::take(&mut state.queue);
        let (waiting, others): (Vec<Job>, Vec<Job>) = queue.into_iter().partition(Job::is_cell);
        state.queue = others.into();
        for job in &waiting {
            self.outbox.busy(&job.request.header);
            let reply = json!({ "status": "aborted" });
            self.outbox.reply(&job.replies, &job.request, &reply);
            self.outbox.idle(&job.request.header);
        }
        waiting
    }
}
