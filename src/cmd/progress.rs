//! `progress`: what this learner has done, lesson by lesson.

use crate::cli::Progress as Options;
use crate::course::{self, Item, Lesson};
use crate::printed::{self, say};
use crate::project;
use anyhow::{Context, Result, bail};
use course_progress::{Entry, ExerciseState, Progress};
use notebook_session::tell;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The version of the format that `--json` writes.
const SCHEMA: u32 = 1;

/// An exercise or a prediction, and its state.
#[derive(Serialize)]
struct Done<'a> {
    name: &'a str,
    title: &'a str,
    state: &'static str,
    #[serde(skip)]
    is_right: bool,
    attempts: u32,
    hints: u32,
    changed: u64,
}

pub fn progress(options: &Options) -> Result<ExitCode> {
    let folder = project::progress();
    let lessons = course::read(&project::course())?;
    if let Some(name) = &options.reset {
        return reset(&folder, &lessons, name);
    }
    if !options.files.is_empty() {
        return of_others(&lessons, &options.files, options.json);
    }
    let progress = course_progress::read(&folder)?;
    match options.json {
        true => say!("{:#}", as_json(&lessons, &progress))?,
        false => print(&lessons, &progress)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The named files and the files in the named folders, or an error where there are none.
fn files(named: &[PathBuf]) -> Vec<Result<PathBuf>> {
    let of_one = |path: &PathBuf| match files_in(path) {
        Ok(files) => files.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    };
    named.iter().flat_map(of_one).collect()
}

/// The files in a folder, or the file itself.
fn files_in(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = path.read_dir();
    let entries = entries.with_context(|| format!("cannot read {}", path.display()))?;
    let inside = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = inside
        .filter(|file| file.extension().is_some_and(|kind| kind == "json"))
        .collect();
    if files.is_empty() {
        bail!("{} has no files of progress (NAME.json)", path.display());
    }
    files.sort();
    Ok(files)
}

/// Shows the progress of other learners, whose files are named after them. Anything that is not a
/// progress file is reported and skipped. Exit code 1: some were skipped; 2: all were.
fn of_others(lessons: &[Lesson], named: &[PathBuf], as_one_json: bool) -> Result<ExitCode> {
    let (mut learners, mut left_out) = (Vec::new(), Vec::new());
    for file in files(named) {
        let read = file.and_then(|file| Ok((course_progress::read_file(&file)?, file)));
        let (progress, file) = match read {
            Ok(read) => read,
            Err(error) => {
                let error = format!("{error:#}");
                tell(format_args!("error: {}", printed::visible(&error)));
                left_out.push(error);
                continue;
            }
        };
        let learner = file.file_stem().unwrap_or_default().to_string_lossy();
        let mut one = as_json(lessons, &progress);
        if !as_one_json {
            let [learner, file] = [&*learner, &file.to_string_lossy()].map(printed::name);
            say!("{learner} ({file})")?;
            print(lessons, &progress)?;
        }
        one["learner"] = json!(learner);
        one["file"] = json!(file.to_string_lossy());
        learners.push(one);
    }
    let code = match (learners.is_empty(), left_out.is_empty()) {
        (true, _) => 2,
        (false, false) => 1,
        (false, true) => 0,
    };
    if as_one_json {
        let all = json!({ "schema": SCHEMA, "learners": learners, "left_out": left_out });
        say!("{all:#}")?;
    }
    Ok(ExitCode::from(code))
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
        true => say!("{name} is reset, as if it had never been attempted.")?,
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
        let right = |items: &[Done]| items.iter().filter(|item| item.is_right).count();
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
            is_right: entry.state == ExerciseState::Right,
            state: match entry.state {
                ExerciseState::Right => "done",
                ExerciseState::Wrong if entry.corrected => "corrected",
                ExerciseState::Wrong => "open",
                ExerciseState::Open => "not attempted",
            },
            attempts: entry.attempts,
            hints: entry.hints,
            changed: entry.changed,
        }
    };
    items.iter().map(of_item).collect()
}
