//! Short names for array types, as learners write them: `Array2<f32>` for
//! `ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>, f32>`.

use cell_evaluator::split_types;

const BASE: &str = "ArrayBase<";

/// Replaces every array type in the text that has a short name.
pub fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(BASE) {
        let (before, after) = (&rest[..place], &rest[place + BASE.len()..]);
        match arguments(after).and_then(|(parts, length)| Some((name(&parts)?, length))) {
            Some((name, length)) => {
                short += before;
                short += &name;
                rest = &after[length..];
            }
            None => {
                short += &rest[..place + BASE.len()];
                rest = after;
            }
        }
    }
    short + rest
}

/// The short name for this storage, dimension and element type.
fn name(parts: &[&str]) -> Option<String> {
    // Older versions of ndarray omit the element type.
    let (storage, dimension) = (parts.first()?, parts.get(1)?);
    let (storage, inner) = storage.strip_suffix('>')?.split_once('<')?;
    let (kind, arguments) = match (storage, inner) {
        ("OwnedRepr", element) => ("Array", shortened(element)),
        ("OwnedArcRepr", element) => ("ArcArray", shortened(element)),
        ("ViewRepr", element) => {
            let element = element.strip_prefix('&')?;
            let (lifetime, element) = match element.split_once(' ') {
                Some((lifetime, element)) if lifetime.starts_with('\'') => (lifetime, element),
                _ => ("", element),
            };
            let (kind, element) = match element.strip_prefix("mut ") {
                Some(element) => ("ArrayViewMut", element),
                None => ("ArrayView", element),
            };
            let lifetime = match lifetime {
                "" => String::new(),
                lifetime => format!("{lifetime}, "),
            };
            (kind, lifetime + &shortened(element))
        }
        _ => return None,
    };
    let dimension = dimension.strip_prefix("Dim<")?.strip_suffix('>')?;
    let axes = match dimension {
        "IxDynImpl" => "D",
        axes => axes.strip_prefix("[usize; ")?.strip_suffix(']')?,
    };
    Some(format!("{kind}{axes}<{arguments}>"))
}

/// The generic arguments up to the closing `>`, and the number of bytes up to and including it.
fn arguments(text: &str) -> Option<(Vec<&str>, usize)> {
    let line = text.lines().next()?;
    let (parts, rest) = split_types(line);
    let after = rest.strip_prefix('>')?;
    Some((parts, line.len() - after.len()))
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn arrays_have_the_names_that_one_writes() {
        let two = "Dim<[usize; 2]>";
        for (long, short) in [
            (
                format!("ArrayBase<OwnedRepr<f32>, {two}, f32>"),
                "Array2<f32>",
            ),
            (format!("&ArrayBase<OwnedRepr<f32>, {two}>"), "&Array2<f32>"),
            (
                format!("Vec<ArrayBase<ViewRepr<&'static f64>, {two}, f64>>"),
                "Vec<ArrayView2<'static, f64>>",
            ),
            (
                format!("`ArrayBase<ViewRepr<&mut (f64, u8)>, {two}, (f64, u8)>` is"),
                "`ArrayViewMut2<(f64, u8)>` is",
            ),
            (
                "ArrayBase<OwnedArcRepr<u8>, Dim<IxDynImpl>, u8>".to_owned(),
                "ArcArrayD<u8>",
            ),
            (
                "ArrayBase<OwnedRepr<ArrayBase<OwnedRepr<f32>, Dim<[usize; 1]>, f32>>, \
                 Dim<[usize; 1]>, ArrayBase<OwnedRepr<f32>, Dim<[usize; 1]>, f32>>"
                    .to_owned(),
                "Array1<Array1<f32>>",
            ),
        ] {
            assert_eq!(shortened(&long), short, "{long}");
        }
    }

    #[test]
    fn what_is_not_told_in_full_stays() {
        for text in [
            "ArrayBase<OwnedRepr<f32>, ..., f32>",
            "ArrayBase<S, D>",
            "ArrayBase<OwnedRepr<f32>, Dim<[usize; 2]>",
            "ArrayBase<",
            "",
        ] {
            assert_eq!(shortened(text), text);
        }
    }
}
