//! The project's pages: every link leads somewhere, and everything they name exists.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages in these folders, without those in subfolders.
fn pages(folders: &[&str]) -> Vec<PathBuf> {
    let entries = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(project().join(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path())
    });
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let pages: BTreeSet<PathBuf> = entries.filter(is_page).collect();
    pages.into_iter().collect()
}

/// A page's text without blocks of code.
fn prose(page: &str) -> String {
    let blocks = page.split("\n```");
    blocks.step_by(2).collect::<Vec<_>>().join("\n")
}

/// The targets of a page's links.
fn links(prose: &str) -> Vec<&str> {
    let rest = prose.split("](").skip(1);
    rest.filter_map(|rest| Some(rest.split_once(')')?.0))
        .collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
        heading
            .chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    let crates = fs::read_dir(project().join("crates")).expect("a folder");
    let crates = crates.map(|entry| entry.expect("an entry").path());
    let crates: Vec<String> = crates.map(|path| path.display().to_string()).collect();
    let mut folders = vec![
        ".",
        "docs",
        "classroom",
        "notebooks",
        "notebooks/errata",
        "tests/defects",
    ];
    folders.extend(crates.iter().map(String::as_str));
    for path in pages(&folders) {
        let page = text(&path);
        for link in links(&prose(&page)) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let place = format!("{}: {link}", path.display());
            let target = match file {
                "" => path.clone(),
                file => path.with_file_name("").join(file),
            };
            assert!(target.exists(), "{place}");
            if !anchor.is_empty() {
                assert!(anchors(&text(&target)).contains(anchor), "{place}");
            }
            followed += 1;
        }
    }
    assert!(followed > 100, "only {followed} links");
}

/// The words that follow each `begin`: letters, digits, `_` and `-`.
fn words_after<'a>(text: &'a str, begin: &str) -> Vec<&'a str> {
    let is_other = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
    let rest = text.split(begin).skip(1);
    rest.filter_map(|rest| rest.split(is_other).next())
        .collect()
}

/// The tasks of all exercises, and the questions of all predictions, by name.
fn course() -> [BTreeMap<String, String>; 2] {
    let file = text(&project().join("crates/exercises/course.json"));
    let lessons: Value = serde_json::from_str(&file).expect("JSON");
    ["exercises", "predictions"].map(|kind| {
        let lessons = lessons.as_array().expect("lessons").iter();
        let all = lessons.flat_map(|lesson| lesson[kind].as_array().expect("a list"));
        let field = |one: &Value, name| one[name].as_str().expect("a text").to_owned();
        all.map(|one| (field(one, "name"), field(one, "markdown")))
            .collect()
    })
}

#[test]
fn a_lesson_asks_what_its_exercise_asks() {
    let [exercises, predictions] = course();
    let lessons = fs::read_dir(project().join("notebooks")).expect("a folder");
    let lessons = lessons.map(|entry| entry.expect("an entry").path());
    let mut asked = 0;
    for lesson in lessons.filter(|path| path.extension().is_some_and(|e| e == "ipynb")) {
        let notebook: Value = serde_json::from_str(&text(&lesson)).expect("JSON");
        for cell in notebook["cells"].as_array().expect("cells") {
            let id = cell["id"].as_str().unwrap_or_default();
            let Some((kind, name)) = id.strip_suffix("-text").and_then(|id| id.split_once('-'))
            else {
                continue;
            };
            let text_of = match kind {
                "turn" => exercises.get(name),
                "guess" => predictions.get(name),
                _ => None,
            };
            let Some(expected) = text_of else { continue };
            let lines = cell["source"].as_array().expect("lines").iter();
            let source: String = lines.map(|line| line.as_str().expect("text")).collect();
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                words(&source),
                words(expected),
                "{}: {id}",
                lesson.display()
            );
            asked += 1;
        }
    }
    assert!(asked > 100, "only {asked} cells");
}

#[test]
fn what_the_pages_for_teachers_name_exists() {
    let [exercises, predictions] = course();
    let mut named = 0;
    for path in pages(&["classroom"]) {
        let page = text(&path);
        for (module, known) in [
            ("check::", &exercises),
            ("hint::", &exercises),
            ("solution::", &exercises),
            ("predict::", &predictions),
        ] {
            for name in words_after(&page, module) {
                let exists = name == "NAME" || known.contains_key(name);
                assert!(exists, "{}: {module}{name}", path.display());
                named += 1;
            }
        }
        for name in words_after(&page, "--example ") {
            let file = format!("crates/exercises/examples/{name}.rs");
            assert!(
                project().join(&file).is_file(),
                "{}: {file}",
                path.display()
            );
        }
        // All pages use the same placeholder for the reader's own copy of the project.
        assert!(!page.contains("YOU/"), "{}", path.display());
        for rest in page.split("OWNER").skip(1) {
            assert!(
                rest.starts_with("/NAME"),
                "{}: OWNER{rest:.20}",
                path.display()
            );
        }
    }
    assert!(named > 60, "only {named} names");
}

/// The lessons' files, in order.
fn lessons() -> Vec<String> {
    let entries = fs::read_dir(project().join("notebooks")).expect("lessons");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut lessons: Vec<String> = names.filter(|name| name.ends_with(".ipynb")).collect();
    lessons.sort();
    lessons
}

#[test]
fn every_lesson_is_on_the_lists_of_lessons() {
    for list in ["README.md", "notebooks/README.md", "colab/colab.ipynb"] {
        let page = text(&project().join(list));
        for lesson in lessons() {
            assert!(page.contains(&format!("{lesson})")), "{list}: {lesson}");
        }
    }
}

#[test]
fn every_lesson_has_a_section_for_teachers() {
    let page = text(&project().join("classroom/lessons.md"));
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    let lessons = lessons();
    assert_eq!(sections.len(), lessons.len());
    for (section, lesson) in sections.iter().zip(lessons) {
        let has = |part: &str| assert!(section.contains(part), "{lesson}: no {part}");
        has(&format!("](../notebooks/{lesson})"));
        has("**Afterwards, learners can**");
        has("| they say | show them |");
        has("**If time is short,**");
    }
}

#[test]
fn every_lesson_has_its_box_its_questions_and_where_to_read_on() {
    for name in lessons() {
        let file = text(&project().join("notebooks").join(&name));
        let notebook: Value = serde_json::from_str(&file).expect("a notebook");
        let cells = notebook["cells"].as_array().expect("cells");
        let lines = cells.iter().filter_map(|cell| cell["source"].as_array());
        let lines = lines.flatten().filter_map(Value::as_str);
        let written: String = lines.collect();
        for part in [
            "**The Rust you need**",
            "`:numpy` in a cell",
            "`fn my_...`",
            "## Cheat sheet",
            "## Three questions without a computer",
            "## Further reading",
        ] {
            assert!(written.contains(part), "{name}: no {part}");
        }
    }
}

#[test]
fn the_readme_counts_exercises_and_predictions() {
    let [exercises, predictions] = course().map(|questions| questions.len());
    let counts = format!("{exercises} exercises and {predictions} predictions");
    assert!(
        text(&project().join("README.md")).contains(&counts),
        "{counts}"
    );
}
