//! The command line of `attention-notebooks`.

use clap::{Args, Parser, Subcommand, ValueEnum};
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
    /// Show which exercises are done, lesson by lesson, and which comes next
    Progress(Progress),
    /// Report on the progress of a class
    Class(Class),
    /// Run the notebooks that a class has handed in, and judge their answers
    Grade(Grade),
    /// Maintain the course's exercises
    Exercises {
        /// Check that solutions pass, and that every known mistake fails with its own message
        #[arg(long, required = true)]
        check: bool,

        /// Check another course, the crate in this folder, and write its `course.json`
        #[arg(long, value_name = "DIR")]
        course: Option<PathBuf>,
    },
    /// Set everything up, as `lab` does, without opening anything
    Setup,
    /// Build a static website of the lessons, with live pictures and predictions
    Site(Site),
    /// Pack the extension that moves live pictures in VS Code
    Vsix {
        /// The file to write
        #[arg(default_value = "notebook-live.vsix")]
        file: PathBuf,
    },
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
    /// Run a notebook for `grade`, which judges what its functions return
    #[command(hide = true)]
    Answers(Answers),
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
    /// List the exercises of one lesson: its number, its name or its file
    #[arg(long, value_name = "LESSON", conflicts_with = "reset")]
    pub lesson: Option<String>,

    /// Print the progress as JSON
    #[arg(long, conflicts_with = "reset")]
    pub json: bool,

    /// Forget your progress on one exercise, one prediction or one lesson
    #[arg(long, value_name = "NAME")]
    pub reset: Option<String>,

    /// The folder of another course, with its `course.json`
    #[arg(long, value_name = "DIR")]
    pub course: Option<PathBuf>,
}

#[derive(Args)]
pub struct Class {
    /// Learners' progress files, or folders with such files
    #[arg(required_unless_present = "homes")]
    pub files: Vec<PathBuf>,

    /// Search the homes under this folder, such as /home, for the progress of their owners
    #[arg(long, value_name = "DIR")]
    pub homes: Option<PathBuf>,

    /// Who belongs to the class: one name per line, nbgrader's list of students, or the gradebook
    /// that Canvas exports
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,

    /// Exercises solved after this time are late and earn no point: 2026-12-01 (the end of that day)
    /// or 2026-12-01T18:00
    #[arg(long, value_name = "TIME", value_parser = crate::class::time)]
    pub due: Option<u64>,

    /// Only this lesson; may be repeated
    #[arg(long = "lesson", value_name = "LESSON")]
    pub lessons: Vec<String>,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,

    /// The folder of another course, with its `course.json`
    #[arg(long, value_name = "DIR")]
    pub course: Option<PathBuf>,
}

/// The format of a report.
#[derive(Clone, Copy, ValueEnum)]
pub enum ReportFormat {
    /// Learners by exercises, for reading
    Text,
    /// Learners by exercises, with points, for a spreadsheet
    Csv,
    /// Everything, for other programs
    Json,
    /// The table that `nbgrader export` writes
    Nbgrader,
    /// The gradebook that Canvas imports
    Canvas,
}

#[derive(Args)]
pub struct Grade {
    /// What was handed in: a folder for each learner, as nbgrader collects it, or one notebook for
    /// each, named after the learner
    pub folder: PathBuf,

    /// The folder for the results, a progress file for each learner
    #[arg(long, value_name = "DIR", default_value = "graded")]
    pub into: PathBuf,

    /// Time limit for a notebook
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub seconds: u64,

    /// Memory limit for each process of a notebook
    #[arg(long, value_name = "MB", default_value_t = 4096)]
    pub memory: u64,

    /// Run learners' code as root, in a container that has no other user
    #[arg(long)]
    pub allow_root: bool,

    /// The folder of another course: a crate with its `course.json`
    #[arg(long, value_name = "DIR")]
    pub course: Option<PathBuf>,
}

#[derive(Args)]
pub struct Answers {
    /// The notebook
    pub notebook: PathBuf,

    /// Memory limit for a process, in megabytes
    pub memory: u64,
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

    /// Record answers in your progress, as JupyterLab does
    #[arg(long)]
    pub record: bool,

    /// The notebooks [default: all lessons]
    pub files: Vec<PathBuf>,
}

#[derive(Args)]
pub struct Site {
    /// Serve the site on this machine, and open it in a browser
    #[arg(long)]
    pub open: bool,

    /// The project's address on GitHub: cells then link to their notebook on Binder, and exercises to
    /// Codespaces, too
    #[arg(long, value_name = "https://github.com/OWNER/NAME")]
    pub repository: Option<String>,

    /// Include the trained models that lessons 07 and 08 load (109 MB), or load them from this address
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
