//! Orders completions for a learner: the names that the notebook is about come first.

/// The text of a completion and its kind.
type Completion = (String, String);

/// Moves completions that stand for one of these paths to the front, in the order of the paths.
/// `before` is the code before the completed text.
pub fn first(texts: &mut [Completion], before: &str, paths: &[String]) {
    let path = path_at_end(before);
    texts.sort_by_key(|(text, _)| {
        let name = text.split(|character| !is_of_path(character)).next();
        let full = format!("{path}{}", name.unwrap_or_default());
        let rank = paths.iter().position(|one| is_end_of_path(&full, one));
        rank.unwrap_or(usize::MAX)
    });
}

/// Completes the path at the end of `before` from these paths, for when the evaluator has no
/// answer yet. Returns the names, and how many bytes of them have been typed.
pub fn begun(before: &str, paths: &[String]) -> (Vec<Completion>, usize) {
    let Some((module, typed)) = path_at_end(before).rsplit_once("::") else {
        return (Vec::new(), 0);
    };
    let names = paths.iter().filter_map(|path| {
        let (own, name) = path.rsplit_once("::")?;
        (is_end_of_path(module, own) && name.starts_with(typed)).then(|| name.to_owned())
    });
    let texts = names.map(|name| (name, "function".to_owned()));
    (texts.collect(), typed.len())
}

fn path_at_end(code: &str) -> &str {
    &code[code.trim_end_matches(is_of_path).len()..]
}

fn is_of_path(character: char) -> bool {
    character.is_alphanumeric() || "_:".contains(character)
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
    fn a_path_unknown_to_the_evaluator_is_completed_from_those_of_the_notebook() {
        let paths = ["hint::scores", "hint::softmax", "check::scores"].map(str::to_owned);
        for (before, names, typed) in [
            ("hint::", vec!["scores", "softmax"], 0),
            ("let a = exercises::hint::so", vec!["softmax"], 2),
            ("check::s", vec!["scores"], 1),
            ("my_hint::", vec![], 0),
            ("hint", vec![], 0),
            ("hint:: ", vec![], 0),
        ] {
            let (texts, length) = begun(before, &paths);
            let texts: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!((texts, length), (names, typed), "{before}");
        }
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
