//! The cells that wait to be run, and the thread that runs them.

use super::history::History;
use super::message::Message;
use super::outbox::{self, Outbox};
use crate::evaluation::{Analysed, Analysis, Failure, Input, Interrupter, Output, Session};
use crate::locked::locked;
use crate::project;
use crate::workspace::TemplateCopy;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::process::Child;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;
use zeromq::ZmqMessage;

/// Waits for cells, and runs them one after the other.
pub struct Executor {
    outbox: Outbox,
    queue: Mutex<VecDeque<Job>>,
    arrival: Condvar,
    /// Held while a cell runs.
    session: Mutex<Option<Session>>,
    /// Of the session, for other threads.
    controls: Mutex<Option<Controls>>,
    /// The request whose cell runs.
    running: Mutex<Option<Value>>,
    /// Where the answer to the cell that asked goes.
    answer: Mutex<Option<Sender<String>>>,
    history: Mutex<History>,
    /// The way to a workspace, or why there is none.
    copy: Result<TemplateCopy, String>,
}

struct Controls {
    interrupter: Interrupter,
    process: Arc<Mutex<Child>>,
}

/// An `execute_request`, and where its reply goes.
pub struct Job {
    pub request: Message,
    pub replies: UnboundedSender<ZmqMessage>,
}

impl Executor {
    /// Starts the thread, which warms the evaluator up before its first cell.
    pub fn start(outbox: Outbox, copy: Result<TemplateCopy, String>) -> Arc<Executor> {
        let executor = Arc::new(Executor {
            outbox,
            queue: Mutex::default(),
            arrival: Condvar::new(),
            session: Mutex::new(None),
            controls: Mutex::default(),
            running: Mutex::default(),
            answer: Mutex::default(),
            history: Mutex::default(),
            copy,
        });
        let of_thread = Arc::clone(&executor);
        std::thread::spawn(move || of_thread.run());
        executor
    }

    pub fn add(&self, job: Job) {
        locked(&self.queue).push_back(job);
        self.arrival.notify_one();
    }

    pub fn interrupt(&self) {
        if let Some(controls) = &*locked(&self.controls) {
            controls.interrupter.interrupt();
        }
        // A cell that waits for text gets none.
        locked(&self.answer).take();
    }

    /// Hands over the text that a cell asked for.
    pub fn answer(&self, text: &str) {
        if let Some(answer) = locked(&self.answer).take() {
            let _ = answer.send(text.to_owned()); // the cell ended meanwhile
        }
    }

    pub fn running(&self) -> Option<Value> {
        locked(&self.running).clone()
    }

    pub fn history(&self, request: &Message) -> Value {
        locked(&self.history).reply(request)
    }

    /// Asks about code, unless a cell runs or the evaluator is not there yet.
    pub fn analyse(&self, analysis: Analysis) -> Option<Analysed> {
        let session = self.session.try_lock().ok()?;
        session.as_ref()?.analyse(analysis)
    }

    /// Ends the evaluation process and the compilers, whatever they do.
    pub fn end(&self) {
        if let Some(controls) = &*locked(&self.controls) {
            crate::evaluation::kill_compilers(&controls.process);
            let _ = locked(&controls.process).kill(); // it has ended already
            let _ = locked(&controls.process).wait();
        }
    }

    fn run(&self) {
        let mut count = 0;
        let mut trouble = self.warm_up().err();
        loop {
            let job = self.next();
            if trouble.is_some() {
                trouble = self.warm_up().err(); // perhaps it is over
            }
            let request = &job.request;
            *locked(&self.running) = Some(request.header.clone());
            self.outbox.busy(&request.header);
            let outcome = match &trouble {
                None => self.execute(request, &mut count),
                Some(failure) => Err(failure.clone()),
            };
            let reply = match &outcome {
                Ok(expressions) => json!({
                    "status": "ok", "execution_count": count, "payload": [],
                    "user_expressions": expressions,
                }),
                Err(failure) => {
                    let mut reply = outbox::error(failure);
                    if !request.flag("silent", false) {
                        self.outbox.publish(request, "error", &reply);
                    }
                    reply["status"] = json!("error");
                    reply["execution_count"] = json!(count);
                    reply["user_expressions"] = json!({});
                    reply["payload"] = json!([]);
                    reply
                }
            };
            self.outbox.reply(&job.replies, request, &reply);
            *locked(&self.running) = None;
            self.outbox.idle(&request.header);
            if outcome.is_err() && request.flag("stop_on_error", true) {
                self.abort_waiting();
            }
        }
    }

    fn next(&self) -> Job {
        let mut queue = locked(&self.queue);
        loop {
            match queue.pop_front() {
                Some(job) => return job,
                None => {
                    queue = self
                        .arrival
                        .wait(queue)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Starts the evaluator, loads the crate, and takes the first steps that cost
    /// time: afterwards cells answer quickly.
    fn warm_up(&self) -> Result<(), Failure> {
        let again = "; then start the kernel again (Kernel, Restart)";
        let failure = |text: String| Failure::new("EvaluatorError", text + again);
        let copy = self
            .copy
            .as_ref()
            .map_err(|reason| failure(reason.clone()))?;
        // The `use` belongs to it: without it a value whose type the crate can show
        // could not be shown at all.
        let load = project::load_cell();
        let started = copy.fill().and_then(|path| Session::start(&path, &load));
        let mut session = started.map_err(|error| failure(format!("{error:#}")))?;
        *locked(&self.controls) = Some(Controls {
            interrupter: session.interrupter(),
            process: session.process(),
        });
        // The first variable takes seconds; a cell that waits already brings one itself.
        if locked(&self.queue).is_empty() {
            let first = "let _warm = attention::ndarray::array![[1.0_f32]];";
            // What fails here fails again, and is shown, in the learner's cell.
            let _ = session.execute(first, &mut |_| (), &mut |_| String::new());
        }
        *locked(&self.session) = Some(session);
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
        let mut result = None;
        let mut show = |output: Output| {
            if let Output::Result(bundle) = &output {
                result = bundle.get("text/plain").cloned();
            }
            if !silent {
                self.outbox.show(request, output, *count);
            }
        };
        let mut answer = |input: &Input| self.ask(request, input);
        let mut session = locked(&self.session);
        let session = session.as_mut().expect("the evaluator is warm");
        let executed = session.execute(code, &mut show, &mut answer);
        if store {
            locked(&self.history).add(*count, code, result);
        }
        executed?;
        let expressions = request.content["user_expressions"].as_object();
        let value = |(name, expression): (&String, &Value)| {
            let expression = expression.as_str().unwrap_or("");
            (name.clone(), value_of(session, expression))
        };
        Ok(expressions.into_iter().flatten().map(value).collect())
    }

    /// The learner's answer to a cell; empty if the front end cannot ask.
    fn ask(&self, request: &Message, input: &Input) -> String {
        if !request.flag("allow_stdin", true) {
            let message = "This front end cannot ask for text; the cell got an empty line.\n";
            let text = Output::Text(crate::evaluation::Stream::Stderr, message.to_owned());
            self.outbox.show(request, text, 0);
            return String::new();
        }
        let (sender, answer) = mpsc::channel();
        *locked(&self.answer) = Some(sender);
        self.outbox.ask(request, &input.prompt, input.is_password);
        answer.recv().unwrap_or_default()
    }

    /// Cells that were sent before the failure was known do not run.
    fn abort_waiting(&self) {
        let waiting: Vec<Job> = locked(&self.queue).drain(..).collect();
        for job in waiting {
            self.outbox.busy(&job.request.header);
            let reply = json!({ "status": "aborted" });
            self.outbox.reply(&job.replies, &job.request, &reply);
            self.outbox.idle(&job.request.header);
        }
    }
}

/// An expression's value as a front end that asked for it gets it.
fn value_of(session: &mut Session, expression: &str) -> Value {
    let mut value = Map::new();
    let mut show = |output: Output| {
        if let Output::Result(bundle) = output {
            value = outbox::data(&bundle);
        }
    };
    match session.execute(expression, &mut show, &mut |_| String::new()) {
        Ok(()) => json!({ "status": "ok", "data": value, "metadata": {} }),
        Err(failure) => {
            let mut error = outbox::error(&failure);
            error["status"] = json!("error");
            error
        }
    }
}
