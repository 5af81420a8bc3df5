//! A notebook without prebuilt crates, and the output of its cells.

pub mod generated;

use cell_evaluator::{
    CellCompiler, CellError, CellPlace, CellUses, CompiledCell, Compiler, Ending, Event, Part,
    Process, Running, Tools,
};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

pub struct Notebook {
    compiler: CellCompiler,
    process: Process,
    folder: TempDir,
    /// The names that the last compiled cell has read and written.
    pub uses: CellUses,
}

/// The compiler and the tools, shared by all tests.
pub fn made() -> &'static (Compiler, Tools) {
    static MADE: OnceLock<(Compiler, Tools)> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut compiler = Compiler::new(rustc(), standard_library());
        let tools = Tools::make(&folder, &compiler).expect("the tools");
        tools.add_to(&mut compiler);
        (compiler, tools)
    })
}

fn standard_library() -> std::path::PathBuf {
    let folder = Command::new(rustc())
        .args(["--print", "target-libdir"])
        .output()
        .expect("rustc");
    let folder = String::from_utf8(folder.stdout).expect("a path");
    folder.trim().into()
}

/// The compiler itself rather than rustup's proxy.
pub fn rustc() -> std::path::PathBuf {
    let root = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .expect("rustc");
    let root = String::from_utf8(root.stdout).expect("a path");
    Path::new(root.trim()).join("bin/rustc")
}

fn process(folder: &Path) -> Process {
    let command = Command::new(&made().1.program);
    Process::start(command, folder, "5e", &Running::default()).expect("a process")
}

impl Notebook {
    pub fn new() -> Notebook {
        Notebook::with(&made().0)
    }

    /// A notebook with a compiler of its own.
    pub fn with(compiler: &Compiler) -> Notebook {
        let folder = tempfile::tempdir().expect("a folder");
        Notebook {
            compiler: CellCompiler::new(folder.path(), compiler.clone()),
            process: process(folder.path()),
            folder,
            uses: CellUses::default(),
        }
    }

    /// Runs a cell; returns what it printed, with values between `[` and `]`.
    pub fn try_run(&mut self, cell: &str) -> Result<String, CellError> {
        let compiled = self.compiler.compile(cell, None)?;
        self.run_compiled(compiled)
    }

    /// Like [`Notebook::try_run`], for code that is not a cell of the notebook.
    pub fn run_hidden(&mut self, code: &str) -> Result<String, CellError> {
        let compiled = self.compiler.compile_hidden(code)?;
        self.run_compiled(compiled)
    }

    fn run_compiled(&mut self, compiled: CompiledCell) -> Result<String, CellError> {
        let mut text = String::new();
        let begun = self.process.run(&compiled.library, &compiled.symbol);
        begun.expect("a process");
        let ending = loop {
            match self.process.events().recv().expect("a process") {
                Event::Part(Part::Text(more) | Part::Disbelieved(more)) | Event::Stderr(more) => {
                    text += &more;
                }
                Event::Part(Part::Block(_, content)) if content == "()" => {} // no value
                Event::Part(Part::Block(mime, content)) if mime == "text/plain" => {
                    text += &format!("[{content}]\n");
                }
                Event::Part(Part::Block(_, content)) => text += &content,
                Event::Part(Part::Question(question)) => text += &question,
                Event::Ended(ending) => break ending,
            }
        };
        self.uses = compiled.uses(&ending);
        if ending == Ending::Gone {
            self.process = process(self.folder.path());
        }
        self.compiler.ran(compiled, ending)?;
        Ok(text.trim_end().to_owned())
    }

    #[track_caller]
    pub fn run(&mut self, cell: &str) -> String {
        match self.try_run(cell) {
            Ok(text) => text,
            Err(failure) => panic!("{cell}\n{failure:#?}"),
        }
    }

    /// The error code of the first error of a cell that does not compile.
    #[track_caller]
    pub fn error(&mut self, cell: &str) -> String {
        match self.try_run(cell) {
            Err(CellError::Compile(errors)) => errors[0].code.clone().unwrap_or_default(),
            other => panic!("{cell}\n{other:#?}"),
        }
    }

    /// The message of the first error of a cell that does not compile, and its first label.
    #[track_caller]
    pub fn said(&mut self, cell: &str) -> String {
        match self.try_run(cell) {
            Err(CellError::Compile(errors)) => {
                let label = errors[0].places.first().map_or("", |place| &place.label);
                format!("{}: {label}", errors[0].message)
            }
            other => panic!("{cell}\n{other:#?}"),
        }
    }

    pub fn definition_at(&self, place: &CellPlace) -> Option<(&str, usize)> {
        self.compiler.definition_at(place)
    }

    pub fn set_format(&mut self, format: &str) {
        self.compiler.set_format(format);
    }

    pub fn type_of(&self, name: &str) -> Option<&str> {
        let variable = self.compiler.variables().get(name);
        variable.map(|variable| variable.type_code.as_str())
    }
}
