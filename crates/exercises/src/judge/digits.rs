//! Numbers as text, with enough digits to tell different numbers apart.

/// This many digits after the decimal point are usually enough.
pub(crate) const FEW: usize = 4;

/// More digits than an f64 has.
const MOST: usize = 17;

/// The number with at most four digits after the decimal point.
pub(crate) fn rounded(value: f64) -> String {
    with_digits(value, FEW)
}

/// The number with at most this many digits after the decimal point, without trailing zeros.
pub(crate) fn with_digits(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    let text = if text == "-0" { "0" } else { text };
    text.to_owned()
}

/// How many digits after the decimal point, at least `least`, are needed to tell the two numbers of
/// each pair apart.
pub(crate) fn telling_apart(least: usize, pairs: &[(f64, f64)]) -> usize {
    let are_told_apart = |digits: &usize| {
        let mut pairs = pairs.iter();
        pairs.all(|(a, b)| a == b || with_digits(*a, *digits) != with_digits(*b, *digits))
    };
    (least..MOST).find(are_told_apart).unwrap_or(least)
}

/// A factor or an offset, with enough digits that it does not look like 1 or 0, which would change
/// nothing.
pub(crate) fn amount(value: f64) -> String {
    with_digits(value, telling_apart(FEW, &[(value, 0.0), (value, 1.0)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_numbers_look_different() {
        let both = |a: f64, b: f64| {
            let digits = telling_apart(FEW, &[(a, b)]);
            [a, b].map(|value| with_digits(value, digits))
        };
        assert_eq!(both(0.5, 0.25), ["0.5", "0.25"]);
        assert_eq!(both(0.0, 0.00002), ["0", "0.00002"]);
        assert_eq!(both(0.0, -0.00002), ["0", "-0.00002"]);
        assert_eq!(both(0.33333, 0.33335), ["0.33333", "0.33335"]);
        assert_eq!(both(f64::NAN, 0.1), ["NaN", "0.1"]);
        assert_eq!(amount(1.00002), "1.00002");
        assert_eq!(amount(-3e-6), "-0.000003");
        assert_eq!(
            [amount(1.0), amount(2.5), rounded(-1e-9)],
            ["1", "2.5", "0"]
        );
    }
}
