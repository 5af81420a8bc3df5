//! `progress`: what this learner has done, lesson by lesson.

use crate::cli::Progress as Options;
use crate::course::{self, Lesson};
use crate::printed::say;
use crate::project;
use crate::results::{self, Done};
use anyhow::{Result, bail};
use course_progress::Progress;
use std::process::ExitCode;

/// The length of a full bar.
const BAR: usize = 20;

pub fn progress(options: &Options) -> Result<ExitCode> {
    let folder = project::progress();
    let all = course::of(options.course.as_deref())?;
    if let Some(name) = &options.reset {
        return reset(&folder, &all, name);
    }
    let progress = course_progress::read(&folder)?;
    let only = options.lesson.as_deref();
    let only = only
        .map(|called| course::lesson(&all, called))
        .transpose()?;
    match (options.json, only) {
        (true, Some(lesson)) => say!("{:#}", results::as_json([lesson], &progress))?,
        (true, None) => say!("{:#}", results::as_json(&all, &progress))?,
        (false, Some(lesson)) => print_lesson(lesson, &progress)?,
        (false, None) => {
            print_all(&all, &progress)?;
            // Lesson 01 is in the built-in course.
            let lesson = match (&options.course, all.first()) {
                (Some(course), Some(first)) => {
                    format!("--course {} --lesson {}", course.display(), first.lesson)
                }
                _ => "--lesson 01".to_owned(),
            };
            say!(
                "`{}` lists the exercises of a lesson.",
                project::command(&format!("progress {lesson}"))
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Forgets an exercise, a prediction or a whole lesson.
fn reset(folder: &std::path::Path, lessons: &[Lesson], name: &str) -> Result<ExitCode> {
    let items = || lessons.iter().flat_map(Lesson::items);
    let names: Vec<&str> = match items().find(|item| item.name == name) {
        Some(item) => vec![&item.name],
        None => match course::lesson(lessons, name) {
            Ok(lesson) => lesson.items().map(|item| item.name.as_str()).collect(),
            Err(_) => {
                let all = items().map(|item| item.name.as_str());
                let all = all.chain(lessons.iter().map(|lesson| lesson.lesson.as_str()));
                bail!(
                    "there is no exercise, prediction or lesson {name}{}; `{}` lists all names",
                    course::meant(name, all),
                    project::command("progress --json")
                )
            }
        },
    };
    let forgotten = course_progress::update(folder, |progress| {
        names.iter().filter(|name| progress.reset(name)).count()
    })?;
    match (forgotten, names.len()) {
        (0, _) => say!("{name} was not attempted.")?,
        (_, 1) => say!("{name} is reset, as if it had never been attempted.")?,
        (some, _) => say!("{name} is reset: {some} exercises and predictions are forgotten.")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a bar for each lesson, and the exercise to do next.
fn print_all(lessons: &[Lesson], progress: &Progress) -> Result<()> {
    let width = lessons.iter().map(|lesson| lesson.title.chars().count());
    let width = width.max().unwrap_or(0);
    let mut total = [0; 2];
    for lesson in lessons {
        let exercises = results::done(&lesson.exercises, progress);
        let counts = [results::right(&exercises), exercises.len()];
        total = [total[0] + counts[0], total[1] + counts[1]];
        let predictions = predictions(&results::done(&lesson.predictions, progress));
        say!("{:<width$}  {}  {predictions}", lesson.title, bar(counts))?;
    }
    say!("{:<width$}  {}", "All lessons", bar(total))?;
    match next(lessons, progress) {
        Some((lesson, exercise)) => {
            let place = lesson.notebook().unwrap_or_else(|| lesson.title.clone());
            let time = exercise.minutes;
            let time = time.map_or(String::new(), |minutes| {
                format!(", about {minutes} minutes")
            });
            say!(
                "\nNext: {} ({}, in {place}{time})",
                exercise.title,
                exercise.name
            )
        }
        None => say!("\nAll exercises are done."),
    }
}

/// Prints the lesson's exercises, each with its state.
fn print_lesson(lesson: &Lesson, progress: &Progress) -> Result<()> {
    let exercises = results::done(&lesson.exercises, progress);
    let counts = [results::right(&exercises), exercises.len()];
    let made = predictions(&results::done(&lesson.predictions, progress));
    say!("{}  {}  {made}", lesson.title, bar(counts))?;
    let width = exercises
        .iter()
        .map(|exercise| exercise.name.chars().count());
    let width = width.max().unwrap_or(0);
    for exercise in exercises {
        say!(
            "  {:<13}  {:<width$}  {}",
            exercise.state,
            exercise.name,
            exercise.title
        )?;
    }
    Ok(())
}

/// The exercise to do next: the first that is not right in the lesson worked on last or, if that is
/// done, in the whole course.
fn next<'a>(lessons: &'a [Lesson], progress: &Progress) -> Option<(&'a Lesson, &'a course::Item)> {
    let changed = |lesson: &&Lesson| results::last_change(lesson, progress).unwrap_or(0);
    let last = lessons
        .iter()
        .max_by_key(changed)
        .filter(|lesson| changed(lesson) > 0);
    let open = |lesson: &'a Lesson| {
        let mut exercises = lesson.exercises.iter();
        let exercise = exercises.find(|exercise| !progress.is_right(&exercise.name))?;
        Some((lesson, exercise))
    };
    last.into_iter().chain(lessons).find_map(open)
}

/// `████░░░░  2 of 4`
fn bar([done, all]: [usize; 2]) -> String {
    let full = (BAR * done).checked_div(all).unwrap_or(0);
    format!(
        "{}{}  {done:>2} of {all:>2}",
        "█".repeat(full),
        "░".repeat(BAR - full)
    )
}

fn predictions(predictions: &[Done]) -> String {
    let made = predictions.iter().filter(|item| item.attempts > 0).count();
    format!(
        "{made} of {} predictions made, {} right",
        predictions.len(),
        results::right(predictions)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use course_progress::ExerciseState::{Right, Wrong};

    fn lessons() -> Vec<Lesson> {
        let text = r#"[
            { "lesson": "one", "title": "One",
              "exercises": [{ "name": "a", "title": "A" }, { "name": "b", "title": "B" }],
              "predictions": [] },
            { "lesson": "two", "title": "Two",
              "exercises": [{ "name": "c", "title": "C" }], "predictions": [] }
        ]"#;
        serde_json::from_str(text).expect("lessons")
    }

    #[test]
    fn a_bar_is_full_only_when_all_is_done() {
        assert_eq!(bar([0, 3]), format!("{}   0 of  3", "░".repeat(20)));
        assert!(bar([19, 20]).contains("█░"));
        assert_eq!(bar([3, 3]), format!("{}   3 of  3", "█".repeat(20)));
        assert_eq!(bar([0, 0]).matches('█').count(), 0);
    }

    #[test]
    fn the_next_exercise_is_in_the_lesson_that_was_worked_on_last() {
        let lessons = lessons();
        let mut progress = Progress::default();
        let name = |progress: &Progress| Some(next(&lessons, progress)?.1.name.clone());
        assert_eq!(name(&progress).as_deref(), Some("a"));
        progress.record("c", Wrong);
        assert_eq!(name(&progress).as_deref(), Some("c"));
        progress.record("c", Right);
        assert_eq!(name(&progress).as_deref(), Some("a"));
        progress.record("a", Right);
        progress.record("b", Right);
        assert_eq!(name(&progress), None);
    }
}
