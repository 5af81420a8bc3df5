//! Compares every recipe, on a few samples, with NumPy's results (`tests/golden/recipes.py`).

use super::{changes, results, steps};
use crate::judge::digits::with_digits;
use crate::output::Part;
use std::collections::HashMap;

const GOLDEN: &str = include_str!("../../../tests/golden/recipes.txt");

/// The samples, by name.
fn samples() -> HashMap<&'static str, Part> {
    let samples = GOLDEN.lines().filter_map(|line| line.split_once(" = "));
    let sample = |(name, text): (&'static str, &str)| {
        let (shape, values) = text.split_once(':').expect("a shape");
        let lengths = shape.split('x').filter(|length| !length.is_empty());
        let part = Part {
            shape: lengths.map(|n| n.parse().expect("a length")).collect(),
            values: values
                .split_whitespace()
                .map(|value| value.parse().expect("a number"))
                .collect(),
            is_yes_or_no: name == "YES",
        };
        (name, part)
    };
    samples.map(sample).collect()
}

fn written(part: Option<Part>) -> String {
    let Some(part) = part else {
        return "-".to_owned();
    };
    let shape: Vec<String> = part.shape.iter().map(usize::to_string).collect();
    let values: Vec<String> = part.values.iter().map(|x| with_digits(*x, 3)).collect();
    format!("{}: {}", shape.join("x"), values.join(" "))
}

/// Compares a table of recipes with a section of the golden file. `make` gets the index of an entry
/// and the samples from which to compute a result.
#[track_caller]
fn check(section: &str, says: &[&str], make: impl Fn(usize, &[&Part]) -> Option<Part>) {
    let samples = samples();
    let from = format!("[{section}] ");
    let mut lines = GOLDEN.lines().skip_while(|line| !line.starts_with(&from));
    let columns: Vec<&str> = lines.next().expect("a section")[from.len()..]
        .split(" | ")
        .collect();
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), says.len());
    for (index, (line, says)) in lines.iter().zip(says).enumerate() {
        let made = columns.iter().map(|names| {
            let parts: Vec<&Part> = names.split(' ').map(|name| &samples[name]).collect();
            written(make(index, &parts))
        });
        let made: Vec<String> = made.collect();
        assert_eq!(made.join(" | "), *line, "{says}");
    }
}

#[test]
fn changed_results_are_what_their_sentences_say() {
    let says: Vec<&str> = results::MADE.iter().map(|(says, _)| *says).collect();
    check("results", &says, |index, parts| {
        results::MADE[index].1(parts[0])
    });
}

#[test]
fn changed_arguments_are_what_their_sentences_say() {
    let says: Vec<&str> = changes::OF_ONE.iter().map(|(_, says, _)| *says).collect();
    check("changes", &says, |index, parts| {
        changes::OF_ONE[index].0(parts[0])
    });
}

#[test]
fn steps_are_what_their_sentences_say() {
    for (section, table) in [("steps of one", steps::OF_ONE), ("after", steps::AFTER)] {
        let says: Vec<&str> = table.iter().map(|(_, says, _)| *says).collect();
        check(section, &says, |index, parts| table[index].0(parts[0]));
    }
    let says: Vec<&str> = steps::OF_TWO.iter().map(|(_, says)| *says).collect();
    check("steps of two", &says, |index, parts| {
        steps::OF_TWO[index].0(parts[0], parts[1])
    });
}
