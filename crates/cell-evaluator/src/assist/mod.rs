//! Completion and documentation in a notebook.
//!
//! The answers come from rust-analyzer, the binary that rustup installs, driven as an editor would
//! drive it. It sees one small crate: the notebook's imports and definitions, its variables with
//! their types, and the cell. It starts with the first question, or when questions are expected,
//! and exits after a few idle minutes. No question waits longer than a second: until rust-analyzer
//! is ready, and where it is missing, answers come from an index of the prebuilt crates' public
//! items.

mod answers;
mod document;
mod framing;
mod hover;
mod index;
mod items;
mod library;
mod named;
mod notebook;
mod offline;
mod server;

pub use answers::{Candidate, Candidates};
pub use document::NotebookCode;
pub use hover::Hover;
pub use library::Library;

use document::Document;
use serde_json::{Value, json};
use server::{COMPLETION, FILE, HOVER, Reply, Server, ServerStart};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum wait for an answer. JupyterLab drops answers that take more than a second, and on a busy
/// machine the messages themselves take up part of that.
const LONGEST: Duration = Duration::from_millis(600);
/// A server that has not answered for this long is killed. Its priority is low, so on a busy machine
/// it takes minutes to load its project.
const SILENCE: Duration = Duration::from_secs(10 * 60);
/// After this many crashes or hangs the server is not restarted.
const MOST_FAILURES: u32 = 3;
/// Idle time after which a server ends.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// Completes and describes names in a notebook.
pub struct Assistant {
    start: ServerStart,
    library: Arc<Library>,
    server: Option<Server>,
    failures: u32,
    longest: Duration,
}

impl Assistant {
    /// An assistant that works in `folder`, which it has to itself. It uses the rust-analyzer of
    /// the compiler's `sysroot`, or else the one on the PATH.
    pub fn new(folder: &Path, sysroot: &Path, library: Arc<Library>) -> Assistant {
        let own = sysroot.join("bin/rust-analyzer");
        let program = match own.is_file() {
            true => own,
            false => "rust-analyzer".into(),
        };
        let project = library.project(&folder.join(FILE), sysroot);
        let start = ServerStart {
            program,
            arguments: Vec::new(),
            folder: folder.to_owned(),
            options: options(&project),
            idle: IDLE,
        };
        Assistant::with(start, library)
    }

    fn with(start: ServerStart, library: Arc<Library>) -> Assistant {
        Assistant {
            start,
            library,
            server: None,
            failures: 0,
            longest: LONGEST,
        }
    }

    /// Makes it wait for rust-analyzer for up to this long, instead of 0.6 s, before it answers
    /// from the index.
    #[must_use]
    pub fn waiting_for(mut self, longest: Duration) -> Assistant {
        self.longest = longest;
        self
    }

    /// Makes it answer from the index alone, for machines with little memory.
    #[must_use]
    pub fn without_rust_analyzer(mut self) -> Assistant {
        self.failures = MOST_FAILURES;
        self
    }

    /// Starts the server ahead of the first question, without waiting for it.
    pub fn warm_up(&mut self, around: &NotebookCode) {
        if self.server.as_ref().is_some_and(Server::has_rested) {
            self.server = None;
        }
        if self.server.is_none() && self.failures < MOST_FAILURES {
            // Asks about the variable with the longest type: loading its methods loads most of what
            // later questions need.
            let longest = around.variables.iter().max_by_key(|(_, code)| code.len());
            let cell = longest.map_or("\"\".".to_owned(), |(name, _)| format!("{name}."));
            let document = Document::new(around, &cell, cell.len());
            let position = document.position(cell.len());
            let file = self.start.folder.join(FILE);
            let started = std::fs::create_dir_all(&self.start.folder)
                .and_then(|()| std::fs::write(file, ""))
                .and_then(|()| Server::start(&self.start, &document.text, &position));
            match started {
                Ok(server) => self.server = Some(server),
                Err(_) => self.failures = MOST_FAILURES, // not installed
            }
        }
    }

    /// Whether answers come from rust-analyzer rather than the index.
    pub fn is_ready(&self) -> bool {
        self.server.as_ref().is_some_and(Server::is_ready)
    }

    /// Completes the name at byte `place`.
    pub fn complete(&mut self, around: &NotebookCode, cell: &str, place: usize) -> Candidates {
        let place = on_a_letter(cell, place);
        let document = Document::new(around, cell, place);
        let deadline = Instant::now() + self.longest;
        match self.ask(around, COMPLETION, &document, place, deadline) {
            Some(answer) => {
                answers::completions(&answer, &document, cell, place, &self.library.index.calls)
            }
            None => self.library.complete(around, cell, place),
        }
    }

    /// Describes the name at byte `place`.
    pub fn inspect(&mut self, around: &NotebookCode, cell: &str, place: usize) -> Option<Hover> {
        let place = on_a_letter(cell, place);
        let document = Document::new(around, cell, place);
        let deadline = Instant::now() + self.longest;
        // Without parentheses, a method's name is taken for that of a field.
        let called = format!("{}()", &cell[..answers::word(cell, place).end]);
        let called = Document::new(around, &called, place);
        let position = called.position(place);
        let owes = |server: &Server| server.owes(HOVER, &called.text, &position);
        // While the server owes the answer to the second question, the first is not asked again,
        // because that would make the server drop the second. (If the two are the same, it is not
        // sent twice.)
        if called.text == document.text || !self.server.as_ref().is_some_and(owes) {
            let Some(answer) = self.ask(around, HOVER, &document, place, deadline) else {
                return self.library.inspect(around, cell, place);
            };
            let described = Hover::new(answer["contents"]["value"].as_str()?);
            if described.is_some() {
                return described;
            }
        }
        let answer = self.ask(around, HOVER, &called, place, deadline)?;
        Hover::new(answer["contents"]["value"].as_str()?)
    }

    /// rust-analyzer's answer, if it arrives in time.
    fn ask(
        &mut self,
        around: &NotebookCode,
        method: &'static str,
        document: &Document,
        place: usize,
        deadline: Instant,
    ) -> Option<Value> {
        self.warm_up(around);
        let server = self.server.as_mut()?;
        let reply = match server.is_ready() {
            true => server.ask(method, &document.text, document.position(place), deadline),
            false => server.state(),
        };
        if let Reply::Answer(answer) = reply {
            return Some(answer);
        }
        if reply == Reply::Gone || server.silence() > SILENCE {
            self.failures += u32::from(!server.has_rested());
            self.server = None;
        }
        None
    }
}

impl Library {
    /// Completes the name at byte `place` from the index.
    pub fn complete(&self, around: &NotebookCode, cell: &str, place: usize) -> Candidates {
        offline::complete(&self.index, around, cell, on_a_letter(cell, place))
    }

    /// Describes the name at byte `place` from the index.
    pub fn inspect(&self, around: &NotebookCode, cell: &str, place: usize) -> Option<Hover> {
        offline::inspect(&self.index, around, cell, on_a_letter(cell, place))
    }
}

/// The last character boundary at or before a place.
fn on_a_letter(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place)
        .rev()
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
}

/// rust-analyzer's settings, which turn off everything that is not needed here.
fn options(project: &Value) -> Value {
    json!({
        "linkedProjects": [project],
        "cachePriming": { "enable": false },
        "cargo": { "buildScripts": { "enable": false }, "cfgs": [] },
        "cfg": { "setTest": false },
        "checkOnSave": false,
        "completion": {
            "addSemicolonToUnit": false,
            "autoimport": { "enable": false },
            "callable": { "snippets": "fill_arguments" },
            "postfix": { "enable": false },
            "privateEditable": { "enable": false },
        },
        "diagnostics": { "enable": false },
        "files": { "watcher": "client" },
        "hover": { "actions": { "enable": false }, "links": { "enable": false }, "memoryLayout": { "enable": false } },
        "numThreads": 1,
        "procMacro": { "enable": false },
    })
}

#[cfg(test)]
mod tests;
