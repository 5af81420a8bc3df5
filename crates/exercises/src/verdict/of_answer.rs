//! Makes a verdict from an answer.

use super::Verdict;
use crate::attempt::{Attempt, Whose};
use crate::judge::outcome::Outcome;
use crate::judge::{borrowed, diagnosis, judged};

impl Verdict {
    /// The verdict on an answer: the learner's, or one of the exercise's own.
    pub(crate) fn of(attempt: &dyn Attempt, whose: Whose) -> Verdict {
        let judged = judged(attempt, &|probe| attempt.call(whose, probe));
        let diagnosis = diagnosis(attempt, whose, &judged);
        let verdict = Verdict::new(attempt.texts(), judged, diagnosis);
        let right = verdict.is_right().then_some(attempt);
        match right.and_then(|attempt| borrowed(attempt, whose)) {
            Some(step) => verdict.borrowed(step),
            None => verdict,
        }
    }

    /// The verdict on correct results with noise added to their numbers: usually none of the
    /// diagnoses fits, so all of them are tried.
    pub(crate) fn of_noise(attempt: &dyn Attempt) -> Verdict {
        let mut judged = judged(attempt, &|probe| attempt.call(Whose::Solution, probe));
        for judged in &mut judged {
            judged.is_right = false;
            if let Outcome::Returned(yours) = &mut judged.outcome {
                let values = yours.0.iter_mut().flat_map(|part| &mut part.values);
                values
                    .zip(1..)
                    .for_each(|(value, index)| *value += f64::sin(f64::from(index)) + 2.0);
            }
        }
        let diagnosis = diagnosis(attempt, Whose::Solution, &judged);
        Verdict::new(attempt.texts(), judged, diagnosis)
    }
}
