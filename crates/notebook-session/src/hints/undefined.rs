//! An undefined variable that has the same name as a function, so that rustc finds the function.

use super::names::because;
use super::{Hint, Known};
use crate::cell_syntax::{self, DefinedIn};
use crate::diagnostic::Diagnostic;
use crate::earlier_cells::Reason;
use crate::expressions::{self, Use};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let wants_function = [
        "expected fn pointer",
        "expected a `Fn",
        "closure",
        "signature",
    ];
    let is_wanted = wants_function
        .iter()
        .any(|words| diagnostic.all.contains(words));
    if diagnostic.code.is_none() || is_wanted {
        return None; // a function is expected, but a different one
    }
    let (name, used) = names(&diagnostic.all)
        .into_iter()
        .find_map(|name| Some((name, used(name, diagnostic, known)?)))?;
    let is_of_notebook = known.earlier_cells.definer(name).is_some()
        || matches!(
            cell_syntax::definition(known.cell, name),
            Some(DefinedIn::Cell(_))
        );
    if known.has_variable(name) && used == Use::Function {
        return Some(Hint::new(format!(
            "a function does not see the variables of the notebook, so `{name}` is the function \
             `{name}(...)` here: make the variable a parameter"
        )));
    }
    let there_is = format!("`{name}` is the function `{name}(...)` here");
    let reason = known.earlier_cells.why_missing(name);
    let reason = reason.filter(|reason| !matches!(reason, Reason::InBlock(..)));
    Some(Hint::new(match (reason, used) {
        (Some(reason), Use::Cell) => {
            format!("{there_is}, no variable: {}", because(name, reason))
        }
        _ if is_of_notebook => format!("`{name}` is a function: call it, `{name}(...)`"),
        (_, Use::Cell) => format!(
            "{there_is}; there is no variable `{name}` yet: run the cell that defines it \
             (`let {name} = ...;`) first"
        ),
        (_, Use::Function) => format!(
            "{there_is}; this function has no variable `{name}`: define it (`let {name} = ...;`), \
             or make it a parameter"
        ),
    }))
}

/// The names of the functions that rustc mentions as values: `fn(A) -> B {path::name::<C>}`, or
/// those whose type parameters it cannot infer.
fn names(said: &str) -> Vec<&str> {
    let of_items = said.split(" {").skip(1).filter_map(|rest| {
        let path = rest.split_once('}')?.0.split("::<").next()?;
        path.rsplit("::").next()
    });
    let of_types = said.split("declared on the function `").skip(1);
    let of_types = of_types.filter_map(|rest| rest.split('`').next());
    let is_name = |name: &&str| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(is_word)
    };
    of_items.chain(of_types).filter(is_name).collect()
}

/// Where the name is used without being called, including inside the format string of `println!`.
fn used(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Use> {
    let in_text = [format!("{{{name}}}"), format!("{{{name}:")];
    let mut marked = diagnostic
        .marks
        .iter()
        .map(|mark| mark.place.of(known.cell));
    let is_in_text = marked.any(|text| in_text.iter().any(|begin| text.starts_with(begin)));
    let is_all = known.cell.trim() == name;
    expressions::value_of_name(known.cell, name)
        .or((is_in_text || is_all).then_some(Use::Cell))
        .or_else(|| in_macro(name, diagnostic, known))
}

/// A use in the arguments of a macro, where rustc marks the name itself.
fn in_macro(name: &str, diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Use> {
    let mut marks = diagnostic
        .marks
        .iter()
        .map(|mark| mark.place.of(known.cell));
    marks.any(|text| text == name).then_some(Use::Cell)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};
    use super::*;
    use crate::earlier_cells::{CellOutcome, EarlierCells};
    use crate::variable::Variable;

    const TEXT: &str = "for<'a> fn(&'a str) -> Picture {toy::text::<_, _>}";

    #[test]
    fn the_names_of_functions_are_read_from_their_types() {
        assert_eq!(names(&format!("no field `x` on type `{TEXT}`")), ["text"]);
        assert_eq!(names("`fn(f32) -> f32 {heavy}`"), ["heavy"]);
        let unknown = "cannot infer type of the type parameter `A` declared on the function `f`";
        assert_eq!(names(unknown), ["f"]);
        assert_eq!(names("expected `}` in format string {"), [""; 0]);
    }

    #[test]
    fn a_variable_that_is_not_defined_is_no_function() {
        let message = format!("no field `vocabulary` on type `{TEXT}`");
        let told = |cell: &str| said(&diagnostic("E0609", &message, cell, "vocabulary"), cell);
        assert_eq!(
            told("text.vocabulary"),
            "`text` is the function `text(...)` here; there is no variable `text` yet: run the cell \
             that defines it (`let text = ...;`) first|"
        );
        assert!(told("fn f() { text.vocabulary; }").contains("or make it a parameter"));
        assert_eq!(told("text(1).vocabulary"), "|");
        let cell = "fn text() {}\ntext.vocabulary";
        assert!(told(cell).starts_with("`text` is a function: call it"));
    }

    #[test]
    fn the_cell_that_failed_is_named() {
        let mut earlier = EarlierCells::default();
        earlier.number_next(4);
        earlier.note("let text = 1 + \"\";", CellOutcome::Failure, &[], &[]);
        let cell = "text.vocabulary";
        let message = format!("no field `vocabulary` on type `{TEXT}`");
        let told = |variables: &[Variable], cell: &str| {
            let known = Known {
                cell,
                variables,
                earlier_cells: &earlier,
            };
            let error = diagnostic("E0609", &message, cell, "vocabulary");
            hint(&error, &known).expect("a hint").text
        };
        assert_eq!(
            told(&[], cell),
            "`text` is the function `text(...)` here, no variable: `text` is defined in cell [4], \
             which failed: correct that cell and run it again"
        );
        let variable = Variable {
            name: "text".to_owned(),
            type_name: "Text".to_owned(),
        };
        let told = told(&[variable], "fn f() { text.vocabulary; }");
        assert!(told.ends_with("make the variable a parameter"), "{told}");
    }
}
