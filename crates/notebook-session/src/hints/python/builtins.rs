//! Python built-ins that Rust lacks: functions, values and types.

use super::is_python;
use crate::hints::Hint;

/// Functions that are methods of the same name in Rust, on numbers and arrays.
pub const METHODS: [&str; 9] = [
    "abs", "sqrt", "exp", "sin", "cos", "tanh", "floor", "ceil", "round",
];

const VALUES: [(&str, &str); 30] = [
    ("True", "`true`"),
    ("False", "`false`"),
    ("inf", "`f32::INFINITY`"),
    ("nan", "`f32::NAN`"),
    ("pi", "`std::f32::consts::PI`"),
    ("pass", "an empty block, `{}`"),
    ("print", "the macro `println!(\"{}\", x)`"),
    (
        "input",
        "`let mut line = String::new(); std::io::stdin().read_line(&mut line).unwrap();`",
    ),
    ("len", "the method `x.len()`"),
    ("range", "`0..n`, as in `for i in 0..n { ... }`"),
    ("log", "the method `x.ln()`"),
    ("pow", "the method `x.powi(2)`, for an integer `x.pow(2)`"),
    (
        "sum",
        "the method `x.sum()`, for a list `x.iter().sum::<f32>()`",
    ),
    ("max", "the method `a.max(b)`"),
    ("min", "the method `a.min(b)`"),
    (
        "sorted",
        "`let mut copy = x.to_vec(); copy.sort_by(|a, b| a.total_cmp(b));`, for integers or texts \
         `copy.sort();`",
    ),
    ("reversed", "the method `x.iter().rev()`"),
    ("enumerate", "the method `values.iter().enumerate()`"),
    ("zip", "the method `a.iter().zip(&b)`"),
    ("map", "the method `x.iter().map(|value| value * 2.0)`"),
    (
        "filter",
        "the method `x.iter().filter(|value| **value > 0.0)`",
    ),
    ("any", "the method `x.iter().any(|value| *value > 0.0)`"),
    ("all", "the method `x.iter().all(|value| *value > 0.0)`"),
    (
        "list",
        "the method `x.to_vec()`, for a range `(0..3).collect::<Vec<_>>()`",
    ),
    ("tuple", "`(a, b)`"),
    ("set", "`std::collections::HashSet::from([1, 2])`"),
    ("dict", "`std::collections::HashMap::from([(\"a\", 1)])`"),
    ("str", "the method `x.to_string()`"),
    ("int", "`x as i32`, for a text `x.parse::<i32>().unwrap()`"),
    (
        "float",
        "`x as f32` or `x as f64`, for a text `x.parse::<f32>().unwrap()`",
    ),
];

const TYPES: [(&str, &str); 6] = [
    ("int", "`i32`, for lengths and indices `usize`"),
    ("float", "`f32` or `f64`"),
    ("list", "`Vec<f32>`, or with another type of elements"),
    ("tuple", "`(f32, f32)`, with the type of each element"),
    ("set", "`std::collections::HashSet<i32>`"),
    ("dict", "`std::collections::HashMap<String, f32>`"),
];

/// The Rust equivalent of a Python function or value.
pub fn value(name: &str) -> Option<Hint> {
    match METHODS.contains(&name) {
        true => Some(is_python(name, &format!("it is the method `x.{name}()`"))),
        false => in_rust(name).map(|rust| is_python(name, &format!("it is {rust}"))),
    }
}

pub fn in_rust(name: &str) -> Option<&'static str> {
    of_table(&VALUES, name)
}

pub fn type_name(name: &str) -> Option<Hint> {
    of_table(&TYPES, name).map(|rust| is_python(name, &format!("it is {rust}")))
}

fn of_table(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let found = table.iter().find(|(python, _)| *python == name);
    found.map(|(_, rust)| *rust)
}
