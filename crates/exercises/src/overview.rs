//! Progress, lesson by lesson.

use crate::lesson::Lesson;
use crate::make_course::Course;
use crate::store;
use course_progress::{ExerciseState, Progress};
use notebook::emit;
use std::fmt;

/// Which exercises are done, which are open, and which were not attempted, as a notebook displays
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    lessons: Vec<OfLesson>,
    remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct OfLesson {
    title: &'static str,
    /// The titles and states of exercises.
    exercises: Vec<(&'static str, ExerciseState)>,
    /// How many predictions there are, how many have been made, and how many of those were right.
    predictions: [usize; 3],
}

impl Course {
    /// This learner's progress, lesson by lesson.
    ///
    /// ```
    /// let overview = exercises::COURSE.progress();
    /// assert!(overview.to_string().contains("Coding attention"));
    /// ```
    pub fn progress(&self) -> Overview {
        let (progress, remark) = match store::now() {
            Ok(progress) => (progress, None),
            Err(error) => (
                Progress::default(),
                Some(format!(
                    "Progress could not be read: {}",
                    store::with_cause(&error)
                )),
            ),
        };
        let of_lesson = |lesson: &Lesson| OfLesson {
            title: lesson.title,
            exercises: self
                .exercises
                .iter()
                .filter(|exercise| exercise.lesson() == *lesson)
                .map(|exercise| (exercise.title(), state(&progress, exercise.name())))
                .collect(),
            predictions: predictions_of(self, *lesson, &progress),
        };
        Overview {
            lessons: self.lessons().iter().map(of_lesson).collect(),
            remark,
        }
    }
}

fn state(progress: &Progress, name: &str) -> ExerciseState {
    let entry = progress.entries.get(name);
    entry.map_or(ExerciseState::default(), |entry| entry.state)
}

fn predictions_of(course: &Course, lesson: Lesson, progress: &Progress) -> [usize; 3] {
    let all = course.predictions.iter().filter(|one| one.lesson == lesson);
    let states = all.map(|one| state(progress, one.name));
    states.fold([0; 3], |[all, made, right], state| {
        let (was_made, was_right) = (
            state != ExerciseState::OnlyHints,
            state == ExerciseState::Right,
        );
        [
            all + 1,
            made + usize::from(was_made),
            right + usize::from(was_right),
        ]
    })
}

impl Overview {
    /// The overview as HTML.
    pub fn html(&self) -> String {
        let cell = "padding:1px 10px;text-align:left;vertical-align:top";
        let mut rows = String::new();
        for lesson in &self.lessons {
            rows += &format!(
                "<tr><th style=\"{cell}\" colspan=\"2\">{} <span style=\"font-weight:normal\">{}\
                 </span></th></tr>",
                lesson.title,
                lesson.counts()
            );
            for (title, state) in &lesson.exercises {
                let (mark, state) = mark_and_word(*state);
                rows += &format!(
                    "<tr><td style=\"{cell};white-space:nowrap\"><span aria-hidden=\"true\">{mark}\
                     </span> {state}</td><td style=\"{cell}\">{title}</td></tr>"
                );
            }
        }
        let remark = self.remark.as_ref();
        let remark = remark.map_or(String::new(), |text| {
            crate::verdict::html::paragraph("Note", text)
        });
        format!(
            "<div style=\"overflow-x:auto\"><table style=\"border-collapse:collapse\">{rows}</table>\
             </div>{remark}"
        )
    }

    /// Displays the overview below the notebook's cell, as HTML and as text.
    pub fn evcxr_display(&self) {
        emit(&[
            ("text/html", &self.html()),
            ("text/plain", &self.to_string()),
        ]);
    }
}

impl OfLesson {
    fn counts(&self) -> String {
        let done = self
            .exercises
            .iter()
            .filter(|(_, state)| *state == ExerciseState::Right)
            .count();
        let [all, made, right] = self.predictions;
        format!(
            "{done} of {} exercises done; {made} of {all} predictions made, {right} right",
            self.exercises.len()
        )
    }
}

fn mark_and_word(state: ExerciseState) -> (&'static str, &'static str) {
    match state {
        ExerciseState::Right => ("✓", "done"),
        ExerciseState::Wrong => ("…", "open"),
        ExerciseState::OnlyHints => ("○", "not attempted"),
    }
}

impl fmt::Display for Overview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for lesson in &self.lessons {
            writeln!(f, "{}: {}", lesson.title, lesson.counts())?;
            for (title, state) in &lesson.exercises {
                let (mark, state) = mark_and_word(*state);
                writeln!(f, "  {mark} {state:<13} {title}")?;
            }
        }
        self.remark
            .iter()
            .try_for_each(|remark| writeln!(f, "{remark}"))
    }
}
