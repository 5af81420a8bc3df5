//! Compiled cells as one crate, for programs that run them without an evaluator, such as a web
//! page.

use crate::crate_source::{self, HEAD, Statements};
use crate::stored_variable::StoredVariable;
use crate::surroundings::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Cells of one notebook, each compiled after the one before it.
#[derive(Clone, Debug, Default)]
pub struct Whole {
    definitions: BTreeMap<Id, String>,
    cells: BTreeMap<u64, WholeCell>,
}

#[derive(Clone, Debug)]
pub(crate) struct WholeCell {
    module: String,
    takes: Vec<StoredVariable>,
}

impl WholeCell {
    pub fn of(cell: &Statements) -> WholeCell {
        WholeCell {
            module: crate_source::statements_within(cell),
            takes: cell.taken.iter().map(|one| (*one).clone()).collect(),
        }
    }
}

impl Whole {
    pub(crate) fn add(&mut self, number: u64, cell: WholeCell, definitions: BTreeMap<Id, String>) {
        for (id, module) in definitions {
            // The first version: later ones declare its statics as `extern`.
            self.definitions.entry(id).or_insert(module);
        }
        self.cells.insert(number, cell);
    }

    /// This cell and those that must run before it: the ones that declare its variables, and the
    /// ones that may have changed them since.
    pub fn needed(&self, number: u64) -> BTreeSet<u64> {
        let mut needed = BTreeSet::from([number]);
        let mut next = vec![number];
        while let Some(number) = next.pop() {
            for variable in self.cells.get(&number).iter().flat_map(|cell| &cell.takes) {
                let between = self.cells.range(variable.cell..number);
                let found = between.filter(|(before, cell)| {
                    let takes = || cell.takes.iter().any(|one| one == variable);
                    **before == variable.cell || (variable.is_mutable && takes())
                });
                next.extend(
                    found
                        .map(|(before, _)| *before)
                        .filter(|one| needed.insert(*one)),
                );
            }
        }
        needed
    }

    /// The source of a crate that runs these cells. Its function
    /// `run(cell: u64, store: &mut cell_runtime::Store)` returns what `cell_runtime::run` does, or
    /// `None` if the cell is not among them. The crate depends on `cell_runtime` and on the crates
    /// that the cells name.
    pub fn source(&self, cells: &BTreeSet<u64>) -> String {
        let mut source = HEAD.to_owned();
        source.extend(self.definitions.values().map(String::as_str));
        let mut arms = String::new();
        for (number, cell) in self.cells.iter().filter(|(one, _)| cells.contains(one)) {
            source += &cell.module;
            let symbol = crate_source::symbol(*number);
            let _ = writeln!(arms, "{number} => Some(run_{number}::{symbol}(store)),");
        }
        source
            + &format!(
                "pub fn run(cell: u64, store: &mut ::cell_runtime::Store) -> \
             Option<Result<(), ::cell_runtime::Ended>> {{\nmatch cell {{\n{arms}_ => None,\n}}\n}}\n"
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, cell: u64, is_mutable: bool) -> StoredVariable {
        StoredVariable {
            name: name.to_owned(),
            type_code: "f32".to_owned(),
            is_mutable,
            cell,
        }
    }

    fn whole(takes: &[&[(&str, u64, bool)]]) -> Whole {
        let mut whole = Whole::default();
        for (number, takes) in (1..).zip(takes) {
            let takes = takes
                .iter()
                .map(|(name, cell, is_mutable)| variable(name, *cell, *is_mutable));
            let module = format!("pub mod run_{number} {{}}\n");
            let takes = takes.collect();
            whole.add(number, WholeCell { module, takes }, BTreeMap::new());
        }
        whole
    }

    #[test]
    fn a_cell_needs_those_that_declare_or_change_its_variables() {
        let x = ("x", 1, false);
        let model = ("model", 2, true);
        let whole = whole(&[
            &[],      // 1: let x
            &[x],     // 2: let mut model, from x
            &[x],     // 3: shows x
            &[model], // 4: trains model
            &[],      // 5: let x, another one
            &[model], // 6: shows model
            &[("x", 5, false)],
        ]);
        assert_eq!(whole.needed(3), [1, 3].into());
        assert_eq!(whole.needed(6), [1, 2, 4, 6].into());
        assert_eq!(whole.needed(7), [5, 7].into());
        let source = whole.source(&[1, 3].into());
        assert!(source.contains("1 => Some(run_1::run_cell_1(store)),"));
        assert!(!source.contains("run_2"), "{source}");
    }
}
