//! What cells share in the process that runs them. Compiled by itself, at set-up, as the library
//! `cell_runtime`, which every cell links to.

use std::any::{Any, type_name};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The variables of the notebook between two cells.
#[derive(Default)]
pub struct Store(HashMap<&'static str, Box<dyn Any>>);

impl Store {
    /// Takes a variable out. The writer of the cell has its type from the compiler.
    pub fn take<T: 'static>(&mut self, name: &'static str) -> T {
        let value = self.0.remove(name).map(|value| value.downcast::<T>());
        match value {
            Some(Ok(value)) => *value,
            Some(Err(_)) => panic!("`{name}` is no `{}`", type_name::<T>()),
            None => panic!("`{name}` is not there"),
        }
    }

    /// Puts a variable in, in the place of one of the same name.
    pub fn put<T: 'static>(&mut self, name: &'static str, value: T) {
        self.0.insert(name, Box::new(value));
    }
}

/// Why a cell did not come to its end.
pub enum Ended {
    /// The message of an `Err` that met a `?`.
    Err(String),
    Panic(Panic),
}

/// A panic, and the line and column of the source where it was.
#[derive(Clone, Default)]
pub struct Panic {
    pub message: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// The error of a `?` in a cell: every error that can be printed.
pub struct Failed(String);

impl<E: Display> From<E> for Failed {
    fn from(error: E) -> Failed {
        Failed(error.to_string())
    }
}

thread_local! {
    static PANIC: RefCell<Panic> = RefCell::default();
}

/// Runs the statements of a cell.
pub fn run<T>(statements: impl FnOnce() -> Result<T, Failed>) -> Result<T, Ended> {
    match catch_unwind(AssertUnwindSafe(statements)) {
        Ok(Ok(variables)) => Ok(variables),
        Ok(Err(Failed(message))) => Err(Ended::Err(message)),
        Err(payload) => {
            let mut panic = PANIC.take();
            if panic.line == 0 {
                panic.message = message(&*payload);
            }
            Err(Ended::Panic(panic))
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

/// Has panics keep their message and place instead of printing them.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location();
        PANIC.set(Panic {
            message: message(info.payload()),
            file: place.map_or(String::new(), |place| place.file().to_owned()),
            line: place.map_or(0, |place| place.line()),
            column: place.map_or(0, |place| place.column()),
        });
    }));
}

/// Shows a value that has no `evcxr_display` of its own.
pub trait Shown {
    fn evcxr_display(&self);
}

impl<T: Debug + ?Sized> Shown for T {
    fn evcxr_display(&self) {
        if type_name::<T>() != "()" {
            println!("EVCXR_BEGIN_CONTENT text/plain\n{self:?}\nEVCXR_END_CONTENT");
        }
    }
}
