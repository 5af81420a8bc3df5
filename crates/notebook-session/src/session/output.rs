//! Assembles a cell's outputs from the blocks it prints.

use notebook::convention::NAME_PARAMETER;
use notebook::evaluator::{Bundle, Output};

/// Combines blocks into outputs.
///
/// A block is one representation of a value. Consecutive blocks belong to the same value until a
/// MIME type repeats or the name after the MIME type changes.
#[derive(Default)]
pub struct Assembler {
    name: Option<String>,
    bundle: Bundle,
}

impl Assembler {
    /// Adds a block; if it starts a new value, returns the finished one.
    pub fn block(&mut self, mime: &str, content: String) -> Option<Output> {
        let (mime, name) = match mime.split_once(NAME_PARAMETER) {
            Some((mime, name)) => (mime, Some(name.to_owned())),
            None => (mime, None),
        };
        let begins = self.bundle.contains_key(mime) || self.name != name;
        let before = if begins { self.finish(false) } else { None };
        self.name = name;
        self.bundle.insert(mime.to_owned(), content);
        before
    }

    /// Whether there is an unfinished value.
    pub fn is_open(&self) -> bool {
        !self.bundle.is_empty()
    }

    /// Finishes the current value, as a result or as a display.
    pub fn finish(&mut self, is_result: bool) -> Option<Output> {
        let bundle = std::mem::take(&mut self.bundle);
        let name = self.name.take();
        if bundle.is_empty() {
            return None;
        }
        Some(match name {
            Some(name) => Output::Updatable(name, bundle),
            None if is_result => Output::Result(bundle),
            None => Output::Display(bundle),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(forms: &[(&str, &str)]) -> Bundle {
        let form = |(mime, content): &(&str, &str)| ((*mime).to_owned(), (*content).to_owned());
        forms.iter().map(form).collect()
    }

    #[test]
    fn a_repeated_mime_type_begins_another_value() {
        let mut assembler = Assembler::default();
        assert_eq!(assembler.block("text/plain", "1".into()), None);
        assert_eq!(assembler.block("image/svg+xml", "<svg/>".into()), None);
        let first = bundle(&[("text/plain", "1"), ("image/svg+xml", "<svg/>")]);
        assert_eq!(
            assembler.block("text/plain", "2".into()),
            Some(Output::Display(first))
        );
        let second = bundle(&[("text/plain", "2")]);
        assert_eq!(assembler.finish(true), Some(Output::Result(second)));
        assert_eq!(assembler.finish(true), None);
    }

    #[test]
    fn a_named_value_can_be_replaced() {
        let mut assembler = Assembler::default();
        assert_eq!(
            assembler.block("text/plain;name=bar-1", "10 %".into()),
            None
        );
        let ten = Output::Updatable("bar-1".into(), bundle(&[("text/plain", "10 %")]));
        assert_eq!(assembler.block("text/plain", "x".into()), Some(ten));
    }
}
