//! Learns from the compiler's messages about a cell: which variables it moves, how its value is
//! shown, and how its own variables are kept. After each discovery the cell is compiled again.

use crate::cell_error::CellError;
use crate::compile_error::{CompileError, compile_errors};
use crate::crate_source::{DEFINITIONS, Showing};
use crate::kept_borrow;
use crate::parsed_cell::ParsedCell;
use crate::rustc::RustcMessage;
use crate::scope::Scope;
use crate::source_text::{Origin, SourceText};
use crate::stored_variable::StoredVariable;
use crate::types::{self, TypeName};
use crate::unshown;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Everything known about a cell so far.
pub struct Learned {
    /// The way of showing its value that is being tried.
    pub showing: Showing,
    /// Variables that no longer exist at the point where they would be kept.
    pub moved: BTreeSet<String>,
    /// Functions, each with the pointer type it is kept as.
    pub kept_as: BTreeMap<String, String>,
    /// Crates that its types name but cells cannot.
    pub below: BTreeSet<String>,
    first_showing: Showing,
    unshown: Vec<CompileError>,
}

/// A cell, and what its compilation depends on.
pub struct Compiling<'a> {
    pub number: u64,
    pub text: &'a Rc<str>,
    pub cell: &'a ParsedCell,
    pub scope: &'a Scope,
    /// Whether its library also contains the definitions.
    pub defines: bool,
}

impl Learned {
    /// Starts with the way the last value was shown.
    pub fn new(showing: Showing, below: BTreeSet<String>) -> Learned {
        Learned {
            showing,
            moved: BTreeSet::new(),
            kept_as: BTreeMap::new(),
            below,
            first_showing: showing,
            unshown: Vec::new(),
        }
    }

    /// Learns from errors.
    ///
    /// # Errors
    ///
    /// If the mistakes are the cell's own.
    pub fn take_errors(
        &mut self,
        errors: Vec<RustcMessage>,
        source: &SourceText,
        compiling: &Compiling<'_>,
    ) -> Result<(), CellError> {
        let scope = compiling.scope;
        if errors.iter().all(|error| is_no_way_to_show(error, source)) {
            if self.showing == Showing::General {
                self.unshown = unshown::errors(&errors, source, scope);
            }
            if self.showing != self.first_showing {
                return Err(CellError::Compile(std::mem::take(&mut self.unshown)));
            }
            self.showing = match self.showing {
                Showing::General => Showing::Imported,
                Showing::Imported => Showing::General,
            };
            return Ok(());
        }
        let errors = without_consequences(errors, source);
        let (cell, text) = (compiling.cell, compiling.text);
        if let Some(found) = kept_borrow::error(&errors, source, cell, text) {
            return Err(CellError::Compile(vec![found]));
        }
        let moved = errors.iter().map(|error| moved_variable(error, source));
        match moved.collect::<Option<Vec<String>>>() {
            Some(moved) => self.moved.extend(moved),
            None => return Err(CellError::Compile(compile_errors(&errors, source, scope))),
        }
        Ok(())
    }

    /// Learns from the types of the variables that exist at the cell's end. Returns the variables,
    /// or `None` if the cell must be compiled again. `is_below` tells whether a crate is one that
    /// cells cannot name.
    ///
    /// # Errors
    ///
    /// If a variable's type is unnameable.
    pub fn take_types(
        &mut self,
        types: Vec<TypeName>,
        compiling: &Compiling<'_>,
        is_below: impl Fn(&str) -> bool,
    ) -> Result<Option<Vec<StoredVariable>>, CellError> {
        let of_types = types.iter().flat_map(TypeName::code);
        let is_new = |name: &str| is_below(name) && !self.below.contains(name);
        let new: BTreeSet<String> = of_types
            .flat_map(|code| types::crates(code, is_new))
            .map(str::to_owned)
            .collect();
        if !new.is_empty() {
            self.below.extend(new);
            return Ok(None);
        }
        let declared = compiling.cell.variables.iter();
        let left = declared.filter(|one| !self.moved.contains(&one.name));
        let (mut variables, mut functions) = (Vec::new(), Vec::new());
        for (declared, type_name) in left.zip(types) {
            let (code, of_kind) = match type_name {
                TypeName::Code(code) => (code, &mut variables),
                TypeName::Function(pointer) => (pointer, &mut functions),
                TypeName::Unnameable => return Err(CellError::Unnameable(declared.name.clone())),
            };
            of_kind.push(StoredVariable {
                name: declared.name.clone(),
                type_code: types::from_below(&code, |name| self.below.contains(name)),
                is_mutable: declared.is_mutable,
                cell: compiling.number,
            });
        }
        if functions.is_empty() {
            return Ok(Some(variables));
        }
        let prefix = match compiling.defines {
            true => "crate::".to_owned(),
            false => format!("::{DEFINITIONS}::"),
        };
        for function in functions {
            let pointer = function.type_from(&prefix);
            self.kept_as.insert(function.name, pointer);
        }
        Ok(None)
    }
}

/// The origin of the code that an error is about.
fn origin<'a>(error: &RustcMessage, source: &'a SourceText) -> Option<&'a Origin> {
    let primary = error.spans.iter().find(|span| span.is_primary)?;
    Some(source.origin(primary.byte_start))
}

fn has_code(error: &RustcMessage, codes: &[&str]) -> bool {
    let code = error.code.as_ref();
    code.is_some_and(|code| codes.contains(&code.code.as_str()))
}

/// Whether the only problem is showing the value: no method does it, or two do. (The error's place
/// is the method's name.)
fn is_no_way_to_show(error: &RustcMessage, source: &SourceText) -> bool {
    has_code(error, &["E0034", "E0599"]) && origin(error, source) == Some(&Origin::Show)
}

/// Drops errors about showing the value if there are other errors.
fn without_consequences(errors: Vec<RustcMessage>, source: &SourceText) -> Vec<RustcMessage> {
    let is_showing = |error: &RustcMessage| origin(error, source) == Some(&Origin::Show);
    match errors.iter().all(is_showing) {
        true => errors,
        false => errors.into_iter().filter(|one| !is_showing(one)).collect(),
    }
}

/// The variable that, according to an error, no longer exists where it would be kept, if that is
/// all the error says.
fn moved_variable(error: &RustcMessage, source: &SourceText) -> Option<String> {
    match origin(error, source)? {
        Origin::Keep(name) | Origin::GiveBack(name) if has_code(error, &["E0382", "E0381"]) => {
            Some(name.clone())
        }
        _ => None,
    }
}
