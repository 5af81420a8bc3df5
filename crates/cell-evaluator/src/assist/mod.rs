//! Completion and documentation in a notebook.
//!
//! rust-analyzer answers, the finished program that rustup installs, spoken to as an editor does. It
//! sees one small crate: the notebook's imports and definitions, its variables with their types,
//! and the cell. It starts when it is first asked, or told that there will be questions, and ends when
//! it is not asked for some minutes. It is never waited for longer than a second: until it is
//! ready, and where it is missing, an index of the helper crates' public items answers.

mod answers;
mod description;
mod document;
mod framing;
mod index;
mod items;
mod library;
mod named;
mod notebook;
mod offline;
mod server;

pub use answers::{Completion, Completions};
pub use description::Description;
pub use document::Surroundings;
pub use library::Library;

use document::Document;
use serde_json::{Value, json};
use server::{COMPLETION, FILE, HOVER, Reply, Server, Start};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An answer is waited for this long. JupyterLab drops what comes after a second, and on a busy machine
/// the way there takes a part of it.
const LONGEST: Duration = Duration::from_millis(600);
/// A server that answers nothing for so long is ended.
const SILENCE: Duration = Duration::from_secs(60);
/// So often a server is started that ends by itself or answers nothing.
const MOST_FAILURES: u32 = 3;
/// A server that is not asked for so long ends.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// What completes and describes in a notebook.
pub struct Assistant {
    start: Start,
    library: Arc<Library>,
    server: Option<Server>,
    failures: u32,
}

impl Assistant {
    /// An assistant that works in `folder`, which is its own. `sysroot` is the compiler's, whose
    /// rust-analyzer is used, or else one in the PATH.
    pub fn new(folder: &Path, sysroot: &Path, library: Arc<Library>) -> Assistant {
        let own = sysroot.join("bin/rust-analyzer");
        let program = match own.is_file() {
            true => own,
            false => "rust-analyzer".into(),
        };
        let project = library.project(&folder.join(FILE), sysroot);
        let start = Start {
            program,
            arguments: Vec::new(),
            folder: folder.to_owned(),
            options: options(&project),
            idle: IDLE,
        };
        Assistant::with(start, library)
    }

    fn with(start: Start, library: Arc<Library>) -> Assistant {
        Assistant {
            start,
            library,
            server: None,
            failures: 0,
        }
    }

    /// The same, but the index alone answers: for machines without memory to spare.
    #[must_use]
    pub fn without_rust_analyzer(mut self) -> Assistant {
        self.failures = MOST_FAILURES;
        self
    }

    /// Starts what answers, for the questions to come; it is not waited for.
    pub fn warm_up(&mut self, around: &Surroundings) {
        if self.server.as_ref().is_some_and(Server::has_rested) {
            self.server = None;
        }
        if self.server.is_none() && self.failures < MOST_FAILURES {
            // The methods of what has the longest type: what that needs, most questions need.
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
                Err(_) => self.failures = MOST_FAILURES, // it is missing
            }
        }
    }

    /// Whether rust-analyzer answers, and not the index.
    pub fn is_ready(&self) -> bool {
        self.server.as_ref().is_some_and(Server::is_ready)
    }

    /// How the name at `place`, in bytes, can go on.
    pub fn complete(&mut self, around: &Surroundings, cell: &str, place: usize) -> Completions {
        let place = on_a_letter(cell, place);
        let document = Document::new(around, cell, place);
        let deadline = Instant::now() + LONGEST;
        match self.ask(around, COMPLETION, &document, place, deadline) {
            Some(answer) => {
                answers::completions(&answer, &document, cell, place, &self.library.index.calls)
            }
            None => self.library.complete(around, cell, place),
        }
    }

    /// What the name at `place`, in bytes, means.
    pub fn inspect(
        &mut self,
        around: &Surroundings,
        cell: &str,
        place: usize,
    ) -> Option<Description> {
        let place = on_a_letter(cell, place);
        let document = Document::new(around, cell, place);
        let deadline = Instant::now() + LONGEST;
        let Some(answer) = self.ask(around, HOVER, &document, place, deadline) else {
            return self.library.inspect(around, cell, place);
        };
        let markdown = answer["contents"]["value"].as_str()?;
        Description::new(markdown).or_else(|| {
            // Before its parentheses the name of a method is taken for that of a field.
            let called = format!("{}()", &cell[..answers::word(cell, place).end]);
            let document = Document::new(around, &called, place);
            let answer = self.ask(around, HOVER, &document, place, deadline)?;
            Description::new(answer["contents"]["value"].as_str()?)
        })
    }

    /// rust-analyzer's answer, if it comes in time.
    fn ask(
        &mut self,
        around: &Surroundings,
        method: &str,
        document: &Document,
        place: usize,
        deadline: Instant,
    ) -> Option<Value> {
        self.warm_up(around);
        let server = self.server.as_mut()?;
        let reply = match server.is_ready() {
            true => server.ask(method, &document.text, &document.position(place), deadline),
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
    /// How the name at `place`, in bytes, can go on, as far as the index knows.
    pub fn complete(&self, around: &Surroundings, cell: &str, place: usize) -> Completions {
        offline::complete(&self.index, around, cell, on_a_letter(cell, place))
    }

    /// What the name at `place`, in bytes, means, as far as the index knows.
    pub fn inspect(&self, around: &Surroundings, cell: &str, place: usize) -> Option<Description> {
        offline::inspect(&self.index, around, cell, on_a_letter(cell, place))
    }
}

/// A place in a text that is not within a letter.
fn on_a_letter(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place)
        .rev()
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
}

/// What is asked of rust-analyzer: nothing that was not asked for.
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
