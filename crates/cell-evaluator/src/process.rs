//! The process that runs the cells, from the evaluator's side.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    Done,
    /// A `?` met an error; its message.
    Failed(String),
    /// A panic: its message, the file, the line and the column.
    Panicked(String, String, usize, usize),
    /// The process is gone.
    Gone(String),
}

/// A process with the variables of a notebook.
pub struct Process {
    child: Child,
    kernel: UnixStream,
    answers: BufReader<UnixStream>,
    printed: [Receiver<Vec<u8>>; 2],
    cells: u64,
}

impl Process {
    /// Starts `program` in the folder of the evaluator; `search` is where libraries are found.
    ///
    /// # Errors
    ///
    /// If it does not start.
    pub fn start(program: &Path, folder: &Path, search: &str) -> io::Result<Process> {
        let path = folder.join("socket");
        let _ = fs::remove_file(&path); // of a process before this one
        let listener = UnixListener::bind(&path)?;
        let mut child = Command::new(program)
            .arg(&path)
            .env("LD_LIBRARY_PATH", search)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (kernel, _) = listener.accept()?;
        let printed = [read(child.stdout.take()), read(child.stderr.take())];
        Ok(Process {
            child,
            answers: BufReader::new(kernel.try_clone()?),
            kernel,
            printed,
            cells: 0,
        })
    }

    /// Runs the function of a library. What it prints goes to `show`, with whether it is standard
    /// error.
    pub fn run(&mut self, library: &Path, name: &str, show: &mut dyn FnMut(&str, bool)) -> Ending {
        self.cells += 1;
        let mark = format!("\u{1e}cell {} has ended\u{1e}", self.cells);
        let asked = writeln!(self.kernel, "run\t{}\t{name}\t{mark}", library.display());
        let mut answer = String::new();
        let got = asked.and_then(|()| self.answers.read_line(&mut answer));
        for (stream, is_error) in [(0, false), (1, true)] {
            let text = self.text_to(stream, &mark);
            if !text.is_empty() {
                show(&text, is_error);
            }
        }
        if got.is_err() || answer.is_empty() {
            let status = self.child.wait();
            return Ending::Gone(
                status.map_or_else(|error| error.to_string(), |one| one.to_string()),
            );
        }
        let fields: Vec<&str> = answer.trim_end().split('\t').collect();
        let number = |field: &str| field.parse().unwrap_or(0);
        match fields[..] {
            ["done"] => Ending::Done,
            ["failed", message] => Ending::Failed(text_of(message)),
            ["panicked", message, file, line, column] => Ending::Panicked(
                text_of(message),
                text_of(file),
                number(line),
                number(column),
            ),
            _ => Ending::Gone(answer),
        }
    }

    fn text_to(&self, stream: usize, mark: &str) -> String {
        let mut bytes = Vec::new();
        while let Ok(more) = self.printed[stream].recv() {
            bytes.extend(more);
            if bytes.ends_with(mark.as_bytes()) {
                bytes.truncate(bytes.len() - mark.len());
                break;
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

/// A field of an answer, as it was.
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

/// Reads a stream in a thread: a cell must not wait because nothing reads what it prints.
fn read(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut bytes = vec![0; 1 << 14];
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            if sender.send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}
