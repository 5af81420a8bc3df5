//! The progress of a long loop: a bar in a notebook, lines elsewhere.

use crate::output::{emit_named, is_live};
use crate::speed::Speed;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Intervals between updates of a bar, and between lines.
const BAR: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(2);

/// The progress of a loop with a known number of steps.
///
/// In a notebook whose kernel can replace outputs, it is a moving bar; elsewhere, a line on
/// standard error every two seconds. The end is always shown. The remaining time is estimated only
/// while all steps take about the same time.
///
/// Python: `tqdm`
///
/// ```
/// use notebook::Progress;
///
/// let mut progress = Progress::new("adding", 100);
/// let mut sum = 0;
/// for step in 0..100 {
///     sum += step;
///     progress.step(&format!("sum {sum}"));
/// }
/// assert_eq!(progress.steps(), 100);
/// ```
#[derive(Debug)]
pub struct Progress {
    title: String,
    total: usize,
    /// The unit of a step, if it has one.
    unit: Option<String>,
    steps: usize,
    began: Instant,
    speed: Speed,
    shown: Option<Instant>,
    /// Whether the loop has ended early.
    is_stopped: bool,
    /// The name of the output, if outputs can be replaced.
    name: Option<String>,
}

impl Progress {
    /// Starts the progress of a loop of `total` steps.
    ///
    /// Python: `tqdm(total=total, desc=title)`
    ///
    /// ```
    /// assert_eq!(notebook::Progress::new("training", 10).steps(), 0);
    /// ```
    pub fn new(title: &str, total: usize) -> Progress {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = is_live().then(|| {
            // Every cell is a library with its own counter, so the time makes the name unique.
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let time = since.map_or(0, |since| since.as_nanos());
            format!("progress-{time}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
        });
        Progress {
            title: title.to_owned(),
            total,
            unit: None,
            steps: 0,
            began: Instant::now(),
            speed: Speed::default(),
            shown: None,
            is_stopped: false,
            name,
        }
    }

    /// Sets the unit of a step. With `MB`, for example, the progress is shown in megabytes, and the
    /// speed in megabytes per second.
    ///
    /// Python: `tqdm(total=total, unit="MB")`
    ///
    /// ```
    /// let mut progress = notebook::Progress::new("fetching", 84).unit("MB");
    /// progress.step(""); // fetching: 1 of 84 MB, 9.5 MB/s
    /// ```
    #[must_use]
    pub fn unit(mut self, unit: &str) -> Progress {
        self.unit = Some(unit.to_owned());
        self
    }

    /// Iterates over a list, and shows the progress with each item as a step.
    ///
    /// Python: `for item in tqdm(items, desc=title)`
    ///
    /// ```
    /// let squares: Vec<i32> = notebook::Progress::over("squaring", [1, 2, 3]).map(|x| x * x).collect();
    /// assert_eq!(squares, [1, 4, 9]);
    /// ```
    pub fn over<I>(title: &str, items: I) -> ProgressOver<I::IntoIter>
    where
        I: IntoIterator<IntoIter: ExactSizeIterator>,
    {
        let items = items.into_iter();
        ProgressOver {
            progress: Progress::new(title, items.len()),
            items,
            is_begun: false,
        }
    }

    /// How many steps are done.
    ///
    /// ```
    /// let mut progress = notebook::Progress::new("training", 1);
    /// progress.step("");
    /// assert_eq!(progress.steps(), 1);
    /// ```
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Records one more step; `state` describes the current state, such as the loss.
    ///
    /// Python: `bar.update()`, `bar.set_postfix_str(state)`
    ///
    /// ```
    /// notebook::Progress::new("training", 1).step("loss 4.34");
    /// ```
    pub fn step(&mut self, state: &str) {
        self.steps += 1;
        self.speed.measure(self.steps, self.began.elapsed());
        let every = if self.name.is_some() { BAR } else { LINE };
        let is_due = self.shown.unwrap_or(self.began).elapsed() >= every;
        if is_due || self.steps == self.total {
            self.show(state);
        }
    }

    /// Shows the current state.
    ///
    /// Python: `bar.refresh()`
    ///
    /// ```
    /// notebook::Progress::new("training", 10).show("measuring");
    /// ```
    pub fn show(&mut self, state: &str) {
        self.shown = Some(Instant::now());
        let line = self.line(state);
        match &self.name {
            Some(name) => {
                let bar = self.bar(&line);
                emit_named(name, &[("text/plain", &line), ("text/html", &bar)]);
            }
            None => eprintln!("{line}"),
        }
    }

    /// Shows the last state of a loop that ends early, without an estimate of the remaining time.
    ///
    /// ```
    /// notebook::Progress::new("training", 10).stop("stopped");
    /// ```
    pub fn stop(&mut self, state: &str) {
        self.is_stopped = true;
        self.show(state);
    }

    fn line(&self, state: &str) -> String {
        let left = self.total.saturating_sub(self.steps);
        let time = match self.speed.seconds_for(left) {
            _ if self.is_stopped => None,
            _ if left == 0 => Some(format!("{:.1} s", self.speed.time().as_secs_f64())),
            Some(seconds) => Some(format!("{seconds:.0} s left")),
            None => None,
        };
        let state = (!state.is_empty()).then(|| state.to_owned());
        let speed = self.speed.text(self.unit.as_deref());
        let parts = [state, speed, time].into_iter().flatten();
        let parts: String = parts.map(|part| format!(", {part}")).collect();
        let unit = self.unit.as_deref();
        let unit = unit.map_or_else(String::new, |unit| format!(" {unit}"));
        format!(
            "{}: {} of {}{unit}{parts}",
            self.title, self.steps, self.total
        )
    }

    fn bar(&self, line: &str) -> String {
        let text = line.replace('&', "&amp;").replace('<', "&lt;");
        format!(
            "<progress max=\"{}\" value=\"{}\"></progress> {text}",
            self.total, self.steps
        )
    }
}

/// The items of a list, with progress. See [`Progress::over`].
#[derive(Debug)]
pub struct ProgressOver<I> {
    items: I,
    progress: Progress,
    is_begun: bool,
}

impl<I: ExactSizeIterator> Iterator for ProgressOver<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        // A request for the next item means that the previous one is done.
        if self.is_begun && self.progress.steps < self.progress.total {
            self.progress.step("");
        }
        if !self.is_begun && self.progress.name.is_some() {
            self.progress.show(""); // an empty bar, because the first step may take a while
        }
        self.is_begun = true;
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for ProgressOver<I> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_bar_say_how_far_it_is() {
        let mut progress = Progress::new("training", 4);
        assert_eq!(progress.line(""), "training: 0 of 4");
        for step in 1..=2 {
            progress.steps = step;
            progress
                .speed
                .measure(step, Duration::from_secs(2 * step as u64));
        }
        let line = progress.line("loss 1 < 2");
        assert_eq!(line, "training: 2 of 4, loss 1 < 2, 2.0 s a step, 4 s left");
        let bar = progress.bar(&line);
        assert!(bar.starts_with(
            "<progress max=\"4\" value=\"2\"></progress> training: 2 of 4, loss 1 &lt; 2"
        ));
        progress.is_stopped = true;
        let stopped = "training: 2 of 4, stopped, 2.0 s a step";
        assert_eq!(progress.line("stopped"), stopped);
        progress.is_stopped = false;
        for step in 3..=4 {
            progress.steps = step;
            progress
                .speed
                .measure(step, Duration::from_secs(2 * step as u64));
        }
        assert_eq!(progress.line(""), "training: 4 of 4, 2.0 s a step, 8.0 s");
    }

    #[test]
    fn steps_with_a_unit_are_counted_in_it() {
        let mut progress = Progress::new("fetching", 84).unit("MB");
        assert_eq!(progress.line(""), "fetching: 0 of 84 MB");
        progress.steps = 84;
        progress.speed.measure(84, Duration::from_secs(2));
        assert_eq!(progress.line(""), "fetching: 84 of 84 MB, 42 MB/s, 2.0 s");
    }

    #[test]
    fn a_step_of_a_list_is_done_when_the_next_item_is_asked_for() {
        let mut letters = Progress::over("letters", ["a", "b"]);
        assert_eq!((letters.next(), letters.progress.steps()), (Some("a"), 0));
        assert_eq!((letters.next(), letters.progress.steps()), (Some("b"), 1));
        assert_eq!((letters.next(), letters.progress.steps()), (None, 2));
        assert_eq!((letters.next(), letters.progress.steps()), (None, 2));
    }
}
