//! Compiles cells, one after the other, to libraries that a process can run. How each run ends
//! determines which variables exist.

use crate::cell_error::CellError;
use crate::compile_error::{CompileError, compile_errors};
use crate::compilers::extern_crate;
use crate::crate_source::{self, DEFINITIONS, Showing, Statements};
use crate::learned::{Compiling, Learned};
use crate::mentions::mentions;
use crate::parsed_cell::ParsedCell;
use crate::process::Ending;
use crate::rustc::{Compiled, Compiler, RustcJob, file_of};
use crate::scope::Scope;
use crate::source_text::{CellPlace, SourceText};
use crate::stored_variable::StoredVariable;
use crate::surroundings::Id;
use crate::types;
use crate::uses::CellUses;
use crate::whole::{Whole, WholeCell};
use crate::wording;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A compiled cell, ready for its process to run.
pub struct CompiledCell {
    /// The library to load.
    pub library: PathBuf,
    /// The name of the function to call.
    pub symbol: String,
    file: PathBuf,
    source: Rc<SourceText>,
    variables: Vec<StoredVariable>,
    showing: Showing,
    below: BTreeSet<String>,
    has_value: bool,
    within: Option<WholeCell>,
    /// Earlier variables that the cell moves or shadows, and those of its own that do not survive
    /// it.
    moved: BTreeSet<String>,
    uses: CellUses,
}

impl CompiledCell {
    /// Whether the cell ends in an expression whose value it shows.
    pub fn has_value(&self) -> bool {
        self.has_value
    }

    /// The names it has read and written, given how it ended.
    pub fn uses(&self, ending: &Ending) -> CellUses {
        let mut uses = self.uses.clone();
        if *ending == Ending::Done {
            for variable in &self.variables {
                uses.write(&variable.name);
            }
        }
        uses
    }
}

/// Compiles the cells of one notebook.
pub struct CellCompiler {
    folder: PathBuf,
    compiler: Compiler,
    scope: Scope,
    variables: BTreeMap<String, StoredVariable>,
    /// The newest library of definitions.
    definitions: Option<PathBuf>,
    /// The file and source of that library, to which panics in definitions refer.
    defined: Option<(PathBuf, Rc<SourceText>)>,
    /// Libraries that hold statics.
    storage: Vec<PathBuf>,
    /// Crates that cells cannot name but that the types of some variables come from.
    below: BTreeSet<String>,
    /// How the last value was shown; tried first for the next one.
    showing: Showing,
    /// See [`CellCompiler::set_format`].
    format: String,
    /// The number of the last cell.
    cells: u64,
    /// How often hidden code was compiled.
    hidden: u64,
    /// See [`CellCompiler::number`].
    last: u64,
    /// The cells compiled so far, if they are to be kept.
    whole: Option<Whole>,
}

/// Numbers above this one belong to hidden code.
const FIRST_HIDDEN: u64 = 1 << 32;
/// Maximum number of compilations to find out how to keep a cell's variables.
const MOST_TRIES: usize = 6;

impl CellCompiler {
    /// A compiler that writes to `folder`.
    pub fn new(folder: &Path, compiler: Compiler) -> CellCompiler {
        CellCompiler {
            folder: folder.to_owned(),
            compiler,
            scope: Scope::default(),
            variables: BTreeMap::new(),
            definitions: None,
            defined: None,
            storage: Vec::new(),
            below: BTreeSet::new(),
            showing: Showing::default(),
            format: "{:?}".to_owned(),
            cells: 0,
            hidden: 0,
            last: 0,
            whole: None,
        }
    }

    /// The variables by name.
    pub fn variables(&self) -> &BTreeMap<String, StoredVariable> {
        &self.variables
    }

    /// The definitions and imports of the cells compiled so far.
    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The type of a variable as a learner would write it, without paths: `Vec<Word>`.
    pub fn type_name(&self, variable: &StoredVariable) -> String {
        wording::without_paths(&wording::of_notebook(&variable.type_code, &self.scope))
    }

    /// The definition at a place: its text, and where in the text the place is.
    pub fn definition_at(&self, place: &CellPlace) -> Option<(&str, usize)> {
        let piece = self.scope.piece_at(place)?;
        Some((piece.code(), place.range.start - piece.range.start))
    }

    /// The number of the cell or hidden code that was compiled last.
    pub fn number(&self) -> u64 {
        self.last
    }

    /// Sets the number that the front end shows for the next compiled cell.
    pub fn number_next(&mut self, shown: u64) {
        self.scope.show_as(self.cells + 1, shown);
    }

    /// Adds `use` lines that are known to be correct, without checking them.
    pub fn import(&mut self, lines: &str) {
        let text: Rc<str> = lines.into();
        if let Ok(cell) = ParsedCell::parse(&text, &self.scope) {
            self.cells += 1;
            self.scope.define(self.cells, None, &text, &cell);
        }
    }

    /// Sets how to show values without a display of their own: a `format!` string with one
    /// placeholder, such as `{:.3?}`.
    pub fn set_format(&mut self, format: &str) {
        self.format = format.to_owned();
    }

    /// The compiler and its settings, which may be changed between two cells.
    pub fn compiler_mut(&mut self) -> &mut Compiler {
        &mut self.compiler
    }

    /// Keeps the sources of the cells compiled from now on: see [`CellCompiler::whole`].
    pub fn keep_whole(&mut self) {
        self.whole = Some(Whole::default());
    }

    /// The cells compiled since [`CellCompiler::keep_whole`].
    pub fn whole(&self) -> Option<&Whole> {
        self.whole.as_ref()
    }

    /// Forgets the variables: their process is gone, and a new one starts without any.
    pub fn forget_variables(&mut self) {
        self.variables.clear();
    }

    /// Compiles a cell. `key` is the front end's identifier for it, if it has one. The caller then
    /// runs the result in the process, and tells [`CellCompiler::ran`] how that ended.
    ///
    /// # Errors
    ///
    /// If it does not compile, or the compiler fails or is stopped; its definitions are then
    /// discarded.
    pub fn compile(&mut self, text: &str, key: Option<&str>) -> Result<CompiledCell, CellError> {
        self.cells += 1;
        self.compile_as(self.cells, text, key)
    }

    /// Compiles code that is not part of the notebook and defines nothing. The next cell is
    /// numbered as if this code did not exist, and is therefore found in the cache.
    ///
    /// # Errors
    ///
    /// As for [`CellCompiler::compile`].
    pub fn compile_hidden(&mut self, text: &str) -> Result<CompiledCell, CellError> {
        self.hidden += 1;
        self.compile_as(FIRST_HIDDEN + self.hidden, text, None)
    }

    fn compile_as(
        &mut self,
        number: u64,
        text: &str,
        key: Option<&str>,
    ) -> Result<CompiledCell, CellError> {
        self.last = number;
        let text: Rc<str> = text.into();
        let cell = match ParsedCell::parse(&text, &self.scope) {
            Ok(cell) => cell,
            Err(error) => return Err(self.syntax_error(number, &text, &error)),
        };
        if let Some((name, range)) = cell.repeated() {
            let message = format!("the name `{name}` is defined more than once in this cell");
            let place = CellPlace { number, range };
            let again = CompileError::of_cell(message, place, "defined again here");
            return Err(CellError::Compile(vec![CompileError {
                code: Some("E0428".to_owned()),
                ..again
            }]));
        }
        if let Some(range) = cell.returns.clone() {
            let place = CellPlace { number, range };
            let message = "a cell is not a function: there is nothing to return from".to_owned();
            let found = CompileError::of_cell(message, place, "not in a function");
            return Err(CellError::Compile(vec![found.with_help(
                "put the code after it in an `if`, or the statements in a function",
            )]));
        }
        let mut scope = self.scope.clone();
        let fresh = scope.define(number, key, &text, &cell);
        let compiling = Compiling {
            number,
            text: &text,
            cell: &cell,
            scope: &scope,
            defines: !fresh.is_empty(),
        };
        let mut compiled = self.compile_in(&compiling)?;
        compiled.moved.extend(cell.hides());
        compiled
            .uses
            .add_definitions(&text, &cell, &self.scope, &scope, &fresh);
        if cell.value.is_some() {
            self.showing = compiled.showing;
        }
        self.below.append(&mut compiled.below);
        let kept: BTreeSet<Id> = self.types_in_use(&compiled.variables);
        if !fresh.is_empty() {
            self.definitions = Some(compiled.library.clone());
            self.defined = Some((compiled.file.clone(), Rc::clone(&compiled.source)));
            let has_statics = |id: &Id| scope.definition(*id).is_some_and(|one| one.has_statics());
            if fresh.iter().any(has_statics) {
                self.storage.push(compiled.library.clone());
            }
            scope.keep_statics(&fresh, &compiled.library);
        }
        if let (Some(whole), Some(cell)) = (&mut self.whole, compiled.within.take()) {
            whole.add(
                number,
                cell,
                crate_source::definitions_within(&scope, &kept),
            );
        }
        scope.sweep(&kept);
        self.scope = scope;
        Ok(compiled)
    }

    /// Records how a cell ended, which determines the variables that exist now.
    ///
    /// # Errors
    ///
    /// If the cell failed; the error refers to places in cells.
    pub fn ran(&mut self, cell: CompiledCell, ending: Ending) -> Result<(), CellError> {
        for name in &cell.moved {
            self.variables.remove(name);
        }
        match ending {
            Ending::Done => {
                for variable in cell.variables {
                    self.variables.insert(variable.name.clone(), variable);
                }
                Ok(())
            }
            Ending::Failed(message) => Err(CellError::Err(message)),
            Ending::Panicked(panic) => {
                let own = [(cell.file, cell.source)];
                let mut sources = own.iter().chain(&self.defined);
                let source = sources.find(|(file, _)| Path::new(&panic.file) == file);
                let place = source.and_then(|(_, source)| {
                    let place = source.byte(panic.line, panic.column)?;
                    source.in_cell(place..place)
                });
                Err(CellError::Panic(panic.message, place))
            }
            Ending::NotLoaded(why) => Err(CellError::Fault(why)),
            Ending::Gone => {
                self.variables.clear();
                Err(CellError::ProcessEnded)
            }
        }
    }

    /// Compiles a cell, and recompiles it as long as the compiler's messages reveal more about it.
    fn compile_in(&self, compiling: &Compiling<'_>) -> Result<CompiledCell, CellError> {
        let Compiling {
            number,
            text,
            cell,
            scope,
            defines,
        } = *compiling;
        let code = cell.statements.iter().chain(&cell.value);
        let mut mentioned = BTreeSet::new();
        for range in code {
            mentioned.extend(mentions(&text[range.clone()]));
        }
        let surroundings = scope.surroundings(&mentioned, None);
        for rules in &surroundings.macros {
            mentioned.extend(mentions(rules.code()));
        }
        let hidden = cell.hides();
        let taken: Vec<&StoredVariable> = (self.variables.values())
            .filter(|variable| {
                mentioned.contains(&variable.name) && !hidden.contains(&variable.name)
            })
            .collect();
        let kept: Vec<&str> = cell.variables.iter().map(|one| one.name.as_str()).collect();
        let mut learned = Learned::new(self.showing, self.below.clone());
        for _ in 0..MOST_TRIES {
            let statements = Statements {
                number,
                text,
                statements: &cell.statements,
                value: cell.value.clone(),
                awaits: cell.awaits,
                showing: learned.showing,
                format: &self.format,
                taken: taken.clone(),
                kept: kept.clone(),
                moved: &learned.moved,
                kept_as: &learned.kept_as,
                surroundings: surroundings.clone(),
                linked: self.compiler.linked.as_deref(),
                loaded: &self.compiler.loaded,
                below: &learned.below,
            };
            let types = self.types_in_use(&[]);
            let (source, name) = match defines {
                true => (
                    crate_source::with_definitions(scope, &types, &statements),
                    DEFINITIONS.to_owned(),
                ),
                false => (
                    crate_source::statements_alone(scope, &statements),
                    format!("cell_{number}"),
                ),
            };
            let needs = !defines && crate_source::needs_definitions(scope, &statements);
            let version = format!("-{number}");
            let job = RustcJob {
                source: &source,
                name: &name,
                version: &version,
                folder: &self.folder,
                libraries: self.libraries(defines, needs),
                arguments: self.arguments(defines, needs, &learned.below),
            };
            let (library, mir) = match self.compiler.compile(&job).map_err(trouble)? {
                Compiled::Library { file, mir } => (file, mir),
                Compiled::Errors(errors) => {
                    learned.take_errors(errors, &source, compiling)?;
                    continue;
                }
            };
            let within = self.whole.as_ref().map(|_| WholeCell::of(&statements));
            let symbol = crate_source::symbol(number);
            let types = types::of_variables(&mir, &symbol).ok_or_else(|| {
                CellError::Fault("this compiler's types cannot be read".to_owned())
            })?;
            let is_below = |name: &str| self.compiler.below.contains_key(name);
            if let Some(variables) = learned.take_types(types, compiling, is_below)? {
                let uses = CellUses::of_variables(&mir, &symbol, &taken, scope);
                return Ok(CompiledCell {
                    library,
                    symbol,
                    file: file_of(&name, &version),
                    source: Rc::new(source),
                    variables,
                    moved: learned.moved,
                    showing: learned.showing,
                    below: learned.below,
                    has_value: cell.value.is_some(),
                    within,
                    uses,
                });
            }
        }
        Err(CellError::Fault(
            "could not determine which variables this cell moves".to_owned(),
        ))
    }

    /// The libraries of earlier cells that a cell links to.
    fn libraries(&self, defines: bool, needs_definitions: bool) -> Vec<PathBuf> {
        let storage = self.storage.iter().filter(|_| defines);
        let definitions = self.definitions.iter().filter(|_| needs_definitions);
        storage.chain(definitions).cloned().collect()
    }

    fn arguments(
        &self,
        defines: bool,
        needs_definitions: bool,
        below: &BTreeSet<String>,
    ) -> Vec<OsString> {
        let mut arguments = Vec::new();
        if defines && !self.storage.is_empty() {
            // Link to these libraries even if nothing here uses them: cells that link to the
            // definitions find the statics through this library.
            arguments.push("-Clink-arg=-Wl,--no-as-needed".into());
            for library in self
                .storage
                .iter()
                .filter_map(|library| library.file_name())
            {
                let mut argument = OsString::from("-Clink-arg=");
                argument.push(library);
                arguments.push(argument);
            }
        }
        let definitions = self.definitions.iter().filter(|_| needs_definitions);
        if let Some(library) = definitions.filter_map(|library| library.file_name()).next() {
            arguments.extend(extern_crate(DEFINITIONS, Path::new(library)));
        }
        for (name, library) in &self.compiler.below {
            if below.contains(name) {
                arguments.extend(extern_crate(&format!("{}{name}", types::BELOW), library));
            }
        }
        arguments
    }

    /// The definitions named by the types of all variables, including `others`.
    fn types_in_use(&self, others: &[StoredVariable]) -> BTreeSet<Id> {
        let all = self.variables.values().chain(others);
        all.flat_map(StoredVariable::definitions).collect()
    }

    /// rustc's messages about text that is not valid Rust.
    fn syntax_error(&self, number: u64, text: &str, error: &syn::Error) -> CellError {
        let mut source = SourceText::default();
        source.around("#[cfg(any())]\nfn cell() {\n"); // parsed, but not compiled
        source.cell(number, text, 0..text.len());
        source.around("\n}\n");
        let job = RustcJob {
            source: &source,
            name: "syntax",
            version: &format!("-{number}"),
            folder: &self.folder,
            libraries: Vec::new(),
            arguments: Vec::new(),
        };
        match self.compiler.compile(&job) {
            Ok(Compiled::Errors(errors)) => {
                CellError::Compile(compile_errors(&errors, &source, &self.scope))
            }
            Ok(Compiled::Library { .. }) => {
                let range = error.span().byte_range();
                let place = CellPlace { number, range };
                CellError::Compile(vec![CompileError::of_cell(error.to_string(), place, "")])
            }
            Err(error) => trouble(error),
        }
    }
}

/// The error for a compiler that was stopped or could not be run.
fn trouble(error: io::Error) -> CellError {
    match error.kind() {
        io::ErrorKind::Interrupted => CellError::Stopped,
        _ => CellError::Fault(error.to_string()),
    }
}
