//! A verdict as HTML.
//!
//! It uses inline styles and hardly any colour: text has the colours of the notebook's theme, light
//! or dark, and each colour is accompanied by a sign and a word with the same meaning.

use super::pictures::pictures;
use super::{AnswerState, Verdict, messages};
use crate::judge::outcome::{Judged, Outcome};

const LEFT: &str = "padding:1px 8px;text-align:left;vertical-align:top";
const BLOCK: &str = "margin:6px 0";
const CODE: &str = "margin:4px 0;padding:4px 8px;border-left:2px solid #888888";

/// Breaks long lines between words; JupyterLab would break them anywhere.
const LINES: &str = "white-space:pre-wrap;word-break:normal";

/// The colour of a verdict's edge, visible on white and on black.
fn edge(verdict: &Verdict) -> &'static str {
    match verdict.state() {
        _ if verdict.is_borrowed => "#4a7fc1",
        AnswerState::NotAttempted => "#888888",
        AnswerState::Wrong => "#d0661a",
        AnswerState::Right => "#2e9e58",
    }
}

fn mark(verdict: &Verdict) -> &'static str {
    match verdict.state() {
        _ if verdict.is_borrowed => "○",
        AnswerState::NotAttempted => "○",
        AnswerState::Wrong => "✗",
        AnswerState::Right => "✓",
    }
}

/// The verdict as HTML.
pub(crate) fn html(verdict: &Verdict) -> String {
    let state = verdict.state();
    let done = messages::done(verdict).map_or(String::new(), |done| {
        format!(" <span style=\"opacity:0.8;white-space:nowrap\">({done})</span>")
    });
    let mut parts = vec![format!(
        "<div><strong><span aria-hidden=\"true\">{}</span> {}</strong>: {}{done}</div>",
        mark(verdict),
        messages::state(verdict),
        escape(verdict.title),
    )];
    if verdict.is_shown() {
        let rows: String = messages::rows(&verdict.judged).iter().map(row).collect();
        parts.push(format!(
            "<div style=\"{BLOCK};overflow-x:auto\"><table style=\"border-collapse:collapse\">{rows}\
             </table></div>"
        ));
    }
    parts.extend(pictures_of(verdict));
    parts.extend(
        verdict
            .diagnosis
            .as_ref()
            .map(|says| paragraph("What happened", says)),
    );
    if state == AnswerState::Right {
        let after = &verdict.after_success;
        parts.push(paragraph("Why", after.explanation));
        parts.push(paragraph("Elsewhere", after.pytorch));
        let another = Some(&after.another).filter(|another| !another.is_empty());
        parts.extend(another.map(|another| {
            let code = code(another);
            format!("<details><summary>Another way</summary>{code}</details>")
        }));
    }
    let next = messages::next(verdict);
    parts.extend((!next.is_empty()).then(|| paragraph("Next", &next)));
    parts.extend(
        verdict
            .remark
            .as_ref()
            .map(|remark| paragraph("Progress", remark)),
    );
    boxed(edge(verdict), &parts.concat())
}

/// HTML with a coloured left edge.
pub(crate) fn boxed(edge: &str, html: &str) -> String {
    format!("<div style=\"border-left:4px solid {edge};padding:2px 0 2px 10px\">{html}</div>")
}

/// A paragraph that begins with bold words; the text is escaped.
pub(crate) fn paragraph(begin: &str, text: &str) -> String {
    format!(
        "<div style=\"{BLOCK}\"><strong>{begin}.</strong> {}</div>",
        marked(text)
    )
}

/// Code, unchanged.
pub(crate) fn code(code: &str) -> String {
    let code = escape(code);
    format!("<pre style=\"{CODE};{LINES}\"><code style=\"{LINES}\">{code}</code></pre>")
}

fn row((judged, details): &(&Judged, String)) -> String {
    let mark = match (&judged.outcome, judged.is_right) {
        (_, true) => "✓",
        (Outcome::NotWritten, _) => "○",
        _ => "✗",
    };
    let details = match details.as_str() {
        "" => String::new(),
        _ => format!("<div style=\"opacity:0.8\">{}</div>", escape(details)),
    };
    format!(
        "<tr><td style=\"{LEFT};white-space:nowrap\"><span aria-hidden=\"true\">{mark}</span> {}\
         </td><td style=\"{LEFT}\">{}{details}</td></tr>",
        messages::outcome(judged),
        escape(&judged.what),
    )
}

fn pictures_of(verdict: &Verdict) -> Option<String> {
    let (what, grid) = pictures(&verdict.judged)?;
    let picture = grid.html().ok()?;
    let caption = escape(what);
    Some(format!(
        "<div style=\"{BLOCK}\"><div style=\"opacity:0.8\">{caption}</div>{picture}</div>"
    ))
}

/// Escaped text, in which backticks mark code.
pub(crate) fn marked(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    let piece = |(index, piece): (usize, &str)| match index % 2 {
        0 => escape(piece),
        _ => format!("<code>{}</code>", escape(piece)),
    };
    pieces.map(piece).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}
