//! Links to where a reader can change the code of a cell.

use anyhow::{Result, bail};

/// The project's repository on GitHub, if it has one.
pub struct Change(Option<String>);

impl Change {
    /// Takes the address of a repository on GitHub.
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
            None => "index.html#run".to_owned(),
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
}
