//! Questions that learners answer before they see the result.

use crate::answers;
use crate::guess::{choice, number, plain};
use crate::lesson::Lesson;
use crate::store;
use crate::verdict::AnswerState;
use crate::verdict::html::{boxed, marked, paragraph};
use notebook::emit;
use std::fmt;

/// A question and its answer.
pub struct Prediction {
    /// Its name in `predict::NAME`.
    pub name: &'static str,
    /// The lesson that it belongs to.
    pub lesson: Lesson,
    /// The idea in the lesson whose result it asks to predict.
    pub before: &'static str,
    /// The question that the learner answers.
    pub question: &'static str,
    /// The right answer.
    pub right: Right,
    /// Why this is the answer.
    pub reason: &'static str,
}

/// The right answer, as a function that computes it where possible, so that it cannot become wrong.
pub enum Right {
    /// One of several choices.
    OneOf(&'static [&'static str], fn() -> &'static str),
    /// A number, and how far a guess may be from it.
    Number(fn() -> f64, f64),
}

/// A prediction and the right answer, as a notebook displays them.
///
/// ```
/// use exercises::prelude::*;
///
/// let judged = predict::attended_most("journey");
/// assert!(judged.is_right());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPrediction {
    question: &'static str,
    guess: String,
    answer: String,
    reason: &'static str,
    state: AnswerState,
    remark: Option<String>,
    /// Why the guess is not an answer to the question.
    complaint: Option<String>,
}

/// The placeholder in a cell, which the learner replaces with an answer.
pub const UNANSWERED: &str = "?";

/// Judges a guess, and records it if it answers the question; only the first one counts.
pub(crate) fn judge(prediction: &'static Prediction, guess: &str) -> JudgedPrediction {
    let guess = plain(guess);
    let is_right = match guess.as_str() {
        "" | UNANSWERED => Err(format!(
            "Not answered yet. Put your answer in place of \"{UNANSWERED}\" and run the cell again."
        )),
        _ => prediction.right.is(&guess),
    };
    let (state, complaint) = match is_right {
        Ok(true) => (AnswerState::Right, None),
        Ok(false) => (AnswerState::Wrong, None),
        Err(complaint) => (AnswerState::NotAttempted, Some(complaint)),
    };
    let record = || {
        answers::keep_guess(prediction.name, &guess);
        store::record_first(prediction.name, state == AnswerState::Right)
    };
    let remark = complaint.is_none().then(record).flatten();
    JudgedPrediction {
        question: prediction.question,
        guess,
        answer: prediction.right.text(),
        reason: prediction.reason,
        state,
        remark,
        complaint,
    }
}

impl Right {
    /// The choices, if there are any.
    pub fn choices(&self) -> &'static [&'static str] {
        match self {
            Right::OneOf(choices, _) => choices,
            Right::Number(..) => &[],
        }
    }

    /// Whether a guess is right, or why it does not answer the question.
    pub(crate) fn is(&self, guess: &str) -> Result<bool, String> {
        match self {
            Right::OneOf(choices, right) => match choice(guess, choices) {
                Some(choice) => Ok(choice == right()),
                None => {
                    let quoted: Vec<String> = choices
                        .iter()
                        .map(|choice| format!("`\"{choice}\"`"))
                        .collect();
                    let all = quoted.join(", ");
                    Err(format!(
                        "`{guess}` is not one of the answers, so it does not count: choose one of {all}."
                    ))
                }
            },
            Right::Number(right, within) => match number(guess) {
                Some(guess) => Ok(guess == right() || (guess - right()).abs() <= *within),
                None => Err(format!(
                    "`{guess}` is not a number, so it does not count: write one, such as `0.5`, `1/2` or \
                     `\"50%\"`."
                )),
            },
        }
    }

    /// The answer as text.
    pub fn text(&self) -> String {
        match self {
            Right::OneOf(_, right) => right().to_owned(),
            Right::Number(right, _) => crate::judge::digits::rounded(right()),
        }
    }
}

impl JudgedPrediction {
    /// Whether the guess was right.
    pub fn is_right(&self) -> bool {
        self.state == AnswerState::Right
    }

    /// The state of the prediction.
    pub fn state(&self) -> AnswerState {
        self.state
    }

    /// The judgement in words, with code between backticks.
    fn says(&self) -> String {
        let JudgedPrediction {
            guess,
            answer,
            reason,
            ..
        } = self;
        match (&self.complaint, self.state) {
            (Some(complaint), _) => complaint.clone(),
            (None, AnswerState::Right) => format!("{answer}. {reason}"),
            (None, _) => format!("Your answer: {guess}. What comes out: {answer}. {reason}"),
        }
    }

    fn title(&self) -> &'static str {
        match self.state {
            AnswerState::NotAttempted => "○ Prediction",
            AnswerState::Wrong => "✗ Not quite",
            AnswerState::Right => "✓ As predicted",
        }
    }

    /// The judgement as HTML.
    pub fn html(&self) -> String {
        let edge = match self.state {
            AnswerState::NotAttempted => "#888888",
            AnswerState::Wrong => "#d0661a",
            AnswerState::Right => "#2e9e58",
        };
        let question = format!("<div style=\"opacity:0.8\">{}</div>", marked(self.question));
        let remark = self.remark.as_ref();
        let remark = remark.map_or(String::new(), |remark| paragraph("Progress", remark));
        boxed(
            edge,
            &(question + &paragraph(self.title(), &self.says()) + &remark),
        )
    }

    /// Displays the judgement below the notebook's cell, as HTML and as text.
    pub fn evcxr_display(&self) {
        emit(&[
            ("text/html", &self.html()),
            ("text/plain", &self.to_string()),
        ]);
    }
}

impl fmt::Display for JudgedPrediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}: {}", self.question, self.title(), self.says())?;
        self.remark
            .iter()
            .try_for_each(|remark| write!(f, "\n{remark}"))
    }
}
