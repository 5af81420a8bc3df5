//! The crate generated for a cell.
//!
//! A cell with definitions becomes a new version of the crate `definitions`, which contains every
//! definition in use, each in a module that keeps its number. Any other cell becomes a small crate
//! that links to the newest version. In both, a module `run_N` holds the statements.

use crate::definition::Definition;
use crate::scope::Scope;
use crate::source_text::{Origin, SourceText};
use crate::stored_variable::StoredVariable;
use crate::surroundings::{Id, Surroundings, module};
use crate::types;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The name of the crate with the definitions of all cells.
pub const DEFINITIONS: &str = "definitions";

/// Everything needed to write a cell's statements.
pub struct Statements<'a> {
    pub number: u64,
    pub text: &'a str,
    pub statements: &'a [Range<usize>],
    pub value: Option<Range<usize>>,
    /// Whether they contain an `.await`.
    pub awaits: bool,
    /// How the value is shown.
    pub showing: Showing,
    /// The `format!` string for a value without a display of its own.
    pub format: &'a str,
    /// Variables that the cell takes from the store.
    pub taken: Vec<&'a StoredVariable>,
    /// The cell's own variables, in order of declaration.
    pub kept: Vec<&'a str>,
    /// Variables that no longer exist at the end because the cell has moved them.
    pub moved: &'a BTreeSet<String>,
    /// Variables that are stored as a type other than their own, with that type.
    pub kept_as: &'a BTreeMap<String, String>,
    pub surroundings: Surroundings,
    /// See [`Compiler::linked`](crate::Compiler::linked).
    pub linked: Option<&'a str>,
    /// Crates that cells can name: rustc writes usable paths into a crate only if the source names
    /// that crate, and a value's type may come from a crate that its cell does not mention.
    pub loaded: &'a [String],
    /// Crates that cells cannot name but types can.
    pub below: &'a BTreeSet<String>,
}

/// How a value is shown. If the general trait and a crate's trait with the same method were both
/// in scope, the call would be ambiguous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Showing {
    /// By its own method, or else by `Debug`.
    #[default]
    General,
    /// By its own method, or by that of a trait that cells import.
    Imported,
}

/// Turns off lints, which are of no use in a cell.
pub const HEAD: &str = "#![allow(warnings, non_local_definitions, static_mut_refs)]\n";

/// Replacements for the standard library's macros, imported into every module that does not define
/// the name itself. Each is named, since a glob import does not shadow a macro of the prelude.
const MACROS: [&str; 2] = ["eprint", "eprintln"];

fn head(scope: &Scope, cell: &Statements) -> SourceText {
    let mut source = SourceText::default();
    for attribute in scope.attributes() {
        attribute.write(Vec::new(), &mut source);
        source.around("\n");
    }
    source.around(HEAD);
    if let Some(name) = cell.linked {
        source.around(&format!("extern crate {name} as _;\n"));
    }
    for name in cell.loaded {
        source.around(&format!("use ::{name} as _;\n"));
    }
    for name in cell.below {
        source.around(&format!("use ::{}{name} as _;\n", types::BELOW));
    }
    source
}

/// The name of a cell's function.
pub fn symbol(number: u64) -> String {
    format!("run_cell_{number}")
}

/// The source of the crate for a cell with definitions.
pub fn with_definitions(scope: &Scope, kept: &BTreeSet<Id>, cell: &Statements) -> SourceText {
    let mut source = head(scope, cell);
    let definitions = scope.in_use(kept);
    for one in definitions {
        write_definition(one, &mut source);
    }
    write_statements(cell, "crate::", true, &mut source);
    source
}

/// The source of the crate for a cell without definitions.
pub fn statements_alone(scope: &Scope, cell: &Statements) -> SourceText {
    let mut source = head(scope, cell);
    write_statements(cell, &format!("::{DEFINITIONS}::"), true, &mut source);
    source
}

/// Whether a cell needs the crate of definitions.
pub fn needs_definitions(scope: &Scope, cell: &Statements) -> bool {
    let of_types = cell
        .taken
        .iter()
        .any(|variable| !variable.definitions().is_empty());
    scope.has_definitions() && (of_types || cell.surroundings.needed().next().is_some())
}

/// The source of a cell's `run_N` module, for a crate that also contains the definitions.
pub fn statements_within(cell: &Statements) -> String {
    let mut source = SourceText::default();
    write_statements(cell, "crate::", false, &mut source);
    source.text().to_owned()
}

/// The source of each module of definitions in use.
pub fn definitions_within(scope: &Scope, kept: &BTreeSet<Id>) -> BTreeMap<Id, String> {
    let modules = scope.in_use(kept).into_iter().map(|one| {
        let mut source = SourceText::default();
        write_definition(one, &mut source);
        (one.id, source.text().to_owned())
    });
    modules.collect()
}

fn write_definition(one: &Definition, source: &mut SourceText) {
    source.around(&format!("pub mod {} {{\n", module(one.id)));
    write_macros(&one.surroundings, &one.names, source);
    one.surroundings
        .write("super::", &one.names, one.makes_others, source);
    one.write(source);
    source.around("\n}\n");
}

fn write_macros(surroundings: &Surroundings, own: &[String], source: &mut SourceText) {
    for name in MACROS {
        if !own.iter().any(|own| own == name) && !surroundings.binds(name) {
            source.around(&format!("use ::cell_runtime::macros::{name};\n"));
        }
    }
}

fn write_statements(cell: &Statements, prefix: &str, exported: bool, source: &mut SourceText) {
    let number = cell.number;
    source.around(&format!("pub mod run_{number} {{\n"));
    write_macros(&cell.surroundings, &[], source);
    cell.surroundings.write(prefix, &[], false, source);
    if cell.showing == Showing::General {
        write_shown(cell.format, source);
    }
    if exported {
        source.around("#[unsafe(no_mangle)]\n");
    }
    source.around(&format!(
        "pub fn {}(__store: &mut \
         ::cell_runtime::Store) -> ::std::result::Result<(), ::cell_runtime::Ended> {{\n",
        symbol(number)
    ));
    for variable in &cell.taken {
        let mutable = if variable.is_mutable { "mut " } else { "" };
        source.around(&format!(
            "let {mutable}{name} = __store.take::<{}>({name:?});\n",
            variable.type_from(prefix),
            name = variable.name,
        ));
    }
    source.around("let __ended = ::cell_runtime::run(|| {\n");
    if cell.awaits {
        source.around("::cell_runtime::block_on(async {\n");
    }
    for range in cell.statements {
        source.cell(number, cell.text, range.clone());
        source.around("\n");
    }
    if let Some(range) = &cell.value {
        source.push("(", Origin::Open);
        source.cell(number, cell.text, range.clone());
        source.around(")");
        source.push(".evcxr_display();\n", Origin::Show);
    }
    let kept: Vec<&str> = (cell.kept.iter().copied())
        .filter(|name| !cell.moved.contains(*name))
        .collect();
    source.around("Ok((");
    for name in &kept {
        source.push(name, Origin::Keep((*name).to_owned()));
        if let Some(type_code) = cell.kept_as.get(*name) {
            source.around(&format!(" as {type_code}"));
        }
        source.around(", ");
    }
    source.around("))\n");
    if cell.awaits {
        source.around("})\n");
    }
    // In a separate statement: if `Ok((__0, ...))` were matched, the MIR would repeat the type of
    // the whole tuple for each variable.
    source.around("});\nmatch __ended {\nOk(__kept) => {\nlet (");
    for place in 0..kept.len() {
        source.around(&format!("__{place}, "));
    }
    source.around(") = __kept;\n");
    for (place, name) in kept.iter().enumerate() {
        source.push(
            &format!("__store.put({name:?}, __{place});\n"),
            Origin::Keep((*name).to_owned()),
        );
    }
    give_back(cell, &|name| !cell.kept.contains(&name), source);
    source.around("Ok(())\n}\nErr(__ended) => {\n");
    give_back(cell, &|_| true, source);
    source.around("Err(__ended)\n}\n}\n}\n}\n");
}

/// Writes the trait that shows values without a display of their own.
fn write_shown(format: &str, source: &mut SourceText) {
    if format == "{:?}" {
        return source.around("use ::cell_runtime::Shown as _;\n");
    }
    // The format type is the last character of the placeholder, as in `{:>8.3?}`.
    let place = format.replace("{{", "").replace("}}", "");
    let place = place.split_once('{').map_or("", |(_, place)| place);
    let place = place.split('}').next().unwrap_or_default();
    let bound = match place.chars().next_back() {
        Some('?') => "Debug",
        Some('x') => "LowerHex",
        Some('X') => "UpperHex",
        Some('o') => "Octal",
        Some('b') => "Binary",
        Some('e') => "LowerExp",
        Some('E') => "UpperExp",
        _ => "Display",
    };
    source.around(&format!(
        "trait __Shown {{ fn evcxr_display(&self); }}\n\
         impl<T: ::std::fmt::{bound} + ?Sized> __Shown for T {{ fn evcxr_display(&self) {{\n\
         ::cell_runtime::show_value(::std::format_args!({format:?}, self)) }} }}\n"
    ));
}

fn give_back(cell: &Statements, is_wanted: &dyn Fn(&str) -> bool, source: &mut SourceText) {
    for variable in &cell.taken {
        let name = &variable.name;
        if is_wanted(name) && !cell.moved.contains(name) {
            source.push(
                &format!("__store.put({name:?}, {name});\n"),
                Origin::GiveBack(name.clone()),
            );
        }
    }
}
