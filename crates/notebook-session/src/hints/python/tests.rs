use super::forget_consequences;
use crate::diagnostic::{Diagnostic, Edit, Help, LineSpan};
use crate::earlier_cells::EarlierCells;
use crate::hints::Known;
use crate::hints::tests::{diagnostic, said};

/// The hint for an error in this part of the cell.
fn told(code: &str, message: &str, cell: &str, part: &str) -> String {
    let mut diagnostic = diagnostic(code, message, cell, part);
    diagnostic.code = diagnostic.code.filter(|code| !code.is_empty());
    said(&diagnostic, cell)
}

const MISSING: &str = "E0425";

#[test]
fn what_modules_of_python_have_is_a_method_or_a_value() {
    for (cell, name, rust) in [
        (
            "np.exp(y)",
            "np",
            "`np.exp` is Python; in Rust it is the method `y.exp()`|",
        ),
        (
            "np.exp(y - 1)",
            "np",
            "`np.exp` is Python; in Rust it is the method `x.exp()`|",
        ),
        (
            "np.array([1.0, 2.0])",
            "np",
            "`np.array` is Python; in Rust it is `array![1.0, 2.0]`|",
        ),
        (
            "np.zeros((2, 3))",
            "np",
            "`np.zeros` is Python; in Rust it is `Array2::<f32>::zeros((2, 3))`, with one axis \
             `Array1::<f32>::zeros(3)`|",
        ),
        (
            "np.reshape(q, (2, -1))",
            "np",
            "`np.reshape` is Python; in Rust it is `q.to_shape((2, q.len() / 2)).unwrap().to_owned()`|",
        ),
        (
            "np.random.rand(3)",
            "np",
            "`np` is Python; in Rust an array is made with `array![...]`, and its functions are \
             methods, as `x.exp()`, `x.sum()` and `a.dot(&b)`|",
        ),
        (
            "math.pi",
            "math",
            "`math.pi` is Python; in Rust it is `std::f32::consts::PI`|",
        ),
        (
            "math.log(y)",
            "math",
            "`math.log` is Python; in Rust it is the method `y.ln()`|",
        ),
    ] {
        let message = format!("cannot find value `{name}` in this scope");
        assert_eq!(told(MISSING, &message, cell, name), rust);
    }
    let module = "expected value, found module `torch`";
    let exp = "`torch.exp` is Python; in Rust it is the method `y.exp()`|";
    assert_eq!(told("E0423", module, "torch.exp(y)", "torch"), exp);
    assert_eq!(told("E0423", module, "torch.manual_seed(1)", "torch"), "|");
}

#[test]
fn functions_values_and_types_of_python_have_their_rust() {
    for (kind, name, rust) in [
        (
            "function",
            "sorted",
            "`let mut copy = x.to_vec(); copy.sort_by(|a, b| a.total_cmp(b));`",
        ),
        ("function", "list", "the method `x.to_vec()`, for a range"),
        ("function", "int", "`x as i32`, for a text"),
        (
            "function",
            "input",
            "`let mut line = String::new(); std::io::stdin().read_line(",
        ),
        ("function", "sqrt", "the method `x.sqrt()`"),
        ("value", "inf", "`f32::INFINITY`"),
        ("type", "int", "`i32`, for lengths and indices `usize`"),
        ("type", "list", "`Vec<f32>`"),
        ("type", "float", "`f32` or `f64`"),
    ] {
        let message = format!("cannot find {kind} `{name}` in this scope");
        let said = told(MISSING, &message, name, name);
        assert!(
            said.starts_with(&format!("`{name}` is Python; in Rust it is {rust}")),
            "{said}"
        );
    }
    let said = told(
        "E0423",
        "expected function, found builtin type `str`",
        "str(y)",
        "str",
    );
    assert_eq!(
        said,
        "`str` is Python; in Rust it is the method `x.to_string()`|"
    );
    for cell in ["type(y)", "let t = type(y);"] {
        let said = told(
            "",
            "expected expression, found keyword `type`",
            cell,
            "type",
        );
        assert!(
            said.starts_with("`type(x)` is Python; in Rust `std::any::type_name_of_val(&x)`"),
            "{said}"
        );
    }
}

#[test]
fn methods_of_lists_and_arrays() {
    let array = |name: &str| {
        format!(
            "no method named `{name}` found for struct `ArrayBase<OwnedRepr<f64>, Dim<[usize; 1]>, f64>`"
        )
    };
    let sorted = "arrays have no `sort` in Rust; write\n    \
        let mut sorted = a.to_vec(); sorted.sort_by(|a, b| a.total_cmp(b));|";
    assert_eq!(told("E0599", &array("sort"), "a.sort()", "sort"), sorted);
    let kept = "`to_shape` gives an array another shape; write\n    ";
    let shared = "the trait bound `OwnedRepr<f32>: DataShared` is not satisfied";
    for (arguments, shape) in [
        ("4", "4"),
        ("4, 1", "(4, 1)"),
        ("(4, 1)", "(4, 1)"),
        ("-1", "q.len()"),
        ("(-1, 2)", "(q.len() / 2, 2)"),
        ("2, -1, 2", "(2, 3)"),
    ] {
        let cell = format!("q.reshape({arguments})");
        let rust = format!("{kept}q.to_shape({shape}).unwrap().to_owned()|");
        assert_eq!(told("E0277", shared, &cell, "reshape"), rust);
    }
    let negative = "the trait bound `usize: Neg` is not satisfied";
    let rust = format!("{kept}q.to_shape((q.len(), 1)).unwrap().to_owned()|");
    assert_eq!(told("E0277", negative, "q.reshape(-1, 1)", "-1"), rust);
    let order = "the trait bound `f32: Ord` is not satisfied";
    let by = "f32 and f64 are sorted with `sort_by` and a comparison|list.sort_by(f32::total_cmp)";
    assert_eq!(told("E0277", order, "list.sort()", "sort"), by);
    let fixed = "no method named `append` found for array `[&str; 2]` in the current scope";
    let said = told("E0599", fixed, "words.append(\"x\")", "append");
    assert!(
        said.starts_with("`[...]` keeps its length in Rust; a list that grows is a `Vec`"),
        "{said}"
    );
}

#[test]
fn one_value_is_added_with_push() {
    let cell = "words.append(\"x\")";
    let mut mismatch = diagnostic("E0308", "mismatched types", cell, "\"x\"");
    mismatch.helps = vec![Help {
        message: "you might have meant to use `push`".to_owned(),
        edits: vec![edit(6, 12, "push")],
        replacement: Some("push".to_owned()),
    }];
    let push = "in Rust `append` takes a whole list, `&mut other`; to add one value, use `push`|\
        words.push(\"x\")";
    assert_eq!(said(&mismatch, cell), push);
}

#[test]
fn a_text_in_single_quotes_gets_double_ones() {
    let says = "in Rust, text is written in double quotes; single quotes are for one character|";
    let unterminated = "unterminated character literal";
    for (cell, line) in [
        ("show('Your journey')", "show(\"Your journey\")"),
        ("f(&['a cat', 'b'])", "f(&[\"a cat\", \"b\"])"),
        (
            "f('a b', \"it's\") // 'c d'",
            "f(\"a b\", \"it's\") // 'c d'",
        ),
        ("f'{y} and'", "format!(\"{y} and\")"),
    ] {
        assert_eq!(
            told("E0762", unterminated, cell, "'"),
            format!("{says}{line}")
        );
    }
    let unknown = "prefix `rb` is unknown";
    assert_eq!(told("", unknown, "rb\"x\"", "rb"), "|");
    let character = "the trait bound `char: AsRef<str>` is not satisfied";
    let told = told("E0277", character, "f('x', &['a', 'b'])", "&['a', 'b']");
    assert_eq!(told, format!("{says}f('x', &[\"a\", \"b\"])"));
}

#[test]
fn a_power_is_no_xor_and_a_comment_no_division() {
    let xor = "no implementation for `ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32> ^ {integer}`";
    let power = "a power is a method in Rust: `x.powi(2)`";
    assert!(told("E0369", xor, "q^2", "^").starts_with(power));
    assert!(
        told(
            "E0369",
            "no implementation for `{float} ^ {float}`",
            "2.0^3.0",
            "^"
        )
        .starts_with(power)
    );
    let missing = "expected `;`, found the end of the cell";
    let divided =
        "`//` begins a comment in Rust; integers are divided with `/`, which drops the remainder|";
    assert_eq!(
        told("", missing, "let a = n // 2;", " // 2;"),
        format!("{divided}let a = n / 2;")
    );
    assert_eq!(told("", missing, "let a = n // the number", " // the"), "|");
}

#[test]
fn what_follows_a_line_of_python_is_not_told() {
    let cell = "def f(x): return x*2";
    let mut errors = vec![
        diagnostic("", "expected `;`, found `f`", cell, "f("),
        diagnostic(
            "E0425",
            "cannot find function `f` in this scope",
            cell,
            "f(",
        ),
        diagnostic("E0308", "mismatched types", cell, "x*2"),
    ];
    forget(&mut errors, cell);
    assert_eq!(errors.len(), 1);
    let cell = "def f(x):\n    return x\nf(2)";
    let at = |line| {
        let mut one = diagnostic("E0308", "mismatched types", cell, "f");
        one.marks[0].place.line = line;
        one
    };
    let mut errors = vec![at(1), at(2), at(3)];
    forget(&mut errors, cell);
    let lines = errors.iter().map(|one| one.marks[0].place.line);
    assert_eq!(lines.collect::<Vec<_>>(), [1, 3]);
}

fn forget(errors: &mut Vec<Diagnostic>, cell: &str) {
    let known = Known {
        cell,
        variables: &[],
        earlier_cells: &EarlierCells::default(),
    };
    forget_consequences(errors, &known);
}

fn edit(start: usize, end: usize, text: &str) -> Edit {
    Edit {
        place: LineSpan {
            line: 1,
            start,
            end,
        },
        text: text.to_owned(),
    }
}
