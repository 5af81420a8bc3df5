//! The pages: one for each lesson, one for all errata, and the index.

use crate::files::Site;
use crate::index::index;
use crate::lesson::{Course, Lesson};
use crate::links::ERRATA;
use crate::notebook::Notebook;
use crate::rust::escaped;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The page's script: its two parts, wrapped in one function.
const SCRIPT: [&str; 4] = [
    "\"use strict\";\n(() => {\n",
    include_str!("../../../src/live_extension/controls.js"),
    include_str!("../assets/page.js"),
    "})();\n",
];

/// Allows only the site's own scripts and files; models may be loaded from another server, if they
/// are kept there.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; base-uri 'none'; form-action 'none'; connect-src 'self'";

/// Writes the index, a page for each lesson, and the page of the errata.
pub fn write_all(project: &Path, course: &Course) -> Result<()> {
    let site = course.site;
    let mut lessons = Vec::new();
    for notebook in Notebook::read_all(project, "")? {
        let mut lesson = Lesson::new(&notebook.name);
        lesson.add(&notebook, course)?;
        lessons.push(lesson);
    }
    let errata = errata(project, course)?;
    let pages: Vec<&Lesson> = lessons.iter().chain([&errata]).collect();
    let page = |title: &str, contents: &str, body: &str| page(title, contents, body, course);
    for (place, lesson) in lessons.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &lessons[before]);
        let turn = turn(before, lessons.get(place + 1));
        site.write(
            &format!("{}.html", lesson.name),
            page(
                &lesson.title,
                &contents(&pages, Some(lesson)),
                &format!("{}{turn}", lesson.body),
            ),
        )?;
    }
    site.write(
        "errata.html",
        page(
            &errata.title,
            &contents(&pages, Some(&errata)),
            &errata.body,
        ),
    )?;
    let readme = project.join("README.md");
    let readme = fs::read_to_string(&readme).with_context(|| format!("{}", readme.display()))?;
    site.write(
        "index.html",
        page(
            "How attention works",
            &contents(&pages, None),
            &index(&lessons, &readme)?,
        ),
    )?;
    site.write("style.css", include_str!("../assets/style.css"))?;
    site.write("page.js", SCRIPT.concat())?;
    site.write(
        "worker.js",
        course.models.script() + include_str!("../assets/worker.js"),
    )?;
    copy_drawings(&project.join("assets"), Path::new("assets"), site)
}

fn copy_drawings(from: &Path, to: &Path, site: &Site) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let path = entry?.path();
        let to = to.join(path.file_name().unwrap_or_default());
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => copy_drawings(&path, &to, site)?,
            Some("svg" | "png") => site.copy(&path, &to.to_string_lossy())?,
            _ => {}
        }
    }
    Ok(())
}

/// The page of the errata: the README of their folder, then each notebook.
fn errata(project: &Path, course: &Course) -> Result<Lesson> {
    let mut errata = Lesson::new("errata");
    let text = project.join("notebooks").join(ERRATA).join("README.md");
    let text = fs::read_to_string(&text).with_context(|| format!("{}", text.display()))?;
    errata.add_text(ERRATA, &text);
    for notebook in Notebook::read_all(project, ERRATA)? {
        errata.body += &format!("<section id=\"{}\">\n", escaped(&notebook.name));
        errata.add(&notebook, course)?;
        errata.body += "</section>\n";
    }
    Ok(errata)
}

fn contents(pages: &[&Lesson], here: Option<&Lesson>) -> String {
    let line = |lesson: &&Lesson| {
        let name = &lesson.name;
        let is_here = here.is_some_and(|here| here.name == *name);
        // The first heading is the title; each of the others at its level begins a part.
        let parts = lesson
            .headings
            .iter()
            .skip(1)
            .filter(|heading| is_here && heading.level <= 2);
        let parts = parts.map(|heading| {
            let class = if heading.level == 1 {
                " class=\"part\""
            } else {
                ""
            };
            format!(
                "<li{class}><a href=\"#{}\">{}</a></li>",
                escaped(&heading.id),
                escaped(&heading.title)
            )
        });
        let parts: String = parts.collect();
        let (class, parts) = match is_here {
            true => (" class=\"here\"", format!("<ol>{parts}</ol>")),
            false => ("", String::new()),
        };
        format!(
            "<li{class}><a href=\"{name}.html\">{}</a>{parts}</li>",
            escaped(&lesson.numbered_title())
        )
    };
    let lines: String = pages.iter().map(line).collect();
    format!("<ol><li><a href=\"index.html\">How attention works</a></li>{lines}</ol>")
}

fn turn(before: Option<&Lesson>, after: Option<&Lesson>) -> String {
    let link = |lesson: Option<&Lesson>, arrow: [&str; 2]| match lesson {
        Some(lesson) => {
            let (name, title) = (&lesson.name, escaped(&lesson.numbered_title()));
            format!(
                "<a href=\"{name}.html\">{}{title}{}</a>",
                arrow[0], arrow[1]
            )
        }
        None => "<span></span>".to_owned(),
    };
    format!(
        "<div class=\"turn\">{}{}</div>",
        link(before, ["← ", ""]),
        link(after, ["", " →"])
    )
}

fn page(title: &str, contents: &str, body: &str, course: &Course) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"description\" content=\"{title}: attention, step by step, in Rust, with pictures that move.\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY} {server}\">\n\
         <link rel=\"stylesheet\" href=\"style.css\">\n<link rel=\"icon\" href=\"data:,\">\n<script src=\"page.js\" defer></script>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">To the text</a>\n<div class=\"page\">\n\
         <nav class=\"contents\" aria-label=\"Lessons\">{contents}</nav>\n<main id=\"main\">\n{body}\n</main>\n</div>\n</body>\n</html>\n",
        title = escaped(title),
        server = course.models.server(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Change;
    use crate::models::Models;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use serde_json::{Value, json};
    use std::collections::{BTreeMap, BTreeSet};
    use std::io::Write;
    use tempfile::TempDir;

    /// The most bytes that a page may load before its pictures, compressed as servers send them.
    const MOST: usize = 300_000;

    /// A site whose pictures do not move, and its pages by their names.
    fn made_from(project: &Path) -> Result<(TempDir, BTreeMap<String, String>)> {
        let folder = tempfile::tempdir()?;
        let site = Site::begin(folder.path())?;
        let course = Course {
            live: &Value::Null,
            change: &Change::new(Some("https://github.com/a/b".to_owned()))?,
            models: &Models::new(None, &site)?,
            site: &site,
        };
        write_all(project, &course)?;
        let mut pages = BTreeMap::new();
        for entry in fs::read_dir(folder.path())? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "html")
            {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                pages.insert(name.into_owned(), fs::read_to_string(&path)?);
            }
        }
        Ok((folder, pages))
    }

    fn lessons() -> Result<(TempDir, BTreeMap<String, String>)> {
        made_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
    }

    fn attributes<'a>(page: &'a str, name: &str) -> BTreeSet<&'a str> {
        let begin = format!(" {name}=\"");
        let values = page.split(&begin).skip(1);
        values.filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn a_lesson_in_the_folder_has_a_page_and_a_place_on_the_index() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let project = folder.path();
        fs::create_dir_all(project.join("notebooks/errata"))?;
        fs::create_dir(project.join("assets"))?;
        for (name, code) in [
            ("01_first", "1 + 1"),
            ("11_new", "check::softmax(my_softmax)"),
        ] {
            let cell = |kind: &str, source: &str| json!({ "cell_type": kind, "source": source });
            let title = format!("# About {name}");
            let cells = [cell("markdown", &title), cell("code", code)];
            let file = project.join(format!("notebooks/{name}.ipynb"));
            fs::write(file, json!({ "cells": cells }).to_string())?;
        }
        let rows = "| [01_first](a) | one | an hour |\n| [11_new](b) | softmax | an hour |\n";
        fs::write(project.join("README.md"), rows)?;
        fs::write(project.join("notebooks/errata/README.md"), "")?;
        let (_folder, pages) = made_from(project)?;
        let index = &pages["index.html"];
        let entry = "<a href=\"11_new.html\">11 About 11_new</a><p>softmax</p>";
        assert!(index.contains(entry), "{index}");
        let next = "<a href=\"11_new.html\">11 About 11_new →</a>";
        assert!(pages["01_first.html"].contains(next));
        assert!(pages["11_new.html"].contains("softmax"));
        Ok(())
    }

    #[test]
    fn every_link_of_every_page_leads_somewhere() -> Result<()> {
        let (folder, pages) = lessons()?;
        let ids: BTreeMap<_, _> = pages
            .iter()
            .map(|(name, page)| (name.as_str(), attributes(page, "id")))
            .collect();
        let mut followed = 0;
        for (name, page) in &pages {
            let links = attributes(page, "href");
            for link in links.into_iter().chain(attributes(page, "src")) {
                if link.starts_with("http") || link.starts_with("data:") {
                    continue;
                }
                let (file, place) = link.split_once('#').unwrap_or((link, ""));
                let file = if file.is_empty() { name } else { file };
                assert!(folder.path().join(file).exists(), "{name}: {link}");
                if !place.is_empty() {
                    let has = ids.get(file).is_some_and(|ids| ids.contains(place));
                    assert!(has, "{name}: {link}");
                }
                followed += 1;
            }
        }
        assert!(followed > 500, "only {followed} links");
        Ok(())
    }

    #[test]
    fn the_output_after_a_prediction_is_folded() -> Result<()> {
        for (name, page) in lessons()?.1 {
            let asked = page.matches("<form data-predict=").count();
            let folded = page.matches("<details class=\"output predicted\">").count();
            assert!(
                folded <= asked && folded * 4 >= asked * 3,
                "{name}: {folded} of {asked}"
            );
        }
        Ok(())
    }

    #[test]
    fn ids_are_unique_on_each_page() -> Result<()> {
        for (name, page) in lessons()?.1 {
            for id in attributes(&page, "id") {
                let count = page.matches(&format!(" id=\"{id}\"")).count();
                assert_eq!(count, 1, "{name}: {id}");
            }
        }
        Ok(())
    }

    #[test]
    fn the_errata_are_one_page_that_the_index_and_their_lessons_link_to() -> Result<()> {
        let (_folder, pages) = lessons()?;
        let errata = &pages["errata.html"];
        let notebooks = pages
            .keys()
            .filter_map(|name| Some((name, name.strip_suffix(".html")?)));
        let mut linked = 0;
        for (page, name) in notebooks {
            if errata.contains(&format!("<section id=\"{name}\">")) {
                let link = format!("href=\"errata.html#{name}\"");
                assert!(pages[page].contains(&link), "{page}");
                linked += 1;
            }
        }
        assert_eq!(linked, 5);
        assert!(pages["index.html"].contains("href=\"errata.html\""));
        let entries = errata.matches("<h2 ").count();
        assert!(entries > 30, "only {entries}");
        Ok(())
    }

    #[test]
    fn a_page_is_small() -> Result<()> {
        let (folder, pages) = lessons()?;
        let at_once = ["style.css", "page.js"].map(|file| fs::read(folder.path().join(file)));
        for (name, page) in &pages {
            let (mut whole, mut packed) = (0, 0);
            for file in at_once.iter().flatten().map(Vec::as_slice) {
                let (of_file, of_packed) = sizes(file)?;
                (whole, packed) = (whole + of_file, packed + of_packed);
            }
            let (of_page, of_packed) = sizes(page.as_bytes())?;
            (whole, packed) = (whole + of_page, packed + of_packed);
            println!("{name}: {whole} bytes, {packed} packed");
            assert!(
                packed < MOST,
                "{name} has {packed} bytes packed, {whole} as files"
            );
        }
        Ok(())
    }

    fn sizes(file: &[u8]) -> Result<(usize, usize)> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(file)?;
        Ok((file.len(), packed.finish()?.len()))
    }

    /// Whatever a notebook contains, the only script on its page is the page's own.
    #[test]
    fn hostile_text_stays_text_on_every_page() -> Result<()> {
        const HOSTILE: [&str; 3] = [
            "<script>alert(1)</script>",
            "\"><img src=x onerror=alert(1)>",
            "</code></pre><svg onload=alert(1)>",
        ];
        let project = tempfile::tempdir()?;
        for folder in ["assets", "notebooks/errata"] {
            fs::create_dir_all(project.path().join(folder))?;
        }
        let every = HOSTILE.join(" ");
        let text = |source: &str| json!({ "cell_type": "markdown", "id": every, "source": source });
        let code = |outputs: Value| json!({ "cell_type": "code", "id": every, "source": every, "outputs": outputs });
        let cells = [
            text(&format!("# {every}")),
            text(&format!(
                "[{every}]({every}) `{every}` ${every}$\n\n| {every} |\n|---|"
            )),
            code(json!([{ "text": every }, { "evalue": every }])),
            code(json!([{ "data": { "text/html": every } }, { "data": { "text/plain": every } }])),
        ];
        let notebook = json!({ "cells": cells }).to_string();
        fs::write(project.path().join("notebooks/01_a.ipynb"), &notebook)?;
        fs::write(
            project.path().join("notebooks/errata/01_a.ipynb"),
            &notebook,
        )?;
        fs::write(project.path().join("notebooks/errata/README.md"), &every)?;
        let readme = format!("| [01_a](notebooks/01_a.ipynb) | {every} | {every} |");
        fs::write(project.path().join("README.md"), readme)?;
        let (_folder, pages) = made_from(project.path())?;
        assert_eq!(pages.len(), 3);
        for (name, page) in pages {
            assert_eq!(page.matches("<script").count(), 1, "{name}: {page}");
            // Between quotes, they are only part of an attribute's value.
            for tag in page.split('<').skip(1) {
                let outside: String = tag
                    .split('>')
                    .next()
                    .unwrap_or_default()
                    .split('"')
                    .step_by(2)
                    .collect();
                assert!(
                    !outside.contains("onerror") && !outside.contains("onload"),
                    "{name}: <{tag}"
                );
            }
            assert!(page.contains("alert(1)"), "{name}");
        }
        Ok(())
    }
}
