//! How far a long loop is: a bar in a notebook, lines elsewhere.

use crate::output::{emit_named, is_live};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often a bar moves, and how often a line is printed.
const BAR: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(2);

/// The progress of a loop with a known number of steps.
///
/// In a notebook whose kernel can replace outputs it is a bar that moves; elsewhere
/// a line on standard error every two seconds. The end is always shown.
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
    steps: usize,
    began: Instant,
    shown: Option<Instant>,
    /// The name of the output, where it can be replaced.
    name: Option<String>,
}

impl Progress {
    /// A loop of `total` steps that begins now.
    ///
    /// Python: `tqdm(total=total, desc=title)`
    ///
    /// ```
    /// assert_eq!(notebook::Progress::new("training", 10).steps(), 0);
    /// ```
    pub fn new(title: &str, total: usize) -> Progress {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = is_live().then(|| {
            // Cells are libraries with a counter each; the time tells them apart.
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let time = since.map_or(0, |since| since.as_nanos());
            format!("progress-{time}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
        });
        Progress {
            title: title.to_owned(),
            total,
            steps: 0,
            began: Instant::now(),
            shown: None,
            name,
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

    /// One more step is done; `state` says how things are, such as the loss.
    ///
    /// Python: `bar.update()`, `bar.set_postfix_str(state)`
    ///
    /// ```
    /// notebook::Progress::new("training", 1).step("loss 4.34");
    /// ```
    pub fn step(&mut self, state: &str) {
        self.steps += 1;
        let every = if self.name.is_some() { BAR } else { LINE };
        let is_due = self.shown.unwrap_or(self.began).elapsed() >= every;
        if is_due || self.steps == self.total {
            self.show(state);
        }
    }

    /// Shows the state now; for a loop that ends early.
    ///
    /// Python: `bar.refresh()`
    ///
    /// ```
    /// notebook::Progress::new("training", 10).show("stopped");
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

    fn line(&self, state: &str) -> String {
        let seconds = self.began.elapsed().as_secs_f64();
        let rate = self.steps as f64 / seconds.max(1e-9);
        let left = (self.total.saturating_sub(self.steps)) as f64 / rate.max(1e-9);
        let left = match self.steps {
            0 => String::new(),
            _ if self.steps >= self.total => format!(", {seconds:.1} s"),
            _ => format!(", {left:.0} s left"),
        };
        let separator = if state.is_empty() { "" } else { ", " };
        format!(
            "{}: {} of {}{separator}{state}, {rate:.0} steps/s{left}",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_bar_say_how_far_it_is() {
        let mut progress = Progress::new("training", 4);
        progress.step("loss 1 < 2");
        let line = progress.line("loss 1 < 2");
        assert!(line.starts_with("training: 1 of 4, loss 1 < 2, "), "{line}");
        assert!(line.ends_with(" s left"), "{line}");
        let bar = progress.bar(&line);
        assert!(bar.starts_with(
            "<progress max=\"4\" value=\"1\"></progress> training: 1 of 4, loss 1 &lt; 2"
        ));
    }
}
