//! A Rust list where an array is expected.

use super::{Hint, Known, is_name};
use crate::diagnostic::{Diagnostic, Edit};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let mark = diagnostic.marks.iter().find(|mark| mark.is_primary)?;
    let types: Vec<&str> = mark.label.split('`').skip(1).step_by(2).collect();
    let [wanted, found] = types[..] else {
        return None;
    };
    let is_list = found.starts_with("&[") || found.starts_with('[') || found.contains("Vec<");
    let is_array = wanted.contains("ArrayRef") || wanted.contains("ArrayBase");
    if !diagnostic.has_code("E0308") || !is_array || wanted.starts_with('(') || !is_list {
        return None;
    }
    let text = "an ndarray array is expected here, and a Rust list is not one";
    let given = mark.place.of(known.cell);
    let (borrow, list) = match given.strip_prefix('&') {
        Some(list) => ("&", list),
        None => ("", given),
    };
    let list = list.strip_prefix("vec!").unwrap_or(list);
    if list.starts_with('[') {
        let edit = Edit {
            place: mark.place,
            text: format!("{borrow}array!{}", list.replace("vec![", "[")),
        };
        return Some(Hint::with(
            format!("{text}: make one with `array!`"),
            vec![edit],
        ));
    }
    let name = match is_name(list) {
        true => list,
        false => "list",
    };
    let of_lists = found.contains("Vec<Vec<");
    Some(Hint::new(match of_lists {
        true => format!(
            "{text}: make one with `Array2::from_shape_fn(({name}.len(), {name}[0].len()), |(i, j)| \
             {name}[i][j])`"
        ),
        false => format!("{text}: make one with `Array1::from_iter({name})`"),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{diagnostic, said};

    fn told(cell: &str, wanted: &str, found: &str) -> String {
        let mut error = diagnostic("E0308", "mismatched types", cell, cell);
        error.marks[0].label = format!("expected `{wanted}`, found `{found}`");
        said(&error, cell)
    }

    #[test]
    fn a_list_becomes_an_array() {
        let array = "ArrayBase<OwnedRepr<f32>, ..., f32>";
        assert!(told("&[1.0]", "&ArrayRef<_, _>", "&[{float}; 1]").ends_with("|&array![1.0]"));
        assert!(told("[a, b]", array, "[f32; 2]").ends_with("`array!`|array![a, b]"));
        let inner = told("vec![vec![1.0], vec![2.0]]", array, "Vec<Vec<{float}>>");
        assert!(inner.ends_with("|array![[1.0], [2.0]]"), "{inner}");
        assert!(told("rows", array, "Vec<Vec<f32>>").contains("(rows.len(), rows[0].len())"));
        assert!(told("list", array, "Vec<f32>").ends_with("`Array1::from_iter(list)`|"));
        assert_eq!(
            told("[a, b]", "(ArrayBase<..., ..., f32>, ...)", "[f32; 2]"),
            "|"
        );
    }
}
