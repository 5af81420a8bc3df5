//! Short forms of numbers, and values on scales.

/// A number in at most five characters, if possible, so that it fits into its cell.
pub(crate) fn short_number(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() || value >= 99_999.5 || value <= -9_999.5 => {
            format!("{value:.0e}").replace("inf", "∞")
        }
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size < 0.005 => "0.00".to_owned(), // not -0.00
        _ => format!("{value:.2}"),
    }
}

/// A value on a scale with these ends, formatted as by [`short_number`]. If even the larger end is
/// too small for two decimals, the value gets more decimals and no leading 0, or a power of ten.
pub(crate) fn number_on(value: f64, (low, high): (f64, f64)) -> String {
    let decimals = match value.abs().max(low.abs()).max(high.abs()) {
        size if size >= 0.0995 || !value.is_finite() => return short_number(value),
        size if size >= 0.00995 => 3,
        size if size >= 0.000_995 && low >= 0.0 => 4,
        _ if value == 0.0 => return "0".to_owned(),
        _ => return format!("{value:.0e}"),
    };
    let size = format!("{:.decimals$}", value.abs()).replacen("0.", ".", 1);
    let is_zero = size.chars().all(|c| matches!(c, '.' | '0'));
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    sign.to_owned() + &size
}

/// The approximate width of a number as a multiple of its font size, for the widest of the fonts.
pub(crate) fn number_width(number: &str) -> f64 {
    let width = |c: char| match c {
        '.' => 0.32,
        '-' => 0.37,
        '0'..='9' | 'e' => 0.64,
        _ => 0.84,
    };
    number.chars().map(width).sum()
}

/// The value at this share of the way from `low` to `high`.
pub(crate) fn between((low, high): (f64, f64), share: f64) -> f64 {
    match (high - low).is_finite() {
        true => low + (high - low) * share,
        false => low * (1.0 - share) + high * share,
    }
}

/// Limits for a single value: 0.5 below and above it or, if 0.5 is too small to change the
/// value, half of the value below and above it.
pub(crate) fn around(value: f64) -> (f64, f64) {
    let half = match value - 0.5 < value && value < value + 0.5 {
        true => 0.5,
        false => value.abs() / 2.0,
    };
    ((value - half).max(f64::MIN), (value + half).min(f64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_rounds_to_zero_has_no_sign() {
        for value in [0.0, -0.0, 0.004, -0.004, -1e-300] {
            assert_eq!(short_number(value), "0.00", "{value}");
        }
        assert_eq!(short_number(-0.006), "-0.01");
    }
}
