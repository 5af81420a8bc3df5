//! Compiled cells as one crate, for programs that run them without an evaluator, such as a web page.

use crate::crate_source::{self, HEAD, Statements};
use crate::surroundings::Id;
use crate::stored_variable::StoredVariable;
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
    pub(crate) fn add(
        &mut self,
        number: u64,
        cell: WholeCell,
        definitions: BTreeMap<Id, String>,
    ) {
        for (id, module) in definitions {
            // The first version: later ones declare its statics as `extern`.
            self.definitions.entry(id).or_insert(module);
        }
        self.cells.insert(number, cell);
    }

    /// The cells that must run before this one, and then the cell itself: those that declare its
    /// variables, and those that may have changed them since.
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
                next.extend(found.map(|(before, _)| *before).filter(|one| needed.insert(*one)));
            }
        }
        needed
    }

    /// The source of a crate that runs these cells. Its function
    /// `run(cell: u64, store: &mut cell_runtime::Store)` returns what `cell_runtime::run` does, or
    /// `None` if it does not have the cell. The crate depends on `cell_runtime` and on the crates
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
        source + &format!(
            "pub fn run(cell: u64, store: &mut ::cell_runtime::Store) -> \
             Option<Result<(), ::cell_runtime::Ended>> {{\nmatch cell {{\n{arms}_ => None,\n}}\n}}\n"
        )
    }
}
