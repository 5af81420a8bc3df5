//! What stands around a piece of code, so that its names mean what they meant in the notebook.

use crate::imports::Import;
use crate::source_text::SourceText;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number of a definition: that of its module, for as long as the notebook runs.
pub type Id = usize;

/// The module of a definition.
pub fn module(id: Id) -> String {
    format!("item_{id}")
}

/// What code in a module of its own needs to find its names.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub binds: BTreeMap<String, Id>,
    /// Definitions whose names only the compiler knows.
    pub made: Vec<Id>,
    pub imports: Vec<Import>,
    pub macros: Rc<str>,
}

impl Surroundings {
    /// The definitions that code in them needs.
    pub fn needed(&self) -> impl Iterator<Item = Id> {
        let imported = self.imports.iter().filter_map(|import| import.of);
        let all: Vec<Id> = (self.binds.values().copied())
            .chain(self.made.iter().copied())
            .chain(imported)
            .collect();
        all.into_iter()
    }

    /// Writes the imports. `prefix` is the path to the modules of definitions; names in `own` are
    /// defined in the same module.
    pub fn write(&self, prefix: &str, own: &[String], source: &mut SourceText) {
        for (name, id) in &self.binds {
            if !own.contains(name) {
                source.around(&format!("use {prefix}{}::{name};\n", module(*id)));
            }
        }
        for id in &self.made {
            source.around(&format!("use {prefix}{}::*;\n", module(*id)));
        }
        for import in self.imports.iter() {
            if own.contains(&import.name) {
                continue;
            }
            let before = import.of.map(|id| format!("{prefix}{}::", module(id)));
            source.around(&import.declaration(&before.unwrap_or_default()));
            source.around("\n");
        }
        source.around(&self.macros);
        source.around("\n");
    }
}
