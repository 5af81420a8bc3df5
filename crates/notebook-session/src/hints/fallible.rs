//! A `Result` used as if it were the value in it.

use super::{Hint, Known, receiver};
use crate::diagnostic::{Diagnostic, Edit, LineSpan};
use crate::expressions;

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let place = diagnostic.primary()?;
    let found = match diagnostic.code.as_deref()? {
        "E0609" => diagnostic.message.split_once(" on type `")?.1,
        "E0599" => diagnostic.message.split_once(" found for enum `")?.1,
        _ => return None,
    };
    if !found
        .trim_start_matches("std::result::")
        .starts_with("Result<")
    {
        return None;
    }
    let text = "this call may fail, so it gives a `Result`: `?` after the call takes the value out";
    let used = receiver(known.cell, place)?;
    let name = used.of(known.cell);
    let call = match name.ends_with(')') {
        true => used,
        false => match expressions::variable(known.cell, name, place.line) {
            Some(variable) => variable.value,
            None => {
                return Some(Hint::new(format!(
                    "the call that made `{name}` may fail, so `{name}` is a `Result`: write `?` after that \
                 call, before the `;`, and run its cell again"
                )));
            }
        },
    };
    let edit = Edit {
        place: LineSpan {
            start: call.end,
            ..call
        },
        text: "?".to_owned(),
    };
    Some(Hint::with(text, vec![edit]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};

    #[test]
    fn a_result_is_taken_out_where_it_is_made() {
        let field = "no field `labels` on type `Result<Reading, toy::Error>`";
        let method = "no method named `len` found for enum `Result<T, E>` in the current scope";
        let told =
            "this call may fail, so it gives a `Result`: `?` after the call takes the value out|";
        for (code, message, cell, part, line) in [
            (
                "E0609",
                field,
                "let r = model.read(&s); r.labels",
                "labels",
                "let r = model.read(&s)?; r.labels",
            ),
            (
                "E0609",
                field,
                "model.read(&s).labels",
                "labels",
                "model.read(&s)?.labels",
            ),
            ("E0599", method, "f().len()", "len", "f()?.len()"),
        ] {
            let said = said(&diagnostic(code, message, cell, part), cell);
            assert_eq!(said, format!("{told}{line}"));
        }
        let elsewhere = said(
            &diagnostic("E0609", field, "r.labels", "labels"),
            "r.labels",
        );
        assert!(
            elsewhere.starts_with("the call that made `r` may fail"),
            "{elsewhere}"
        );
        let other = "no field `labels` on type `Option<Reading>`";
        assert_eq!(
            said(
                &diagnostic("E0609", other, "r.labels", "labels"),
                "r.labels"
            ),
            "|"
        );
    }
}
