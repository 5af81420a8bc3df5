//! Questions that are answered before the result is there.

use crate::lesson::Lesson;
use crate::store;
use crate::verdict::State;
use crate::verdict::html::{boxed, marked, paragraph};
use notebook::emit;
use std::fmt;

/// A question with its answer.
pub struct Prediction {
    /// Its name in `predict::NAME`.
    pub name: &'static str,
    /// Where it stands.
    pub lesson: Lesson,
    /// The idea before whose result it stands.
    pub before: &'static str,
    /// The question.
    pub question: &'static str,
    /// The answer.
    pub right: Right,
    /// Why it is right.
    pub reason: &'static str,
}

/// A right answer. It is computed, so that it cannot become wrong.
pub enum Right {
    /// One of these.
    OneOf(&'static [&'static str], fn() -> &'static str),
    /// A number, which a guess may miss by this much.
    Number(fn() -> f64, f64),
}

/// A prediction beside the right answer. In a notebook it shows itself.
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
    state: State,
    remark: Option<String>,
}

/// What a cell has in the place of an answer that is not given yet.
pub const UNANSWERED: &str = "?";

/// The judgement on a guess, which is recorded.
pub(crate) fn judge(prediction: &'static Prediction, guess: &str) -> JudgedPrediction {
    let guess = guess.trim();
    let state = match guess {
        "" | UNANSWERED => State::NotAttempted,
        _ if prediction.right.is(guess) => State::Right,
        _ => State::Wrong,
    };
    let is_answered = state != State::NotAttempted;
    let record = || store::record(prediction.name, state == State::Right);
    JudgedPrediction {
        question: prediction.question,
        guess: guess.to_owned(),
        answer: prediction.right.text(),
        reason: prediction.reason,
        state,
        remark: is_answered.then(record).flatten(),
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

    fn is(&self, guess: &str) -> bool {
        match self {
            Right::OneOf(_, right) => right().eq_ignore_ascii_case(guess),
            Right::Number(right, within) => number(guess)
                .is_some_and(|guess| guess == right() || (guess - right()).abs() <= *within),
        }
    }

    /// The answer as text.
    pub fn text(&self) -> String {
        match self {
            Right::OneOf(_, right) => right().to_owned(),
            Right::Number(right, _) => crate::judge::patterns::rounded(right()),
        }
    }
}

/// A number as people write it: `0.5`, `50 %`, `1/2`, `1_000`.
fn number(text: &str) -> Option<f64> {
    let text = text.replace(['_', ' '], "");
    if let Some(percent) = text.strip_suffix('%') {
        return Some(percent.parse::<f64>().ok()? / 100.0);
    }
    match text.split_once('/') {
        Some((over, under)) => Some(over.parse::<f64>().ok()? / under.parse::<f64>().ok()?),
        None => text.parse().ok(),
    }
}

impl JudgedPrediction {
    /// Whether it was right.
    pub fn is_right(&self) -> bool {
        self.state == State::Right
    }

    /// How far it is.
    pub fn state(&self) -> State {
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
        match self.state {
            State::NotAttempted => format!(
                "Not answered yet. Put your answer in place of \"{UNANSWERED}\" and run the cell \
                 again."
            ),
            State::Wrong => format!("You said {guess}; it is {answer}. {reason}"),
            State::Right => format!("{answer}. {reason}"),
        }
    }

    fn title(&self) -> &'static str {
        match self.state {
            State::NotAttempted => "○ Prediction",
            State::Wrong => "✗ Otherwise",
            State::Right => "✓ As predicted",
        }
    }

    /// It as HTML.
    pub fn html(&self) -> String {
        let edge = match self.state {
            State::NotAttempted => "#888888",
            State::Wrong => "#d0661a",
            State::Right => "#2e9e58",
        };
        let question = format!("<div style=\"opacity:0.8\">{}</div>", marked(self.question));
        let remark = self.remark.as_ref();
        let remark = remark.map_or(String::new(), |remark| paragraph("Progress", remark));
        boxed(
            edge,
            &(question + &paragraph(self.title(), &self.says()) + &remark),
        )
    }

    /// Shows it under the cell of a notebook, as HTML and text.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let texts = ["0.5", "50 %", "1/2", "1_000", "-inf", "half"];
        let numbers = [
            Some(0.5),
            Some(0.5),
            Some(0.5),
            Some(1000.0),
            Some(-f64::INFINITY),
            None,
        ];
        assert_eq!(texts.map(number), numbers);
    }
}
