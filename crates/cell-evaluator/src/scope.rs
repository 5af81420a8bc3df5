//! A notebook's definitions: which one each name refers to now, and which are in use.
//!
//! A definition keeps the definitions it was written against. Defining a name again makes a
//! separate definition: values of the old type keep the old type.

use crate::definition::{Definition, DefinitionKind};
use crate::imports::Import;
use crate::macro_text;
use crate::mentions::mentions;
use crate::parsed_cell::{EarlierNames, ParsedCell};
use crate::piece::Piece;
use crate::source_text::CellPlace;
use crate::surroundings::{Id, Surroundings};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// Everything that cells have defined so far.
#[derive(Clone, Default)]
pub struct Scope {
    definitions: BTreeMap<Id, Rc<Definition>>,
    /// The definition that each name refers to now.
    names: BTreeMap<String, Id>,
    imports: Vec<Import>,
    /// The rules of macros by name, and whether they expand to items.
    macros: BTreeMap<String, (Rc<Piece>, bool)>,
    /// Crate-level attributes from cells, such as `#![feature(..)]`.
    attributes: Vec<Piece>,
    next: Id,
    /// The cell numbers that the front end shows, keyed by the evaluator's own.
    shown: BTreeMap<u64, u64>,
}

impl EarlierNames for Scope {
    fn makes_items(&self, name: &str) -> bool {
        self.macros.get(name).is_some_and(|(_, is_items)| *is_items)
    }

    fn is_defined(&self, name: &str) -> bool {
        self.names.contains_key(name) || self.imports.iter().any(|import| import.name == name)
    }
}

impl Scope {
    /// Sets the number that the front end shows for the cell `number`.
    pub fn show_as(&mut self, number: u64, shown: u64) {
        self.shown.insert(number, shown);
    }

    /// The number that the front end shows for a cell.
    pub fn shown(&self, number: u64) -> u64 {
        self.shown.get(&number).copied().unwrap_or(number)
    }

    /// Looks up a definition by number.
    pub fn definition(&self, id: Id) -> Option<&Definition> {
        self.definitions.get(&id).map(Rc::as_ref)
    }

    /// The text of the definition at a place in a cell.
    pub fn piece_at(&self, place: &CellPlace) -> Option<&Piece> {
        let mut pieces = self.definitions.values().map(|one| &one.piece);
        pieces.find(|one| one.cell == place.number && one.range.contains(&place.range.start))
    }

    pub fn has_definitions(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// The definition that a name refers to now.
    pub fn named(&self, name: &str) -> Option<&Definition> {
        self.names.get(name).and_then(|id| self.definition(*id))
    }

    /// The meaning of a name: a definition, the rules of a macro or an import. `None` if it has
    /// none of these.
    pub fn meaning(&self, name: &str) -> Option<(Option<Id>, Option<&str>, Option<&Import>)> {
        let definition = self.names.get(name).copied();
        let rules = self.macros.get(name).map(|(rules, _)| rules.code());
        let import = self.imports.iter().find(|import| import.name == name);
        let is_something = definition.is_some() || rules.is_some() || import.is_some();
        is_something.then_some((definition, rules, import))
    }

    /// Whether there is a definition with the same text whose names refer to the same definitions.
    pub fn has_same(&self, one: &Definition) -> bool {
        let mut all = self.definitions.values();
        all.any(|known| {
            known.piece.code() == one.piece.code()
                && known.surroundings.binds == one.surroundings.binds
        })
    }

    /// The `use` declarations in force, each with the definition that its path starts with, if any.
    pub fn imports(&self) -> Vec<Import> {
        self.imports_by(&self.names)
    }

    pub fn macros(&self) -> impl Iterator<Item = &Piece> {
        self.macros.values().map(|(rules, _)| rules.as_ref())
    }

    /// The crate-level attributes from cells.
    pub fn attributes(&self) -> &[Piece] {
        &self.attributes
    }

    /// Adds a cell's definitions and imports. Returns the new definitions.
    pub fn define(
        &mut self,
        number: u64,
        key: Option<&str>,
        text: &Rc<str>,
        cell: &ParsedCell,
    ) -> Vec<Id> {
        if let Some(key) = key {
            self.forget_unnamed_of(key);
        }
        for range in &cell.uses {
            for import in Import::all(&text[range.clone()]) {
                self.import(import);
            }
        }
        let piece = |range: &Range<usize>, changes| Piece {
            cell: number,
            text: Rc::clone(text),
            range: range.clone(),
            changes,
        };
        for range in &cell.attributes {
            let one = piece(range, Vec::new());
            if !self
                .attributes
                .iter()
                .any(|known| known.code() == one.code())
            {
                self.attributes.push(one);
            }
        }
        let mut fresh = Vec::new();
        for part in &cell.items {
            if let syn::Item::Macro(rules) = &part.item
                && let Some(name) = &rules.ident
            {
                let made = macro_text::of_rules(rules.mac.tokens.clone());
                let rules = Rc::new(piece(&part.range, made.changes));
                self.macros.insert(name.to_string(), (rules, made.is_items));
                continue;
            }
            let mut one = Definition::new(self.next, number, text, part);
            one.key = key.map(str::to_owned);
            self.next += 1;
            fresh.push(one);
        }
        let fresh = self.without_repeated(fresh);
        let ids: Vec<Id> = fresh.iter().map(|one| one.id).collect();
        for one in fresh {
            for name in &one.names {
                self.names.insert(name.clone(), one.id);
                self.imports.retain(|import| import.name != *name);
            }
            self.definitions.insert(one.id, Rc::new(one));
        }
        for id in &ids {
            let one = &self.definitions[id];
            let surroundings = self.surroundings(&one.mentions, Some(one));
            let one = self.definitions.get_mut(id).expect("it was put there");
            Rc::make_mut(one).surroundings = surroundings;
            let one = Rc::clone(one);
            self.supersede(&one);
        }
        ids
    }

    /// The surroundings needed by code that mentions these names. `of` is the definition, if the
    /// code is one.
    pub fn surroundings(
        &self,
        mentioned: &BTreeSet<String>,
        of: Option<&Definition>,
    ) -> Surroundings {
        let (names, macros) = self.reached(mentioned);
        let is_own = |id: &Id| of.is_some_and(|own| own.id == *id);
        let is_trait = |id: &Id| {
            self.definition(*id)
                .is_some_and(|one| one.kind == DefinitionKind::Trait)
        };
        let binds = self
            .names
            .iter()
            .filter(|(name, id)| !is_own(id) && (names.contains(*name) || is_trait(id)));
        // Definitions with unknown names form a chain: each re-exports the ones before it.
        let is_before = |id: Id| of.is_none_or(|own| !own.makes_others || id < own.id);
        let made = self.definitions.values().rev().find(|one| {
            one.makes_others && is_before(one.id) && !is_own(&one.id) && self.is_current(one)
        });
        Surroundings {
            binds: binds.map(|(name, id)| (name.clone(), *id)).collect(),
            made: made.map(|one| one.id),
            imports: self.imports(),
            macros,
        }
    }

    /// All names that code mentioning these can refer to, and the macros involved.
    fn reached(&self, mentioned: &BTreeSet<String>) -> (BTreeSet<String>, Vec<Rc<Piece>>) {
        let mut names = mentioned.clone();
        let mut macros: Vec<Rc<Piece>> = Vec::new();
        let mut next: Vec<String> = names.iter().cloned().collect();
        while let Some(name) = next.pop() {
            if let Some((rules, _)) = self.macros.get(&name) {
                macros.push(Rc::clone(rules));
                let more = mentions(rules.code()).into_iter();
                next.extend(more.filter(|name| names.insert(name.clone())));
            }
        }
        (names, macros)
    }

    /// Whether a definition is current rather than replaced.
    pub fn is_current(&self, one: &Definition) -> bool {
        let is_meant = |name: &String| self.names.get(name) == Some(&one.id);
        !one.is_forgotten && (one.names.is_empty() || one.names.iter().any(is_meant))
    }

    /// The definitions in use: those that names refer to, their dependencies, and the `impl` blocks
    /// of all of these. `kept` are those that the types of variables need.
    pub fn in_use(&self, kept: &BTreeSet<Id>) -> Vec<&Definition> {
        let is_needed = |one: &&Rc<Definition>| {
            let is_impl = matches!(one.kind, DefinitionKind::Impl(_));
            !is_impl && self.is_current(one)
        };
        let current = self.definitions.values().filter(is_needed);
        let mut next: Vec<Id> = current
            .map(|one| one.id)
            .chain(kept.iter().copied())
            .collect();
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
                matches!(one.kind, DefinitionKind::Impl(_))
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

    /// Drops definitions that are not in use.
    pub fn sweep(&mut self, kept: &BTreeSet<Id>) {
        let used: BTreeSet<Id> = self.in_use(kept).iter().map(|one| one.id).collect();
        self.definitions.retain(|id, _| used.contains(id));
    }

    /// Records which library now holds the statics of definitions.
    pub fn keep_statics(&mut self, ids: &[Id], library: &std::path::Path) {
        for id in ids {
            if let Some(one) = self.definitions.get_mut(id)
                && one.has_statics()
            {
                Rc::make_mut(one).statics_in = Some(library.to_owned());
            }
        }
    }

    /// The imports, each with the definition in `names` that its path starts with, if any.
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

    /// Drops the `impl` blocks of a cell's earlier run, and marks its macro-generated items as
    /// forgotten: these have no names, so no new definition replaces them.
    fn forget_unnamed_of(&mut self, key: &str) {
        let is_of_it = |one: &Definition| one.names.is_empty() && one.key.as_deref() == Some(key);
        self.definitions
            .retain(|_, one| !(is_of_it(one) && matches!(one.kind, DefinitionKind::Impl(_))));
        for one in self.definitions.values_mut().filter(|one| is_of_it(one)) {
            Rc::make_mut(one).is_forgotten = true;
        }
    }

    /// Drops definitions that repeat existing ones word for word and refer to the same definitions:
    /// running a cell again changes no type. Those with statics stay, so that their statics start
    /// afresh.
    fn without_repeated(&self, fresh: Vec<Definition>) -> Vec<Definition> {
        let mut same: BTreeMap<Id, &Definition> = BTreeMap::new();
        for one in &fresh {
            let known = one.names.first().and_then(|name| self.named(name));
            if let Some(known) = known.filter(|known| {
                known.names == one.names
                    && known.piece.code() == one.piece.code()
                    && !one.has_statics()
            }) {
                same.insert(one.id, known);
            }
        }
        loop {
            let mut after = self.names.clone();
            for one in &fresh {
                let id = same.get(&one.id).map_or(one.id, |known| known.id);
                after.extend(one.names.iter().map(|name| (name.clone(), id)));
            }
            let imports = self.imports_by(&after);
            let means_the_same = |id: &Id, known: &Definition| {
                let own = fresh.iter().find(|one| one.id == *id).expect("it is fresh");
                let (names, macros) = self.reached(&own.mentions);
                let is_meant = |name: &String| names.contains(name) && !own.names.contains(name);
                let mut wanted = after.clone();
                wanted.retain(|name, _| is_meant(name));
                let mut bound = known.surroundings.binds.clone();
                bound.retain(|name, _| is_meant(name));
                let of = |all: &[Import]| -> Vec<Import> {
                    let is_used = |one: &&Import| one.name == "*" || is_meant(&one.name);
                    all.iter().filter(is_used).cloned().collect()
                };
                let code = |all: &[Rc<Piece>]| -> Vec<String> {
                    all.iter().map(|one| one.code().to_owned()).collect()
                };
                wanted == bound
                    && of(&known.surroundings.imports) == of(&imports)
                    && code(&known.surroundings.macros) == code(&macros)
            };
            let count = same.len();
            same.retain(|id, known| means_the_same(id, known));
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

    /// Removes the parts of older `impl` blocks that a newer one repeats.
    fn supersede(&mut self, newer: &Definition) {
        let DefinitionKind::Impl(new) = &newer.kind else {
            return;
        };
        let head = newer.head_binds();
        let mut gone = Vec::new();
        for (id, older) in &mut self.definitions {
            let DefinitionKind::Impl(old) = &older.kind else {
                continue;
            };
            let is_same_run = older.piece.cell == newer.piece.cell;
            if is_same_run || old.text != new.text || older.head_binds() != head {
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
