//! What a program says about its notebooks.

use cell_evaluator::{Cargo, Compiler, Crates, Tools};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is particular to the notebooks of one program.
#[derive(Clone)]
pub struct Config {
    /// A folder of this session alone, for what is compiled.
    pub folder: PathBuf,
    /// The compiler, without crates.
    pub compiler: Compiler,
    /// The crates that cells can use from the beginning, and what compiles others.
    pub crates: Crates,
    /// See [`Config::crates`].
    pub cargo: Cargo,
    /// Whether crates are looked for on this machine alone, until `:offline 0`.
    pub is_offline: bool,
    /// What was made at set-up.
    pub tools: Tools,
    /// A program and its first arguments, which runs the process of the cells as its own: the rest of
    /// the arguments.
    pub guardian: Option<(PathBuf, Vec<OsString>)>,
    /// `use` lines that hold before the first cell.
    pub imports: String,
    /// What a learner can type besides the commands that there are anyway.
    pub commands: Vec<CellCommand>,
    /// The path of the notebook, if it is known.
    pub notebook: Option<PathBuf>,
    /// The socket where live pictures are registered, if a front end can move them.
    pub live: Option<PathBuf>,
}

/// A command of the program's own: a cell `:name arguments`, in the place of which Rust is run
/// that depends on the variables of the notebook.
#[derive(Clone)]
pub struct CellCommand {
    /// The name, without its colon.
    pub name: String,
    /// What it does, in one line, for `:help`.
    pub help: String,
    /// Makes the cell that is run. An error is a sentence, with which the cell fails.
    pub expand: Expand,
}

/// See [`CellCommand::expand`].
pub type Expand = fn(&Call<'_>) -> Result<String, String>;

/// A use of a [`CellCommand`] in a notebook.
pub struct Call<'a> {
    /// What follows the command, without spaces around it.
    pub arguments: &'a str,
    /// The notebook's variables, each with its name and its type.
    pub variables: &'a [(String, String)],
    /// The path of the notebook, if it is known.
    pub notebook: Option<&'a Path>,
}
