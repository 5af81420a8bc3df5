//! The cells of a notebook as a crate that runs without a kernel.

use crate::config::Config;
use crate::first_lines::only_rust;
use crate::session::cell_compiler;
use crate::set_up;
use anyhow::Result;
use cell_evaluator::{Ending, Whole};
use std::collections::BTreeSet;
use std::path::Path;

/// The cells of a notebook, compiled one after the other but not run.
pub struct AsCrate {
    whole: Whole,
    numbers: Vec<Option<u64>>,
}

impl AsCrate {
    /// Compiles the cells in an empty folder. Commands in their first lines are ignored.
    ///
    /// # Errors
    ///
    /// If the crates for cells have not been set up.
    pub fn compile(config: &Config, folder: &Path, cells: &[impl AsRef<str>]) -> Result<AsCrate> {
        let made = set_up::prepared(config, folder)?;
        let mut compiler = cell_compiler(folder, &made, &config.imports);
        compiler.keep_whole();
        let compile = |cell: &dyn AsRef<str>| {
            let compiled = compiler.compile(&only_rust(cell.as_ref()), None).ok()?;
            let number = compiler.number();
            compiler.ran(compiled, Ending::Done).ok().map(|()| number)
        };
        let cells = cells.iter().map(|cell| cell as &dyn AsRef<str>);
        let numbers = cells.map(compile).collect();
        let whole = compiler.whole().cloned().unwrap_or_default();
        Ok(AsCrate { whole, numbers })
    }

    /// The numbers of the cell at `place` and of the cells that must run before it; `None` if it
    /// does not compile.
    pub fn needed(&self, place: usize) -> Option<BTreeSet<u64>> {
        let number = self.numbers.get(place).copied().flatten()?;
        Some(self.whole.needed(number))
    }

    /// The places of cells with these numbers.
    pub fn places(&self, cells: &BTreeSet<u64>) -> Vec<usize> {
        let places = self.numbers.iter().enumerate();
        let needed =
            places.filter(|(_, number)| number.is_some_and(|number| cells.contains(&number)));
        needed.map(|(place, _)| place).collect()
    }

    /// The source of a crate with these cells: see [`Whole::source`].
    pub fn source(&self, cells: &BTreeSet<u64>) -> String {
        self.whole.source(cells)
    }
}
