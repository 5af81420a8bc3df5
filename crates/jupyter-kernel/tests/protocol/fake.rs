//! An evaluator whose cells are scripts: each line is a verb and its argument.

use notebook::evaluator::{
    Bundle, Cell, Completeness, Completions, Description, Evaluator, Failure, Output, Question,
    Remote, StaleCell, Stream, VariableSummary,
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// The state shared by a test and the evaluator.
#[derive(Default)]
pub struct Fake {
    state: Mutex<FakeState>,
    changed: Condvar,
}

#[derive(Default)]
pub struct FakeState {
    /// How many starts should fail.
    pub refusals: usize,
    /// Whether a start should wait.
    pub is_held: bool,
    pub starts: usize,
    /// Cells that were skipped.
    pub skipped: Vec<String>,
    pub is_shut_down: bool,
    /// How often the variables were listed.
    pub looks: usize,
    is_running: bool,
    is_stopping: bool,
    /// How many `hold` lines may proceed.
    released: usize,
}

struct Scripts(Arc<Fake>);

impl Fake {
    pub fn start(self: &Arc<Fake>) -> Result<Box<dyn Evaluator>, Failure> {
        let mut state = self.wait_until(|state| !state.is_held);
        state.starts += 1;
        if state.refusals > 0 {
            state.refusals -= 1;
            return Err(Failure::new("EvaluatorError", "there is no compiler"));
        }
        Ok(Box::new(Scripts(Arc::clone(self))))
    }

    pub fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().expect("no thread has panicked")
    }

    /// Lets one `hold` line proceed.
    pub fn release(&self) {
        self.state().released += 1;
        self.changed.notify_all();
    }

    pub fn wait_until(&self, is_so: impl Fn(&FakeState) -> bool) -> MutexGuard<'_, FakeState> {
        let waited = self.changed.wait_while(self.state(), |state| !is_so(state));
        waited.expect("no thread has panicked")
    }

    /// Lets the evaluator start.
    pub fn let_start(&self) {
        self.state().is_held = false;
        self.changed.notify_all();
    }

    fn hold(&self) {
        self.wait_until(|state| state.released > 0).released -= 1;
    }
}

impl Evaluator for Scripts {
    fn execute(
        &mut self,
        cell: Cell<'_>,
        show: &mut dyn FnMut(Output),
        answer: &mut dyn FnMut(&Question) -> Option<String>,
    ) -> Result<(), Failure> {
        let mut ask = |prompt: &str, is_password| {
            let prompt = prompt.to_owned();
            let answer = answer(&Question {
                prompt,
                is_password,
            });
            Output::Text(Stream::Stdout, format!("{answer:?}"))
        };
        for line in cell.code.lines() {
            let (verb, text) = line.split_once(' ').unwrap_or((line, ""));
            match verb {
                "print" => show(Output::Text(Stream::Stdout, text.to_owned())),
                "warn" => show(Output::Text(Stream::Stderr, text.to_owned())),
                "show" => show(Output::Display(plain(text))),
                "bar" => show(Output::Updatable("a bar".to_owned(), plain(text))),
                "value" => show(Output::Result(plain(text))),
                "clear" => show(Output::Clear),
                "rewrite" => show(Output::Rewritten(text.to_owned())),
                "ask" => show(ask(text, false)),
                "password" => show(ask(text, true)),
                "which" => {
                    let which = format!("{:?} {:?}", cell.number, cell.key);
                    show(Output::Text(Stream::Stdout, which));
                }
                "hold" => self.0.hold(),
                "wait" => drop(self.0.wait_until(|state| state.is_stopping)),
                "fail" => {
                    let mut failure = Failure::new("Panic", text);
                    failure.details = vec!["in line 1".to_owned()];
                    return Err(failure);
                }
                verb => return Err(Failure::new("CompileError", format!("error: {verb}"))),
            }
        }
        match self.0.is_stopping() {
            true => Err(Failure::new("Interrupted", "stopped")),
            false => Ok(()),
        }
    }

    /// A single variable, whose value counts how often the variables were listed.
    fn variables(&mut self) -> Vec<VariableSummary> {
        let mut state = self.0.state();
        state.looks += 1;
        vec![VariableSummary {
            name: "q".to_owned(),
            type_name: "Array2<f32>".to_owned(),
            shape: "(6, 3)".to_owned(),
            preview: state.looks.to_string(),
        }]
    }

    fn skipped(&mut self, code: &str) {
        self.0.state().skipped.push(code.to_owned());
        self.0.changed.notify_all();
    }

    fn remote(&self) -> Arc<dyn Remote> {
        Arc::clone(&self.0) as Arc<dyn Remote>
    }
}

fn plain(text: &str) -> Bundle {
    Bundle::from([("text/plain".to_owned(), text.to_owned())])
}

impl Remote for Fake {
    fn begin(&self) {
        let mut state = self.state();
        state.is_running = true;
        state.is_stopping = false;
    }

    fn end(&self) {
        self.state().is_running = false;
    }

    fn interrupt(&self) -> bool {
        let mut state = self.state();
        state.is_stopping = state.is_running;
        self.changed.notify_all();
        state.is_running
    }

    fn is_stopping(&self) -> bool {
        self.state().is_stopping
    }

    fn interrupt_rest(&self, _should_stop: bool) {}

    fn kill(&self) {}

    fn shut_down(&self) {
        self.state().is_shut_down = true;
    }

    /// Offers two names for each word; for `slow`, only once a test lets it proceed.
    fn complete(&self, code: &str, place: usize) -> Option<Completions> {
        let before = &code[..place];
        let start = before.rfind(' ').map_or(0, |space| space + 1);
        let word = &before[start..];
        if word == "slow" {
            self.hold();
        }
        let texts = ["_a", "_b"].map(|end| (format!("{word}{end}"), "function".to_owned()));
        (word != "unknown").then(|| Completions {
            texts: texts.to_vec(),
            start,
            end: place,
        })
    }

    /// Describes a position by the code before it.
    fn describe(&self, code: &str, place: usize) -> Option<Description> {
        let text = code[..place].to_owned();
        let markdown = format!("`{text}`");
        Some(Description { text, markdown })
    }

    /// All cells but the first.
    fn stale_cells(&self, order: &[String]) -> Vec<StaleCell> {
        let others = order.iter().skip(1);
        let stale = others.map(|key| StaleCell {
            key: key.clone(),
            changed: vec!["q".to_owned()],
            outdated: Vec::new(),
        });
        stale.collect()
    }

    fn completeness(&self, code: &str) -> Option<Completeness> {
        match code {
            "value 1" => Some(Completeness::Complete),
            "value" => Some(Completeness::Incomplete("  ".to_owned())),
            ")" => Some(Completeness::Invalid),
            _ => None,
        }
    }
}
