//! The path of a crate in a `:dep` line, made absolute as evcxr does it.
//!
//! evcxr compares the line with what it has made of the line before, so a crate with a relative
//! path is never the one that is loaded already: it asks cargo about it anew, for half a second.

use std::borrow::Cow;
use std::fs;

/// The line as it is, unless it names a relative path to a crate that is there.
pub fn made_absolute(line: &str) -> Cow<'_, str> {
    match absolute(line) {
        Some(line) => line.into(),
        None => line.into(),
    }
}

fn absolute(line: &str) -> Option<String> {
    let (before, rest) = line.strip_prefix(":dep ")?.split_once("path")?;
    let (equals, rest) = rest.split_once('"')?;
    let (path, after) = rest.split_once('"')?;
    if equals.trim() != "=" || !path.starts_with('.') {
        return None;
    }
    let path = fs::canonicalize(path).ok()?;
    let path = path.to_str().filter(|path| !path.contains(['"', '\\']))?;
    Some(format!(":dep {before}path = \"{path}\"{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests run in the folder of the crate.
    #[test]
    fn relative_paths_become_absolute_and_the_rest_stays() {
        let here = env!("CARGO_MANIFEST_DIR");
        let src = made_absolute(":dep a = { path = \"./src\", features = [\"x\"] }");
        let expected = format!(":dep a = {{ path = \"{here}/src\", features = [\"x\"] }}");
        assert_eq!(src, expected);
        let up = made_absolute(":dep a = {path=\"../notebook-kernel\"}");
        assert_eq!(up, format!(":dep a = {{path = \"{here}\"}}"));
        for other in [
            ":dep a = { path = \"/src\" }",
            ":dep a = { path = \"./no-such-folder\" }",
            ":dep a = \"1\"",
            ":dep ./src",
            "let path = \"./src\";",
            ":dep a = { path = ",
        ] {
            assert_eq!(made_absolute(other), other);
        }
    }
}
