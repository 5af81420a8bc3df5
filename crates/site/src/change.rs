//! Links to where a reader can change the code of a cell.

use crate::rust::escaped;
use anyhow::{Result, bail};

/// The part of the index that says how to run the notebooks on one's own machine.
const RUN: &str = "index.html#run";

/// The project's repository on GitHub, if it has one.
pub struct Change(Option<String>);

impl Change {
    /// Parses the address of a repository on GitHub.
    pub fn new(repository: Option<String>) -> Result<Change> {
        let Some(address) = repository else {
            return Ok(Change(None));
        };
        let path = address
            .trim_end_matches('/')
            .strip_prefix("https://github.com/");
        let is_name = |name: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            !name.is_empty() && name.chars().all(is_part)
        };
        match path.and_then(|path| path.split_once('/')) {
            Some((owner, name)) if is_name(owner) && is_name(name) => {
                Ok(Change(Some(format!("{owner}/{name}"))))
            }
            _ => bail!(
                "`{address}` is not a repository; give one such as https://github.com/OWNER/NAME"
            ),
        }
    }

    /// The link for a notebook: to Binder, or to the page that says how to run it.
    pub fn link(&self, notebook: &str) -> String {
        match &self.0 {
            Some(path) => format!(
                "https://mybinder.org/v2/gh/{path}/HEAD?urlpath=lab/tree/my-lessons/{notebook}.ipynb"
            ),
            None => RUN.to_owned(),
        }
    }

    /// The places where a reader can work in a notebook, as HTML.
    pub fn places(&self, notebook: &str) -> String {
        let own = format!(
            "open <code>my-lessons/{}.ipynb</code> <a href=\"{RUN}\">on your machine</a>",
            escaped(notebook)
        );
        match &self.0 {
            Some(path) => format!(
                "{own} or <a href=\"https://codespaces.new/{path}?quickstart=1\">in Codespaces</a>; \
                 <a href=\"{}\">Binder</a> opens it by itself.",
                escaped(&self.link(notebook))
            ),
            None => own + ".",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_repository_becomes_part_of_a_link() -> Result<()> {
        let of = |address: &str| Change::new(Some(address.to_owned()));
        let link = of("https://github.com/a/b-c/")?.link("01_x");
        assert_eq!(
            link,
            "https://mybinder.org/v2/gh/a/b-c/HEAD?urlpath=lab/tree/my-lessons/01_x.ipynb"
        );
        for wrong in [
            "",
            "a/b",
            "https://github.com/a",
            "https://github.com/a/b\"onclick=",
            "http://x/a/b",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Change::new(None)?.link("01_x"), "index.html#run");
        Ok(())
    }

    #[test]
    fn an_exercise_can_be_solved_in_three_places() -> Result<()> {
        let places = Change::new(Some("https://github.com/a/b".to_owned()))?.places("05_x");
        for needed in [
            "<code>my-lessons/05_x.ipynb</code>",
            "href=\"index.html#run\"",
            "href=\"https://codespaces.new/a/b?quickstart=1\"",
            "href=\"https://mybinder.org/v2/gh/a/b/HEAD?urlpath=lab/tree/my-lessons/05_x.ipynb\"",
        ] {
            assert!(places.contains(needed), "{needed}: {places}");
        }
        let own = Change::new(None)?.places("05_x");
        assert!(!own.contains("https:"), "{own}");
        Ok(())
    }
}
