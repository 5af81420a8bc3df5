//! The context that gives the names in a piece of code the meaning they had in the notebook.

use crate::imports::Import;
use crate::piece::Piece;
use crate::source_text::SourceText;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number of a definition and of its module, for as long as the notebook runs.
pub type Id = usize;

/// The name of a definition's module.
pub fn module(id: Id) -> String {
    format!("item_{id}")
}

/// What must be in scope for code in its own module to resolve its names.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub binds: BTreeMap<String, Id>,
    /// The newest definition whose names only the compiler knows: it re-exports the ones before it.
    pub made: Option<Id>,
    pub imports: Vec<Import>,
    pub macros: Vec<Rc<Piece>>,
}

impl Surroundings {
    /// The definitions that these names and imports refer to.
    pub fn needed(&self) -> impl Iterator<Item = Id> {
        let imported = self.imports.iter().filter_map(|import| import.of);
        let all: Vec<Id> = (self.binds.values().copied())
            .chain(self.made)
            .chain(imported)
            .collect();
        all.into_iter()
    }

    /// Whether a name refers to a definition or an import of the notebook.
    pub fn binds(&self, name: &str) -> bool {
        let rules = format!("macro_rules! {name} ");
        self.binds.contains_key(name)
            || self.imports.iter().any(|import| import.name == name)
            || self
                .macros
                .iter()
                .any(|piece| piece.code().starts_with(&rules))
    }

    /// Writes the imports and the macros. `prefix` is the path to the modules of definitions; names
    /// in `own` are defined in this same module. If `is_made`, names that macros generated are
    /// re-exported.
    pub fn write(&self, prefix: &str, own: &[String], is_made: bool, source: &mut SourceText) {
        for (name, id) in &self.binds {
            if !own.contains(name) {
                source.around(&format!("use {prefix}{}::{name};\n", module(*id)));
            }
        }
        if let Some(id) = self.made {
            let visible = if is_made { "pub " } else { "" };
            source.around(&format!("{visible}use {prefix}{}::*;\n", module(id)));
        }
        for import in self.imports.iter() {
            if own.contains(&import.name) {
                continue;
            }
            let before = import.of.map(|id| format!("{prefix}{}::", module(id)));
            source.around(&import.declaration(&before.unwrap_or_default()));
            source.around("\n");
        }
        for rules in &self.macros {
            rules.write(Vec::new(), source);
            source.around("\n");
        }
    }
}
