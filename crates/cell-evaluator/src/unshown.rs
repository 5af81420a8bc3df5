//! Explains that a value cannot be shown.

use crate::diagnostic::{Diagnostic, diagnostics};
use crate::rustc::Message;
use crate::scope::Scope;
use crate::source_text::SourceText;
use crate::wording;

/// The diagnostics for a value to which the general trait does not apply.
pub fn diagnostic(errors: &[Message], source: &SourceText, scope: &Scope) -> Vec<Diagnostic> {
    let mut all = diagnostics(errors, source, scope);
    for (diagnostic, error) in all.iter_mut().zip(errors) {
        let notes = error
            .children
            .iter()
            .filter(|child| child.message.contains("trait bound"));
        let bound = notes.map(|note| note.message.as_str()).find_map(bound);
        if let Some((of, wanted)) = bound {
            let of = wording::of_notebook(of, scope);
            diagnostic.message = format!("`{of}` doesn't implement `{wanted}`");
        }
        diagnostic.code = Some("E0277".to_owned());
        diagnostic.marks.retain(|mark| mark.is_primary);
        for mark in &mut diagnostic.marks {
            mark.label = "this value cannot be shown".to_owned();
        }
        diagnostic
            .helps
            .retain(|help| help.message.starts_with("consider annotating"));
    }
    all
}

/// The type and the trait in "trait bound `T: Debug` was not satisfied", also if several were not.
fn bound(note: &str) -> Option<(&str, &str)> {
    let (_, bound) = note.split_once('`')?;
    bound.split_once('`')?.0.rsplit_once(": ")
}
