//! Parses a guess as people write it: a number, or one of several choices.

/// Words before a number that do not change it.
const ABOUT: [&str; 9] = [
    "about",
    "around",
    "roughly",
    "nearly",
    "almost",
    "approximately",
    "approx.",
    "ca.",
    "circa",
];

/// Numbers written as words.
const WORDS: [(&str, f64); 14] = [
    ("zero", 0.0),
    ("none", 0.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("half", 0.5),
    ("one half", 0.5),
];

/// The guess without the quotes around it, a full stop or exclamation mark at its end, and
/// superfluous spaces.
pub(crate) fn plain(guess: &str) -> String {
    let is_around = |c: char| c.is_whitespace() || "\"'`.!".contains(c);
    // A number may begin with a decimal point.
    let guess = guess.trim_end_matches(is_around);
    let guess = guess.trim_start_matches(|c| c != '.' && is_around(c));
    guess.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number: `0.5`, `50 %`, `1/2`, `1_000`, `1,000`, `about 89`, `4 times`, `four`.
pub(crate) fn number(guess: &str) -> Option<f64> {
    let text = plain(guess).to_lowercase();
    let mut text = text.trim_start_matches(['~', '≈', '=', ' ']);
    while let Some(rest) = ABOUT.iter().find_map(|about| text.strip_prefix(about)) {
        text = rest.trim_start();
    }
    let text = ["times", "x", "as many", "numbers"]
        .iter()
        .fold(text, |text, after| {
            text.strip_suffix(after).unwrap_or(text).trim_end()
        });
    if let Some((_, number)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Some(*number);
    }
    let text = text.replace(['_', ' '], "");
    if let Some(percent) = text.strip_suffix('%') {
        return Some(decimal(percent)? / 100.0);
    }
    match text.split_once('/') {
        Some((over, under)) => Some(decimal(over)? / decimal(under)?),
        None => decimal(&text),
    }
}

/// A comma before three digits separates thousands; any other is a decimal point.
fn decimal(text: &str) -> Option<f64> {
    let mut pieces = text.split(',').skip(1).peekable();
    let is_thousands = |piece: &str| piece.len() == 3;
    match pieces.peek().is_none() || pieces.all(is_thousands) {
        true => text.replace(',', "").parse().ok(),
        false => text.replacen(',', ".", 1).parse().ok(),
    }
}

/// The choice that was meant: the one with the same words or the same number, or the only one that
/// contains the words.
pub(crate) fn choice(guess: &str, choices: &[&'static str]) -> Option<&'static str> {
    let guess = plain(guess).to_lowercase();
    let is_same = |choice: &&&str| {
        let is_number = || number(choice).is_some_and(|one| number(&guess) == Some(one));
        choice.to_lowercase() == guess || is_number()
    };
    let same = choices.iter().find(is_same);
    let has_it = |choice: &&&str| {
        let choice = format!(" {} ", choice.to_lowercase());
        guess.len() > 2 && choice.contains(&format!(" {guess} "))
    };
    let mut with_it = choices.iter().filter(has_it);
    let only = with_it.next().filter(|_| with_it.next().is_none());
    same.or(only).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let numbers = [
            ("0.5", 0.5),
            ("50 %", 0.5),
            ("1/2", 0.5),
            ("0,5", 0.5),
            (".5", 0.5),
            ("1_000", 1000.0),
            ("1,000", 1000.0),
            ("1,000,000", 1e6),
            ("-inf", f64::NEG_INFINITY),
            ("about 89", 89.0),
            ("~ 89.", 89.0),
            ("\"89\"", 89.0),
            ("4 times", 4.0),
            ("4x", 4.0),
            ("Four", 4.0),
            ("half", 0.5),
        ];
        for (text, expected) in numbers {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        assert_eq!(["many", "", "?", "a/2"].map(number), [None; 4]);
    }

    #[test]
    fn a_choice_is_known_by_its_words() {
        let choices = ["they grow", "they stay the same", "they become equal"];
        let meant = [
            "They  grow.",
            "'grow'",
            "stay the same",
            "they",
            "shrink",
            "no",
        ];
        let found = meant.map(|guess| choice(guess, &choices));
        let [grow, same] = [Some(choices[0]), Some(choices[1])];
        assert_eq!(found, [grow, grow, same, None, None, None]);
        assert_eq!(choice("NO", &["yes", "no"]), Some("no"));
    }

    #[test]
    fn a_choice_that_is_a_number_may_be_written_in_another_way() {
        let choices = ["100", "1,000", "10,000", "none"];
        for (guess, meant) in [
            ("10000", "10,000"),
            ("10_000", "10,000"),
            ("about 1000", "1,000"),
            ("100", "100"),
            ("0", "none"),
        ] {
            assert_eq!(choice(guess, &choices), Some(meant), "{guess}");
        }
        assert_eq!(choice("500", &choices), None);
    }
}
