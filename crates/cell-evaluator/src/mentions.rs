//! The names that a piece of code mentions.

use std::collections::BTreeSet;

/// Every word in `code` that could be a name, including those in strings and comments:
/// `println!("{count}")` mentions `count`. A superfluous name costs an unused import; a missing one
/// would keep the cell from compiling.
pub fn mentions(code: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = code.split(|c| !is_part(c));
    let names = words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    // `r#type` is also a name: a variable is stored under its name, including the prefix.
    let raw = code.match_indices("r#").map(|(place, mark)| {
        let name = code[place + mark.len()..].split(|c| !is_part(c)).next();
        &code[place..place + mark.len() + name.map_or(0, str::len)]
    });
    names.chain(raw).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_format_strings_count_and_numbers_do_not() {
        let found = mentions("let größe = 3.5_f32; println!(\"{count:>3}\", r#type.x1)");
        let expected = [
            "count", "größe", "let", "println", "r", "r#type", "type", "x1",
        ];
        let expected: BTreeSet<String> = expected.map(str::to_owned).into();
        assert_eq!(found, expected);
    }
}
