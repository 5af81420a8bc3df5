//! What is defined in a notebook: which definition each name means now, and which ones are in use.
//!
//! A definition keeps the definitions it was written against. One that is defined again under its
//! name is another one: values of the old type stay of the old type.

use crate::cell::{Cell, makes_items};
use crate::definition::{Definition, Kind};
use crate::imports::Import;
use crate::mentions::mentions;
use crate::surroundings::{Id, Surroundings};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the cells so far have defined.
#[derive(Clone, Default)]
pub struct Scope {
    definitions: BTreeMap<Id, Rc<Definition>>,
    /// What each name means now.
    names: BTreeMap<String, Id>,
    imports: Vec<Import>,
    /// The rules of macros, by their names, as text.
    macros: BTreeMap<String, Rc<str>>,
    next: Id,
}

impl Scope {
    /// The definitions, by their numbers.
    pub fn definition(&self, id: Id) -> Option<&Definition> {
        self.definitions.get(&id).map(Rc::as_ref)
    }

    pub fn has_definitions(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// The definition that a name means now.
    pub fn named(&self, name: &str) -> Option<&Definition> {
        self.names.get(name).and_then(|id| self.definition(*id))
    }

    /// Whether a macro of an earlier cell makes items.
    pub fn makes_items(&self, name: &str) -> bool {
        self.macros
            .get(name)
            .is_some_and(|rules| makes_items(rules))
    }

    /// Adds what a cell defines and imports. Returns the definitions that are new.
    pub fn define(
        &mut self,
        number: u64,
        key: Option<&str>,
        text: &Rc<str>,
        cell: &Cell,
    ) -> Vec<Id> {
        if let Some(key) = key {
            self.forget_unnamed_of(key);
        }
        for range in &cell.uses {
            for import in Import::all(&text[range.clone()]) {
                self.import(import);
            }
        }
        let mut fresh = Vec::new();
        for part in &cell.items {
            let mut one = Definition::new(self.next, number, text, part);
            one.key = key.map(str::to_owned);
            if let syn::Item::Macro(made) = &part.item
                && let Some(name) = &made.ident
            {
                self.macros.insert(name.to_string(), one.code().into());
                continue;
            }
            self.next += 1;
            fresh.push(one);
        }
        let fresh = self.without_repeated(fresh);
        for one in &fresh {
            for name in &one.names {
                self.names.insert(name.clone(), one.id);
                self.imports.retain(|import| import.name != *name);
            }
        }
        let ids = fresh.iter().map(|one| one.id).collect();
        for mut one in fresh {
            one.surroundings = self.surroundings(&one.mentions, Some(&one));
            self.supersede(&one);
            self.definitions.insert(one.id, Rc::new(one));
        }
        ids
    }

    /// What code that mentions these names needs. `of` is the definition that the code is.
    pub fn surroundings(
        &self,
        mentioned: &BTreeSet<String>,
        of: Option<&Definition>,
    ) -> Surroundings {
        let mut names = mentioned.clone();
        let mut macros = Vec::new();
        let mut next: Vec<String> = names.iter().cloned().collect();
        while let Some(name) = next.pop() {
            let Some(rules) = self.macros.get(&name) else {
                continue;
            };
            if macros
                .iter()
                .any(|known: &Rc<str>| Rc::ptr_eq(known, rules))
            {
                continue;
            }
            macros.push(Rc::clone(rules));
            for name in mentions(rules) {
                if names.insert(name.clone()) {
                    next.push(name);
                }
            }
        }
        let is_own = |id: &Id| of.is_some_and(|own| own.id == *id);
        let is_trait = |id: &Id| {
            self.definition(*id)
                .is_some_and(|one| one.kind == Kind::Trait)
        };
        let binds = self
            .names
            .iter()
            .filter(|(name, id)| !is_own(id) && (names.contains(*name) || is_trait(id)));
        let made = self
            .definitions
            .values()
            .filter(|one| one.kind == Kind::Made && !is_own(&one.id));
        macros.reverse();
        Surroundings {
            binds: binds.map(|(name, id)| (name.clone(), *id)).collect(),
            made: made.map(|one| one.id).collect(),
            imports: self.imports_by(&self.names),
            macros: macros.join("\n").into(),
        }
    }

    /// The definitions that are in use: what names mean, what those need, and the `impl` blocks of
    /// all of them. `kept` are those that the types of variables need.
    pub fn in_use(&self, kept: &BTreeSet<Id>) -> Vec<&Definition> {
        let made = self
            .definitions
            .values()
            .filter(|one| one.kind == Kind::Made);
        let mut next: Vec<Id> = self.names.values().chain(kept).copied().collect();
        next.extend(made.map(|one| one.id));
        let mut found = BTreeSet::new();
        loop {
            while let Some(id) = next.pop() {
                if let Some(one) = self.definition(id)
                    && found.insert(id)
                {
                    next.extend(one.surroundings.needed());
                }
            }
            let is_due = |one: &&Rc<Definition>| {
                let head = one.head_binds();
                matches!(one.kind, Kind::Impl(_))
                    && !found.contains(&one.id)
                    && head.values().all(|id| found.contains(id))
            };
            next.extend(self.definitions.values().filter(is_due).map(|one| one.id));
            if next.is_empty() {
                break;
            }
        }
        found.iter().filter_map(|id| self.definition(*id)).collect()
    }

    /// Forgets definitions that are not in use.
    pub fn sweep(&mut self, kept: &BTreeSet<Id>) {
        let used: BTreeSet<Id> = self.in_use(kept).iter().map(|one| one.id).collect();
        self.definitions.retain(|id, _| used.contains(id));
    }

    /// Says where the statics of definitions have their storage from now on.
    pub fn keep_statics(&mut self, ids: &[Id], library: &std::path::Path) {
        for id in ids {
            if let Some(one) = self.definitions.get_mut(id)
                && one.has_statics()
            {
                Rc::make_mut(one).statics_in = Some(library.to_owned());
            }
        }
    }

    /// The imports, those of definitions with what their paths mean.
    fn imports_by(&self, names: &BTreeMap<String, Id>) -> Vec<Import> {
        let resolved = self.imports.iter().map(|import| Import {
            of: import
                .path
                .first()
                .and_then(|first| names.get(first))
                .copied(),
            ..import.clone()
        });
        resolved.collect()
    }

    fn import(&mut self, mut import: Import) {
        if import.path.len() > 1 && ["crate", "self"].contains(&import.path[0].as_str()) {
            import.path.remove(0);
        }
        let imports = &mut self.imports;
        if !["*", "_"].contains(&import.name.as_str()) {
            imports.retain(|one| one.name != import.name);
            self.names.remove(&import.name);
        }
        if !imports.contains(&import) {
            imports.push(import);
        }
    }

    /// `impl` blocks and what macros made have no name under which they would be replaced.
    fn forget_unnamed_of(&mut self, key: &str) {
        let is_of_it = |one: &Definition| one.names.is_empty() && one.key.as_deref() == Some(key);
        self.definitions.retain(|_, one| !is_of_it(one));
    }

    /// Without those that say, word for word, what is defined already, by the same definitions: a
    /// cell that runs again changes no type. Statics begin again.
    fn without_repeated(&self, fresh: Vec<Definition>) -> Vec<Definition> {
        let mut same: BTreeMap<Id, &Definition> = BTreeMap::new();
        for one in &fresh {
            let known = match &one.names[..] {
                [name] => self.named(name),
                _ => None,
            };
            if let Some(known) =
                known.filter(|known| known.code() == one.code() && !one.has_statics())
            {
                same.insert(one.id, known);
            }
        }
        loop {
            let mut after = self.names.clone();
            for one in &fresh {
                let id = same.get(&one.id).map_or(one.id, |known| known.id);
                after.extend(one.names.iter().map(|name| (name.clone(), id)));
            }
            let binds_the_same = |id: &Id, known: &Definition| {
                let own = fresh.iter().find(|one| one.id == *id).expect("it is fresh");
                let mut wanted = after.clone();
                wanted.retain(|name, _| own.mentions.contains(name) && !own.names.contains(name));
                let mut bound = known.surroundings.binds.clone();
                bound.retain(|name, _| own.mentions.contains(name));
                wanted == bound && known.surroundings.imports == self.imports_by(&after)
            };
            let count = same.len();
            same.retain(|id, known| binds_the_same(id, known));
            if same.len() == count {
                break;
            }
        }
        let same: BTreeSet<Id> = same.keys().copied().collect();
        fresh
            .into_iter()
            .filter(|one| !same.contains(&one.id))
            .collect()
    }

    /// Removes what an `impl` block says once more.
    fn supersede(&mut self, newer: &Definition) {
        let Kind::Impl(new) = &newer.kind else {
            return;
        };
        let head = newer.head_binds();
        let mut gone = Vec::new();
        for (id, older) in &mut self.definitions {
            let Kind::Impl(old) = &older.kind else {
                continue;
            };
            if old.text != new.text || older.head_binds() != head {
                continue;
            }
            let repeated: Vec<String> = (old.members.keys())
                .filter(|name| new.members.contains_key(*name))
                .cloned()
                .collect();
            if old.is_of_trait || repeated.len() == old.members.len() {
                gone.push(*id);
            } else if !repeated.is_empty() {
                Rc::make_mut(older).leave_out(&repeated);
            }
        }
        for id in gone {
            self.definitions.remove(&id);
        }
    }
}
