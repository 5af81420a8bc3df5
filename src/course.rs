//! Reads `course.json`: the exercises and predictions of each lesson.

use crate::project;
use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// A course's modules: those with an item for each exercise, and the one with an item for each
/// prediction.
const OF_EXERCISES: [&str; 3] = ["check", "hint", "solution"];
const OF_PREDICTIONS: &str = "predict";

#[derive(Deserialize)]
pub struct Lesson {
    pub lesson: String,
    pub title: String,
    pub exercises: Vec<Item>,
    pub predictions: Vec<Item>,
}

/// An exercise or a prediction.
#[derive(Deserialize)]
pub struct Item {
    pub name: String,
    pub title: String,
    /// How long it takes; `None` for predictions.
    pub minutes: Option<u32>,
}

impl Lesson {
    /// The exercises, then the predictions.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.exercises.iter().chain(&self.predictions)
    }

    /// The name of its notebook, if it is one of this project's.
    pub fn notebook(&self) -> Option<String> {
        let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
        let mut names = project::lessons().ok()?.into_iter().filter_map(name);
        names.find(|name| name.ends_with(&self.lesson))
    }

    /// Whether `called` is the lesson's name or title, its notebook, or the notebook's number.
    fn is(&self, called: &str) -> bool {
        let file = Path::new(called).file_name().unwrap_or_default();
        let name = file.to_str().unwrap_or_default();
        let name = name.strip_suffix(".ipynb").unwrap_or(name);
        let notebook = self.notebook().unwrap_or_default();
        let number = notebook.split('_').next().unwrap_or_default();
        let numbers = [number, number.trim_start_matches('0')];
        name == self.lesson
            || !name.is_empty() && (name == notebook || numbers.contains(&name))
            || called.eq_ignore_ascii_case(&self.title)
    }
}

/// All lessons of the course in `folder` or, if that is `None`, of the project.
pub fn of(folder: Option<&Path>) -> Result<Vec<Lesson>> {
    match folder {
        Some(folder) => read(&folder.join(project::COURSE)),
        None => read(&project::course()),
    }
}

/// The lesson with this name, title, notebook or number.
pub fn lesson<'a>(lessons: &'a [Lesson], called: &str) -> Result<&'a Lesson> {
    let names = || lessons.iter().map(|lesson| lesson.lesson.as_str());
    lessons
        .iter()
        .find(|lesson| lesson.is(called))
        .ok_or_else(|| {
            let all: Vec<&str> = names().collect();
            anyhow!(
                "there is no lesson {called}{}; the lessons are {}",
                meant(called, names()),
                all.join(", ")
            )
        })
}

/// A question that suggests the name that was probably meant; empty if none is similar.
pub fn meant<'a>(called: &str, names: impl Iterator<Item = &'a str>) -> String {
    let distance = |name: &&str| strsim::damerau_levenshtein(called, name);
    let closest = names.min_by_key(distance);
    let closest = closest.filter(|name| 3 * distance(name) <= name.chars().count());
    closest.map_or(String::new(), |name| format!(" (did you mean {name}?)"))
}

/// Reads all lessons of a course file, in teaching order.
pub fn read(file: &Path) -> Result<Vec<Lesson>> {
    let text = fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))
}

/// The Rust paths of the exercises and predictions in the notebook `name`, such as `hint::softmax`,
/// in teaching order. Empty if it is not a lesson.
pub fn paths(lessons: &[Lesson], name: &str) -> Vec<String> {
    let Some(lesson) = lessons.iter().find(|one| name.ends_with(&one.lesson)) else {
        return Vec::new();
    };
    let path = |module: &str, item: &Item| format!("{module}::{}", item.name);
    let of_exercises = OF_EXERCISES.iter().flat_map(|module| {
        let exercises = lesson.exercises.iter();
        exercises.map(move |item| path(module, item))
    });
    let predictions = lesson.predictions.iter();
    of_exercises
        .chain(predictions.map(|item| path(OF_PREDICTIONS, item)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_is_known_by_the_name_of_its_notebook() {
        let item = |name: &str| Item {
            name: name.to_owned(),
            title: String::new(),
            minutes: None,
        };
        let lessons = [Lesson {
            lesson: "from_scratch".to_owned(),
            title: String::new(),
            exercises: vec![item("b"), item("a")],
            predictions: vec![item("c")],
        }];
        let expected = [
            "check::b",
            "check::a",
            "hint::b",
            "hint::a",
            "solution::b",
            "solution::a",
            "predict::c",
        ];
        assert_eq!(paths(&lessons, "04_self_attention_from_scratch"), expected);
        assert_eq!(paths(&lessons, "Untitled"), [""; 0]);
    }

    #[test]
    fn a_lesson_is_found_by_whatever_it_is_called() -> Result<()> {
        let lessons = of(None)?;
        for called in [
            "attention_that_learns",
            "Attention that learns",
            "01b_attention_that_learns",
            "my-lessons/01b_attention_that_learns.ipynb",
            "01b",
            "1b",
        ] {
            let found = lesson(&lessons, called)?;
            assert_eq!(found.lesson, "attention_that_learns", "{called}");
        }
        let error = lesson(&lessons, "from_scrach")
            .err()
            .map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert!(error.contains("(did you mean from_scratch?)"), "{error}");
        assert!(lesson(&lessons, "").is_err());
        Ok(())
    }

    #[test]
    fn only_a_similar_name_can_have_been_meant() {
        let names = || ["softmax", "scores"].into_iter();
        assert_eq!(meant("sofmtax", names()), " (did you mean softmax?)");
        assert_eq!(meant("loss", names()), "");
    }
}
