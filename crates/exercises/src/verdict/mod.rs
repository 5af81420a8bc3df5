//! The verdict on an answer, which the learner sees.

pub(crate) mod html;
mod messages;
mod of_answer;
mod pictures;
mod text;

use crate::attempt::Texts;
use crate::judge::outcome::{Judged, Outcome};
use crate::listing;
use attention::measure::Step;
use notebook::emit;
use std::fmt;

/// The verdict on an answer: which calls were tried, and how they went. A notebook displays it as
/// HTML and as text.
///
/// ```
/// use exercises::prelude::*;
///
/// fn my_dot_product(a: &Array1<f32>, b: &Array1<f32>) -> f32 {
///     a.iter().zip(b).map(|(a, b)| a * b).sum()
/// }
/// let verdict = check::dot_product(my_dot_product);
/// assert!(verdict.is_right());
/// assert!(verdict.to_string().starts_with("RIGHT"));
/// ```
#[derive(Clone, Debug)]
pub struct Verdict {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    judged: Vec<Judged>,
    diagnosis: Option<String>,
    hints: usize,
    after_success: AfterSuccess,
    /// Whether the answer is still the given function, which the learner should debug.
    is_untouched: bool,
    /// Whether the results are right, but computed by a function of the crate that the task
    /// forbids.
    is_borrowed: bool,
    /// How many of the lesson's exercises are done, this one included, and how many there are.
    pub(crate) done: Option<[usize; 2]>,
    /// A message if the progress could not be saved.
    pub(crate) remark: Option<String>,
}

/// The state of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerState {
    /// The function is still `todo!()` or the given one.
    NotAttempted,
    /// Something is wrong, or the results come from a function of the crate that the task forbids.
    Wrong,
    /// Everything is right.
    Right,
}

/// The texts shown once the answer is right.
#[derive(Clone, Debug)]
pub(crate) struct AfterSuccess {
    pub explanation: &'static str,
    /// Empty if there is none.
    pub another: String,
    pub pytorch: &'static str,
}

impl Verdict {
    pub(crate) fn new(texts: Texts, judged: Vec<Judged>, diagnosis: Option<String>) -> Verdict {
        let after_success = AfterSuccess {
            explanation: texts.explanation,
            another: listing::function(texts.source, "another", texts.name),
            pytorch: texts.pytorch,
        };
        let names = (texts.name, texts.title);
        Verdict::assembled(names, judged, diagnosis, texts.hints.len(), after_success)
    }

    pub(crate) fn assembled(
        (name, title): (&'static str, &'static str),
        judged: Vec<Judged>,
        diagnosis: Option<String>,
        hints: usize,
        after_success: AfterSuccess,
    ) -> Verdict {
        Verdict {
            name,
            title,
            judged,
            diagnosis,
            hints,
            after_success,
            is_untouched: false,
            is_borrowed: false,
            done: None,
            remark: None,
        }
    }

    /// The verdict on a given function that the learner has not changed yet: it shows the results
    /// but not their cause.
    pub(crate) fn untouched(self) -> Verdict {
        Verdict {
            is_untouched: true,
            diagnosis: None,
            ..self
        }
    }

    /// The verdict on right results that come from a function of the crate that the task forbids.
    pub(crate) fn borrowed(self, step: Step) -> Verdict {
        let says = format!(
            "Every number is right, but the work was done by the crate's own `{}`. This exercise \
             asks you to write that part yourself.",
            step.name()
        );
        Verdict {
            is_borrowed: true,
            diagnosis: Some(says),
            ..self
        }
    }

    /// The calls, and how they ended.
    pub(crate) fn judged(&self) -> &[Judged] {
        &self.judged
    }

    /// Whether a function of the crate that the task forbids did the work.
    pub(crate) fn is_borrowed(&self) -> bool {
        self.is_borrowed
    }

    /// Whether there are results to show: an answer that is still `todo!()` has none.
    fn is_shown(&self) -> bool {
        self.is_untouched || self.state() != AnswerState::NotAttempted
    }

    /// The state of the answer.
    pub fn state(&self) -> AnswerState {
        let not_written = |judged: &Judged| judged.outcome == Outcome::NotWritten;
        if self.is_untouched || self.judged.iter().all(not_written) {
            AnswerState::NotAttempted
        } else if self.is_borrowed {
            AnswerState::Wrong
        } else if self.judged.iter().all(|judged| judged.is_right) {
            AnswerState::Right
        } else {
            AnswerState::Wrong
        }
    }

    /// Whether everything is right.
    pub fn is_right(&self) -> bool {
        self.state() == AnswerState::Right
    }

    /// The sentence that names the mistake, if it was recognised.
    pub fn diagnosis(&self) -> Option<&str> {
        self.diagnosis.as_deref()
    }

    /// The verdict as HTML, which needs neither network nor JavaScript and remains readable in an
    /// untrusted notebook.
    pub fn html(&self) -> String {
        html::html(self)
    }

    /// Displays the verdict below the notebook's cell, as HTML and as text.
    pub fn evcxr_display(&self) {
        emit(&[
            ("text/html", &self.html()),
            ("text/plain", &self.to_string()),
        ]);
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::text(self))
    }
}
