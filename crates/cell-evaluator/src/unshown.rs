//! Rewords rustc's errors about a value that cannot be shown.

use crate::compile_error::{CompileError, compile_errors};
use crate::rustc::RustcMessage;
use crate::scope::Scope;
use crate::source_text::SourceText;
use crate::wording;

/// The errors for a value to which the general trait does not apply.
pub fn errors(errors: &[RustcMessage], source: &SourceText, scope: &Scope) -> Vec<CompileError> {
    let mut all = compile_errors(errors, source, scope);
    for (compile_error, error) in all.iter_mut().zip(errors) {
        let notes = error
            .children
            .iter()
            .filter(|child| child.message.contains("trait bound"));
        let bound = notes.map(|note| note.message.as_str()).find_map(bound);
        if let Some((of, wanted)) = bound {
            let of = wording::of_notebook(of, scope);
            compile_error.message = format!("`{of}` doesn't implement `{wanted}`");
        }
        compile_error.code = Some("E0277".to_owned());
        compile_error.places.retain(|place| place.is_primary);
        for place in &mut compile_error.places {
            place.label = "this value cannot be shown".to_owned();
        }
        compile_error
            .suggestions
            .retain(|help| help.message.starts_with("consider annotating"));
    }
    all
}

/// The type and the trait in "trait bound `T: Debug` was not satisfied", or the first of several.
fn bound(note: &str) -> Option<(&str, &str)> {
    let (_, bound) = note.split_once('`')?;
    bound.split_once('`')?.0.rsplit_once(": ")
}
