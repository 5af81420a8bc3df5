//! The types of a cell's variables, as rustc names them.
//!
//! A cell's statements are in a closure that returns the variables as a tuple. In the MIR that
//! rustc writes next to the library, the closure's `_0` has that tuple's type, with paths that
//! other crates can write. Of this unstable format, only that and the closure's captures are read.

/// The type of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// Code for the type.
    Code(String),
    /// A function: the type of a pointer to it, because its own type is unnameable.
    Function(String),
    /// A closure, or another unnameable type.
    Unnameable,
}

impl TypeName {
    /// Code for the type, if there is any.
    pub fn code(&self) -> Option<&str> {
        match self {
            TypeName::Code(code) | TypeName::Function(code) => Some(code),
            TypeName::Unnameable => None,
        }
    }
}

/// The MIR of the first closure in `function`, which contains a cell's statements.
pub fn of_statements<'a>(mir: &'a str, function: &str) -> Option<&'a str> {
    // With or without the module: rustc shortens paths where it can.
    let start = mir.find(&format!("{function}::{{closure#0}}("))?;
    let body = &mir[start..];
    Some(&body[..body.find("\nfn ").unwrap_or(body.len())])
}

/// The types of the variables that the closure in `function` returns as a tuple; `None` if the MIR
/// is not as expected.
pub fn of_variables(mir: &str, function: &str) -> Option<Vec<TypeName>> {
    let body = of_statements(mir, function)?;
    let declared = body.split_once("let mut _0: ")?.1;
    let declared = declared.split_once(";\n")?.0;
    let result = declared.strip_prefix("std::result::Result<")?;
    let result = result.strip_suffix('>')?;
    let tuple = split(result).0.first().copied()?;
    let inner = tuple.strip_prefix('(')?.strip_suffix(')')?;
    let types = split(inner).0.into_iter().filter(|one| !one.is_empty());
    Some(types.map(type_name).collect())
}

/// The prefix of the generated name of a crate that cells themselves cannot name.
pub const BELOW: &str = "__crate_";

/// The crates in `below` that a type names.
pub fn crates(code: &str, below: impl Fn(&str) -> bool) -> Vec<&str> {
    let roots = roots(code).map(|(_, name)| name);
    roots.filter(|name| below(name)).collect()
}

/// The type with [`BELOW`] before the names of crates in `below`, the names under which generated
/// code finds them.
pub fn from_below(code: &str, below: impl Fn(&str) -> bool) -> String {
    let (mut text, mut written) = (String::new(), 0);
    for (place, name) in roots(code).filter(|(_, name)| below(name)) {
        text += &code[written..place];
        text += "::";
        text += BELOW;
        text += name;
        written = place + name.len();
    }
    text + &code[written..]
}

/// The first segments of the paths in a type, with their positions.
fn roots(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices("::").filter_map(move |(end, _)| {
        let before = &code[..end];
        let start = before.trim_end_matches(is_part).len();
        let is_first = !before[..start].ends_with("::") && start < end;
        is_first.then_some((start, &before[start..]))
    })
}

fn type_name(code: &str) -> TypeName {
    let unnamed = [
        "{closure@",
        "{async ",
        "{gen ",
        "{coroutine@",
        "{async block",
    ];
    if unnamed.iter().any(|mark| code.contains(mark)) || code.contains("::{closure#") {
        return TypeName::Unnameable;
    }
    if let Some((pointer, _)) = code.split_once(" {") {
        return match code.ends_with('}') && !pointer.contains('{') {
            true => TypeName::Function(owned(pointer)),
            false => TypeName::Unnameable,
        };
    }
    TypeName::Code(owned(code))
}

/// Makes elided lifetimes `'static`, since kept values borrow from no variable, and shortens the
/// paths of cell definitions.
fn owned(code: &str) -> String {
    let code = code
        .replace("definitions::item_", "item_")
        .replace("'_", "'static");
    let mut text = String::new();
    let mut rest = code.as_str();
    while let Some(place) = rest.find('&') {
        let (before, after) = rest.split_at(place + 1);
        text += before;
        if !after.starts_with('\'') {
            text += "'static ";
        }
        rest = after;
    }
    text + rest
}

/// Splits a list of types at the commas outside all brackets, up to the end of the text or the
/// bracket that closes the list. Also returns the rest of the text from there.
pub fn split(list: &str) -> (Vec<&str>, &str) {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    let bytes = list.as_bytes();
    for (place, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'>' if place > 0 && bytes[place - 1] == b'-' => {}
            b')' | b']' | b'}' | b'>' if depth == 0 => {
                parts.push(list[start..place].trim());
                return (parts, &list[place..]);
            }
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(list[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    (parts, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MIR as rustc 1.95 writes it.
    const MIR: &str = "// WARNING: This output format is intended for human consumers only

fn run_cell_8(_1: &mut Store) -> () {
    let mut _0: ();
}

fn run_8::run_cell_8::{closure#0}(_1: &{closure@c8.rs:5:17: 5:19}) -> Result<(i32, Vec<f32>), Failed> {
    let mut _0: std::result::Result<(i32, std::collections::HashMap<&str, std::boxed::Box<dyn for<'a> std::ops::Fn(&'a str) -> i32 + std::marker::Send>>, definitions::item_3::Word, std::borrow::Cow<'_, str>, fn(i32, u32) -> i32 {core::num::<impl i32>::pow}, {closure@lib.rs:7:9: 7:12}), cell_runtime::Failed>;
    let _2: i32;
}
";

    fn read(mir: &str) -> Option<Vec<TypeName>> {
        of_variables(mir, "run_cell_8")
    }

    #[test]
    fn types_are_code_for_another_crate() {
        let code = |text: &str| TypeName::Code(text.to_owned());
        let expected = [
            code("i32"),
            code(
                "std::collections::HashMap<&'static str, std::boxed::Box<dyn for<'a> \
                  std::ops::Fn(&'a str) -> i32 + std::marker::Send>>",
            ),
            code("item_3::Word"),
            code("std::borrow::Cow<'static, str>"),
            TypeName::Function("fn(i32, u32) -> i32".to_owned()),
            TypeName::Unnameable,
        ];
        assert_eq!(read(MIR).as_deref(), Some(&expected[..]));
    }

    #[test]
    fn a_cell_without_variables_returns_nothing() {
        let mir = "\nfn r::{closure#0}(_1: {closure@a}) -> X {\n    let mut _0: \
                   std::result::Result<(), cell_runtime::Failed>;\n";
        assert_eq!(of_variables(mir, "r"), Some(Vec::new()));
    }

    #[test]
    fn crates_that_cells_cannot_name_get_a_name() {
        let code =
            "std::vec::Vec<(nd::Base<nd::Own<f32>, other::nd::Dim<[usize; 2]>>, &dyn nd::T)>";
        let is_below = |name: &str| name == "nd";
        assert_eq!(crates(code, is_below), ["nd"; 3]);
        assert_eq!(
            from_below(code, is_below),
            "std::vec::Vec<(::__crate_nd::Base<::__crate_nd::Own<f32>, \
             other::nd::Dim<[usize; 2]>>, &dyn ::__crate_nd::T)>"
        );
    }

    #[test]
    fn what_looks_otherwise_is_not_read() {
        assert_eq!(read(""), None);
        for place in 1..MIR.len() - 30 {
            if let Some(types) = read(&MIR[..place]) {
                assert_eq!(types.len(), 6, "{place}");
            }
        }
        for (old, new) in [
            ("let mut _0", "let _0"),
            ("std::result::Result", "Outcome"),
            ("{closure#0}", "{{closure}}"),
        ] {
            assert_eq!(read(&MIR.replace(old, new)), None, "{old}");
        }
    }
}
