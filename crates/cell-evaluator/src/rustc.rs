//! Runs rustc once, turning a source into a library and its MIR, or into error messages.

use crate::compile_cache::{CacheKey, CachedCrate, CachedResult, CompileCache};
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
    /// The dependencies of these libraries.
    pub below: BTreeMap<String, PathBuf>,
    /// The folders of all these libraries.
    pub search: Vec<PathBuf>,
    /// A library that every cell links to, so that its code is not copied into the cell.
    pub linked: Option<String>,
    /// Crates that this library loads and cells can name.
    pub loaded: Vec<String>,
    /// Runs the compiler, and can stop it.
    pub compilers: Compilers,
    /// The cache of compiled cells, if there is one.
    pub cache: Option<CompileCache>,
}

/// A crate to compile.
pub struct RustcJob<'a> {
    pub source: &'a SourceText,
    pub name: &'a str,
    /// Distinguishes versions of a crate with the same name.
    pub version: &'a str,
    pub folder: &'a Path,
    /// The libraries of earlier cells that it links to, in the same folder.
    pub libraries: Vec<PathBuf>,
    pub arguments: Vec<OsString>,
}

pub enum Compiled {
    Library { file: PathBuf, mir: String },
    Errors(Vec<RustcMessage>),
}

/// A message from rustc.
#[derive(Clone, Debug, Deserialize)]
pub struct RustcMessage {
    /// The whole message, as rustc wrote it.
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
            cache: None,
        }
    }

    /// Compiles a crate into `folder`.
    ///
    /// # Errors
    ///
    /// If rustc cannot be run, is stopped, or fails without an error in the source.
    pub fn compile(&self, job: &RustcJob) -> io::Result<Compiled> {
        let RustcJob {
            name,
            version,
            folder,
            ..
        } = job;
        let file = file_of(name, version);
        fs::write(folder.join(&file), job.source.text())?;
        let mut command = Command::new(&self.rustc);
        // Paths within `folder` are relative, so that the result is the same in another folder.
        command
            .arg(&file)
            .args(["--crate-name", name, "--crate-type=dylib", "--edition=2024"])
            .args(["--error-format=json", "--emit=link,mir,dep-info"])
            .arg("-Cprefer-dynamic")
            // Otherwise types wider than a terminal are abbreviated to `Array<...>`.
            .arg("--diagnostic-width=1000")
            .args(["-Copt-level=0", "-Cdebuginfo=0", "-Cembed-bitcode=no"])
            .args([
                format!("-Cextra-filename={version}"),
                "-Cmetadata=notebook".to_owned(),
            ])
            .args(&job.arguments);
        for (name, library) in &self.externs {
            command.args(extern_crate(name, library));
        }
        for search in &self.search {
            command
                .arg("-L")
                .arg(search.strip_prefix(folder).unwrap_or(search));
        }
        command.args(self.loader_paths(folder));
        let library = folder.join(format!("lib{name}{version}.so"));
        let entry = self.entry(&command, job);
        match entry.as_ref().and_then(|entry| entry.get(&library)) {
            Some(CachedResult::Library(mir)) => {
                return Ok(Compiled::Library { file: library, mir });
            }
            Some(CachedResult::Errors(said)) => return Ok(Compiled::Errors(errors(&said, &file))),
            None => {}
        }
        command.arg(remapped(folder));
        // The learner's working folder may be gone, and whatever a stopped rustc leaves behind is
        // deleted with this folder.
        command.current_dir(folder).env("TMPDIR", folder);
        let output = self.compilers.run(&mut command, &mut |_| ());
        let output = output.map_err(|error| match self.rustc.exists() {
            true => error,
            false => io::Error::other(format!(
                "cannot start the compiler {}: {error}",
                self.rustc.display()
            )),
        })?;
        // Cache errors are ignored: the cell is simply compiled again next time.
        let read = fs::read_to_string(folder.join(format!("{name}{version}.d")));
        let is_all = read.is_ok_and(|read| is_all_that_was_read(&file, &read));
        let entry = entry.filter(|_| is_all);
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            let mir = fs::read_to_string(folder.join(format!("{name}{version}.mir")))?;
            let _ = entry.map(|entry| entry.put_library(&library, &mir));
            return Ok(Compiled::Library { file: library, mir });
        }
        let errors = errors(&said, &file);
        if errors.is_empty() {
            return Err(io::Error::other(format!("rustc failed: {}", said.trim())));
        }
        let _ = entry.map(|entry| entry.put_errors(&said));
        Ok(Compiled::Errors(errors))
    }

    /// The cache's entry for the result of `command`; `None` without a cache, or if a file cannot
    /// be read. Its key covers everything that the result depends on: the compiler, its arguments,
    /// the source, and the libraries that the arguments name.
    fn entry(&self, command: &Command, job: &RustcJob) -> Option<CachedCrate> {
        let cache = self.cache.as_ref()?;
        let mut key = CacheKey::new();
        let crates = self.externs.values().chain(self.below.values());
        for file in crates.chain([&self.rustc]) {
            key.add_stamp(file).ok()?;
        }
        for argument in command.get_args() {
            key.add(argument.as_encoded_bytes());
        }
        for library in &job.libraries {
            key.add_file(library).ok()?;
        }
        key.add(job.source.text().as_bytes());
        Some(cache.entry(key))
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

    /// Arguments that let the loader find the libraries that a library in `folder` links to. An
    /// environment variable would be inherited by the programs that a cell starts.
    pub fn loader_paths(&self, folder: &Path) -> Vec<OsString> {
        let beside = match cfg!(target_os = "macos") {
            true => Path::new("@loader_path"),
            false => Path::new("$ORIGIN"),
        };
        let own = [folder, self.standard_library.as_path()];
        let all = own
            .into_iter()
            .chain(self.search.iter().map(PathBuf::as_path));
        let argument = |path: &Path| {
            let mut argument = OsString::from("-Clink-arg=-Wl,-rpath,");
            argument.push(match path.strip_prefix(folder) {
                Ok(within) => beside.join(within),
                Err(_) => path.to_owned(),
            });
            argument
        };
        all.map(argument).collect()
    }
}

/// The file of a crate's source, in the folder in which it is compiled.
pub fn file_of(name: &str, version: &str) -> PathBuf {
    format!("{name}{version}.rs").into()
}

/// The errors among the messages that rustc wrote.
fn errors(said: &str, file: &Path) -> Vec<RustcMessage> {
    let messages = said.lines().filter_map(|line| {
        let json: Value = serde_json::from_str(line).ok()?;
        let message: RustcMessage = serde_json::from_value(json.clone()).ok()?;
        Some(RustcMessage {
            json,
            ..message.within(file)
        })
    });
    messages
        .filter(|message: &RustcMessage| message.level.starts_with("error"))
        .filter(|message| !message.message.starts_with("aborting due to"))
        .collect()
}

/// The argument that keeps the folder's name out of the library, where rustc would record it for
/// messages.
fn remapped(folder: &Path) -> OsString {
    let mut argument = OsString::from("--remap-path-prefix=");
    argument.push(folder);
    argument.push("=.");
    argument
}

/// Whether `list`, rustc's dep-info, names no file but `file`, and no environment variable; rustc
/// lists those that it reads for `include_str!` and `env!`.
fn is_all_that_was_read(file: &Path, list: &str) -> bool {
    let mut lines = list.lines().filter(|line| !line.is_empty());
    lines.all(|line| {
        line.split_once(": ")
            .map_or(line, |(_, read)| read)
            .trim_end_matches(':')
            == file.as_os_str()
    })
}
