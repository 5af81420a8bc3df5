//! Runs rustc once: from a source to a library, its types and the compiler's messages.

use crate::compilers::{Compilers, extern_crate};
use crate::crates::Crates;
use crate::source_text::SourceText;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler, and the settings for compiling cells.
#[derive(Clone)]
pub struct Compiler {
    /// The rustc binary itself, since rustup's proxy takes time to find it.
    pub rustc: PathBuf,
    /// The folder with the standard library's shared library.
    pub standard_library: PathBuf,
    /// Libraries that cells can name, with their paths.
    pub externs: BTreeMap<String, PathBuf>,
    /// Their dependencies.
    pub below: BTreeMap<String, PathBuf>,
    /// The folders of all of these.
    pub search: Vec<PathBuf>,
    /// A library that every cell links to, so that its code is not copied into the cell.
    pub linked: Option<String>,
    /// Crates that this library loads and cells can name.
    pub loaded: Vec<String>,
    /// Runs it, and can stop it.
    pub compilers: Compilers,
}

/// A crate to compile.
pub struct RustcJob<'a> {
    pub source: &'a SourceText,
    pub name: &'a str,
    /// Distinguishes versions of a crate with the same name.
    pub version: &'a str,
    pub folder: &'a Path,
    pub arguments: Vec<OsString>,
}

pub enum Compiled {
    Library { file: PathBuf, mir: String },
    Errors(Vec<RustcMessage>),
}

/// A message from rustc.
#[derive(Clone, Debug, Deserialize)]
pub struct RustcMessage {
    /// The whole message.
    #[serde(skip)]
    pub json: Value,
    pub message: String,
    pub code: Option<Code>,
    pub level: String,
    pub spans: Vec<Span>,
    pub children: Vec<RustcMessage>,
}

/// An error code.
#[derive(Clone, Debug, Deserialize)]
pub struct Code {
    pub code: String,
}

/// A place that a message refers to.
#[derive(Clone, Debug, Deserialize)]
pub struct Span {
    file_name: PathBuf,
    expansion: Option<Box<Expansion>>,
    pub byte_start: usize,
    pub byte_end: usize,
    pub is_primary: bool,
    pub label: Option<String>,
    pub suggested_replacement: Option<String>,
}

/// The macro expansion that produced a place.
#[derive(Clone, Debug, Deserialize)]
struct Expansion {
    /// Where the macro was called.
    span: Span,
}

impl RustcMessage {
    /// Keeps only the message's places in one file; code from a macro counts as being where the
    /// macro was called.
    fn within(mut self, file: &Path) -> RustcMessage {
        let spans = self.spans.into_iter();
        self.spans = spans.filter_map(|span| span.within(file)).collect();
        let children = self.children.into_iter();
        self.children = children.map(|child| child.within(file)).collect();
        self
    }
}

impl Span {
    fn within(self, file: &Path) -> Option<Span> {
        if self.file_name == file {
            return Some(self);
        }
        let called = self.expansion?.span.within(file)?;
        Some(Span {
            is_primary: self.is_primary,
            label: self.label,
            suggested_replacement: None,
            ..called
        })
    }
}

impl Compiler {
    /// The compiler `rustc`, with the folder of its standard library, as printed by `rustc --print
    /// target-libdir`.
    pub fn new(rustc: PathBuf, standard_library: PathBuf) -> Compiler {
        Compiler {
            rustc,
            standard_library,
            externs: BTreeMap::new(),
            below: BTreeMap::new(),
            search: Vec::new(),
            linked: None,
            loaded: Vec::new(),
            compilers: Compilers::default(),
        }
    }

    /// Compiles a crate into `folder`.
    ///
    /// # Errors
    ///
    /// If rustc cannot be run, or exits without a message about the source.
    pub fn compile(&self, job: &RustcJob) -> io::Result<Compiled> {
        let RustcJob {
            name,
            version,
            folder,
            ..
        } = job;
        let file = folder.join(format!("{name}{version}.rs"));
        fs::write(&file, job.source.text())?;
        let mut command = Command::new(&self.rustc);
        command
            .arg(&file)
            .args(["--crate-name", name, "--crate-type=dylib", "--edition=2024"])
            .args(["--error-format=json", "--emit=link,mir", "-Cprefer-dynamic"])
            // Otherwise types wider than a terminal are abbreviated to `Array<...>`.
            .arg("--diagnostic-width=1000")
            .args(["-Copt-level=0", "-Cdebuginfo=0", "-Cembed-bitcode=no"])
            .args([
                format!("-Cextra-filename={version}"),
                "-Cmetadata=notebook".to_owned(),
            ])
            .arg("--out-dir")
            .arg(folder)
            .args(&job.arguments);
        for (name, library) in &self.externs {
            command.args(extern_crate(name, library));
        }
        for search in &self.search {
            command.arg("-L").arg(search);
        }
        command.args(self.loader_paths(folder));
        // The learner's working folder may be gone, and whatever a stopped rustc leaves is deleted
        // with this one.
        command.current_dir(folder).env("TMPDIR", folder);
        let output = self.compilers.run(&mut command, &mut |_| ());
        let output = output.map_err(|error| match self.rustc.exists() {
            true => error,
            false => io::Error::other(format!(
                "cannot start the compiler {}: {error}",
                self.rustc.display()
            )),
        })?;
        let said = String::from_utf8_lossy(&output.stderr);
        let messages = said.lines().filter_map(|line| {
            let json: Value = serde_json::from_str(line).ok()?;
            let message: RustcMessage = serde_json::from_value(json.clone()).ok()?;
            Some(RustcMessage {
                json,
                ..message.within(&file)
            })
        });
        let errors: Vec<RustcMessage> = messages
            .filter(|message: &RustcMessage| message.level.starts_with("error"))
            .filter(|message| !message.message.starts_with("aborting due to"))
            .collect();
        if output.status.success() {
            let library = folder.join(format!("lib{name}{version}.so"));
            let mir = fs::read_to_string(folder.join(format!("{name}{version}.mir")))?;
            return Ok(Compiled::Library { file: library, mir });
        }
        if errors.is_empty() {
            return Err(io::Error::other(format!("rustc failed: {}", said.trim())));
        }
        Ok(Compiled::Errors(errors))
    }

    /// Makes these crates available to cells.
    pub fn use_crates(&mut self, crates: &Crates) {
        self.externs.extend(crates.externs());
        self.below = crates.below();
        for folder in crates.search() {
            if !self.search.contains(&folder) {
                self.search.push(folder);
            }
        }
        self.linked = crates.linked().map(str::to_owned);
        self.loaded = crates.loaded();
    }

    /// Lets the loader find the libraries that one in `folder` links to, without an environment
    /// variable, which programs started by a cell would inherit.
    pub fn loader_paths(&self, folder: &Path) -> Vec<OsString> {
        let own = [folder, self.standard_library.as_path()];
        let all = own
            .into_iter()
            .chain(self.search.iter().map(PathBuf::as_path));
        let argument = |path: &Path| {
            let mut argument = OsString::from("-Clink-arg=-Wl,-rpath,");
            argument.push(path);
            argument
        };
        all.map(argument).collect()
    }
}
