//! An evaluator without any helper crate, and what its cells print.

#![allow(dead_code, reason = "each test binary uses some of it")]

use cell_evaluator::{Compiler, Evaluator, Failure, Printed, Tools};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

pub struct Notebook {
    evaluator: Evaluator,
    _folder: TempDir,
}

/// What all tests of a binary use.
fn made() -> &'static (Compiler, Tools) {
    static MADE: OnceLock<(Compiler, Tools)> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut compiler = Compiler {
            rustc: rustc(),
            externs: BTreeMap::new(),
            search: Vec::new(),
            compilers: Default::default(),
        };
        let tools = Tools::make(&folder, &mut compiler).expect("the tools");
        (compiler, tools)
    })
}

/// The compiler itself, and not rustup's program in front of it.
pub fn rustc() -> std::path::PathBuf {
    let root = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .expect("rustc");
    let root = String::from_utf8(root.stdout).expect("a path");
    Path::new(root.trim()).join("bin/rustc")
}

impl Notebook {
    pub fn new() -> Notebook {
        let (compiler, tools) = made().clone();
        let folder = tempfile::tempdir().expect("a folder");
        let evaluator = Evaluator::start(folder.path(), compiler, tools).expect("an evaluator");
        Notebook {
            evaluator,
            _folder: folder,
        }
    }

    /// Runs a cell; what it has printed, with values between `[` and `]`.
    pub fn try_run(&mut self, cell: &str) -> Result<String, Failure> {
        let mut text = String::new();
        let mut show = |printed: Printed| match printed {
            Printed::Stdout(more) | Printed::Stderr(more) => text += &more,
        };
        self.evaluator.execute(cell, None, &mut show)?;
        let text = text.replace("EVCXR_BEGIN_CONTENT text/plain\n", "[");
        Ok(text
            .replace("\nEVCXR_END_CONTENT", "]")
            .trim_end()
            .to_owned())
    }

    #[track_caller]
    pub fn run(&mut self, cell: &str) -> String {
        match self.try_run(cell) {
            Ok(text) => text,
            Err(failure) => panic!("{cell}\n{failure:#?}"),
        }
    }

    /// The code of the first error of a cell that does not compile.
    #[track_caller]
    pub fn error(&mut self, cell: &str) -> String {
        match self.try_run(cell) {
            Err(Failure::Compile(errors)) => errors[0].code.clone().unwrap_or_default(),
            other => panic!("{cell}\n{other:#?}"),
        }
    }

    /// The message of the first error of a cell that does not compile, and its first label.
    #[track_caller]
    pub fn said(&mut self, cell: &str) -> String {
        match self.try_run(cell) {
            Err(Failure::Compile(errors)) => {
                let label = errors[0].places.first().map_or("", |(_, label)| label);
                format!("{}: {label}", errors[0].message)
            }
            other => panic!("{cell}\n{other:#?}"),
        }
    }

    pub fn type_of(&self, name: &str) -> Option<&str> {
        let variable = self.evaluator.variables().get(name);
        variable.map(|variable| variable.type_code.as_str())
    }
}
