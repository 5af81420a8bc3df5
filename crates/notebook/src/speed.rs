//! Measures how fast a loop runs, and estimates how long the remaining steps will take.

use std::time::Duration;

/// If speeds differ by more than this factor, they say nothing about the remaining steps.
const STEADY: f64 = 1.5;

/// The speed of a loop, measured while it runs.
#[derive(Debug, Default)]
pub(crate) struct Speed {
    /// Steps and time at the last two powers of 2 of the step count; at least half of all steps
    /// have been done since the older of the two.
    older: StepsDone,
    newer: StepsDone,
    now: StepsDone,
}

/// A step count, and the time when it was reached.
#[derive(Clone, Copy, Debug, Default)]
struct StepsDone {
    steps: usize,
    time: Duration,
}

impl StepsDone {
    /// Seconds per step since `earlier`.
    fn seconds_since(self, earlier: StepsDone) -> f64 {
        (self.time - earlier.time).as_secs_f64() / (self.steps - earlier.steps).max(1) as f64
    }
}

impl Speed {
    /// Records that this many steps were done after this time.
    pub fn measure(&mut self, steps: usize, time: Duration) {
        self.now = StepsDone { steps, time };
        if steps.is_power_of_two() {
            self.older = std::mem::replace(&mut self.newer, self.now);
        }
    }

    /// The time from the beginning to the last step.
    pub fn time(&self) -> Duration {
        self.now.time
    }

    /// Seconds per step, or steps per second; if steps have a unit, always units per second. `None`
    /// before the first step.
    pub fn text(&self, unit: Option<&str>) -> Option<String> {
        let seconds = self.now.seconds_since(StepsDone::default()).max(1e-9);
        let rate = 1.0 / seconds;
        match (self.now.steps, unit) {
            (0, _) => None,
            (_, Some(unit)) if rate < 9.95 => Some(format!("{rate:.1} {unit}/s")),
            (_, Some(unit)) => Some(format!("{rate:.0} {unit}/s")),
            (_, None) if seconds > 1.0 => Some(format!("{seconds:.1} s a step")),
            (_, None) => Some(format!("{rate:.0} steps/s")),
        }
    }

    /// The estimated seconds for this many more steps. `None` before the second step, or if the
    /// later steps were not about as fast as the earlier ones, because then a mean predicts
    /// nothing.
    pub fn seconds_for(&self, steps: usize) -> Option<f64> {
        if self.now.steps < 2 {
            return None;
        }
        let earlier = self.older.seconds_since(StepsDone::default());
        let later = self.now.seconds_since(self.older);
        let is_steady = later <= earlier * STEADY && earlier <= later * STEADY;
        is_steady.then_some(later * steps as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The speed after steps of these durations, in seconds.
    fn after(seconds: impl IntoIterator<Item = f64>) -> Speed {
        let (mut speed, mut time) = (Speed::default(), 0.0);
        for (step, seconds) in seconds.into_iter().enumerate() {
            time += seconds;
            speed.measure(step + 1, Duration::from_secs_f64(time));
        }
        speed
    }

    #[test]
    fn equal_steps_promise_what_the_others_will_take() {
        for steps in [2, 3, 5, 100, 1000] {
            let left = after(vec![0.5; steps]).seconds_for(10);
            assert!((left.expect("steady") - 5.0).abs() < 1e-6, "{steps}");
        }
    }

    #[test]
    fn steps_that_grow_or_shrink_promise_nothing() {
        let growing = |steps: i32| (0..steps).map(|step| 4_f64.powi(step));
        for steps in 2..8 {
            assert_eq!(after(growing(steps)).seconds_for(1), None, "{steps}");
            let shrinking = growing(steps).map(|seconds| 1.0 / seconds);
            assert_eq!(after(shrinking).seconds_for(1), None, "{steps}");
        }
        assert_eq!(after([1.0]).seconds_for(1), None, "one step says nothing");
    }

    #[test]
    fn slow_steps_are_told_in_seconds() {
        assert_eq!(after([]).text(None), None);
        assert_eq!(
            after([0.001; 4]).text(None).as_deref(),
            Some("1000 steps/s")
        );
        assert_eq!(after([2.5; 2]).text(None).as_deref(), Some("2.5 s a step"));
    }

    #[test]
    fn units_are_told_by_the_second_also_where_they_are_slow() {
        assert_eq!(after([]).text(Some("MB")), None);
        for (seconds, rate) in [(0.1, "10 MB/s"), (0.2, "5.0 MB/s"), (2.0, "0.5 MB/s")] {
            assert_eq!(after([seconds; 3]).text(Some("MB")).as_deref(), Some(rate));
        }
    }
}
