//! A verdict as text, for a terminal and for screen readers.

use super::{AnswerState, Verdict, messages};
use crate::judge::outcome::Judged;

/// The verdict as plain text.
pub(crate) fn text(verdict: &Verdict) -> String {
    let state = verdict.state();
    let done = messages::done(verdict).map_or(String::new(), |done| format!(" ({done})"));
    let mut lines = vec![format!(
        "{}: {}{done}",
        messages::state(verdict),
        verdict.title
    )];
    if verdict.is_shown() {
        lines.extend(messages::rows(&verdict.judged).iter().map(line));
    }
    lines.extend(
        verdict
            .diagnosis
            .as_ref()
            .map(|says| format!("What happened: {says}")),
    );
    if state == AnswerState::Right {
        let after = &verdict.after_success;
        lines.push(format!("Why: {}", after.explanation));
        lines.push(format!("Elsewhere: {}", after.pytorch));
        let another = Some(&after.another).filter(|another| !another.is_empty());
        lines.extend(another.map(|another| format!("Another way:\n{another}")));
    }
    let next = messages::next(verdict);
    lines.extend((!next.is_empty()).then(|| format!("Next: {next}")));
    lines.extend(verdict.remark.clone());
    lines.join("\n")
}

fn line((judged, details): &(&Judged, String)) -> String {
    let begin = format!("  {:<11} {}", messages::outcome(judged), judged.what);
    match details.as_str() {
        "" => begin,
        _ => format!("{begin}\n              {details}"),
    }
}
