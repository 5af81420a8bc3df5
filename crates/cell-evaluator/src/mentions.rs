//! The names that a piece of code mentions.

use std::collections::BTreeSet;

/// Every word in `code` that could be a name, those in strings and comments included: a name too
/// many costs an import that is not used, one too few a cell that does not compile, and
/// `println!("{count}")` mentions `count`.
pub fn mentions(code: &str) -> BTreeSet<String> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let names = words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_format_strings_count_and_numbers_do_not() {
        let found = mentions("let größe = 3.5_f32; println!(\"{count:>3}\", r#type.x1)");
        let expected = ["count", "größe", "let", "println", "r", "type", "x1"];
        let expected: BTreeSet<String> = expected.map(str::to_owned).into();
        assert_eq!(found, expected);
    }
}
