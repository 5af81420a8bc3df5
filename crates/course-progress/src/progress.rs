//! A learner's attempts and results.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// The version of the file that this crate writes.
pub const SCHEMA: u32 = 1;

/// All attempts, by the names of the exercises. See the crate's documentation for the
/// file format.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Progress {
    /// The version of the file's format, see [`SCHEMA`].
    pub schema: u32,
    /// The exercises that were attempted, or for which hints were requested.
    pub entries: BTreeMap<String, Entry>,
}

/// What one learner has done in one exercise or prediction.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Entry {
    /// The learner's result so far.
    pub state: ExerciseState,
    /// How many answers were checked.
    pub attempts: u32,
    /// How many hints were shown.
    pub hints: u32,
    /// When it last changed, in seconds since 1970.
    pub changed: u64,
    /// Whether the first answer, which counts, was wrong and a right one followed.
    #[serde(default)]
    pub corrected: bool,
    /// When it became right, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved: Option<u64>,
}

impl Entry {
    /// When it became right, if it is right now. Files of earlier versions only have the time of
    /// the last change, which is the same or later.
    pub fn right_since(&self) -> Option<u64> {
        let since = self.solved.unwrap_or(self.changed);
        (self.state == ExerciseState::Right).then_some(since)
    }
}

/// A learner's result for an exercise.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExerciseState {
    /// Only hints were requested.
    #[default]
    #[serde(rename = "open")]
    OnlyHints,
    /// No attempt has been right so far.
    Wrong,
    /// An attempt was right.
    Right,
}

impl Entry {
    fn becomes(&mut self, state: ExerciseState) {
        self.state = state;
        self.solved = (state == ExerciseState::Right).then_some(self.changed);
    }
}

impl Default for Progress {
    fn default() -> Progress {
        Progress {
            schema: SCHEMA,
            entries: BTreeMap::new(),
        }
    }
}

impl Progress {
    /// Counts an attempt. A right result stays right.
    ///
    /// ```
    /// use course_progress::{Progress, ExerciseState};
    ///
    /// let mut progress = Progress::default();
    /// progress.record("softmax", ExerciseState::Right);
    /// progress.record("softmax", ExerciseState::Wrong);
    /// assert_eq!(progress.entries["softmax"].state, ExerciseState::Right);
    /// ```
    pub fn record(&mut self, name: &str, state: ExerciseState) {
        let entry = self.changed(name);
        entry.attempts = entry.attempts.saturating_add(1);
        if entry.state != ExerciseState::Right {
            entry.becomes(state);
        }
    }

    /// Whether an attempt was right.
    ///
    /// ```
    /// use course_progress::{Progress, ExerciseState};
    ///
    /// let mut progress = Progress::default();
    /// progress.record("softmax", ExerciseState::Wrong);
    /// assert!(!progress.is_right("softmax") && !progress.is_right("scores"));
    /// ```
    pub fn is_right(&self, name: &str) -> bool {
        let entry = self.entries.get(name);
        entry.is_some_and(|entry| entry.state == ExerciseState::Right)
    }

    /// Records an answer to a question where only the first answer counts, and returns the state that
    /// the first one led to. A right answer after a wrong one is recorded as a correction.
    ///
    /// ```
    /// use course_progress::{Progress, ExerciseState};
    ///
    /// let mut progress = Progress::default();
    /// assert_eq!(progress.record_first("guess", ExerciseState::Wrong), ExerciseState::Wrong);
    /// assert_eq!(progress.record_first("guess", ExerciseState::Right), ExerciseState::Wrong);
    /// assert!(progress.entries["guess"].corrected);
    /// ```
    pub fn record_first(&mut self, name: &str, state: ExerciseState) -> ExerciseState {
        let entry = self.changed(name);
        entry.attempts = entry.attempts.saturating_add(1);
        if entry.state == ExerciseState::OnlyHints {
            entry.becomes(state);
        }
        entry.corrected |= entry.state == ExerciseState::Wrong && state == ExerciseState::Right;
        entry.state
    }

    /// Counts a hint, up to `most`, and returns its number, starting from 0.
    ///
    /// ```
    /// let mut progress = course_progress::Progress::default();
    /// let shown = [(); 3].map(|()| progress.next_hint("softmax", 2));
    /// assert_eq!(shown, [0, 1, 1]);
    /// ```
    pub fn next_hint(&mut self, name: &str, most: u32) -> u32 {
        let entry = self.changed(name);
        let shown = entry.hints.min(most.saturating_sub(1));
        entry.hints = (shown + 1).min(most);
        shown
    }

    /// Merges the same learner's progress from elsewhere. An exercise that is right in either is
    /// right, as of the earlier time.
    ///
    /// ```
    /// use course_progress::{Progress, ExerciseState};
    ///
    /// let [mut here, mut elsewhere] = [Progress::default(), Progress::default()];
    /// here.record("softmax", ExerciseState::Wrong);
    /// elsewhere.record("softmax", ExerciseState::Right);
    /// here.add(elsewhere);
    /// let softmax = &here.entries["softmax"];
    /// assert_eq!((softmax.state, softmax.attempts), (ExerciseState::Right, 2));
    /// ```
    pub fn add(&mut self, elsewhere: Progress) {
        for (name, other) in elsewhere.entries {
            let entry = self.entries.entry(name).or_default();
            let rights = [entry.right_since(), other.right_since()];
            *entry = Entry {
                state: match rights.iter().flatten().next() {
                    Some(_) => ExerciseState::Right,
                    None if other.state == ExerciseState::OnlyHints => entry.state,
                    None => other.state,
                },
                attempts: entry.attempts.saturating_add(other.attempts),
                hints: entry.hints.max(other.hints),
                changed: entry.changed.max(other.changed),
                corrected: entry.corrected || other.corrected,
                solved: rights.into_iter().flatten().min(),
            };
        }
    }

    /// Forgets an exercise; returns whether there was anything to forget.
    pub fn reset(&mut self, name: &str) -> bool {
        self.entries.remove(name).is_some()
    }

    fn changed(&mut self, name: &str) -> &mut Entry {
        let entry = self.entries.entry(name.to_owned()).or_default();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        entry.changed = now.map_or(0, |since| since.as_secs());
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ExerciseState::{Right, Wrong};

    #[test]
    fn a_right_attempt_is_right() {
        let mut progress = Progress::default();
        progress.record("softmax", Right);
        progress.record("scores", Wrong);
        assert!(progress.is_right("softmax") && !progress.is_right("scores"));
    }

    #[test]
    fn an_exercise_that_was_only_looked_at_elsewhere_keeps_its_state() {
        let [mut wrong, mut open] = [Progress::default(), Progress::default()];
        wrong.record("softmax", Wrong);
        open.next_hint("softmax", 3);
        for (mut here, elsewhere) in [(wrong.clone(), open.clone()), (open, wrong)] {
            here.add(elsewhere);
            let entry = &here.entries["softmax"];
            assert_eq!((entry.state, entry.hints), (Wrong, 1));
        }
    }

    #[test]
    fn a_question_that_was_corrected_in_either_place_was_corrected() {
        let [mut corrected, mut first] = [Progress::default(), Progress::default()];
        corrected.record_first("largest", Wrong);
        corrected.record_first("largest", Right);
        first.record_first("largest", Wrong);
        for (mut here, elsewhere) in [(corrected.clone(), first.clone()), (first, corrected)] {
            here.add(elsewhere);
            assert!(here.entries["largest"].corrected);
        }
    }

    #[test]
    fn an_exercise_stays_solved_since_it_first_was() {
        let mut progress = Progress::default();
        progress.record("softmax", Wrong);
        assert_eq!(progress.entries["softmax"].right_since(), None);
        progress.record("softmax", Right);
        let entry = progress.entries.get_mut("softmax").expect("an entry");
        assert!(entry.solved.is_some());
        entry.solved = Some(5);
        progress.record("softmax", Wrong);
        assert_eq!(progress.entries["softmax"].right_since(), Some(5));
        let mut elsewhere = Progress::default();
        elsewhere.record("softmax", Right);
        elsewhere.add(progress);
        assert_eq!(elsewhere.entries["softmax"].right_since(), Some(5));
    }

    #[test]
    fn hints_come_one_after_another_up_to_the_last() {
        let mut progress = Progress::default();
        let shown = [(); 5].map(|()| progress.next_hint("softmax", 3));
        assert_eq!(shown, [0, 1, 2, 2, 2]);
        assert_eq!(progress.entries["softmax"].hints, 3);
    }

    #[test]
    fn only_a_right_answer_after_a_wrong_one_is_a_correction() {
        for (first, second) in [
            (Wrong, Right),
            (Wrong, Wrong),
            (Right, Wrong),
            (Right, Right),
        ] {
            let mut progress = Progress::default();
            progress.record_first("guess", first);
            assert_eq!(progress.record_first("guess", second), first);
            let is_correction = (first, second) == (Wrong, Right);
            assert_eq!(progress.entries["guess"].corrected, is_correction);
        }
    }
}
