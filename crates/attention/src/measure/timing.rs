//! Measures how long a piece of code takes, over several runs.

use notebook::{Progress, emit, interrupted};
use std::fmt;
use std::time::{Duration, Instant};

/// Measurements longer than this show a progress bar.
const LONG: Duration = Duration::from_secs(2);

/// The durations of several runs. See [`time_runs`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    name: String,
    runs: Vec<Duration>,
}

/// Calls `work` `runs` times, and returns how long the calls took, which is displayed as a mean and
/// a standard deviation.
///
/// If the runs will take more than two seconds in total, a bar shows the progress. If the learner
/// interrupts them, only the runs completed so far count. The return value of `work` is kept from
/// being optimised away, then dropped.
///
/// Python: a decorator that calls a function `runs` times and prints the mean
///
/// # Panics
///
/// If `runs` is 0.
///
/// ```
/// use attention::measure::time_runs;
///
/// let timing = time_runs("sum", 3, || (0..1000_u64).sum::<u64>());
/// assert!(timing.to_string().starts_with("sum: "));
/// assert!(timing.to_string().ends_with(" (mean of 3 runs)"));
/// ```
#[track_caller]
pub fn time_runs<T>(name: &str, runs: usize, mut work: impl FnMut() -> T) -> Timing {
    assert!(runs > 0, "time_runs: runs is 0: measure at least once");
    let mut measured = Vec::with_capacity(runs);
    let title = if name.is_empty() { "measuring" } else { name };
    let mut progress = Progress::new(title, runs);
    for _ in 0..runs {
        if !measured.is_empty() && interrupted() {
            break;
        }
        let start = Instant::now();
        std::hint::black_box(work());
        measured.push(start.elapsed());
        if is_long(measured[0], runs) {
            progress.step("");
        }
    }
    Timing {
        name: name.to_owned(),
        runs: measured,
    }
}

/// Whether `runs` runs, each as long as the first, would take long enough to need a progress bar.
fn is_long(first: Duration, runs: usize) -> bool {
    runs > 1 && first.as_secs_f64() * runs as f64 > LONG.as_secs_f64()
}

impl Timing {
    /// The mean duration of a run.
    ///
    /// Python: `sum(times) / len(times)`
    ///
    /// ```
    /// use attention::measure::time_runs;
    ///
    /// assert!(time_runs("sum", 3, || (0..1000_u64).sum::<u64>()).mean().as_secs() < 60);
    /// ```
    pub fn mean(&self) -> Duration {
        self.runs.iter().sum::<Duration>() / self.runs.len() as u32
    }

    /// The duration of the fastest run: on a machine with other work to do, the one that
    /// was disturbed least.
    ///
    /// Python: `min(times)`
    ///
    /// ```
    /// use attention::measure::time_runs;
    ///
    /// let timing = time_runs("sum", 3, || (0..1000_u64).sum::<u64>());
    /// assert!(timing.fastest() <= timing.mean());
    /// ```
    pub fn fastest(&self) -> Duration {
        self.runs.iter().copied().min().unwrap_or_default()
    }

    /// The standard deviation of the runs; 0 for a single run.
    ///
    /// NumPy: `np.std(times)`
    ///
    /// ```
    /// use attention::measure::time_runs;
    ///
    /// let once = time_runs("sum", 1, || (0..1000_u64).sum::<u64>());
    /// assert!(once.spread().is_zero());
    /// ```
    pub fn spread(&self) -> Duration {
        let mean = self.mean().as_secs_f64();
        let squares = self
            .runs
            .iter()
            .map(|run| (run.as_secs_f64() - mean).powi(2))
            .sum::<f64>();
        Duration::from_secs_f64((squares / self.runs.len() as f64).sqrt())
    }

    /// Shows the timing under its cell in a notebook.
    pub fn evcxr_display(&self) {
        emit(&[("text/plain", &self.to_string())]);
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
        let (mean, spread) = (milliseconds(self.mean()), milliseconds(self.spread()));
        let runs = self.runs.len();
        write!(
            f,
            "{}: {mean:.4} ± {spread:.4} ms (mean of {runs} runs)",
            self.name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_take_more_than_two_seconds_have_a_bar() {
        assert!(is_long(Duration::from_millis(500), 5));
        assert!(!is_long(Duration::from_millis(300), 5));
        assert!(
            !is_long(Duration::from_secs(9), 1),
            "a bar with one step says nothing"
        );
    }

    #[test]
    fn mean_and_spread_are_those_of_the_runs() {
        let runs = vec![Duration::from_millis(1), Duration::from_millis(3)];
        let timing = Timing {
            name: "two".to_owned(),
            runs,
        };
        assert_eq!(timing.mean(), Duration::from_millis(2));
        assert_eq!(timing.fastest(), Duration::from_millis(1));
        assert_eq!(
            timing.to_string(),
            "two: 2.0000 ± 1.0000 ms (mean of 2 runs)"
        );
    }
}
