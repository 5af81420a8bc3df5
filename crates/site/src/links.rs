//! Converts the links of notebooks for the site.

/// The target on the site of a link in a notebook.
pub fn on_site(to: &str) -> String {
    if to.contains(':') || to.starts_with('#') {
        return to.to_owned();
    }
    let inside = to.trim_start_matches("../");
    let (path, place) = inside
        .split_once('#')
        .map_or((inside, String::new()), |(path, place)| {
            (path, format!("#{place}"))
        });
    match path.strip_suffix(".ipynb") {
        Some(name) => format!("{}.html{place}", name.replace("errata/", "errata_")),
        None if path == "errata" => "index.html#errata".to_owned(),
        None => inside.to_owned(),
    }
}
