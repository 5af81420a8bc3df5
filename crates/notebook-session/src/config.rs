//! What a program says about its kernel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is particular to one kernel. Start from [`Config::new`], and change what should be
/// otherwise.
#[derive(Clone)]
pub struct Config {
    /// The program's name: the "implementation" that the kernel tells Jupyter, and the start
    /// of the names of its temporary folders.
    pub program: String,
    /// The program's version, for Jupyter.
    pub version: String,
    /// What a console prints before its first cell.
    pub banner: String,
    /// The crates that cells use.
    pub helper: Helper,
    /// `use` lines that hold in every notebook before its first cell.
    pub imports: String,
    /// What a learner can type besides the commands that there are anyway.
    pub commands: Vec<CellCommand>,
    /// What completion offers first in a notebook.
    pub foremost: Option<Foremost>,
    /// The folder for what is made once and used by all kernels. It may be deleted at any
    /// time.
    pub generated: PathBuf,
    /// How set-up is done where it is missing, as the end of a sentence: "run `toy-kernel setup`".
    pub set_up: String,
    /// Where the program is installed for others, who may not write into `generated`.
    pub installed: Option<Installed>,
}

/// The crates that cells use, and how they are compiled for them.
#[derive(Clone, Debug)]
pub struct Helper {
    /// The folder with the `Cargo.toml` and the `Cargo.lock` whose versions they are compiled with.
    pub workspace: PathBuf,
    /// The folders of the crates, the most important first.
    pub crates: Vec<PathBuf>,
    /// Packages that are compiled without optimisation, since no cell waits for them.
    pub unoptimised: Vec<String>,
    /// In how many parts packages are compiled: more are compiled sooner, and run a little slower.
    pub codegen_units: BTreeMap<String, u32>,
    /// How long all of this takes, as part of a sentence.
    pub compile_time: String,
}

/// What an installation for many users has of its own, so that they need no Rust themselves.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The folder of the compiler, in which `bin/rustc` and `bin/cargo` are.
    pub rust: PathBuf,
    /// The folder of the sources of all crates, as cargo has it in `CARGO_HOME`.
    pub crates: PathBuf,
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

/// The paths that a notebook is about, such as `hint::softmax`, of the notebook's own path: where
/// one of them can stand, completion offers it before all others, in this order.
pub type Foremost = fn(notebook: &Path) -> Vec<String>;

impl Config {
    /// The kernel of `program` for the crate in `folder`, which is no member of a workspace. It is
    /// set up by `program setup`.
    pub fn new(program: &str, folder: impl Into<PathBuf>) -> Config {
        let folder = folder.into();
        Config {
            program: program.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            banner: "Rust".to_owned(),
            helper: Helper {
                workspace: folder.clone(),
                crates: vec![folder],
                unoptimised: Vec::new(),
                codegen_units: BTreeMap::new(),
                compile_time: "a few seconds".to_owned(),
            },
            imports: String::new(),
            commands: Vec::new(),
            foremost: None,
            generated: std::env::temp_dir().join(program),
            set_up: format!("run `{program} setup`"),
            installed: None,
        }
    }
}
