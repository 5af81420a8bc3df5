//! The pages: one for each lesson, one for its errata, and the index.

use crate::files::Site;
use crate::index::index;
use crate::lesson::{Course, Lesson};
use crate::notebook::Notebook;
use crate::rust::escaped;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Writes all pages.
pub fn write_all(project: &Path, course: &Course) -> Result<()> {
    let site = course.site;
    let notebooks = project.join("notebooks");
    let lessons = read_all(&notebooks, course)?;
    let nothing_live = Course {
        live: &Value::Null,
        ..*course
    };
    let errata = read_all(&notebooks.join("errata"), &nothing_live)?;
    let page = |title: &str, contents: &str, body: &str| page(title, contents, body, course);
    for (place, lesson) in lessons.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &lessons[before]);
        let turn = turn(before, lessons.get(place + 1));
        site.write(
            &format!("{}.html", lesson.name),
            page(
                &lesson.title,
                &contents(&lessons, Some(lesson)),
                &format!("{}{turn}", lesson.body),
            ),
        )?;
    }
    for one in &errata {
        let name = format!("errata_{}.html", one.name);
        site.write(
            &name,
            page(&one.title, &contents(&lessons, None), &one.body),
        )?;
    }
    site.write(
        "index.html",
        page(
            "How attention works",
            &contents(&lessons, None),
            &index(&lessons, &errata),
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

fn read_all(folder: &Path, course: &Course) -> Result<Vec<Lesson>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "ipynb")
    });
    paths.sort();
    paths
        .iter()
        .map(|path| Lesson::new(Notebook::read(path)?, course))
        .collect()
}

fn contents(lessons: &[Lesson], here: Option<&Lesson>) -> String {
    let line = |lesson: &Lesson| {
        let name = &lesson.name;
        let is_here = here.is_some_and(|here| here.name == *name);
        // The first heading is the title; others of its level begin a part.
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
    let lines: String = lessons.iter().map(line).collect();
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
    use serde_json::json;

    #[test]
    fn a_lesson_in_the_folder_has_a_page_and_a_place_on_the_index() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let [project, pages] = ["project", "pages"].map(|name| folder.path().join(name));
        fs::create_dir_all(project.join("notebooks/errata"))?;
        fs::create_dir(project.join("assets"))?;
        for (name, code) in [
            ("01_first", "1 + 1"),
            ("11_new", "check::softmax(my_softmax)"),
        ] {
            let cell = |kind: &str, source: &str| json!({ "cell_type": kind, "source": source });
            let title = format!("# About {name}\n\nIts introduction.");
            let cells = [cell("markdown", &title), cell("code", code)];
            let file = project.join(format!("notebooks/{name}.ipynb"));
            fs::write(file, json!({ "cells": cells }).to_string())?;
        }
        let site = Site::begin(&pages)?;
        let course = Course {
            live: &Value::Null,
            change: &Change::new(None)?,
            models: &Models::new(None, &site)?,
            site: &site,
        };
        write_all(&project, &course)?;
        let read = |page: &str| fs::read_to_string(pages.join(page));
        let index = read("index.html")?;
        let entry = "<a href=\"11_new.html\">11 About 11_new</a><p>Its introduction.</p>";
        assert!(index.contains(entry), "{index}");
        assert!(read("01_first.html")?.contains("<a href=\"11_new.html\">11 About 11_new →</a>"));
        assert!(read("11_new.html")?.contains("softmax"));
        Ok(())
    }
}
