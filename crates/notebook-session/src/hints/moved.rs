//! Variables that were moved: by an operator of this cell, or by an earlier cell.

use super::{Hint, Known, is_name};
use crate::diagnostic::{Diagnostic, Edit, LineSpan};
use crate::expressions;

/// `e / e.sum()`: the first `e` is moved before the second is read.
pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    if !diagnostic.has_code("E0382") {
        return None;
    }
    let mut marks = diagnostic.marks.iter();
    let moved = marks.find(|mark| mark.label.starts_with("value moved here"))?;
    let name = moved.place.of(known.cell);
    let operation = expressions::operation(known.cell, moved.place)?;
    let is_array = diagnostic.all.contains("has type `ArrayBase<");
    let is_assigned = operation.operator.contains('=');
    let edit = Edit {
        place: LineSpan {
            end: moved.place.start,
            ..moved.place
        },
        text: "&".to_owned(),
    };
    let text = format!(
        "`{}` consumes `{name}`, which is used again afterwards: borrow it with `&{name}`",
        operation.operator
    );
    (is_array && !is_assigned && is_name(name)).then(|| Hint::with(text, vec![edit]))
}

/// Why a variable that `cell` has moved is missing; `into` is the destination, if it is known.
pub fn in_earlier_cell(name: &str, cell: &str, into: Option<&str>) -> String {
    let into = into.map(|into| format!("{into} ")).unwrap_or_default();
    format!(
        "`{name}` was moved {into}in {cell}: borrow it there (`&{name}`) or copy it \
         (`{name}.clone()`), and run the cell that defines `{name}` again"
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};

    #[test]
    fn an_array_that_an_operator_consumes_is_borrowed() {
        let cell = "e / e.sum()";
        let mut error = diagnostic("E0382", "borrow of moved value: `e`", cell, "e");
        error.marks[0].label = "value moved here".to_owned();
        error.all += "\nmove occurs because `e` has type `ArrayBase<OwnedRepr<f32>>`";
        let told =
            "`/` consumes `e`, which is used again afterwards: borrow it with `&e`|&e / e.sum()";
        assert_eq!(said(&error, cell), told);
    }
}
