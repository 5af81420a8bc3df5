//! `progress`: what this learner has done, lesson by lesson.

use crate::cli::Progress as Options;
use crate::printed::say;
use crate::project;
use anyhow::{Context, Result, bail};
use course_progress::{Entry, Progress, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The version of what `--json` writes.
const SCHEMA: u32 = 1;

/// A lesson as the file of the course has it.
#[derive(Deserialize)]
struct Lesson {
    lesson: String,
    title: String,
    exercises: Vec<Item>,
    predictions: Vec<Item>,
}

/// An exercise or a prediction.
#[derive(Deserialize)]
struct Item {
    name: String,
    title: String,
}

/// An exercise or a prediction, and how far it is.
#[derive(Serialize)]
struct Done<'a> {
    name: &'a str,
    title: &'a str,
    state: &'static str,
    attempts: u32,
    hints: u32,
    changed: u64,
}

pub fn progress(options: &Options) -> Result<ExitCode> {
    let folder = project::progress();
    let lessons = course()?;
    if let Some(name) = &options.reset {
        return reset(&folder, &lessons, name);
    }
    if !options.files.is_empty() {
        of_others(&lessons, &files(&options.files)?, options.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let progress = course_progress::read(&folder)?;
    match options.json {
        true => say!("{:#}", as_json(&lessons, &progress))?,
        false => print(&lessons, &progress)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The files that were named, and those in the folders that were named.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = path.read_dir();
        let entries = entries.with_context(|| format!("cannot read {}", path.display()))?;
        let inside = entries.flatten().map(|entry| entry.path());
        let before = files.len();
        files.extend(inside.filter(|file| file.extension().is_some_and(|kind| kind == "json")));
        if files.len() == before {
            bail!("{} has no files of progress (NAME.json)", path.display());
        }
        files[before..].sort();
    }
    Ok(files)
}

/// Shows what others have done: whose file it is, says its name.
fn of_others(lessons: &[Lesson], files: &[PathBuf], as_one_json: bool) -> Result<()> {
    let mut learners = Vec::new();
    for file in files {
        let progress = course_progress::read_file(file)?;
        let learner = file.file_stem().unwrap_or_default().to_string_lossy();
        if !as_one_json {
            say!("{learner} ({})", file.display())?;
            print(lessons, &progress)?;
            continue;
        }
        let mut one = as_json(lessons, &progress);
        one["learner"] = json!(learner);
        one["file"] = json!(file);
        learners.push(one);
    }
    match as_one_json {
        true => say!("{:#}", json!({ "schema": SCHEMA, "learners": learners })),
        false => Ok(()),
    }
}

fn course() -> Result<Vec<Lesson>> {
    let file = project::course();
    let text = fs::read_to_string(&file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))
}

fn reset(folder: &Path, lessons: &[Lesson], name: &str) -> Result<ExitCode> {
    let items = |lesson: &'_ Lesson| {
        let mut all = lesson.exercises.iter().chain(&lesson.predictions);
        all.any(|item| item.name == name)
    };
    if !lessons.iter().any(items) {
        bail!(
            "there is no exercise and no prediction {name}: `cargo run --release -- progress \
             --json` has the names of all"
        );
    }
    match course_progress::update(folder, |progress| progress.reset(name))? {
        true => say!("{name} is as if it had not been attempted.")?,
        false => say!("{name} was not attempted.")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(lessons: &[Lesson], progress: &Progress) -> Value {
    let of_lesson = |lesson: &Lesson| {
        json!({
            "lesson": lesson.lesson,
            "title": lesson.title,
            "exercises": done(&lesson.exercises, progress),
            "predictions": done(&lesson.predictions, progress),
        })
    };
    let lessons: Vec<_> = lessons.iter().map(of_lesson).collect();
    json!({ "schema": SCHEMA, "lessons": lessons })
}

fn print(lessons: &[Lesson], progress: &Progress) -> Result<()> {
    for lesson in lessons {
        let exercises = done(&lesson.exercises, progress);
        let predictions = done(&lesson.predictions, progress);
        let right = |items: &[Done]| items.iter().filter(|item| item.state == "done").count();
        let made = predictions.iter().filter(|item| item.attempts > 0).count();
        say!(
            "{}: {} of {} exercises done; {made} of {} predictions made, {} right",
            lesson.title,
            right(&exercises),
            exercises.len(),
            predictions.len(),
            right(&predictions)
        )?;
        for exercise in exercises {
            say!("  {:<13}  {}", exercise.state, exercise.title)?;
        }
    }
    Ok(())
}

fn done<'a>(items: &'a [Item], progress: &Progress) -> Vec<Done<'a>> {
    let of_item = |item: &'a Item| {
        let entry: Entry = progress
            .entries
            .get(&item.name)
            .cloned()
            .unwrap_or_default();
        Done {
            name: &item.name,
            title: &item.title,
            state: match entry.state {
                State::Right => "done",
                State::Wrong if entry.corrected => "corrected",
                State::Wrong => "open",
                State::Open => "not attempted",
            },
            attempts: entry.attempts,
            hints: entry.hints,
            changed: entry.changed,
        }
    };
    items.iter().map(of_item).collect()
}
