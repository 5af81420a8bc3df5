//! A session that has loaded a course, and in which only this program's code runs.

use crate::kernel_config::kernel_config;
use crate::project;
use ::notebook::evaluator::{Cell, Evaluator, Output, Stream};
use anyhow::{Context, Result, anyhow};
use notebook_session::{KernelFolder, Session, Shutdown};
use std::fs;
use std::path::Path;

/// The source of the functions that cells call.
const FUNCTIONS: &str = "\
fn grades(folder: &str) -> String {
    COURSE.grades(std::path::Path::new(folder))
}
fn faults() -> String {
    COURSE.faults().join(\"\\n\")
}";

/// A session and its folder. Fields are dropped in this order.
pub struct CourseSession {
    session: Session,
    _shutdown: Shutdown,
    _folder: KernelFolder,
}

impl CourseSession {
    /// Loads the project's course or the one in a folder.
    pub fn start(course: Option<&Path>) -> Result<CourseSession> {
        let kernel = kernel_config();
        notebook_session::prepare(&kernel)?;
        let folder = KernelFolder::new(&kernel)?;
        let shutdown = Shutdown::of(folder.path())?;
        let session = Session::start(&kernel, &folder.session(), None);
        let mut started = CourseSession {
            session: session.map_err(|failure| anyhow!(failure.text()))?,
            _shutdown: shutdown,
            _folder: folder,
        };
        let (folder, name) = match course {
            None => (project::exercises(), project::EXERCISES.to_owned()),
            Some(folder) => (folder.canonicalize()?, crate_in(folder)?),
        };
        let library = name.replace('-', "_");
        started.run(&format!(
            ":dep {name} = {{ path = {folder:?} }}\nuse {library}::COURSE;\n{FUNCTIONS}"
        ))?;
        Ok(started)
    }

    /// The grades of the answers in a folder: `"right"` or `"wrong"` by name, in JSON.
    pub fn grades(&mut self, answers: &Path) -> Result<String> {
        self.run(&format!("print!(\"{{}}\", grades({answers:?}));"))
    }

    /// The faults of the exercises, as text.
    pub fn faults(&mut self) -> Result<String> {
        self.run("print!(\"{}\", faults());")
    }

    /// The course as JSON.
    pub fn json(&mut self) -> Result<String> {
        self.run("print!(\"{}\", COURSE.json());")
    }

    /// Runs a cell, and returns what it printed.
    fn run(&mut self, code: &str) -> Result<String> {
        let mut printed = String::new();
        let mut show = |output| {
            if let Output::Text(Stream::Stdout, text) = output {
                printed += &text;
            }
        };
        let executed = self
            .session
            .execute(Cell::of(code), &mut show, &mut |_| None);
        executed.map_err(|failure| anyhow!(failure.text()))?;
        Ok(printed)
    }
}

/// The name of the crate in a folder.
fn crate_in(folder: &Path) -> Result<String> {
    let file = folder.join("Cargo.toml");
    let text = fs::read_to_string(&file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    let settings = text.lines().filter_map(|line| line.split_once('='));
    let name = settings.into_iter().find(|(key, _)| key.trim() == "name");
    let name = name.map(|(_, name)| name.trim().trim_matches('"').to_owned());
    name.with_context(|| format!("{} does not name its package", file.display()))
}
