//! The surroundings of a notebook's cells, as its evaluator knows them.

use super::document::Surroundings;
use crate::definition::{Definition, Kind};
use crate::evaluator::Evaluator;
use crate::scope::Scope;
use crate::source_text::SourceText;
use crate::surroundings::{Id, module};
use crate::variable::Variable;

impl Surroundings {
    /// What stands around the next cell of a notebook. What its names mean now stands as its cell has
    /// it; a former definition that a variable still needs stands in a module of its own.
    pub fn of(evaluator: &Evaluator) -> Surroundings {
        let scope = evaluator.scope();
        let variables = evaluator.variables().values();
        let imports = scope.imports().into_iter().map(|one| {
            let former = one.of.filter(|id| !means(scope, *id));
            one.declaration(&former.map(path).unwrap_or_default()) + "\n"
        });
        let mut definitions = String::new();
        // The rules of a macro stand before its uses.
        for rules in scope.macros() {
            definitions += rules.code();
            definitions.push('\n');
        }
        let kept = variables.clone().flat_map(Variable::definitions);
        for one in scope.in_use(&kept.collect()) {
            definitions += &match is_current(scope, one) {
                true => one.own_text(),
                false => former(scope, one),
            };
            definitions.push('\n');
        }
        let type_code = |one: &Variable| {
            one.type_by(|id| match means(scope, id) {
                true => String::new(),
                false => path(id),
            })
        };
        Surroundings {
            imports: imports.collect(),
            definitions,
            variables: variables
                .filter(|one| !one.name.starts_with('_'))
                .map(|one| (one.name.clone(), type_code(one)))
                .collect(),
        }
    }
}

/// A definition in a module of its own.
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

/// Whether a definition is what its names mean now.
fn means(scope: &Scope, id: Id) -> bool {
    let definition = scope.definition(id);
    definition.is_some_and(|one| is_current(scope, one))
}

fn is_current(scope: &Scope, one: &Definition) -> bool {
    match one.kind {
        Kind::Impl(_) => one.head_binds().values().all(|id| means(scope, *id)),
        _ => scope.is_current(one),
    }
}
