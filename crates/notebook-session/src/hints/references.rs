//! One `&` too few or too many on arrays.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan};
use crate::expressions::{self, Operation};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let place = diagnostic.primary()?;
    match diagnostic.code.as_deref()? {
        "E0277" if diagnostic.message.contains(": Dot<&ArrayBase<") => surplus(&[place], known),
        "E0277" | "E0369" | "E0271" => {
            let operation = expressions::operation(known.cell, place)?;
            twice_borrowed(diagnostic, &operation, known)
                .or_else(|| unborrowed(diagnostic, &operation, known))
        }
        _ => None,
    }
}

/// Removes errors caused by passing a view to an operator in the same assignment.
pub fn forget_consequences(errors: &mut Vec<Diagnostic>, known: &Known<'_>) {
    let assigned = errors.iter().filter_map(|one| {
        let operation = expressions::operation(known.cell, one.primary()?)?;
        unborrowed(one, &operation, known)?;
        operation.assignment.map(|(_, value)| value)
    });
    let assigned: Vec<LineSpan> = assigned.collect();
    errors.retain(|one| {
        let operation = one
            .primary()
            .and_then(|place| expressions::operation(known.cell, place));
        operation.is_none_or(|operation| !assigned.contains(&operation.right))
    });
}

/// The types of the left and right operands.
fn types(message: &str) -> Option<(&str, &str)> {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let [first, second] = quoted[..] else {
        return None;
    };
    let is_turned = ["cannot add", "cannot subtract"]; // "cannot add B to A"
    let is_turned = is_turned.iter().any(|begin| message.starts_with(begin));
    let is_operator = message.starts_with("cannot ");
    is_operator.then_some(if is_turned {
        (second, first)
    } else {
        (first, second)
    })
}

/// `&a * &b`, where both are already references.
fn twice_borrowed(
    diagnostic: &Diagnostic,
    operation: &Operation,
    known: &Known<'_>,
) -> Option<Hint> {
    let (left, right) = types(&diagnostic.message)?;
    let sides = [(left, operation.left), (right, operation.right)];
    let twice = sides
        .iter()
        .filter(|(name, _)| name.starts_with("&&ArrayBase<"));
    let twice: Vec<LineSpan> = twice.map(|(_, place)| *place).collect();
    surplus(&twice, known)
}

/// Removes the leading `&` of each of these expressions.
fn surplus(places: &[LineSpan], known: &Known<'_>) -> Option<Hint> {
    let name = |place: &LineSpan| place.of(known.cell).strip_prefix('&');
    let names: Vec<&str> = places.iter().map(name).collect::<Option<_>>()?;
    let edits = places.iter().map(|place| Edit {
        place: LineSpan {
            end: place.start + 1,
            ..*place
        },
        text: String::new(),
    });
    let text = match names[..] {
        [] => return None,
        [one] => format!("`{one}` is already a reference: write it without `&`"),
        [one, other] if one != other => {
            format!("`{one}` and `{other}` are already references: write them without `&`")
        }
        [one, ..] => format!("`{one}` is already a reference: write it without `&`"),
    };
    Some(Hint::with(text, edits.collect()))
}

/// A missing `&`: `2.0 * words.row(0)`, or `sum += array`.
fn unborrowed(diagnostic: &Diagnostic, operation: &Operation, known: &Known<'_>) -> Option<Hint> {
    let views = views(diagnostic, operation);
    let edit = |place: LineSpan| before(place, known.cell);
    let mut edits: Vec<Edit> = views.iter().flat_map(|place| edit(*place)).collect();
    let operator = &operation.operator;
    if operator.len() == 2 && operator.ends_with('=') {
        if !is_array_assigned(diagnostic) {
            return None;
        }
        edits.extend(edit(operation.right));
        let text = format!("`{operator}` borrows the array on its right: write `&` before it");
        return Some(Hint::with(text, edits));
    }
    let names = views
        .iter()
        .map(|view| format!("`{}`", view.of(known.cell)));
    let mut names: Vec<String> = names.collect();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let mut text = format!(
        "an operator takes a view, a part of another array, by reference: write `&` before {}",
        names.join(" and ")
    );
    if let Some((operator, value)) = &operation.assignment {
        text += &format!(", and before the right side of `{operator}`");
        edits = within(edit(*value), edits);
    }
    Some(Hint::with(text, edits))
}

/// The operands that are views.
fn views(diagnostic: &Diagnostic, operation: &Operation) -> Vec<LineSpan> {
    let is_view = |name: &str| name.starts_with("ArrayBase<ViewRepr<&");
    let message = diagnostic.message.as_str();
    if let Some((left, right)) = types(message) {
        let sides = [(left, operation.left), (right, operation.right)];
        let views = sides.into_iter().filter(|(name, _)| is_view(name));
        return views.map(|(_, place)| place).collect();
    }
    // For a number times a view, rustc names the trait bound that the view does not satisfy.
    let is_it = message.contains("ViewRepr<&") && message.contains(": Data");
    let of_number = ["`f32` to implement `", "`f64` to implement `"];
    let is_it = is_it && of_number.iter().any(|begin| diagnostic.all.contains(begin));
    match is_it && operation.operator.len() == 1 {
        true => vec![operation.right],
        false => Vec::new(),
    }
}

/// Whether the error is about `x += array`, which requires `&array`.
fn is_array_assigned(diagnostic: &Diagnostic) -> bool {
    let (all, message) = (&diagnostic.all, &diagnostic.message);
    let is_array = all.contains("Assign<ArrayBase<") || message.contains("-assign `ArrayBase<");
    let is_array = is_array || message.starts_with("the trait bound `ArrayBase<");
    is_array || message.contains(" as RawData>::Elem == ArrayBase<")
}

/// Inserts `&` before an expression, with parentheses around an operation.
fn before(place: LineSpan, cell: &str) -> Vec<Edit> {
    let at = |column: usize, text: &str| Edit {
        place: LineSpan {
            start: column,
            end: column,
            ..place
        },
        text: text.to_owned(),
    };
    match expressions::is_operation(cell, place) {
        true => vec![at(place.start, "&("), at(place.end, ")")],
        false => vec![at(place.start, "&")],
    }
}

/// Combines edits around an expression with edits in it; edits at its start are merged.
fn within(mut outer: Vec<Edit>, inner: Vec<Edit>) -> Vec<Edit> {
    for edit in inner {
        match outer.iter_mut().find(|other| other.place == edit.place) {
            Some(other) => other.text += &edit.text,
            None => outer.push(edit),
        }
    }
    outer
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};

    const VIEW: &str = "ArrayBase<ViewRepr<&f32>, Dim<[usize; 1]>, f32>";
    const OWNED: &str = "ArrayBase<OwnedRepr<f32>, Dim<[usize; 1]>, f32>";

    #[test]
    fn a_view_is_borrowed_by_an_operator_and_by_the_assignment_around_it() {
        let cell = "out += weights[i] * words.row(i);";
        let message = "the trait bound `ViewRepr<&f32>: DataOwned` is not satisfied";
        let mut error = diagnostic("E0277", message, cell, "*");
        error.all += &format!("\nrequired for `f32` to implement `Mul<{VIEW}>`");
        let told = "an operator takes a view, a part of another array, by reference: write `&` \
            before `words.row(i)`, and before the right side of `+=`|\
            out += &(weights[i] * &words.row(i));";
        assert_eq!(said(&error, cell), told);
        let cell = "out += words.row(i) * y;";
        let message = format!("cannot multiply `{VIEW}` by `f32`");
        let told = said(&diagnostic("E0369", &message, cell, "*"), cell);
        assert!(told.ends_with("|out += &(&words.row(i) * y);"), "{told}");
        let cell = "words.row(i) * 2.0";
        let message = format!("cannot multiply `{VIEW}` by `{{float}}`");
        let told = said(&diagnostic("E0369", &message, cell, "*"), cell);
        assert!(
            told.ends_with("write `&` before `words.row(i)`|&words.row(i) * 2.0"),
            "{told}"
        );
    }

    #[test]
    fn an_array_is_borrowed_by_an_assignment() {
        let cell = "out += weights[i] * &words.row(i);";
        let message = format!("cannot add-assign `{OWNED}` to `{OWNED}`");
        let told = "`+=` borrows the array on its right: write `&` before it|\
            out += &(weights[i] * &words.row(i));";
        assert_eq!(said(&diagnostic("E0277", &message, cell, "+="), cell), told);
        let cell = "out += words.row(i);";
        let message =
            format!("type mismatch resolving `<OwnedRepr<f32> as RawData>::Elem == {VIEW}`");
        let told = said(&diagnostic("E0271", &message, cell, "+="), cell);
        assert!(told.ends_with("|out += &words.row(i);"), "{told}");
    }

    #[test]
    fn a_reference_is_not_borrowed_once_more() {
        let cell = "(&a * &b).sum()";
        let message = format!("cannot multiply `&&{OWNED}` by `&&{OWNED}`");
        let told = "`a` and `b` are already references: write them without `&`|(a * b).sum()";
        assert_eq!(said(&diagnostic("E0369", &message, cell, "*"), cell), told);
        let cell = "&scores - 1.0";
        let message = format!("cannot subtract `{{float}}` from `&&{OWNED}`");
        let told = "`scores` is already a reference: write it without `&`|scores - 1.0";
        assert_eq!(said(&diagnostic("E0369", &message, cell, "-"), cell), told);
        let cell = "a.dot(&b)";
        let message = format!(
            "the trait bound `ArrayRef<f32, Dim<[usize; 1]>>: Dot<&{OWNED}>` is not satisfied"
        );
        let told = "`b` is already a reference: write it without `&`|a.dot(b)";
        assert_eq!(said(&diagnostic("E0277", &message, cell, "&b"), cell), told);
    }
}
