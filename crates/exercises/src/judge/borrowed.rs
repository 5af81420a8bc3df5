//! Detects right answers that call a function that the exercise forbids.

use crate::attempt::{Attempt, Whose};
use crate::exercise::LONGEST_CALL;
use crate::judge::isolated::silent_outcomes;
use crate::judge::outcome::Outcome;
use crate::output::{Output, ReturnValue};
use attention::measure::Step;

/// The first forbidden function that the answer calls.
pub(crate) fn borrowed(attempt: &dyn Attempt, whose: Whose) -> Option<Step> {
    let without = attempt.texts().without;
    if without.is_empty() {
        return None;
    }
    let calls = |probe: usize| -> Output {
        Step::forget_calls();
        attempt.call(whose, probe);
        let calls: Vec<bool> = without.iter().map(|step| step.was_called()).collect();
        calls.output()
    };
    let outcomes = silent_outcomes(attempt.probes().len(), LONGEST_CALL, &calls);
    let was_called = |index: usize| {
        let mut outcomes = outcomes.iter();
        outcomes.any(|outcome| match outcome {
            Outcome::Returned(calls) => calls.0[0].values[index] == 1.0,
            _ => false,
        })
    };
    (0..without.len())
        .find(|index| was_called(*index))
        .map(|index| without[index])
}
