//! The format set by `:fmt` for values without a rich display. It is inserted into every later
//! cell, where a mistake would look like the cell's own.

use notebook::evaluator::Failure;

/// The valid format types.
const KINDS: [&str; 10] = ["", "?", "x?", "X?", "x", "X", "o", "b", "e", "E"];

/// Rejects anything but a format for a single value.
///
/// # Errors
///
/// If the format is not valid; the failure explains the syntax.
pub fn check(format: &str) -> Result<(), Failure> {
    if shows_one_value(format).unwrap_or(false) {
        return Ok(());
    }
    Err(Failure::new(
        "CompileError",
        format!(
            "`:fmt {format}` does not say how one value is shown: that is written as in \
             `println!`, with `{{}}` once and without quotes, as `:fmt {{:.3?}}`; `:fmt` alone \
             is `:fmt {{:?}}`"
        ),
    ))
}

/// Whether a format string has exactly one placeholder; `None` if it is not valid.
fn shows_one_value(format: &str) -> Option<bool> {
    // It is inserted between quotes.
    if format.contains(['"', '\\']) {
        return None;
    }
    let (mut rest, mut places) = (format, 0);
    while let Some(brace) = rest.find(['{', '}']) {
        let (bracket, after) = rest[brace..].split_at(1);
        rest = match after.strip_prefix(bracket) {
            Some(after) => after, // doubled: an escaped brace
            None => {
                let (place, after) = after.split_once('}').filter(|_| bracket == "{")?;
                places += usize::from(place.is_empty() || is_form(place.strip_prefix(':')?));
                after
            }
        };
    }
    Some(places == 1)
}

/// Whether this is a valid format spec: `[[fill]align][sign]['#']['0'][width]['.' precision]` and a
/// type.
fn is_form(form: &str) -> bool {
    let is_align = |letter: char| "<^>".contains(letter);
    let mut letters = form.chars();
    let form = match (letters.next(), letters.next()) {
        (Some(fill), Some(align)) if is_align(align) => &form[fill.len_utf8() + 1..],
        (Some(align), _) if is_align(align) => &form[1..],
        _ => form,
    };
    let form = form.strip_prefix(['+', '-']).unwrap_or(form);
    let form = form.strip_prefix('#').unwrap_or(form);
    let is_digit = |letter: char| letter.is_ascii_digit();
    let form = form.trim_start_matches(is_digit);
    let form = match form.strip_prefix('.') {
        Some(precision) if !precision.starts_with(is_digit) => return false,
        Some(precision) => precision.trim_start_matches(is_digit),
        None => form,
    };
    KINDS.contains(&form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_has_one_place_in_the_form_that_rust_knows() {
        for format in [
            "{:?}",
            "{}",
            "{:#?}",
            "{:.3}",
            "{:>8.3?}",
            "{:*^+#012.5e}",
            "= {:x}",
            "{{{:?}}}",
        ] {
            assert!(check(format).is_ok(), "{format}");
        }
        for format in [
            "{nope", "nope", "}", "{}{}", "{:nope}", "{0}", "{x:?}", "{:.}", "{{}}", "\"{}", "{}\\",
        ] {
            let failure = check(format).expect_err(format);
            assert!(failure.message.starts_with(&format!("`:fmt {format}` ")));
        }
    }
}
