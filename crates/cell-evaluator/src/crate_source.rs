//! The crate that a cell becomes.
//!
//! A cell that defines something becomes a new version of the crate `definitions`, with all that is
//! in use, each definition in a module of its own that keeps its number; other cells become a small
//! crate that links to the newest version. In both, a module `run_N` has the statements.

use crate::scope::Scope;
use crate::source_text::{Origin, SourceText};
use crate::surroundings::{Id, Surroundings, module};
use crate::types;
use crate::variable::Variable;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The crate with what cells have defined.
pub const DEFINITIONS: &str = "definitions";

/// What the statements of a cell need.
pub struct Statements<'a> {
    pub number: u64,
    pub text: &'a str,
    pub statements: &'a [Range<usize>],
    pub value: Option<Range<usize>>,
    /// Whether they wait for a future.
    pub awaits: bool,
    /// How the value is shown.
    pub showing: Showing,
    /// What `format!` gets for a value that has no form of its own.
    pub format: &'a str,
    /// Variables that the cell takes out of the store.
    pub taken: Vec<&'a Variable>,
    /// The variables of the cell's own, in their order.
    pub kept: Vec<&'a str>,
    /// Variables that it does not have any more at its end: it has moved them.
    pub moved: &'a BTreeSet<String>,
    /// The types that values are kept as, where they are not their own.
    pub kept_as: &'a BTreeMap<String, String>,
    pub surroundings: Surroundings,
    /// See [`Compiler::linked`](crate::Compiler::linked).
    pub linked: Option<&'a str>,
    /// Crates below those that cells can name: rustc writes paths into a crate that others can write
    /// only if the source names that crate.
    pub below: &'a BTreeSet<String>,
}

/// How a value is shown: a crate's trait of the same method and the general one exclude each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Showing {
    /// By a method of its own, or else by `Debug`.
    #[default]
    General,
    /// By a method of its own, or by one of a trait that cells import.
    Imported,
}

/// What the compiler may say about code in general is of no use in a cell.
const HEAD: &str = "#![allow(warnings, non_local_definitions, static_mut_refs)]\n";

/// In every module, unless it has its own of the name: what takes the place of the standard
/// library's macros. Each is named, since a glob does not hide a macro of the prelude.
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
    for name in cell.below {
        source.around(&format!("use ::{}{name} as _;\n", types::BELOW));
    }
    source
}

/// The name of the function of a cell.
pub fn symbol(number: u64) -> String {
    format!("run_cell_{number}")
}

/// The crate of a cell that defines something.
pub fn with_definitions(scope: &Scope, kept: &BTreeSet<Id>, cell: &Statements) -> SourceText {
    let mut source = head(scope, cell);
    let definitions = scope.in_use(kept);
    for one in definitions {
        source.around(&format!("pub mod {} {{\n", module(one.id)));
        write_macros(&one.surroundings, &one.names, &mut source);
        one.surroundings
            .write("super::", &one.names, one.makes_others, &mut source);
        one.write(&mut source);
        source.around("\n}\n");
    }
    write_statements(cell, "crate::", &mut source);
    source
}

/// The crate of a cell that defines nothing.
pub fn statements_alone(scope: &Scope, cell: &Statements) -> SourceText {
    let mut source = head(scope, cell);
    write_statements(cell, &format!("::{DEFINITIONS}::"), &mut source);
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

fn write_macros(surroundings: &Surroundings, own: &[String], source: &mut SourceText) {
    for name in MACROS {
        if !own.iter().any(|own| own == name) && !surroundings.binds(name) {
            source.around(&format!("use ::cell_runtime::macros::{name};\n"));
        }
    }
}

fn write_statements(cell: &Statements, prefix: &str, source: &mut SourceText) {
    let number = cell.number;
    source.around(&format!("pub mod run_{number} {{\n"));
    write_macros(&cell.surroundings, &[], source);
    cell.surroundings.write(prefix, &[], false, source);
    if cell.showing == Showing::General {
        write_shown(cell.format, source);
    }
    source.around(&format!(
        "#[unsafe(no_mangle)]\npub fn {}(__store: &mut \
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
        source.around("(");
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
    // In a statement of its own: rustc writes the type of a place for each of its fields.
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

/// The trait that shows what has no form of its own.
fn write_shown(format: &str, source: &mut SourceText) {
    if format == "{:?}" {
        return source.around("use ::cell_runtime::Shown as _;\n");
    }
    // The kind is the last word of the place, as in `{:>8.3?}`.
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
