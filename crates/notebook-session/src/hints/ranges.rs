//! A half-open range or a tuple where an inclusive range is expected.

use super::{Hint, Known};
use crate::diagnostic::{Diagnostic, Edit, LineSpan};

pub fn hint(diagnostic: &Diagnostic, known: &Known<'_>) -> Option<Hint> {
    let mark = diagnostic.marks.iter().find(|mark| mark.is_primary)?;
    let (wanted, found) = mark.label.split_once(", found ")?;
    if !diagnostic.has_code("E0308") || !wanted.starts_with("expected `RangeInclusive<") {
        return None;
    }
    let LineSpan { line, start, end } = mark.place;
    let given = mark.place.of(known.cell);
    let edit = |start, end, text: &str| Edit {
        place: LineSpan { line, start, end },
        text: text.to_owned(),
    };
    if found.starts_with("`Range<") {
        let dots = given.find("..")?;
        let after = start + given[..dots].chars().count() + 2;
        let text = "`..` leaves out the end of a range, and this one must include it: write `..=`";
        return Some(Hint::with(text, vec![edit(after, after, "=")]));
    }
    let inner = given.strip_prefix('(')?.strip_suffix(')')?;
    let (from, to) = inner.split_once(',')?;
    let range = format!("{}..={}", from.trim(), to.trim());
    let text = "a range is expected here: write `..=` between its first value and its last";
    (!to.contains(',')).then(|| Hint::with(text, vec![edit(start, end, &range)]))
}

#[cfg(test)]
mod tests {
    use crate::hints::tests::{diagnostic, said};

    #[test]
    fn a_range_gets_its_end() {
        let told = |given: &str, found: &str| {
            let cell = format!("slider(\"t\", {given}, 1)");
            let mut mismatch = diagnostic("E0308", "mismatched types", &cell, given);
            mismatch.marks[0].label = format!("expected `RangeInclusive<i32>`, found `{found}`");
            said(&mismatch, &cell)
        };
        let range = told("0..10", "Range<{integer}>");
        assert!(
            range.ends_with("write `..=`|slider(\"t\", 0..=10, 1)"),
            "{range}"
        );
        let pair = told("(0, 10)", "({integer}, {integer})");
        assert!(pair.ends_with("|slider(\"t\", 0..=10, 1)"), "{pair}");
        assert_eq!(told("10", "{integer}"), "|");
    }
}
