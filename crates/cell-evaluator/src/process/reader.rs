//! The thread that reads the output and answers of the process that runs the cells.

use crate::process::idle_text::IdleText;
use crate::process::stream::{Parser, Part, unfinished_character};
use crate::process::{Ending, Event, ReportedPanic};
use crossbeam_channel::{Receiver, SendTimeoutError, Sender, bounded};
use notebook::convention::STDERR_TYPE;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::ioctl_fionbio;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::process::{ChildStderr, ChildStdout};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Capacity of the event queue; printing blocks when it is full.
const MOST_WAITING: usize = 64;
/// How often a reader blocked by a full event queue checks whether a cell is still running.
const FULL: Duration = Duration::from_millis(20);
/// Maximum reads of one stream before the other gets its turn: more than a pipe can hold.
const MOST_READS: usize = 64;

/// The queue of everything that the process has printed and reported, filled by its reader thread
/// and emptied by its owner.
pub struct EventQueue {
    events: Sender<Event>,
    state: Mutex<RunState>,
}

#[derive(Default)]
struct RunState {
    is_running: bool,
    /// Text printed while no cell runs.
    idle_text: IdleText,
}

pub fn start(
    (stdout, stderr): (ChildStdout, ChildStderr),
    answers: UnixStream,
    secret: &str,
) -> io::Result<(Arc<EventQueue>, Receiver<Event>)> {
    let (sender, events) = bounded(MOST_WAITING);
    let queue = Arc::new(EventQueue {
        events: sender,
        state: Mutex::default(),
    });
    ioctl_fionbio(&stdout, true)?;
    ioctl_fionbio(&stderr, true)?;
    answers.set_nonblocking(true)?;
    let mut reader = Streams {
        stdout: Some(stdout),
        stderr: Some(stderr),
        answers: Some(answers),
        parser: Parser::new(secret),
        unfinished_error: Vec::new(),
        answer: Vec::new(),
        queue: Arc::clone(&queue),
    };
    thread::spawn(move || while reader.read_once().is_ok() {});
    Ok((queue, events))
}

impl EventQueue {
    pub fn begin(&self) {
        self.state().is_running = true;
    }

    pub fn take_idle_text(&self) -> String {
        std::mem::take(&mut self.state().idle_text).into_text()
    }

    fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an event, or keeps its text while no cell runs. While the queue is full, printing
    /// blocks, as on a pipe.
    fn send(&self, mut event: Event) {
        loop {
            {
                let mut state = self.state();
                if !state.is_running {
                    match event {
                        Event::Stderr(text)
                        | Event::Part(Part::Text(text) | Part::Disbelieved(text)) => {
                            state.idle_text.push(&text);
                        }
                        Event::Part(Part::Block(mime, text)) if mime == STDERR_TYPE => {
                            state.idle_text.push(&text);
                        }
                        // The next cell shows as much of it as fits in the queue.
                        event => drop(self.events.try_send(event)),
                    }
                    return;
                }
            }
            match self.events.send_timeout(event, FULL) {
                Err(SendTimeoutError::Timeout(same)) => event = same,
                _ => return,
            }
        }
    }

    fn end(&self, ending: Ending) {
        // Cleared before the event is sent: after that, it may already belong to the next cell.
        let was_running = std::mem::take(&mut self.state().is_running);
        if was_running {
            let _ = self.events.send(Event::Ended(ending)); // the receiver may be gone
        }
    }
}

struct Streams {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    answers: Option<UnixStream>,
    parser: Parser,
    /// An incomplete character at the end of standard error.
    unfinished_error: Vec<u8>,
    /// An incomplete answer.
    answer: Vec<u8>,
    queue: Arc<EventQueue>,
}

impl Streams {
    /// Waits for data and passes it on.
    fn read_once(&mut self) -> io::Result<()> {
        let mut ends = Vec::new();
        ends.extend(
            self.stdout
                .iter()
                .map(|one| PollFd::new(one, PollFlags::IN)),
        );
        ends.extend(
            self.stderr
                .iter()
                .map(|one| PollFd::new(one, PollFlags::IN)),
        );
        ends.extend(
            self.answers
                .iter()
                .map(|one| PollFd::new(one, PollFlags::IN)),
        );
        if ends.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        rustix::io::retry_on_intr(|| poll(&mut ends, None))?;
        self.read_stderr();
        self.read_stdout(1);
        self.read_answers();
        Ok(())
    }

    fn read_stderr(&mut self) {
        for _ in 0..MOST_READS {
            let Some(bytes) = read(&mut self.stderr) else {
                return;
            };
            self.unfinished_error.extend(bytes);
            let ready = self.unfinished_error.len() - unfinished_character(&self.unfinished_error);
            let rest = self.unfinished_error.split_off(ready);
            let ready = std::mem::replace(&mut self.unfinished_error, rest);
            let text = String::from_utf8_lossy(&ready).into_owned();
            self.queue.send(Event::Stderr(text));
        }
    }

    fn read_stdout(&mut self, most: usize) {
        for _ in 0..most {
            let Some(bytes) = read(&mut self.stdout) else {
                return;
            };
            for part in self.parser.push(&bytes) {
                self.queue.send(Event::Part(part));
            }
        }
    }

    /// Everything that a cell printed was in the pipes before its answer. So the answer is read
    /// first, and passed on last.
    fn read_answers(&mut self) {
        while let Some(bytes) = read(&mut self.answers) {
            self.answer.extend(bytes);
        }
        let is_gone = self.answers.is_none();
        let end = self.answer.iter().position(|byte| *byte == b'\n');
        if end.is_none() && !is_gone {
            return;
        }
        self.read_stderr();
        self.read_stdout(MOST_READS);
        if let Some(rest) = self.parser.finish() {
            self.queue.send(Event::Part(rest));
        }
        if let Some(end) = end {
            let line: Vec<u8> = self.answer.drain(..=end).collect();
            self.queue.end(ending(&String::from_utf8_lossy(&line)));
        }
        if is_gone {
            self.queue.end(Ending::Gone);
        }
    }
}

/// Reads what is available, if anything; drops the stream at its end.
fn read(stream: &mut Option<impl Read>) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 1 << 16];
    match stream.as_mut()?.read(&mut bytes) {
        Ok(count @ 1..) => {
            bytes.truncate(count);
            Some(bytes)
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
        _ => {
            *stream = None;
            None
        }
    }
}

/// Parses the process's report about a cell that has ended.
fn ending(answer: &str) -> Ending {
    let fields: Vec<String> = answer
        .trim_end_matches('\n')
        .split('\t')
        .map(text_of)
        .collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let number = |field: &str| field.parse().unwrap_or(0);
    match fields[..] {
        ["done"] => Ending::Done,
        ["failed", message] => Ending::Failed(message.to_owned()),
        ["panicked", message, file, line, column] => Ending::Panicked(ReportedPanic {
            message: message.to_owned(),
            file: file.to_owned(),
            line: number(line),
            column: number(column),
        }),
        ["not loaded", why] => Ending::NotLoaded(why.to_owned()),
        _ => Ending::Gone,
    }
}

/// Unescapes a field of an answer.
fn text_of(field: &str) -> String {
    let mut text = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                other => other.unwrap_or(letter),
            },
            letter => letter,
        });
    }
    text
}
