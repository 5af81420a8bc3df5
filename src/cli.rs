//! The command line of `attention-notebooks`.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;

/// Learn how attention works, in Jupyter notebooks in Rust.
///
/// Without a command, this opens the lessons: the same as `lab`.
#[derive(Parser)]
#[command(version)]
pub struct Cli {
    /// Print only results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,

    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Open the lessons in JupyterLab, after setting everything up the first time
    Lab(Lab),
    /// Run notebooks without Jupyter and without a browser
    Run(Run),
    /// Make your own copies of the lessons, as `lab` does; your changes are never overwritten
    Lessons(Lessons),
    /// Show which exercises are done, lesson by lesson
    Progress(Progress),
    /// Maintain the course's exercises
    Exercises {
        /// Check that solutions pass, and that every known mistake fails with its own message
        #[arg(long, required = true)]
        check: bool,
    },
    /// Set everything up, as `lab` does, without opening anything
    Setup,
    /// Build a static website of the lessons, with live pictures and predictions
    Site(Site),
    /// Lay out the files of a Python package of the project, for maturin to pack
    Wheel,
    /// Register the kernel for your own Jupyter or VS Code, or install everything for all users of
    /// a machine
    #[command(group = clap::ArgGroup::new("destination").required(true))]
    Install {
        #[command(flatten)]
        destination: Destination,

        /// Also compile and register evcxr's own kernel, for comparison: needs `--user` and a few
        /// minutes
        #[arg(long)]
        evcxr: bool,
    },
    /// Remove what `install` wrote, or what a Python package's set-up made [default: `--user`, or the
    /// installation or package that this program belongs to]
    #[command(group = clap::ArgGroup::new("destination"))]
    Uninstall(Destination),
    /// Print a script that completes this program's commands in your shell
    Completions {
        /// Your shell
        shell: Shell,
    },
    /// Run the kernel of one notebook (Jupyter starts this)
    #[command(hide = true)]
    Kernel {
        /// The connection file that Jupyter wrote
        connection_file: PathBuf,
    },
    /// Run another program until a process ends (`lab` starts JupyterLab this way)
    #[command(hide = true)]
    EndWithParent(EndWithParent),
}

/// Where to install.
#[derive(Args)]
pub struct Destination {
    /// Your own Jupyter's folder; the kernel then runs from this project
    #[arg(long, group = "destination")]
    pub user: bool,

    /// A folder such as /opt/attention: program, kernel, compiler, crate and lessons are installed
    /// below it for all users, who then need no Rust
    #[arg(long, value_name = "DIR", group = "destination")]
    pub prefix: Option<PathBuf>,

    /// The environment of the first `python3` in the search path, as with `--prefix`
    #[arg(long, group = "destination")]
    pub sys_prefix: bool,
}

#[derive(Args, Default)]
pub struct Lab {
    /// Print the address instead of opening a browser
    #[arg(long)]
    pub no_browser: bool,

    /// Listen on this port [default: 8888, or the next free one]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,

    /// Arguments for JupyterLab itself
    #[arg(last = true, value_name = "JUPYTER ARGUMENTS")]
    pub jupyter: Vec<String>,
}

#[derive(Args)]
pub struct Lessons {
    /// The folder for Jupyter to open [default: the project, or `~/attention-lessons` if it was
    /// installed]
    pub folder: Option<PathBuf>,
}

#[derive(Args)]
pub struct Progress {
    /// Print the progress as JSON, for a teacher
    #[arg(long, conflicts_with = "reset")]
    pub json: bool,

    /// Progress files of other learners, or folders with such files, to show instead
    #[arg(conflicts_with = "reset")]
    pub files: Vec<PathBuf>,

    /// Forget your progress on one exercise or prediction
    #[arg(long, value_name = "NAME")]
    pub reset: Option<String>,
}

#[derive(Args)]
pub struct Run {
    /// Compare the text outputs with the stored ones (except in cells tagged
    /// `timing`, `random` or `rounding`), and the values with what the originals printed
    #[arg(long, conflicts_with = "save")]
    pub check: bool,

    /// Store the outputs in the notebook
    #[arg(long)]
    pub save: bool,

    /// Print how long each cell took
    #[arg(long)]
    pub times: bool,

    /// The notebooks [default: all lessons]
    pub files: Vec<PathBuf>,
}

#[derive(Args)]
pub struct Site {
    /// Serve the site on this machine, and open it in a browser
    #[arg(long)]
    pub open: bool,

    /// The project's address on GitHub: each cell then links to its notebook on Binder
    #[arg(long, value_name = "https://github.com/OWNER/NAME")]
    pub repository: Option<String>,

    /// Include the trained models that some lessons load (91 MB), or load them from this address
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub models: Option<String>,

    /// The folder to make it in [default: `target/site/pages`]
    pub folder: Option<PathBuf>,
}

#[derive(Args)]
pub struct EndWithParent {
    /// The id of the process that starts this one
    pub parent: u32,

    pub program: PathBuf,

    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}
