//! Superscripts and subscripts.

use attention::figures::scene::{Level, Span};

/// The spans of a text: `^{2}` becomes a superscript and `_{2}` a subscript.
pub fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some((start, level)) = next_mark(rest) {
        let (before, inside) = (&rest[..start], &rest[start + 2..]);
        let (letters, after) = inside.split_once('}').expect("a brace that closes");
        spans.push(Span::on_the_line(before));
        spans.push(Span {
            letters: letters.to_owned(),
            level,
        });
        rest = after;
    }
    spans.push(Span::on_the_line(rest));
    spans.retain(|span| !span.letters.is_empty());
    spans
}

fn next_mark(text: &str) -> Option<(usize, Level)> {
    let raised = text.find("^{").map(|start| (start, Level::Raised));
    let lowered = text.find("_{").map(|start| (start, Level::Lowered));
    let marks = [raised, lowered].into_iter().flatten();
    marks.min_by_key(|(start, _)| *start)
}
