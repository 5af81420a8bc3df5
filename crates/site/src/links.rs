//! Converts the links of notebooks for the site.

/// The folder of the errata, next to the lessons; without its slash, the name of their page.
pub const ERRATA: &str = "errata/";

/// Where a link of a notebook leads on the site; `folder` is the notebook's folder in `notebooks`.
pub fn on_site(folder: &str, to: &str) -> String {
    if to.contains(':') || to.starts_with('#') {
        return to.to_owned();
    }
    // Pages and drawings are side by side, whichever folder they come from.
    let inside = match to.trim_start_matches("../") {
        above if above.len() < to.len() => above.to_owned(),
        beside => format!("{folder}{beside}"),
    };
    if let Some(erratum) = inside.strip_prefix(ERRATA) {
        let place = erratum.strip_suffix(".ipynb").unwrap_or_default();
        return format!("errata.html#{place}")
            .trim_end_matches('#')
            .to_owned();
    }
    inside.replace(".ipynb", ".html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_the_page_of_its_notebook() {
        let lesson = |to| on_site("", to);
        assert_eq!(lesson("01_x.ipynb#scores"), "01_x.html#scores");
        assert_eq!(lesson("../assets/a.svg"), "assets/a.svg");
        assert_eq!(lesson("errata/01_x.ipynb"), "errata.html#01_x");
        assert_eq!(lesson("errata/README.md"), "errata.html");
        assert_eq!(lesson("https://a/b.ipynb"), "https://a/b.ipynb");
        let erratum = |to| on_site(ERRATA, to);
        assert_eq!(erratum("01_x.ipynb"), "errata.html#01_x");
        assert_eq!(erratum("../01_x.ipynb"), "01_x.html");
        assert_eq!(erratum("#scores"), "#scores");
    }
}
