//! A verdict as text, for a terminal and for screen readers.

use super::{State, Verdict, words};
use crate::judge::outcome::Judged;

/// The whole verdict.
pub(crate) fn text(verdict: &Verdict) -> String {
    let state = verdict.state();
    let done = words::done(verdict).map_or(String::new(), |done| format!(" ({done})"));
    let mut lines = vec![format!(
        "{}: {}{done}",
        words::state(verdict),
        verdict.title
    )];
    if verdict.is_shown() {
        lines.extend(words::rows(&verdict.judged).iter().map(line));
    }
    lines.extend(
        verdict
            .diagnosis
            .as_ref()
            .map(|says| format!("What happened: {says}")),
    );
    if state == State::Right {
        let after = &verdict.after_success;
        lines.push(format!("Why: {}", after.explanation));
        lines.push(format!("Elsewhere: {}", after.pytorch));
        let another = Some(&after.another).filter(|another| !another.is_empty());
        lines.extend(another.map(|another| format!("Another way:\n{another}")));
    }
    let next = words::next(verdict);
    lines.extend((!next.is_empty()).then(|| format!("Next: {next}")));
    lines.extend(verdict.remark.clone());
    lines.join("\n")
}

fn line((judged, details): &(&Judged, String)) -> String {
    let begin = format!("  {:<11} {}", words::outcome(judged), judged.what);
    match details.as_str() {
        "" => begin,
        _ => format!("{begin}\n              {details}"),
    }
}
