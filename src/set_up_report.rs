//! Shows the progress of set-up: a bar on a terminal, a line per step elsewhere, and nothing with
//! `--quiet`.

use notebook_session::{SetUpStep, tell};
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The lengths of the bar and of the longest line, in characters.
const WIDTH: usize = 24;
const LONGEST: usize = 79;
/// Tells a terminal to go to the start of the line, and to erase it.
const CLEAR: &str = "\r\u{1b}[K";

/// How progress is shown.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Bar,
    Lines,
    Nothing,
}

static IS_QUIET: OnceLock<bool> = OnceLock::new();
static BAR: Mutex<Bar> = Mutex::new(Bar::new());

/// The progress of work that is done in parallel.
struct Bar {
    /// Whether it is on the terminal.
    is_shown: bool,
    jupyterlab: bool,
    /// How many crates there were, how many are left, and the one that is being compiled.
    crates: Option<(usize, usize, String)>,
}

/// Turns `--quiet` on or off, once.
pub fn set_quiet(is_quiet: bool) {
    let _ = IS_QUIET.set(is_quiet);
}

/// Whether only results and errors are to be printed.
pub fn is_quiet() -> bool {
    IS_QUIET.get().is_some_and(|is_quiet| *is_quiet)
}

pub fn step(step: SetUpStep<'_>) {
    match (step, form()) {
        (SetUpStep::Note(sentence), _) => {
            clear();
            tell(format_args!("{sentence}"));
        }
        (SetUpStep::Begins(sentence), Form::Lines) => tell(format_args!("{sentence}")),
        (SetUpStep::Compiles(name, left), Form::Bar) if left > 0 => {
            let mut bar = bar();
            let all = bar.crates.as_ref().map_or(left, |(all, ..)| *all);
            bar.crates = Some((all, left, name.to_owned()));
            bar.show();
        }
        _ => {}
    }
}

/// Shows whether JupyterLab is being installed.
pub fn installing_jupyterlab(is_left: bool) {
    if form() == Form::Bar {
        let mut bar = bar();
        bar.jupyterlab = is_left;
        bar.show();
    }
}

/// Removes the bar from the terminal before other output.
pub fn clear() {
    let mut bar = bar();
    if bar.is_shown {
        bar.is_shown = false;
        let _ = write!(io::stderr(), "{CLEAR}");
    }
}

fn bar() -> MutexGuard<'static, Bar> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

fn form() -> Form {
    let is_dumb = std::env::var_os("TERM").is_none_or(|terminal| terminal == "dumb");
    match is_quiet() {
        true => Form::Nothing,
        false if io::stderr().is_terminal() && !is_dumb => Form::Bar,
        false => Form::Lines,
    }
}

impl Bar {
    const fn new() -> Bar {
        Bar {
            is_shown: false,
            jupyterlab: false,
            crates: None,
        }
    }

    fn show(&mut self) {
        self.is_shown = true;
        let _ = write!(io::stderr(), "{CLEAR}{}", self.line());
    }

    fn line(&self) -> String {
        let done = self.crates.as_ref().map_or(0, |(all, left, _)| {
            let done = all.saturating_sub(*left) * WIDTH;
            done.checked_div(*all).unwrap_or_default()
        });
        let crates = self.crates.as_ref().map(|(_, left, name)| match left {
            1 => format!("the crate {name}"),
            left => format!("{left} crates, now {name}"),
        });
        let jupyterlab = self.jupyterlab.then(|| "JupyterLab".to_owned());
        let left: Vec<String> = jupyterlab.into_iter().chain(crates).collect();
        let line = format!(
            "Setting up [{}{}] left: {}",
            "#".repeat(done),
            ".".repeat(WIDTH - done),
            left.join(", ")
        );
        line.chars().take(LONGEST).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_what_is_left() {
        let mut bar = Bar {
            jupyterlab: true,
            ..Bar::new()
        };
        let empty = ".".repeat(WIDTH);
        assert_eq!(bar.line(), format!("Setting up [{empty}] left: JupyterLab"));
        bar.crates = Some((72, 18, "rayon".to_owned()));
        let three_quarters = "##################......";
        assert_eq!(
            bar.line(),
            format!("Setting up [{three_quarters}] left: JupyterLab, 18 crates, now rayon")
        );
        bar.jupyterlab = false;
        bar.crates = Some((72, 1, "exercises".to_owned()));
        assert!(bar.line().ends_with(".] left: the crate exercises"));
        bar.crates = Some((72, 40, "a".repeat(100)));
        assert_eq!(bar.line().len(), LONGEST, "it is one line");
    }
}
