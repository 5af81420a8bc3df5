//! What can be typed after `attention-notebooks`.

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// Learn how attention works in Jupyter notebooks, in Rust.
///
/// Without a command: `lab`.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Open the lessons in JupyterLab; the first time, set everything up
    Lab(Lab),
    /// Run notebooks without Jupyter and without a browser
    Run(Run),
    /// Copy the lessons for you, as `lab` does; what you have changed is never overwritten
    Lessons(Lessons),
    /// Show which exercises are done, lesson by lesson
    Progress(Progress),
    /// Look after the exercises of the course
    Exercises {
        /// Prove them: solutions pass, every known mistake fails with its own sentence
        #[arg(long, required = true)]
        check: bool,
    },
    /// Set everything up inside the project, as `lab` does, without opening it
    Setup,
    /// Register the kernel for your own Jupyter or VS Code, or install everything for all users of
    /// a machine
    #[command(group = clap::ArgGroup::new("place").required(true))]
    Install {
        #[command(flatten)]
        place: Place,

        /// Compile evcxr's own kernel and register it, too, for comparison: with `--user`, and some minutes
        #[arg(long)]
        evcxr: bool,
    },
    /// Remove what `install` wrote [default: `--user`, or the installation that this program is of]
    #[command(group = clap::ArgGroup::new("place"))]
    Uninstall(Place),
    /// Be the kernel of one notebook (Jupyter starts it like this)
    #[command(hide = true)]
    Kernel {
        /// The connection file that Jupyter has written
        connection_file: PathBuf,
    },
    /// Be another program until a process ends (`lab` starts JupyterLab like this)
    #[command(hide = true)]
    Tethered(Tethered),
}

/// Where `install` writes.
#[derive(Args)]
pub struct Place {
    /// Your own Jupyter's folder: the kernel runs in this project
    #[arg(long, group = "place")]
    pub user: bool,

    /// A folder such as /opt/attention: program, kernel, compiler, crate and lessons go below it,
    /// for all users, who need no Rust
    #[arg(long, value_name = "DIR", group = "place")]
    pub prefix: Option<PathBuf>,

    /// The same below the environment of the first `python3` in the search path
    #[arg(long, group = "place")]
    pub sys_prefix: bool,
}

#[derive(Args, Default)]
pub struct Lab {
    /// Print the address, do not open a browser
    #[arg(long)]
    pub no_browser: bool,

    /// Listen on this port [default: 8888, or the next one that is free]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,

    /// Arguments for JupyterLab itself
    #[arg(last = true, value_name = "JUPYTER ARGUMENTS")]
    pub jupyter: Vec<String>,
}

#[derive(Args)]
pub struct Lessons {
    /// Put new versions of what you have changed beside it, in folders with a number
    #[arg(long)]
    pub refresh: bool,

    /// The folder that Jupyter will open [default: the project, or `~/attention-lessons` where that
    /// is installed for all]
    pub folder: Option<PathBuf>,
}

#[derive(Args)]
pub struct Progress {
    /// Write it as JSON, for a teacher
    #[arg(long, conflicts_with = "reset")]
    pub json: bool,

    /// Files of other learners' progress, or folders with such files: show theirs instead
    #[arg(conflicts_with = "reset")]
    pub files: Vec<PathBuf>,

    /// Forget what was done of one exercise or prediction
    #[arg(long, value_name = "NAME")]
    pub reset: Option<String>,
}

#[derive(Args)]
pub struct Run {
    /// Compare the text outputs with the stored ones (not in cells tagged
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
pub struct Tethered {
    /// The number of the process that starts this one
    pub parent: u32,

    pub program: PathBuf,

    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}
