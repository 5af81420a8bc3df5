//! A picture with its controls, as a notebook shows it.

use crate::live::picture::Forms;
use crate::markup::text::escape;
use notebook::convention::LIVE_CAPTION;
use notebook::live::{self, Control, ControlKind, Live, Value};
use std::fmt;

/// Draws a picture from the values of its controls.
pub(crate) type Draw = Box<dyn FnMut(&[Value]) -> Forms + Send>;

/// An interactive picture. Leave it as the last expression of a cell. See
/// [`slider`](crate::live::slider).
#[derive(Clone)]
pub struct LivePicture {
    live: Live,
}

impl LivePicture {
    pub(crate) fn new(controls: Vec<Control>, mut draw: Draw) -> LivePicture {
        let named = controls.clone();
        let forms = move |values: &[Value]| captioned(&caption(&named, values), draw(values));
        LivePicture {
            live: Live::new(controls, Box::new(forms)),
        }
    }

    /// The first picture as text, below the names and values of its controls.
    ///
    /// ```
    /// let live = attention::live::toggle("causal", true, |causal| causal.to_string());
    /// assert_eq!(live.text(), "causal: yes\ntrue");
    /// ```
    pub fn text(&self) -> String {
        let forms = self.live.draw(&self.live.first());
        let text = forms.into_iter().find(|(mime, _)| *mime == "text/plain");
        text.map_or_else(String::new, |(_, text)| text)
    }

    /// Shows the first picture under the cell and, in JupyterLab and VS Code, its controls.
    pub fn evcxr_display(&self) {
        self.live.emit();
    }
}

/// The caption's hint where there are no controls: only a front end that trusts the output adds
/// them.
const HOW_TO_MOVE: &str = "run this cell and those above it in JupyterLab to move the picture";

/// The copy of a picture that a notebook stores. Where it appears without controls, its caption
/// says what it shows and how to get the controls.
fn captioned(caption: &str, picture: Forms) -> live::Forms {
    let html = format!(
        "<p class=\"{LIVE_CAPTION}\" style=\"margin:0;overflow-wrap:anywhere\">{} <em>({HOW_TO_MOVE})</em></p>{}",
        escape(caption),
        picture.html
    );
    let text = format!("{caption}\n{}", picture.text);
    let mut forms = vec![("text/html", html), ("text/plain", text)];
    forms.extend(picture.drawn.map(|drawn| ("image/svg+xml", drawn.svg)));
    forms
}

/// The controls and their current values.
fn caption(controls: &[Control], values: &[Value]) -> String {
    let named = controls.iter().zip(values).map(|(control, value)| {
        let value = match (&control.kind, value) {
            (ControlKind::Choice { options }, Value::Choice(place)) => options[*place].clone(),
            (_, Value::Toggle(true)) => "yes".to_owned(),
            (_, Value::Toggle(false)) => "no".to_owned(),
            (_, value) => value.to_string(),
        };
        format!("{}: {value}", control.label)
    });
    named.collect::<Vec<_>>().join(", ")
}

/// evcxr's own kernel shows this instead of the picture if the closure has captured a variable.
impl fmt::Debug for LivePicture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "LivePicture({}). This kernel does not show it if its closure has taken a variable of \
             the notebook along. Run the cell that defines the variable again, and give the closure \
             a copy: {{ let scores = scores.clone(); slider(...) }}",
            caption(self.live.controls(), &self.live.first())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::controls::controls;
    use notebook::live::Number;

    #[test]
    fn long_names_are_cut() {
        let long = "n".repeat(1 << 20);
        let moving = controls()
            .choice(&long, [long.clone()])
            .show(|(chosen,): (String,)| chosen.len().to_string());
        let text = moving.text();
        assert!(text.len() < 1000, "{} bytes", text.len());
        assert!(text.contains("n… (1048376 more characters): n"), "{text}");
        assert!(
            text.ends_with("\n1048576"),
            "the closure gets the whole: {text}"
        );
    }

    #[test]
    fn the_caption_says_what_is_seen() {
        let moving = controls()
            .slider("shift", -3..=3, 0)
            .choice("mask", ["full", "<causal>"])
            .toggle("scaled", true)
            .show(|(shift, mask, scaled): (i32, &str, bool)| format!("{shift} {mask} {scaled}"));
        assert_eq!(
            moving.text(),
            "shift: 0, mask: full, scaled: yes\n0 full true"
        );
        let values = [
            Value::Number(Number::Whole(-2)),
            Value::Choice(1),
            Value::Toggle(false),
        ];
        let caption = "shift: -2, mask: &lt;causal&gt;, scaled: no";
        let html = format!(
            "<p class=\"notebook-live-caption\" style=\"margin:0;overflow-wrap:anywhere\">{caption} \
             <em>(run this cell and those above it in JupyterLab to move the picture)</em></p>\
             <pre style=\"white-space:pre-wrap;word-break:normal\">-2 &lt;causal&gt; false</pre>"
        );
        let text = "shift: -2, mask: <causal>, scaled: no\n-2 <causal> false".to_owned();
        let expected = vec![("text/html", html), ("text/plain", text)];
        assert_eq!(moving.live.draw(&values), expected);
    }
}
