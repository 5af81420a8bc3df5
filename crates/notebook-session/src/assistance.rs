//! Completion and inspection. Requests may come from any thread, even while a cell runs, and are
//! answered within a second.

use crate::array_types;
use crate::commands;
use crate::config::CellCommand;
use crate::first_lines::{self, command_at};
use crate::nesting;
use cell_evaluator::Crates;
use cell_evaluator::assist::{Assistant, Library, NotebookCode};
use crossbeam_channel::{Sender, unbounded};
use jupyter_kernel::locked;
use notebook::evaluator::{Completions, Description};
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread;

/// Longer cells are mostly data, and could not be analysed in time.
const LONGEST_CELL: usize = 200_000;
/// rust-analyzer needs half a gigabyte; it is not started unless this much memory is free.
const NEEDED: u128 = 1 << 30;

/// Completion and inspection for one notebook, shared by its threads.
#[derive(Clone)]
pub struct Assistance {
    backend: Arc<Backend>,
    /// Sends crates to the thread that indexes them.
    crates: Sender<Box<Crates>>,
}

struct Backend {
    /// rust-analyzer's working folder.
    folder: PathBuf,
    sysroot: PathBuf,
    /// Each command with its description.
    commands: Vec<(String, String)>,
    known: Mutex<CompletionContext>,
    /// Locked for the duration of a query.
    assistant: Mutex<Option<Assistant>>,
}

/// The crates, definitions and variables that completion and inspection know about.
#[derive(Clone, Default)]
struct CompletionContext {
    library: Arc<Library>,
    around: Arc<NotebookCode>,
}

impl Assistance {
    /// Starts without crates or cells. `folder` must be for its exclusive use; `sysroot` is the
    /// compiler's.
    pub fn new(folder: &Path, sysroot: &Path, own: &[CellCommand]) -> Assistance {
        let (crates, to_read) = unbounded::<Box<Crates>>();
        let backend = Arc::new(Backend {
            folder: folder.to_owned(),
            sysroot: sysroot.to_owned(),
            commands: commands::all(own),
            known: Mutex::default(),
            assistant: Mutex::default(),
        });
        let of_thread = Arc::clone(&backend);
        // The thread ends when the last clone is dropped.
        thread::spawn(move || to_read.iter().for_each(|crates| of_thread.read(&crates)));
        Assistance { backend, crates }
    }

    /// Sets the crates that cells can use.
    pub fn use_crates(&self, crates: &Crates) {
        let _ = self.crates.send(Box::new(crates.clone())); // the receiving thread lives as long as this
    }

    /// Sets the definitions and variables of the cells so far.
    pub fn use_notebook(&self, around: NotebookCode) {
        locked(&self.backend.known).around = Arc::new(around);
    }

    /// Possible completions of the name at this byte offset.
    pub fn complete(&self, cell: &str, place: usize) -> Option<Completions> {
        if let Some((start, command)) = command_at(cell, place) {
            return Some(self.complete_command(start, command, place));
        }
        let found = self.ask(cell, place, Assistant::complete, Library::complete)?;
        let texts = found.texts.into_iter();
        Some(Completions {
            texts: texts.map(|one| (one.text, one.kind.to_owned())).collect(),
            start: found.start,
            end: found.end,
        })
    }

    /// Describes the name at this byte offset.
    pub fn describe(&self, cell: &str, place: usize) -> Option<Description> {
        if let Some((_, command)) = command_at(cell, place) {
            let name = command.split(' ').next();
            let mut commands = self.backend.commands.iter();
            let (name, help) = commands.find(|(own, _)| Some(own.as_str()) == name)?;
            return Some(Description {
                text: format!("{name}: {help}"),
                markdown: format!("`{name}`: {help}"),
            });
        }
        let ask = |place| self.ask(cell, place, Assistant::inspect, Library::inspect)?;
        let found = ask(place).or_else(|| ask(called_around(cell, place)?))?;
        Some(Description {
            text: array_types::shortened(&found.text),
            markdown: array_types::shortened(&found.markdown),
        })
    }

    fn complete_command(&self, start: usize, command: &str, place: usize) -> Completions {
        let typed = &command[..place - start];
        let end = start + command.find(' ').unwrap_or(command.len());
        let commands = self.backend.commands.iter().map(|(name, _)| name);
        let begun = commands.filter(|name| name.starts_with(typed));
        Completions {
            texts: begun
                .map(|name| (name.clone(), "command".to_owned()))
                .collect(),
            start: start.min(place),
            end: end.max(place),
        }
    }

    /// Asks the assistant or, while that is busy or not ready, the index. `None` outside code, and
    /// in cells that are too long or nested too deeply.
    fn ask<T: Send>(
        &self,
        cell: &str,
        place: usize,
        assistant: fn(&mut Assistant, &NotebookCode, &str, usize) -> T,
        index: fn(&Library, &NotebookCode, &str, usize) -> T,
    ) -> Option<T> {
        if cell.len() > LONGEST_CELL {
            return None;
        }
        let rust = first_lines::only_rust(cell);
        if !is_code(&rust, place) || nesting::check(&rust).is_err() {
            return None;
        }
        let CompletionContext { library, around } = locked(&self.backend.known).clone();
        nesting::with_room(|| {
            let mut held = match self.backend.assistant.try_lock() {
                Ok(held) => Some(held),
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            match held.as_mut().and_then(|held| held.as_mut()) {
                Some(held) => assistant(held, &around, &rust, place),
                None => index(&library, &around, &rust, place),
            }
        })
    }
}

impl Backend {
    /// Indexes the crates and, if the index is a new one, replaces the current assistant.
    fn read(&self, crates: &Crates) {
        let library = Arc::new(Library::of(crates).unwrap_or_default());
        let mut held = locked(&self.assistant);
        if held.is_some() && library == locked(&self.known).library {
            return;
        }
        locked(&self.known).library = Arc::clone(&library);
        let assistant = Assistant::new(&self.folder, &self.sysroot, library);
        *held = Some(match has_free(NEEDED) {
            true => assistant,
            false => assistant.without_rust_analyzer(),
        });
    }
}

/// Whether this much memory is free; true if the system does not report it.
fn has_free(bytes: u128) -> bool {
    free_memory::free().is_none_or(|free| free > bytes)
}

/// The position of the name of the function whose argument list encloses this position.
fn called_around(cell: &str, place: usize) -> Option<usize> {
    let (mut end, mut name, mut open) = (0, None, Vec::new());
    for token in tokenize(cell.get(..place)?, FrontmatterAllowed::No) {
        match token.kind {
            TokenKind::OpenParen => open.push(name),
            TokenKind::OpenBracket | TokenKind::OpenBrace => open.push(None),
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                open.pop();
            }
            _ => {}
        }
        name = (token.kind == TokenKind::Ident).then_some(end);
        end += token.len as usize;
    }
    open.into_iter().rev().find_map(|name| name)
}

/// Whether this position is in code rather than in a string or comment.
fn is_code(rust: &str, place: usize) -> bool {
    let mut end = 0;
    for token in tokenize(rust, FrontmatterAllowed::No) {
        let start = end;
        end += token.len as usize;
        let (is_text, is_open) = match token.kind {
            TokenKind::LineComment { .. } => (true, true),
            TokenKind::BlockComment { terminated, .. } => (true, !terminated),
            TokenKind::Literal { kind, .. } => text_of(kind),
            _ => (false, false),
        };
        if place <= start {
            return true;
        }
        if place < end || (place == end && is_open) {
            return !is_text;
        }
    }
    true
}

/// Whether a literal is a string, and whether it is unterminated.
fn text_of(literal: LiteralKind) -> (bool, bool) {
    match literal {
        LiteralKind::Int { .. } | LiteralKind::Float { .. } => (false, false),
        LiteralKind::Char { terminated }
        | LiteralKind::Byte { terminated }
        | LiteralKind::Str { terminated }
        | LiteralKind::ByteStr { terminated }
        | LiteralKind::CStr { terminated } => (true, !terminated),
        LiteralKind::RawStr { n_hashes }
        | LiteralKind::RawByteStr { n_hashes }
        | LiteralKind::RawCStr { n_hashes } => (true, n_hashes.is_none()),
    }
}

#[cfg(test)]
mod tests;
