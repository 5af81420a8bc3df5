//! Configuration of a kernel.

use jupyter_kernel::tell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The settings of one kernel. Start from [`Config::new`] and change the fields that differ.
#[derive(Clone)]
pub struct Config {
    /// The program's name: reported to Jupyter as the "implementation", and used as the prefix of
    /// temporary folders.
    pub program: String,
    /// The program's version, reported to Jupyter.
    pub version: String,
    /// The text that a console prints before its first cell.
    pub banner: String,
    /// The crates available to cells.
    pub prebuilt: Prebuilt,
    /// `use` declarations in effect from the first cell of every notebook.
    pub imports: String,
    /// Commands in addition to the built-in ones.
    pub commands: Vec<CellCommand>,
    /// Names that completion offers first in a notebook.
    pub preferred: Option<PreferredIn>,
    /// The folder for files generated once and shared by all kernels. It may be deleted at any
    /// time.
    pub generated: PathBuf,
    /// The folder for compiled cells, so that a notebook that is run again need not be compiled
    /// again; `None` keeps none. It must belong to the user, and may be deleted at any time.
    pub cache: Option<PathBuf>,
    /// The instruction for users who have not run set-up, as the end of a sentence: "run
    /// `toy-kernel setup`".
    pub set_up: String,
    /// A shared installation, for users who cannot write to `generated`.
    pub installed: Option<Installed>,
    /// Reports what set-up does. By default, each step is a line on standard error.
    pub report: fn(SetUpStep<'_>),
}

/// A report from set-up.
#[derive(Clone, Copy, Debug)]
pub enum SetUpStep<'a> {
    /// A step begins; the sentence describes it.
    Begins(&'a str),
    /// A crate is being compiled; the number says how many are left, including this one. It is 0
    /// while crates are being downloaded.
    Compiles(&'a str, usize),
    /// Set-up continues, but users should know this.
    Note(&'a str),
}

impl SetUpStep<'_> {
    fn tell(self) {
        match self {
            SetUpStep::Begins(sentence) | SetUpStep::Note(sentence) => {
                tell(format_args!("{sentence}"));
            }
            SetUpStep::Compiles(..) => {}
        }
    }
}

/// The crates available to cells, and how they are compiled.
#[derive(Clone, Debug)]
pub struct Prebuilt {
    /// The folder with the `Cargo.toml` and the `Cargo.lock` that determine the versions.
    pub workspace: PathBuf,
    /// The folders of the crates, most important first.
    pub crates: Vec<PathBuf>,
    /// Packages compiled without optimisation because their speed does not matter to cells.
    pub unoptimised: Vec<String>,
    /// Codegen units per package: more units compile faster but run slightly slower.
    pub codegen_units: BTreeMap<String, u32>,
    /// Expected duration of the compilation, as part of a sentence.
    pub compile_time: String,
    /// Whether they are installed and therefore never change. A `:dep` line with one of their names
    /// then refers to that crate, whatever path it gives.
    pub are_installed: bool,
}

/// Files that an installation for many users provides so that they need no Rust of their own.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The toolchain folder, containing `bin/rustc` and `bin/cargo`.
    pub rust: PathBuf,
    /// The sources of all crates, laid out like cargo's `CARGO_HOME`.
    pub crates: PathBuf,
}

/// A custom command: a cell `:name arguments` is replaced by generated Rust, which may depend on
/// the notebook's variables.
#[derive(Clone)]
pub struct CellCommand {
    /// The name without the colon.
    pub name: String,
    /// A one-line description for `:help`.
    pub help: String,
    /// Generates the cell to run. If it returns an error, the cell fails with that sentence.
    pub expand: Expand,
}

/// See [`CellCommand::expand`].
pub type Expand = fn(&Call<'_>) -> Result<String, String>;

/// One use of a [`CellCommand`] in a notebook.
pub struct Call<'a> {
    /// The text after the command, trimmed.
    pub arguments: &'a str,
    /// The notebook's variables: names and types.
    pub variables: &'a [(String, String)],
    /// The path of the notebook, if known.
    pub notebook: Option<&'a Path>,
}

/// Maps the path of a notebook to the Rust paths most relevant to it, such as `hint::softmax`.
/// Where they are valid, completion lists them first, in this order.
pub type PreferredIn = fn(notebook: &Path) -> Vec<String>;

impl Config {
    /// Configures the kernel of `program` for the crate in `folder`, which must not belong to a
    /// workspace. Users set it up with `program setup`.
    pub fn new(program: &str, folder: impl Into<PathBuf>) -> Config {
        let folder = folder.into();
        Config {
            program: program.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            banner: "Rust".to_owned(),
            prebuilt: Prebuilt {
                workspace: folder.clone(),
                crates: vec![folder],
                unoptimised: Vec::new(),
                codegen_units: BTreeMap::new(),
                compile_time: "a few seconds".to_owned(),
                are_installed: false,
            },
            imports: String::new(),
            commands: Vec::new(),
            preferred: None,
            generated: std::env::temp_dir().join(program),
            cache: None,
            set_up: format!("run `{program} setup`"),
            installed: None,
            report: |step| step.tell(),
        }
    }
}
