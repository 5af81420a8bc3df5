//! The pages: a lesson each, its errata, and the index.

use crate::change::Change;
use crate::files::Site;
use crate::markdown::{self, Heading};
use crate::notebook::{Cell, Notebook};
use crate::output;
use crate::rust::{escaped, highlighted};
use anyhow::{Context, Result};
use exercises::{Entry, Prediction};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Both parts of the page's script in one function.
const SCRIPT: [&str; 4] = [
    "\"use strict\";\n(() => {\n",
    include_str!("../../../src/live_extension/controls.js"),
    include_str!("../assets/page.js"),
    "})();\n",
];

/// Only the site's own scripts run, and nothing is loaded from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/// Cells that first train a model or load one: they begin when a button with this text is pressed.
const SLOW: [(&str, &str); 8] = [
    ("live-writing", TRAIN),
    ("live-training", TRAIN),
    ("live-heads", TRAIN),
    ("live-head", LOAD),
    ("live-off", LOAD),
    ("live-translated", LOAD_TRANSLATOR),
    ("live-steps", LOAD_TRANSLATOR),
    ("live-switched", LOAD_TRANSLATOR),
];
const TRAIN: &str = "Train the model in this page (some minutes)";
const LOAD: &str = "Load the model (91 MB)";
const LOAD_TRANSLATOR: &str = "Load the model (18 MB)";

struct Lesson {
    notebook: Notebook,
    title: String,
    headings: Vec<Heading>,
    body: String,
    /// The HTML of its first live cell.
    first_live: Option<String>,
    predictions: Vec<&'static str>,
}

/// Writes all pages. `live` has for each lesson the cells that each live cell needs.
pub fn write_all(project: &Path, live: &Value, change: &Change, site: &Site) -> Result<()> {
    let notebooks = project.join("notebooks");
    let lessons = read_all(&notebooks, live, change, site)?;
    let errata = read_all(&notebooks.join("errata"), &Value::Null, change, site)?;
    for (place, lesson) in lessons.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &lessons[before]);
        let turn = turn(before, lessons.get(place + 1));
        site.write(
            &format!("{}.html", lesson.notebook.name),
            page(
                &lesson.title,
                &contents(&lessons, Some(lesson)),
                &format!("{}{turn}", lesson.body),
            ),
        )?;
    }
    for one in &errata {
        let name = format!("errata_{}.html", one.notebook.name);
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
    site.write("worker.js", include_str!("../assets/worker.js"))?;
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

fn read_all(folder: &Path, live: &Value, change: &Change, site: &Site) -> Result<Vec<Lesson>> {
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
        .map(|path| lesson(Notebook::read(path)?, live, change, site))
        .collect()
}

fn lesson(notebook: Notebook, live: &Value, change: &Change, site: &Site) -> Result<Lesson> {
    let mut lesson = Lesson {
        title: notebook.name.clone(),
        headings: Vec::new(),
        body: String::new(),
        first_live: None,
        predictions: Vec::new(),
        notebook,
    };
    let questions: BTreeMap<&str, &Prediction> = exercises::predictions()
        .iter()
        .map(|one| (one.name, *one))
        .collect();
    let mut is_titled = false;
    for cell in &lesson.notebook.cells {
        match cell {
            Cell::Text(text) => {
                let taken = lesson.headings.iter().map(|heading| heading.id.clone());
                let (html, headings) = markdown::to_html(text, &link, &taken.collect());
                if let (false, Some(first)) = (is_titled, headings.first()) {
                    lesson.title = first.title.clone();
                    is_titled = true;
                }
                lesson.headings.extend(headings);
                lesson.body += &html;
            }
            Cell::Code {
                id,
                source,
                outputs,
            } => {
                let outputs = outputs.iter().map(|one| output::to_html(one, site));
                let outputs = outputs.collect::<Result<String>>()?;
                let name = &lesson.notebook.name;
                let code = format!(
                    "<a class=\"change\" href=\"{}\">change it</a><pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>",
                    escaped(&change.link(name)),
                    highlighted(source)
                );
                let needed = &live[name][id];
                let below = if needed.is_array() {
                    let shown = live_html(name, id, needed, &outputs);
                    lesson.first_live.get_or_insert_with(|| shown.clone());
                    shown
                } else if let Some(question) =
                    called(source, "predict::").and_then(|name| questions.get(name))
                {
                    lesson.predictions.push(question.name);
                    prediction(question)
                } else if let Some(exercise) = called(source, "check::").and_then(exercise) {
                    format!("<div class=\"output\">{outputs}</div>{}", aid(exercise))
                } else if outputs.is_empty() {
                    String::new()
                } else {
                    format!("<div class=\"output\">{outputs}</div>")
                };
                lesson.body += &format!(
                    "<div class=\"cell\" id=\"{}\">{code}{below}</div>\n",
                    escaped(id)
                );
            }
        }
    }
    Ok(lesson)
}

/// The name after the last `predict::` or `check::` in a cell.
fn called<'a>(source: &'a str, module: &str) -> Option<&'a str> {
    let (_, name) = source.rsplit_once(module)?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&name[..end.unwrap_or(name.len())])
}

fn exercise(name: &str) -> Option<&'static dyn Entry> {
    exercises::exercises()
        .iter()
        .copied()
        .find(|one| one.name() == name)
}

/// Where a link of a notebook leads on the site.
fn link(to: &str) -> String {
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

/// A live picture: its stored output, below the place for its controls.
fn live_html(lesson: &str, id: &str, needed: &Value, outputs: &str) -> String {
    let slow = SLOW.iter().find(|(slow, _)| *slow == id);
    let slow = slow.map_or(String::new(), |(_, label)| {
        format!(" data-slow=\"{label}\"")
    });
    let data = escaped(&json!({ "lesson": lesson, "cells": needed }).to_string());
    format!(
        "<div class=\"output\" data-live=\"{data}\"{slow}>\
             <div class=\"place\"></div><div class=\"picture\">{outputs}</div></div>"
    )
}

/// A prediction as a question that the page answers.
fn prediction(question: &Prediction) -> String {
    let choices = question.right.choices();
    let name = escaped(question.name);
    let inputs: String = match choices {
        [] => "<label>Your answer <input type=\"text\" name=\"answer\" autocomplete=\"off\" size=\"12\"></label>".to_owned(),
        choices => {
            let one = |choice: &&str| {
                let choice = escaped(choice);
                format!("<label><input type=\"radio\" name=\"answer\" value=\"{choice}\">{choice}</label>")
            };
            choices.iter().map(one).collect()
        }
    };
    let asked = inline(question.question);
    format!(
        "<div class=\"aid\"><p><strong>What do you expect?</strong> {asked}</p>\
         <form data-predict=\"{name}\" hidden>{inputs}<button>Answer</button></form>\
         <div class=\"answer\" role=\"status\"></div>\
         <noscript><p>With JavaScript, this page judges your answer.</p></noscript></div>"
    )
}

/// An exercise's hints, one after the other, and its solution.
fn aid(exercise: &dyn Entry) -> String {
    let hints = exercise.hints().iter().enumerate().map(|(place, hint)| {
        let number = place + 1;
        format!(
            "<details class=\"hint\"><summary>Hint {number}</summary><p>{}</p></details>",
            inline(hint)
        )
    });
    let hints: String = hints.collect();
    let solution = match exercise.solution() {
        none if none.is_empty() => none,
        code => format!(
            "<details class=\"solution\"><summary>Solution</summary><pre class=\"code\"><code>{}</code></pre></details>",
            highlighted(&code)
        ),
    };
    format!(
        "<div class=\"aid\">{hints}{solution}\
         <p><a href=\"index.html#run\">Solve it for real</a>: in the notebook, your code gets a verdict that names the mistake.</p></div>"
    )
}

/// A sentence with code between backticks.
fn inline(text: &str) -> String {
    let pieces = text
        .split('`')
        .enumerate()
        .map(|(place, piece)| match place % 2 {
            1 => format!("<code>{}</code>", escaped(piece)),
            _ => escaped(piece),
        });
    pieces.collect()
}

fn contents(lessons: &[Lesson], here: Option<&Lesson>) -> String {
    let line = |lesson: &Lesson| {
        let name = &lesson.notebook.name;
        let is_here = here.is_some_and(|here| here.notebook.name == *name);
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
            escaped(&numbered(lesson))
        )
    };
    let lines: String = lessons.iter().map(line).collect();
    format!("<ol><li><a href=\"index.html\">How attention works</a></li>{lines}</ol>")
}

/// The title after the number that the file's name begins with.
fn numbered(lesson: &Lesson) -> String {
    let number = lesson.notebook.name.split('_').next().unwrap_or_default();
    format!("{number} {}", lesson.title)
}

fn turn(before: Option<&Lesson>, after: Option<&Lesson>) -> String {
    let link = |lesson: Option<&Lesson>, arrow: [&str; 2]| match lesson {
        Some(lesson) => {
            let (name, title) = (&lesson.notebook.name, escaped(&numbered(lesson)));
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

fn index(lessons: &[Lesson], errata: &[Lesson]) -> String {
    let first = lessons.iter().find_map(|lesson| lesson.first_live.clone());
    let cards: String = lessons.iter().map(card).collect();
    let errata = errata.iter().map(|one| {
        format!(
            "<li><a href=\"errata_{}.html\">{}</a></li>",
            one.notebook.name,
            escaped(&one.title)
        )
    });
    format!(
        include_str!("../assets/index.html"),
        first = first.unwrap_or_default(),
        cards = cards,
        exercises = exercises::exercises().len(),
        errata = errata.collect::<String>(),
    )
}

fn card(lesson: &Lesson) -> String {
    let texts = lesson.notebook.cells.iter().filter_map(|cell| match cell {
        Cell::Text(text) => Some(text),
        Cell::Code { .. } => None,
    });
    let paragraphs = texts.flat_map(|text| text.split("\n\n"));
    let first = paragraphs
        .map(str::trim)
        .find(|text| !text.starts_with('#'))
        .unwrap_or_default();
    let (text, _) = markdown::to_html(first, &link, &BTreeSet::new());
    format!(
        "<li><a href=\"{}.html\">{}</a>{text}<div class=\"answered\" data-answered=\"{}\"></div></li>",
        lesson.notebook.name,
        escaped(&numbered(lesson)),
        lesson.predictions.join(" "),
    )
}

fn page(title: &str, contents: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"description\" content=\"{title}: attention, step by step, in Rust, with pictures that move.\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <link rel=\"stylesheet\" href=\"style.css\">\n<link rel=\"icon\" href=\"data:,\">\n<script src=\"page.js\" defer></script>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">To the text</a>\n<div class=\"page\">\n\
         <nav class=\"contents\" aria-label=\"Lessons\">{contents}</nav>\n<main id=\"main\">\n{body}\n</main>\n</div>\n</body>\n</html>\n",
        title = escaped(title),
    )
}
