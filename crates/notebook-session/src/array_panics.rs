//! Explains out-of-bounds indices and mismatched array shapes. ndarray's panic messages contain
//! neither indices nor shapes, so the variables are queried afterwards.

use crate::cell_syntax::{Access, accesses, definition, names_in};
use crate::variable::Variable;

/// Messages of ndarray for a bad index, which contain no numbers.
const WITHOUT_NUMBERS: [&str; 4] = [
    "ndarray: index out of bounds",
    "assertion failed: index < dim",
    "assertion failed: start <= axis_len",
    "assertion failed: end <= axis_len",
];

/// Parts of ndarray's messages for mismatched shapes.
const SHAPES: [&str; 2] = [
    "IncompatibleShape",
    "assertion failed: self.len() == rhs.len()",
];
pub const NO_FIT: &str = "the shapes of two arrays do not fit together";
pub const OUTSIDE: &str = "an index is out of bounds";

/// Separates shape and indices in the output.
pub const SEPARATOR: &str = "|";

/// The indexing expressions that may have been out of bounds, or the arrays whose shapes may not
/// match.
pub struct Suspects {
    accesses: Vec<Access>,
    is_index: bool,
}

impl Suspects {
    /// Finds the suspects; `None` if the message needs no explanation. `line` is the line of the
    /// panic, if known.
    pub fn of(
        message: &str,
        cell: &str,
        line: Option<usize>,
        variables: &[Variable],
    ) -> Option<Suspects> {
        let is_index = is_about_index(message);
        if !is_index && !is_about_shapes(message) {
            return None;
        }
        let is_array = |access: &Access| {
            let variable = variables.iter().find(|one| one.name == access.variable);
            variable.is_some_and(|one| one.type_name.contains("Array"))
                && definition(cell, &access.variable).is_none()
        };
        let mut found = match is_index {
            true => accesses(cell),
            false => (cell.lines().enumerate())
                .flat_map(|(index, text)| names_in(text).into_iter().map(move |name| (index, name)))
                .map(|(index, variable)| Access {
                    variable,
                    line: index + 1,
                    indices: Vec::new(),
                    axis: 0,
                })
                .collect(),
        };
        found.retain(|access| is_array(access) && line.is_none_or(|line| access.line == line));
        // An index cannot be evaluated if it depends on the cell's own variables, which are gone.
        for access in &mut found {
            let is_there = |name: &String| {
                variables.iter().any(|one| one.name == *name) && definition(cell, name).is_none()
            };
            let names = access.indices.iter().flat_map(|index| names_in(index));
            if !names.into_iter().all(|name| is_there(&name)) {
                access.indices.clear();
            }
        }
        (!found.is_empty()).then_some(Suspects {
            accesses: found,
            is_index,
        })
    }

    /// Treats all of these indexing expressions as suspects.
    pub fn of_index(accesses: Vec<Access>) -> Suspects {
        Suspects {
            accesses,
            is_index: true,
        }
    }

    /// Keeps only variables that still exist.
    pub fn among(mut self, variables: &[Variable]) -> Suspects {
        let is_there = |name: &str| variables.iter().any(|one| one.name == name);
        self.accesses.retain(|access| is_there(&access.variable));
        self
    }

    /// Generates code that prints the shapes and, if `with_indices`, the indices.
    pub fn question(&self, with_indices: bool) -> String {
        let mut code = String::new();
        for access in &self.accesses {
            let indices = match with_indices {
                true => access.indices.join(", "),
                false => String::new(),
            };
            code += &format!(
                "println!(\"{{:?}}{SEPARATOR}{{:?}}\", {}.shape(), {{ let indices: &[usize] = &[{indices}]; indices }});",
                access.variable
            );
        }
        code
    }

    /// The explanation that follows from the output of the generated code.
    pub fn conclusion(&self, printed: &str) -> Option<String> {
        let mut shapes: Vec<String> = Vec::new();
        for (access, answer) in self.accesses.iter().zip(printed.lines()) {
            let (shape, indices) = answer.split_once(SEPARATOR)?;
            let name = &access.variable;
            let [sizes, given] = [numbers(shape), numbers(indices)];
            let is_outside = |(place, index): (usize, &usize)| {
                sizes
                    .get(access.axis + place)
                    .is_none_or(|size| index >= size)
            };
            if given.iter().enumerate().any(is_outside) {
                let index = match (&given[..], access.axis, sizes.len()) {
                    ([row], 0, 2) => format!("row {row}"),
                    ([column], 1, 2) => format!("column {column}"),
                    ([one], ..) => format!("index {one}"),
                    _ => format!("index {indices}"),
                };
                return Some(format!(
                    "{index} is out of bounds of `{name}`, whose shape is {shape}: {}",
                    allowed(&sizes)
                ));
            }
            let text = match self.is_index {
                true => format!("the shape of `{name}` is {shape}: {}", allowed(&sizes)),
                false => format!("the shape of `{name}` is {shape}"),
            };
            if given.is_empty() && !shapes.contains(&text) {
                shapes.push(text);
            }
        }
        let opening = match self.is_index {
            true => OUTSIDE,
            false => NO_FIT,
        };
        (!shapes.is_empty()).then(|| format!("{opening}; {}", shapes.join("; ")))
    }
}

/// Whether a message reports a bad index without saying which.
pub fn is_about_index(message: &str) -> bool {
    WITHOUT_NUMBERS.contains(&message)
}

/// Whether a message reports mismatched shapes without saying which.
pub fn is_about_shapes(message: &str) -> bool {
    SHAPES.iter().any(|part| message.contains(part))
}

fn numbers(list: &str) -> Vec<usize> {
    let list = list.trim_matches(['[', ']']);
    list.split(", ")
        .filter_map(|number| number.parse().ok())
        .collect()
}

fn allowed(sizes: &[usize]) -> String {
    let last = |size: &usize| match size {
        0 => "there are none".to_owned(),
        size => format!("0 to {}", size - 1),
    };
    match sizes {
        [length] => format!("its indices are {}", last(length)),
        [rows, columns] => format!("its rows are {}, its columns {}", last(rows), last(columns)),
        sizes => {
            let all: Vec<String> = sizes.iter().map(last).collect();
            format!("its indices are {}", all.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suspects(cell: &str) -> Option<Suspects> {
        let variables = [("q", "Array2<f32>"), ("i", "usize"), ("words", "Vec<u8>")];
        let variables = variables.map(|(name, type_name)| Variable {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
        });
        Suspects::of(WITHOUT_NUMBERS[0], cell, None, &variables)
    }

    #[test]
    fn the_index_that_is_outside_is_named_with_the_shape() {
        let found = suspects("words[0]; q[[0, i]] + q[[i + 5, 0]]").expect("suspects");
        assert!(found.question(true).contains("&[i + 5, 0]"));
        let conclusion = found.conclusion("[2, 3]|[0, 1]\n[2, 3]|[6, 0]\n");
        let expected = "index [6, 0] is out of bounds of `q`, whose shape is [2, 3]: its rows are 0 to 1, its columns 0 to 2";
        assert_eq!(conclusion.as_deref(), Some(expected));
    }

    #[test]
    fn an_index_that_is_unknown_leaves_the_shape() {
        let found = suspects("for n in 0..9 { q[[n, 0]]; }").expect("suspects");
        assert!(found.question(true).contains("&[]"));
        let conclusion = found.conclusion("[2, 3]|[]\n").expect("a shape");
        assert!(
            conclusion.contains("the shape of `q` is [2, 3]"),
            "{conclusion}"
        );
        assert!(suspects("let q = f(); q[[5, 0]]").is_none());
        // An index within bounds is not the cause.
        let found = suspects("f(); q.row(1)").expect("suspects");
        assert_eq!(found.conclusion("[2, 3]|[1]\n"), None);
        assert!(Suspects::of("other", "q[[5, 0]]", None, &[]).is_none());
    }

    #[test]
    fn shapes_that_do_not_fit_together_are_told() {
        let variables = [Variable {
            name: "q".to_owned(),
            type_name: "Array2<f32>".to_owned(),
        }];
        let found = Suspects::of("x IncompatibleShape x", "&q + &f(&q)", None, &variables);
        let conclusion = found
            .expect("suspects")
            .conclusion("[2, 3]|[]\n[2, 3]|[]\n");
        let expected = "the shapes of two arrays do not fit together; the shape of `q` is [2, 3]";
        assert_eq!(conclusion.as_deref(), Some(expected));
    }
}
