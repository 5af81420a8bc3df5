//! Finds the names of the notebook that a cell reads and writes. If a name that it has read is
//! written again, the cell may be stale.
//!
//! The variables are those that the closure of its statements captures, as rustc lists them in the
//! MIR. Definitions are found by their names in the code.

use crate::imports::Import;
use crate::names;
use crate::parsed_cell::ParsedCell;
use crate::scope::Scope;
use crate::stored_variable::StoredVariable;
use crate::surroundings::Id;
use crate::types;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::Item;

/// The names that a cell reads and writes: variables, definitions and imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellUses {
    /// Names from earlier cells.
    pub reads: BTreeSet<String>,
    /// Names that it defines, or whose value it can change in place.
    pub writes: BTreeSet<String>,
    /// The names in `writes`, except those of definitions that it only repeats.
    pub changes: BTreeSet<String>,
}

impl CellUses {
    /// Finds in a cell's MIR how it uses `taken`, the variables that it mentions.
    pub fn of_variables(
        mir: &str,
        function: &str,
        taken: &[&StoredVariable],
        scope: &Scope,
    ) -> CellUses {
        let mut uses = CellUses::default();
        for (captured, is_mutable) in captured(mir, function) {
            let Some(variable) = variable(captured, taken) else {
                continue;
            };
            let of_type = variable.definitions().into_iter();
            let of_type = of_type.filter_map(|id| scope.definition(id));
            uses.reads.extend(of_type.flat_map(|one| one.names.clone()));
            uses.reads.insert(variable.name.clone());
            if is_mutable {
                uses.write(&variable.name);
            }
        }
        uses
    }

    /// Adds the definitions and imports that a cell mentions, and those that it adds. `fresh` are
    /// the ones that only `after` has.
    pub fn add_definitions(
        &mut self,
        text: &str,
        cell: &ParsedCell,
        before: &Scope,
        after: &Scope,
        fresh: &[Id],
    ) {
        let own = own_names(text, cell);
        let mut mentioned = BTreeSet::new();
        if let Ok(tokens) = text.parse() {
            add_names(tokens, &mut mentioned);
        }
        mentioned.retain(|name| before.meaning(name).is_some() && !own.contains(name));
        self.reads.extend(mentioned);
        let is_new = |name: &&String| before.meaning(name) != after.meaning(name);
        self.changes.extend(own.iter().filter(is_new).cloned());
        self.writes.extend(own);
        // An `impl` block changes the types and traits in its header.
        for one in fresh.iter().filter_map(|id| after.definition(*id)) {
            let heads = one.head_binds();
            self.writes.extend(heads.keys().cloned());
            if !before.has_same(one) {
                self.changes.extend(heads.into_keys());
            }
        }
    }

    /// Adds a variable that the cell gives a value.
    pub fn write(&mut self, variable: &str) {
        self.writes.insert(variable.to_owned());
        self.changes.insert(variable.to_owned());
    }
}

/// The captures of the closure that contains a cell's statements, and whether each is mutable.
fn captured<'a>(mir: &'a str, function: &str) -> impl Iterator<Item = (&'a str, bool)> {
    let body = types::of_statements(mir, function).unwrap_or_default();
    let lines = body.lines().skip(1);
    let captures = lines.map_while(|line| line.strip_prefix("    debug "));
    captures.filter_map(|line| {
        let (name, place) = line.split_once(" => ")?;
        let (field, type_code) = place.split_once(": ")?;
        let is_borrowed = field.starts_with("(*");
        Some((name, is_borrowed && type_code.starts_with("&mut ")))
    })
}

/// The variable that is captured, either as a whole or, as in `point__x`, by a field.
fn variable<'a>(captured: &str, taken: &[&'a StoredVariable]) -> Option<&'a StoredVariable> {
    let is_of = |one: &&&StoredVariable| {
        let rest = captured.strip_prefix(one.name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
    };
    let found = taken.iter().filter(is_of);
    found.max_by_key(|one| one.name.len()).copied()
}

/// The names that a cell's definitions and imports certainly have.
fn own_names(text: &str, cell: &ParsedCell) -> BTreeSet<String> {
    let of_item = |item: &Item| match item {
        Item::Macro(rules) if let Some(name) = &rules.ident => vec![name.to_string()],
        item => names::of(item),
    };
    let of_items = cell.items.iter().flat_map(|part| of_item(&part.item));
    let uses = cell.uses.iter();
    let imports = uses.flat_map(|range| Import::all(&text[range.clone()]));
    of_items.chain(imports.map(|import| import.name)).collect()
}

/// Collects the names in code: words other than fields and methods, and those in format strings.
fn add_names(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let mut is_member = false;
    for token in tokens {
        let was_member = std::mem::take(&mut is_member);
        match token {
            TokenTree::Group(group) => add_names(group.stream(), names),
            TokenTree::Ident(word) if was_member => drop(word),
            TokenTree::Ident(word) => drop(names.insert(word.to_string())),
            TokenTree::Punct(punct) => is_member = punct.as_char() == '.' && !was_member,
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let words = text.split('{').skip(1);
                let words = words.filter_map(|rest| rest.split(|c| !is_part(c)).next());
                names.extend(words.map(str::to_owned));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MIR as rustc 1.95 writes it.
    const MIR: &str = "
fn run_8::run_cell_8::{closure#0}(_1: {closure@c8.rs:5:17: 5:19}) -> Result<(), Failed> {
    debug q => (*(_1.0: &std::vec::Vec<f32>));
    debug v => (*(_1.1: &mut std::vec::Vec<f32>));
    debug p__x__y => (*(_1.2: &mut f32));
    debug moved => (_1.3: &mut [f32]);
    debug v__w => (*((*_1).4: &&mut f32));
    debug r#type => (*(_1.5: &u8));
    let mut _0: std::result::Result<(), Failed>;
    scope 1 {
        debug local => _2;
    }
}

fn run_8::run_cell_8::{closure#0}::{closure#0}(_1: &{closure@c8.rs:9:1: 9:3}) -> i32 {
    debug inner => (*(_1.0: &mut i32));
}
";

    fn stored(name: &str, type_code: &str) -> StoredVariable {
        StoredVariable {
            name: name.to_owned(),
            type_code: type_code.to_owned(),
            is_mutable: true,
            cell: 1,
        }
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn variables_are_read_or_written_as_they_are_captured() {
        let all = ["q", "v", "v__w", "p", "moved", "r#type", "local", "inner"];
        let all = all.map(|name| stored(name, "f32"));
        let taken: Vec<&StoredVariable> = all.iter().collect();
        let uses = CellUses::of_variables(MIR, "run_cell_8", &taken, &Scope::default());
        assert_eq!(uses.reads, set(&["q", "v", "v__w", "p", "moved", "r#type"]));
        assert_eq!(uses.writes, set(&["v", "p"]));
        assert_eq!(uses.changes, uses.writes);
        let none = CellUses::of_variables("", "run_cell_8", &taken, &Scope::default());
        assert_eq!(none, CellUses::default());
    }

    #[test]
    fn members_and_comments_are_no_names_of_definitions() {
        let mut names = BTreeSet::new();
        let code = "a.b(c..d, ..e) // f\n /* g */ + \"h {i:?} {{j\" [k!(l)] + m::<N>(1.0, '{')";
        add_names(code.parse().expect("tokens"), &mut names);
        names.remove("");
        let expected = ["a", "c", "d", "e", "i", "j", "k", "l", "m", "N"];
        assert_eq!(names, set(&expected));
    }
}
