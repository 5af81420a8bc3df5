//! Shapes and values of all variables. Only the process that runs the cells has them, so they are
//! printed by a generated cell.

use crate::variable::Variable;
use notebook::evaluator::VariableSummary;

/// Types for which the length is shown.
const WITH_LENGTH: [&str; 8] = [
    "BTreeMap<",
    "BTreeSet<",
    "BinaryHeap<",
    "Box<[",
    "HashMap<",
    "HashSet<",
    "Vec<",
    "VecDeque<",
];
/// The text after an array's values in ndarray's format.
const LAYOUT: &str = ", shape=[";

/// The code of a cell that prints, for each variable, its name, shape and value on one line; `None`
/// if there are no variables.
pub fn question(variables: &[Variable]) -> Option<String> {
    let line = |one: &Variable| {
        let name = &one.name;
        let shape = match shape_of(&one.type_name) {
            Shape::Axes => format!("{name}.shape()"),
            Shape::Length => format!("[{name}.len()]"),
            Shape::None => "()".to_owned(),
        };
        format!("println!(\"{name}\\t{{:?}}\\t{{}}\", {shape}, (&Previewed(&{name})).preview());\n")
    };
    let lines: String = variables.iter().map(line).collect();
    (!lines.is_empty()).then(|| {
        format!("{{ use ::cell_runtime::{{NoPreview as _, Preview as _, Previewed}};\n{lines}}};")
    })
}

/// Combines the variables with the text that the cell has printed about them.
pub fn of(variables: Vec<Variable>, printed: &str) -> Vec<VariableSummary> {
    let summary = |one: Variable| {
        let start = format!("{}\t", one.name);
        let mut lines = printed.lines();
        let about = lines.find_map(|line| line.strip_prefix(&start)?.split_once('\t'));
        let (shape, value) = about.unwrap_or_default();
        let kind = shape_of(&one.type_name);
        let value = match value.rfind(LAYOUT) {
            Some(place) if kind == Shape::Axes => &value[..place],
            _ => value,
        };
        VariableSummary {
            name: one.name,
            type_name: one.type_name,
            shape: kind.text(shape.trim_matches(['[', ']', '(', ')'])),
            preview: value.to_owned(),
        }
    };
    variables.into_iter().map(summary).collect()
}

#[derive(PartialEq)]
enum Shape {
    Axes,
    Length,
    None,
}

impl Shape {
    /// `(6, 3)` and `(3,)` for arrays, as NumPy writes them; `(3)` for a length.
    fn text(&self, numbers: &str) -> String {
        match self {
            _ if numbers.is_empty() => String::new(),
            Shape::Axes if !numbers.contains(',') => format!("({numbers},)"),
            _ => format!("({numbers})"),
        }
    }
}

fn shape_of(type_name: &str) -> Shape {
    let array = ["Array", "ArcArray", "ArrayView", "ArrayViewMut"];
    let is_array = type_name.split_once('<').is_some_and(|(name, _)| {
        array.contains(&name.trim_end_matches(|axes: char| axes.is_ascii_digit() || axes == 'D'))
    });
    match type_name {
        _ if is_array || type_name.starts_with("ArrayBase<") => Shape::Axes,
        _ if WITH_LENGTH.iter().any(|start| type_name.starts_with(start)) => Shape::Length,
        _ => Shape::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, type_name: &str) -> Variable {
        Variable {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
        }
    }

    #[test]
    fn arrays_have_a_shape_and_collections_a_length() {
        let variables = [
            (
                "q",
                "Array2<f32>",
                "[2, 1]\t[[0.5], [1.0]], shape=[2, 1], strides=[1, 1]",
            ),
            (
                "x",
                "Array1<f64>",
                "[1]\t[0.5], shape=[1], strides=[1], layout=CFcf (0xf)",
            ),
            ("d", "ArrayD<f64>", "[]\t0.5, shape=[], strides=[]"),
            ("words", "Vec<String>", "[2]\t[\"a\", \"b\"]"),
            ("half", "f32", "()\t0.5"),
            (
                "mine",
                "ArrayOfMine<f32>",
                "()\tArrayOfMine([0.5], shape=[])",
            ),
            ("hidden", "Box<dyn Fn()>", "()\t"),
        ];
        let printed: String = variables
            .map(|(name, _, line)| format!("from a thread\n{name}\t{line}\n"))
            .concat();
        let all = variables.map(|(name, type_name, _)| variable(name, type_name));
        let code = question(&all).expect("there are variables");
        assert!(
            code.contains(r#"println!("q\t{:?}\t{}", q.shape(), (&Previewed(&q)).preview());"#),
            "{code}"
        );
        assert!(
            code.contains("[words.len()]") && !code.contains("mine."),
            "{code}"
        );
        let seen = of(all.to_vec(), &printed);
        let seen = seen
            .iter()
            .map(|one| (one.shape.as_str(), one.preview.as_str()));
        let expected = [
            ("(2, 1)", "[[0.5], [1.0]]"),
            ("(1,)", "[0.5]"),
            ("", "0.5"),
            ("(2)", "[\"a\", \"b\"]"),
            ("", "0.5"),
            ("", "ArrayOfMine([0.5], shape=[])"),
            ("", ""),
        ];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_cannot_be_printed_still_has_its_type() {
        assert_eq!(question(&[]), None);
        let seen = of(vec![variable("q", "Array2<f32>")], "");
        assert_eq!(
            (seen[0].type_name.as_str(), seen[0].shape.as_str()),
            ("Array2<f32>", "")
        );
    }
}
