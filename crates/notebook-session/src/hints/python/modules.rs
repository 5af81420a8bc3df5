//! `np.exp(x)`, `math.pi`: members of Python modules and their Rust equivalents.

use super::methods::{self, Array};
use super::{builtins, is_python};
use crate::diagnostic::{Diagnostic, line};
use crate::hints::{Hint, Known};

const OF_ARRAYS: [&str; 4] = ["np", "numpy", "jnp", "torch"];
const OF_NUMBERS: &str = "math";

/// Names in NumPy and PyTorch, mostly for creating arrays, and their Rust equivalents.
const MAKERS: [(&str, &str); 14] = [
    ("array", "`array![[1.0, 2.0], [3.0, 4.0]]`"),
    ("asarray", "`array![[1.0, 2.0], [3.0, 4.0]]`"),
    ("tensor", "`array![[1.0, 2.0], [3.0, 4.0]]`"),
    (
        "zeros",
        "`Array2::<f32>::zeros((2, 3))`, with one axis `Array1::<f32>::zeros(3)`",
    ),
    (
        "ones",
        "`Array2::<f32>::ones((2, 3))`, with one axis `Array1::<f32>::ones(3)`",
    ),
    ("full", "`Array2::from_elem((2, 3), 0.5_f32)`"),
    ("eye", "`Array2::<f32>::eye(3)`"),
    ("arange", "`Array1::range(0.0_f32, 3.0, 1.0)`"),
    ("linspace", "`Array1::linspace(0.0_f32, 1.0, 5)`"),
    ("dot", "the method `a.dot(&b)`"),
    ("matmul", "the method `a.dot(&b)`"),
    ("float32", "`f32`"),
    ("float64", "`f64`"),
    ("e", "`std::f32::consts::E`"),
];

/// A Python module, possibly confused with a Rust module of the same name.
pub fn hint(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let is_of_arrays = OF_ARRAYS.contains(&name);
    if !is_of_arrays && name != OF_NUMBERS {
        return None;
    }
    let place = diagnostic.primary()?;
    let whole = line(known.cell, place.line);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let rest = whole.chars().skip(place.end);
    let dots = rest.clone().take_while(|c| ".:".contains(*c)).count();
    let member: String = rest.skip(dots).take_while(|c| is_part(*c)).collect();
    let arguments = methods::arguments(whole, place.end + dots + member.chars().count());
    let (first, others) = arguments.split_once(',').unwrap_or((arguments, ""));
    let is_name = first.chars().all(is_part) && first.starts_with(|c: char| !c.is_numeric());
    let array = Array {
        name: if is_name { first } else { "x" },
        arguments: others.trim(),
        ..Array::default()
    };
    let is_list = arguments.starts_with('[') && arguments.ends_with(']');
    let rust = match member.as_str() {
        "array" | "asarray" | "tensor" if is_of_arrays && is_list => {
            Some(format!("`array!{arguments}`"))
        }
        member => in_rust(member, &array, is_of_arrays),
    };
    match rust {
        Some(rust) => Some(is_python(
            &format!("{name}.{member}"),
            &format!("it is {rust}"),
        )),
        // There is a Rust module of this name, and rustc points to the right member.
        None if diagnostic.has_code("E0423") => None,
        None if is_of_arrays => Some(is_python(
            name,
            "an array is made with `array![...]`, and its functions are methods, such as `x.exp()`, \
             `x.sum()` and `a.dot(&b)`",
        )),
        None => Some(is_python(
            name,
            "the functions of a number are methods, such as `x.sqrt()` and `x.exp()`",
        )),
    }
}

fn in_rust(member: &str, array: &Array<'_>, is_of_arrays: bool) -> Option<String> {
    let x = array.name;
    let constant = ["inf", "nan", "pi"].contains(&member);
    let maker = MAKERS.iter().find(|(python, _)| *python == member);
    match member {
        "log" => Some(format!("the method `{x}.ln()`")),
        "pow" | "power" => Some(format!("the method `{x}.powi(2)`, or `{x}.powf(0.5)`")),
        "sum" | "std" | "var" if is_of_arrays => {
            let (degrees, more) = match member {
                "sum" => ("", ""),
                _ => ("0.0", ", 0.0"),
            };
            Some(format!(
                "the method `{x}.{member}({degrees})`, along an axis \
                 `{x}.{member}_axis(Axis(1){more})`"
            ))
        }
        "mean" if is_of_arrays => Some(format!(
            "the method `{x}.mean().unwrap()`, along an axis `{x}.mean_axis(Axis(1)).unwrap()`"
        )),
        "shape" if is_of_arrays => Some(format!("the method `{x}.shape()`")),
        _ if builtins::METHODS.contains(&member) => Some(format!("the method `{x}.{member}()`")),
        _ if constant => builtins::in_rust(member).map(str::to_owned),
        _ if !is_of_arrays => None,
        _ => match methods::in_rust(member, array) {
            Some(rust) => Some(format!("`{rust}`")),
            None => maker.map(|(_, rust)| (*rust).to_owned()),
        },
    }
}
