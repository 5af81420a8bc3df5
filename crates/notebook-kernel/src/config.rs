//! What a program says about its kernel.

use std::fmt;
use std::path::{Path, PathBuf};

/// What is particular to one kernel. Start from [`Config::new`], and change what should be
/// otherwise.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program's name: the "implementation" that the kernel tells Jupyter, and the start
    /// of the names of its temporary folders.
    pub program: String,
    /// The program's version, for Jupyter.
    pub version: String,
    /// What a console prints before its first cell.
    pub banner: String,
    /// The crate that cells use.
    pub helper: Helper,
    /// Loads the helper crate; evaluated before the first cell of every notebook.
    pub first_cell: String,
    /// Takes the first steps that cost time, so that no cell of the notebook has to; it is
    /// left out where a cell waits already. Names of its variables begin with `_`.
    pub warm_up_cell: String,
    /// What a learner can type besides evcxr's commands.
    pub commands: Vec<CellCommand>,
    /// What completion offers first in a notebook.
    pub foremost: Option<Foremost>,
    /// The folder for what is made once and used by all kernels. It may be deleted at any
    /// time.
    pub generated: PathBuf,
    /// What somebody has to do who has not set up yet, as the end of a sentence:
    /// "run `toy-kernel setup`".
    pub set_up: String,
    /// Where the program is installed for others, who may not write into `generated`.
    pub installed: Option<Installed>,
}

/// What an installation for many users has of its own, so that they need no Rust themselves.
///
/// Nothing in it changes while kernels run: what a kernel would copy it links to.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The folder of the compiler, in which `bin/rustc` and `bin/cargo` are.
    pub rust: PathBuf,
    /// The folder of the sources of all crates, as cargo has it in `CARGO_HOME`.
    pub crates: PathBuf,
}

/// A command of the program's own: a cell `:name arguments`, in the place of which the kernel
/// runs Rust that depends on the variables of the notebook.
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
    /// The path of the notebook, where Jupyter has told the kernel.
    pub notebook: Option<&'a Path>,
}

/// The paths that a notebook is about, such as `hint::softmax`, of the notebook's own path: where
/// one of them can stand, completion offers it before all others, in this order.
#[derive(Clone, Copy)]
pub struct Foremost(pub fn(notebook: &Path) -> Vec<String>);

/// See that of [`CellCommand`].
impl fmt::Debug for Foremost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Foremost")
    }
}

/// Without the function, whose address differs from process to process: a standby and a kernel
/// compare their configurations by this text.
impl fmt::Debug for CellCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, ":{} ({})", self.name, self.help)
    }
}

/// The crate that cells use, and how it is compiled for them.
#[derive(Clone, Debug)]
pub struct Helper {
    /// The crate's name, as its manifest has it.
    pub name: String,
    /// The folder of its manifest. Its sources are in `src` there.
    pub folder: PathBuf,
    /// The folder of the `Cargo.toml` and the `Cargo.lock` of the crate's workspace: cells are
    /// compiled with the versions in that lock file. The crate's own folder, if it is alone.
    pub workspace: PathBuf,
    /// Further crates that cells load, by the folders of their manifests. They are members of the
    /// same workspace, may depend on the crate, and are compiled with it.
    pub companions: Vec<PathBuf>,
    /// The files and folders in the folder of the crate, and of each crate beside it that it
    /// depends on, that decide about what is compiled: when one changes, so do the cells.
    pub parts: Vec<String>,
    /// A `cfg` that is set for type inference alone, which reads nothing but signatures. The
    /// crate's manifest can leave out dependencies where it is set, and type inference has
    /// less to read.
    pub signatures_cfg: Option<String>,
    /// Packages below the crate that no signature of it or of what it loads names: type inference
    /// does not read them, which saves memory.
    pub unnamed: Vec<String>,
    /// In how many units the crate is compiled; in one, small functions are inlined
    /// everywhere.
    pub codegen_units: u32,
    /// Packages that are compiled without optimisation: those of which nobody needs the
    /// speed, to save time, and those that compile once what each cell would compile for
    /// itself, because cells are not optimised.
    pub unoptimised: Vec<String>,
    /// How long all of this takes, as part of a sentence.
    pub compile_time: String,
}

impl Config {
    /// The kernel of `program` for the crate `name` in `folder`, which is no member of a
    /// workspace. It is set up by `program setup`.
    pub fn new(program: &str, name: &str, folder: impl Into<PathBuf>) -> Config {
        let folder = folder.into();
        Config {
            program: program.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            banner: format!("Rust, with the crate `{name}` loaded"),
            first_cell: format!(":dep {name} = {{ path = {folder:?} }}\nuse {name}::*;"),
            warm_up_cell: "let _warm = vec![1];".to_owned(),
            commands: Vec::new(),
            foremost: None,
            generated: std::env::temp_dir().join(program),
            set_up: format!("run `{program} setup`"),
            installed: None,
            helper: Helper {
                name: name.to_owned(),
                workspace: folder.clone(),
                folder,
                companions: Vec::new(),
                parts: ["Cargo.toml", "README.md", "src"]
                    .map(str::to_owned)
                    .to_vec(),
                signatures_cfg: None,
                unnamed: Vec::new(),
                codegen_units: 16,
                unoptimised: Vec::new(),
                compile_time: "a few seconds".to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_of_two_processes_are_the_same_text() {
        let command = CellCommand {
            name: "bars".to_owned(),
            help: "Show all bars".to_owned(),
            expand: |_| Ok(String::new()),
        };
        assert_eq!(format!("{command:?}"), ":bars (Show all bars)");
    }
}
