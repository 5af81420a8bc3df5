//! Finds the cells whose outputs are out of date, because a cell above them has since changed
//! something that they used.

use cell_evaluator::CellUses;
use notebook::evaluator::StaleCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The names that each cell has read and written, keyed by the front end's ids for the cells.
#[derive(Debug, Default)]
pub struct StaleCells {
    /// How many cells have ended, which serves as a clock.
    now: u64,
    /// The last run of each cell.
    runs: BTreeMap<String, CellTrace>,
    /// For each name, when each cell last changed it. `None` stands for cells without an id.
    changes: BTreeMap<String, BTreeMap<Option<String>, u64>>,
}

#[derive(Debug)]
struct CellTrace {
    time: u64,
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
}

impl StaleCells {
    /// Records that a cell has begun: its outputs are being replaced.
    pub fn begin(&mut self, cell: Option<&str>) {
        if let Some(cell) = cell {
            self.runs.remove(cell);
        }
    }

    /// Records that a cell has ended.
    pub fn end(&mut self, cell: Option<&str>, uses: CellUses) {
        self.now += 1;
        for name in uses.changes {
            let changes = self.changes.entry(name).or_default();
            changes.insert(cell.map(str::to_owned), self.now);
        }
        if let Some(cell) = cell {
            let trace = CellTrace {
                time: self.now,
                reads: uses.reads,
                writes: uses.writes,
            };
            self.runs.insert(cell.to_owned(), trace);
        }
    }

    /// The stale cells of a notebook. `order` are the ids of its cells from top to bottom.
    ///
    /// A cell is stale if one of its sources has since changed a name that it read, or has itself
    /// become stale. The sources of a name are the cells above that write it, from the last one
    /// that does not also read it, and any cell outside the notebook.
    pub fn stale(&self, order: &[String]) -> Vec<StaleCell> {
        let places: HashMap<&str, usize> = order.iter().map(String::as_str).zip(0..).collect();
        let mut sources: HashMap<&str, Sources> = HashMap::new();
        let mut found = Vec::new();
        for (here, cell) in order.iter().enumerate() {
            let Some(run) = self.runs.get(cell) else {
                continue;
            };
            let mut stale = StaleCell {
                key: cell.clone(),
                ..StaleCell::default()
            };
            let mut since = 0;
            for name in &run.reads {
                let Sources { first, outdated } = *sources.entry(name).or_default();
                let is_source = |by: &Option<String>| {
                    let place = by.as_ref().and_then(|by| places.get(by.as_str()));
                    place.is_none_or(|place| (first..here).contains(place))
                };
                let changes = self.changes.get(name).into_iter().flatten();
                let changes = changes.filter(|(by, _)| is_source(by));
                let changed = changes.map(|(_, time)| *time).max().unwrap_or(0);
                let times = [
                    (changed, &mut stale.changed),
                    (outdated, &mut stale.outdated),
                ];
                for (time, names) in times.into_iter().filter(|(time, _)| *time > run.time) {
                    names.push(name.clone());
                    since = since.max(time);
                }
            }
            for name in &run.writes {
                let sources = sources.entry(name).or_default();
                if !run.reads.contains(name) {
                    *sources = Sources {
                        first: here,
                        outdated: 0,
                    };
                }
                sources.outdated = sources.outdated.max(since);
            }
            if since > 0 {
                found.push(stale);
            }
        }
        found
    }
}

/// The cells above a given place that determine a name's value there.
#[derive(Clone, Copy, Default)]
struct Sources {
    /// The place of the first one.
    first: usize,
    /// When one of them last became stale.
    outdated: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &str) -> BTreeSet<String> {
        names.split_whitespace().map(str::to_owned).collect()
    }

    /// A notebook whose cells `a`, `b`, ... read and write variables.
    #[derive(Default)]
    struct Notebook {
        cells: StaleCells,
        uses: BTreeMap<String, CellUses>,
    }

    impl Notebook {
        /// Runs these cells in order. `a: x > y` is a cell `a` that reads `x` and writes `y`.
        fn run(&mut self, cells: &[&str]) {
            for cell in cells {
                if let Some((cell, uses)) = cell.split_once(": ") {
                    let (reads, writes) = uses.split_once('>').expect("names");
                    let uses = CellUses {
                        reads: set(reads),
                        writes: set(writes),
                        changes: set(writes),
                    };
                    self.uses.insert(cell.to_owned(), uses);
                }
                let cell = cell.split(':').next().expect("a cell");
                self.cells.begin(Some(cell));
                self.cells.end(Some(cell), self.uses[cell].clone());
            }
        }

        /// The stale cells of a notebook with these cells, and why: `b: x` if `x` has changed,
        /// `b: (x)` if `x` comes from a cell that is stale.
        fn stale(&self, order: &str) -> Vec<String> {
            let order: Vec<String> = order.chars().map(String::from).collect();
            let stale = self.cells.stale(&order).into_iter();
            let text = |one: StaleCell| {
                let outdated = one.outdated.iter().map(|name| format!("({name})"));
                let names: Vec<String> = one.changed.iter().cloned().chain(outdated).collect();
                format!("{}: {}", one.key, names.join(" "))
            };
            stale.map(text).collect()
        }

        /// A chain `a`, `b`, `c`, `d`, each of which reads what the one before it wrote, except
        /// `d`.
        fn chain() -> Notebook {
            let mut notebook = Notebook::default();
            notebook.run(&["a: > x", "b: x > y", "c: y >", "d: > z"]);
            notebook
        }
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn a_changed_variable_makes_the_cells_below_stale() {
        let mut notebook = Notebook::chain();
        assert_eq!(notebook.stale("abcd"), NONE);
        notebook.run(&["a"]);
        assert_eq!(notebook.stale("abcd"), ["b: x", "c: (y)"]);
        notebook.run(&["b"]);
        assert_eq!(notebook.stale("abcd"), ["c: y"]);
        notebook.run(&["c"]);
        assert_eq!(notebook.stale("abcd"), NONE);
    }

    #[test]
    fn a_cell_that_has_just_run_is_not_stale() {
        let mut notebook = Notebook::chain();
        notebook.run(&["a", "c"]);
        // The `y` that `c` read is outdated, but `c` would read the same one again.
        assert_eq!(notebook.stale("abcd"), ["b: x"]);
        notebook.run(&["b"]);
        assert_eq!(notebook.stale("abcd"), ["c: y"]);
    }

    #[test]
    fn changes_in_place_reach_the_cells_below_only() {
        let mut notebook = Notebook::default();
        notebook.run(&["a: > m", "b: m >", "c: m > m", "d: m >"]);
        assert_eq!(notebook.stale("abcd"), NONE);
        notebook.run(&["c"]);
        assert_eq!(notebook.stale("abcd"), ["d: m"]);
        notebook.run(&["b", "d"]);
        assert_eq!(notebook.stale("abcd"), NONE);
        notebook.run(&["a"]);
        assert_eq!(notebook.stale("abcd"), ["b: m", "c: m", "d: m (m)"]);
        // If `c` is above `b` in the notebook, the same run of `c` also makes `b` stale.
        notebook.run(&["a", "b", "c"]);
        assert_eq!(notebook.stale("acbd")[0], "b: m");
    }

    #[test]
    fn a_variable_with_a_name_used_before_is_another_one() {
        let mut notebook = Notebook::default();
        notebook.run(&["a: > w", "b: w >", "c: > w", "d: w >"]);
        notebook.run(&["a"]);
        assert_eq!(notebook.stale("abcd"), ["b: w"]);
        notebook.run(&["b", "c"]);
        assert_eq!(notebook.stale("abcd"), ["d: w"]);
        // With `c` deleted, its variable still exists, but `a` is now the definition above `d`.
        notebook.run(&["d", "a"]);
        assert_eq!(notebook.stale("abd"), ["b: w", "d: w"]);
    }

    #[test]
    fn a_new_cell_and_one_outside_the_notebook_change_variables() {
        let mut notebook = Notebook::chain();
        notebook.run(&["e: > x"]);
        assert_eq!(notebook.stale("abcde"), NONE);
        assert_eq!(notebook.stale("aebcd"), ["b: x", "c: (y)"]);
        let mut notebook = Notebook::chain();
        notebook.cells.end(None, notebook.uses["a"].clone());
        assert_eq!(notebook.stale("abcd"), ["b: x", "c: (y)"]);
        let mut notebook = Notebook::chain();
        notebook.run(&["a"]);
        assert_eq!(notebook.stale("bcd"), ["b: x", "c: (y)"]);
    }

    #[test]
    fn a_cell_counts_with_its_last_run() {
        let mut notebook = Notebook::chain();
        notebook.run(&["b: z >", "a"]);
        // `c` still has the `y` of the former `b`.
        assert_eq!(notebook.stale("abcd"), NONE);
        notebook.run(&["c: x >", "a"]);
        assert_eq!(notebook.stale("abcd"), ["c: x"]);
        notebook.cells.begin(Some("c")); // and it fails to compile
        assert_eq!(notebook.stale("abcd"), NONE);
    }

    #[test]
    fn definitions_that_are_repeated_change_nothing() {
        let mut notebook = Notebook::chain();
        let uses = CellUses {
            changes: BTreeSet::new(),
            ..notebook.uses["a"].clone()
        };
        notebook.cells.end(Some("a"), uses);
        assert_eq!(notebook.stale("abcd"), NONE);
    }
}
