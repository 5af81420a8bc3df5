//! Orders completions for a learner: what the notebook is about comes first.

/// The text of a completion and its kind.
type Completion = (String, String);

/// Moves completions that stand for one of these paths to the front, in the order of the paths.
/// `before` is the code before the completed text.
pub fn first(texts: &mut [Completion], before: &str, paths: &[String]) {
    let is_path = |character: char| character.is_alphanumeric() || "_:".contains(character);
    let path = &before[before.trim_end_matches(is_path).len()..];
    texts.sort_by_key(|(text, _)| {
        let name = text.split(|character| !is_path(character)).next();
        let full = format!("{path}{}", name.unwrap_or_default());
        let rank = paths.iter().position(|one| is_end_of_path(&full, one));
        rank.unwrap_or(usize::MAX)
    });
}

/// Whether the path `full` ends with the path `end`.
fn is_end_of_path(full: &str, end: &str) -> bool {
    let before = full.strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(before: &str) -> Vec<String> {
        let paths = ["hint::scores", "hint::bars"].map(str::to_owned);
        let texts = ["axes()", "bars()", "scores(answer)", "scores_of()"];
        let mut texts = texts.map(|text| (text.to_owned(), "function".to_owned()));
        first(&mut texts, before, &paths);
        texts.map(|(text, _)| text).to_vec()
    }

    #[test]
    fn what_the_notebook_is_about_comes_first_where_it_can_stand() {
        let expected = ["scores(answer)", "bars()", "axes()", "scores_of()"];
        for before in ["hint::", "let a = exercises::hint::"] {
            assert_eq!(ordered(before), expected, "{before}");
        }
        let as_it_was = ["axes()", "bars()", "scores(answer)", "scores_of()"];
        for before in ["", "check::", "my_hint::", "hint:: ", "hint."] {
            assert_eq!(ordered(before), as_it_was, "{before}");
        }
    }
}
