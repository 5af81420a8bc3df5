//! The runtime shared by all cells of a process. Set-up compiles it separately, as the library
//! `cell_runtime`, to which every cell links.
#![forbid(unsafe_code)]

mod convention;

use convention::{BEGIN_CONTENT, CAUGHT_PANIC_TYPE, END_CONTENT, LIVE_THREAD, SECRET_PARAMETER, SECRET_VARIABLE, STDERR_TYPE};
use std::any::{Any, type_name};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Arguments, Debug, Display, Write};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

/// Holds the notebook's variables between runs of cells.
#[derive(Default)]
pub struct Store(HashMap<&'static str, Box<dyn Any>>);

impl Store {
    /// Removes a variable and returns it. Panics if it does not exist or has another type; neither
    /// can happen in generated code, whose types come from the compiler.
    pub fn take<T: 'static>(&mut self, name: &'static str) -> T {
        let value = self.0.remove(name).map(|value| value.downcast::<T>());
        match value {
            Some(Ok(value)) => *value,
            Some(Err(_)) => panic!("`{name}` is not a `{}`", type_name::<T>()),
            None => panic!("`{name}` does not exist"),
        }
    }

    /// Stores a variable, replacing any of the same name.
    pub fn put<T: 'static>(&mut self, name: &'static str, value: T) {
        self.0.insert(name, Box::new(value));
    }
}

/// Why a cell did not finish.
pub enum Ended {
    /// The message of an `Err` propagated by `?`.
    Err(String),
    Panic(Panic),
}

/// A panic, and its line and column in the source (0 if unknown).
#[derive(Clone, Default)]
pub struct Panic {
    pub message: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// The error type of `?` in a cell: any error that can be printed.
pub struct Failed(String);

impl<E: Display> From<E> for Failed {
    fn from(error: E) -> Failed {
        Failed(error.to_string())
    }
}

thread_local! {
    /// This thread's last panic that has not been reported yet.
    static PANIC: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Runs a cell's statements; a panic becomes an error.
pub fn run<T>(statements: impl FnOnce() -> Result<T, Failed>) -> Result<T, Ended> {
    let ended = catch_unwind(AssertUnwindSafe(statements));
    let panic = PANIC.take();
    match ended {
        Err(payload) => Err(Ended::Panic(panic.unwrap_or_else(|| Panic {
            message: message(&*payload), // unrecorded: the learner has replaced the hook
            ..Panic::default()
        }))),
        Ok(ended) => {
            panic.iter().for_each(tell_caught);
            ended.map_err(|Failed(message)| Ended::Err(message))
        }
    }
}

/// Blocks the thread until a future is ready.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|| "without a message".to_owned())
}

/// Records the message and place of this thread's panics; panics of other threads are printed,
/// except those of live pictures. There is no backtrace: it would show the evaluator's frames.
pub fn keep_panics() {
    let cells = thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        let thread = thread::current();
        if thread.id() == cells {
            let before = PANIC.replace(Some(panic_of(info)));
            before.iter().for_each(tell_caught);
        } else if thread.name() != Some(LIVE_THREAD) {
            std::eprintln!("panic: {}", message(info.payload()));
        }
    }));
}

fn panic_of(info: &PanicHookInfo) -> Panic {
    let place = info.location();
    Panic {
        message: message(info.payload()),
        file: place.map_or(String::new(), |place| place.file().to_owned()),
        line: place.map_or(0, |place| place.line()),
        column: place.map_or(0, |place| place.column()),
    }
}

/// Reports a panic that the cell caught itself.
fn tell_caught(panic: &Panic) {
    show(CAUGHT_PANIC_TYPE, format_args!("panic: {}\n", panic.message));
}

/// The secret that makes the kernel trust an output, if the kernel passed one.
fn secret() -> Option<&'static str> {
    static SECRET: OnceLock<Option<String>> = OnceLock::new();
    SECRET.get_or_init(|| std::env::var(SECRET_VARIABLE).ok()).as_deref()
}

/// Reads the secret before a cell can change the environment, and installs the panic hook.
pub fn prepare() {
    secret();
    keep_panics();
}

/// Prints an output in one format, between the lines by which the kernel recognises it.
pub fn show(mime: &str, content: Arguments) {
    let secret = secret().map_or(String::new(), |secret| format!("{SECRET_PARAMETER}{secret}"));
    println!("{BEGIN_CONTENT}{mime}{secret}\n{content}\n{END_CONTENT}{secret}");
}

/// Prints text to standard error. Under a kernel it goes through standard output, to keep the two
/// in order.
pub fn print_error(text: Arguments) {
    match secret() {
        Some(_) => show(STDERR_TYPE, text),
        None => drop(std::io::Write::write_fmt(&mut std::io::stderr(), text)), // like `eprint!`, but without its panic
    }
}

/// Imported by every cell in place of the standard library's macros.
pub mod macros {
    pub use crate::{eprint, eprintln};
}

/// Replaces the standard library's macro in cells.
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => { $crate::print_error(::std::format_args!($($text)*)) };
}

/// Replaces the standard library's macro in cells.
#[macro_export]
macro_rules! eprintln {
    () => { $crate::print_error(::std::format_args!("\n")) };
    ($($text:tt)*) => {
        $crate::print_error(::std::format_args!("{}\n", ::std::format_args!($($text)*)))
    };
}

/// Text limited to a length in bytes; formatting stops at the limit.
struct Short(String, usize);

impl Write for Short {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = self.1.saturating_sub(self.0.len());
        let end = more.floor_char_boundary(room.min(more.len()));
        self.0 += &more[..end];
        match end == more.len() {
            true => Ok(()),
            false => Err(fmt::Error),
        }
    }
}

/// Shows a value as text, formatting at most `LONGEST_VALUE` bytes of it.
pub fn show_value(content: Arguments) {
    let mut text = Short(String::new(), LONGEST_VALUE);
    if text.write_fmt(content).is_err() {
        text.0 += "... [The rest is left out: a value has more than 20,000 bytes of text. Show a part of it.]";
    }
    show("text/plain", format_args!("{}", text.0));
}

/// Maximum length of a preview, in bytes.
const LONGEST_PREVIEW: usize = 200;

/// Shows the beginning of a value on one line, or nothing: `(&Previewed(&value)).preview()` calls
/// the method of [`Preview`] if the value implements `Debug`, and that of [`NoPreview`] otherwise.
pub struct Previewed<'a, T>(pub &'a T);

/// See [`Previewed`].
pub trait Preview {
    fn preview(&self) -> String;
}

impl<T: Debug> Preview for Previewed<'_, T> {
    fn preview(&self) -> String {
        let mut text = Short(String::new(), LONGEST_PREVIEW);
        let is_whole = write!(text, "{:?}", self.0).is_ok();
        let words: Vec<&str> = text.0.split_whitespace().collect();
        words.join(" ") + if is_whole { "" } else { "..." }
    }
}

/// See [`Previewed`].
pub trait NoPreview {
    fn preview(&self) -> String {
        String::new()
    }
}

impl<T> NoPreview for &Previewed<'_, T> {}

/// Maximum length of a value's text, in bytes.
const LONGEST_VALUE: usize = 20_000;

/// Shows a value that has no `evcxr_display` of its own.
pub trait Shown {
    fn evcxr_display(&self);
}

impl<T: Debug + ?Sized> Shown for T {
    fn evcxr_display(&self) {
        show_value(format_args!("{self:?}"));
    }
}
