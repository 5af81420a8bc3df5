//! The context of a notebook's cells, as its compiler knows it.

use super::document::NotebookCode;
use crate::cell_compiler::CellCompiler;
use crate::definition::{Definition, DefinitionKind};
use crate::scope::Scope;
use crate::source_text::SourceText;
use crate::stored_variable::StoredVariable;
use crate::surroundings::{Id, module};

impl NotebookCode {
    /// The context of a notebook's next cell. Current definitions appear as their cells define
    /// them; an older definition that a variable still needs gets a module of its own.
    pub fn of(compiler: &CellCompiler) -> NotebookCode {
        surroundings(compiler.scope(), compiler.variables().values())
    }
}

fn surroundings<'a>(
    scope: &Scope,
    variables: impl Iterator<Item = &'a StoredVariable> + Clone,
) -> NotebookCode {
    let imports = scope.imports().into_iter().map(|one| {
        let former = one.of.filter(|id| !means(scope, *id));
        one.declaration(&former.map(path).unwrap_or_default()) + "\n"
    });
    let mut definitions = String::new();
    // A macro's rules must come before its uses.
    for rules in scope.macros() {
        definitions += rules.code();
        definitions.push('\n');
    }
    let kept = variables.clone().flat_map(StoredVariable::definitions);
    for one in scope.in_use(&kept.collect()) {
        definitions += &match is_current(scope, one) {
            true => one.own_text(),
            false => former(scope, one),
        };
        definitions.push('\n');
    }
    let type_code = |one: &StoredVariable| {
        one.type_by(|id| match means(scope, id) {
            true => String::new(),
            false => path(id),
        })
    };
    NotebookCode {
        imports: imports.collect(),
        definitions,
        variables: variables
            .filter(|one| !one.name.starts_with('_'))
            .map(|one| (one.name.clone(), type_code(one)))
            .collect(),
    }
}

/// A definition wrapped in a module of its own.
fn former(scope: &Scope, one: &Definition) -> String {
    let mut source = SourceText::default();
    source.around(&format!("mod {} {{\nuse super::*;\n", module(one.id)));
    for (name, id) in &one.surroundings.binds {
        if !means(scope, *id) {
            source.around(&format!("use super::{}{name};\n", path(*id)));
        }
    }
    one.write(&mut source);
    source.around("\n}");
    source.text().to_owned()
}

fn path(id: Id) -> String {
    format!("{}::", module(id))
}

/// Whether a definition is the current meaning of its names.
fn means(scope: &Scope, id: Id) -> bool {
    let definition = scope.definition(id);
    definition.is_some_and(|one| is_current(scope, one))
}

fn is_current(scope: &Scope, one: &Definition) -> bool {
    match one.kind {
        DefinitionKind::Impl(_) => one.head_binds().values().all(|id| means(scope, *id)),
        _ => scope.is_current(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed_cell::ParsedCell;
    use std::rc::Rc;

    #[test]
    fn what_is_meant_stands_as_it_was_written_and_what_was_meant_in_a_module() {
        let mut scope = Scope::default();
        for (number, code) in [
            (1, "struct Word { text: u8 }\nstruct Other;"),
            (
                2,
                "impl Word { fn a(&self) {} }\nimpl Other { fn b() {} fn c() {} }",
            ),
            (
                3,
                "macro_rules! m { () => { 1 } }\nstruct Word(u8);\nuse std::fmt;\nuse Word as W;",
            ),
            (4, "impl Other { fn b() { m!() } }"),
        ] {
            let text: Rc<str> = code.into();
            let cell = ParsedCell::parse(&text, &scope).expect("Rust");
            scope.define(number, None, &text, &cell);
        }
        let variable = |name: &str, type_code: &str| StoredVariable {
            name: name.to_owned(),
            type_code: type_code.to_owned(),
            is_mutable: false,
            cell: 1,
        };
        let variables = [
            variable("all", "std::vec::Vec<(item_0::Word, item_4::Word)>"),
            variable("_hidden", "u8"),
        ];
        let around = surroundings(&scope, variables.iter());
        assert_eq!(around.imports, "use std::fmt;\nuse Word as W;\n");
        let all = "std::vec::Vec<(item_0::Word, Word)>";
        assert_eq!(around.variables, [("all".to_owned(), all.to_owned())]);
        for expected in [
            "macro_rules! m { () => { 1 } }\nmod item_0 {\nuse super::*;\npub struct Word { pub text: u8 }\n}\n",
            "\nstruct Other;\n",
            "\nuse super::item_0::Word;\nimpl Word { pub fn a(&self) {} }\n}\n",
            "\nimpl Other {  fn c() {} }\nstruct Word(u8);\nimpl Other { fn b() { m!() } }\n",
        ] {
            assert!(
                around.definitions.contains(expected),
                "{}",
                around.definitions
            );
        }
    }
}
