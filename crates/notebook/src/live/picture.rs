//! A picture with its controls, as the cell sees it.

use crate::live::control::{Control, Value};
use crate::live::forms::{Forms, marked};
use crate::live::registered;
use crate::output::emit;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Draws a picture from one value per control.
pub type Draw = Box<dyn FnMut(&[Value]) -> Forms + Send>;

/// A picture that is redrawn whenever the value of a control changes.
///
/// ```
/// use notebook::live::{Control, ControlKind, Live, Number::Whole, Value};
///
/// let (from, to, step, first) = (Whole(0), Whole(10), Whole(1), Whole(3));
/// let kind = ControlKind::Slider { from, to, step, first };
/// let width = Control { label: "width".to_owned(), kind };
/// let bar = |values: &[Value]| {
///     let html = format!("<meter max=\"10\" value=\"{}\"></meter>", values[0]);
///     vec![("text/plain", values[0].to_string()), ("text/html", html)]
/// };
/// let live = Live::new([width], Box::new(bar));
/// assert_eq!(live.draw(&live.first())[0], ("text/plain", "3".to_owned()));
/// live.emit();
/// ```
#[derive(Clone)]
pub struct Live {
    controls: Vec<Control>,
    draw: Arc<Mutex<Draw>>,
}

impl Live {
    /// A picture with these controls. `draw` gets one value for each of them. Under a kernel, it is
    /// called in the cell's thread for the first picture, and in another thread for later ones.
    pub fn new(controls: impl Into<Vec<Control>>, draw: Draw) -> Live {
        Live {
            controls: controls.into(),
            draw: Arc::new(Mutex::new(draw)),
        }
    }

    /// The controls.
    pub fn controls(&self) -> &[Control] {
        &self.controls
    }

    /// The initial values.
    pub fn first(&self) -> Vec<Value> {
        self.controls.iter().map(Control::first).collect()
    }

    /// The picture for these values.
    pub fn draw(&self, values: &[Value]) -> Forms {
        // A panic while drawing one picture does not affect the next one.
        self.draw.lock().unwrap_or_else(PoisonError::into_inner)(values)
    }

    /// Shows the first picture. If the notebook's kernel supports live pictures, the picture is
    /// interactive from then on, or says why it cannot be.
    pub fn emit(&self) {
        let mut forms = self.draw(&self.first());
        match self.register() {
            None => {}
            Some(Ok(id)) => {
                for (_, html) in forms.iter_mut().filter(|(mime, _)| *mime == "text/html") {
                    *html = marked(&id, html);
                }
            }
            Some(Err(reason)) => explain(&reason, &mut forms),
        }
        let forms = forms
            .iter()
            .map(|(mime, content)| (*mime, content.as_str()));
        emit(&forms.collect::<Vec<_>>());
    }

    fn register(&self) -> Option<Result<String, String>> {
        let live = self.clone();
        registered::register(self.controls.clone(), move |values| live.draw(values))
    }
}

/// Puts the reason why the picture is static above its textual forms.
fn explain(reason: &str, forms: &mut Forms) {
    let sentence = format!("This picture cannot be moved: {reason}.");
    let html = sentence.replace('&', "&amp;").replace('<', "&lt;");
    for (mime, content) in forms {
        match *mime {
            "text/html" => content.insert_str(0, &format!("<p>{html}</p>")),
            "text/plain" => content.insert_str(0, &format!("{sentence}\n")),
            _ => {}
        }
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut live = formatter.debug_struct("Live");
        live.field("controls", &self.controls)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_cannot_be_moved_says_why() {
        let form = |mime, content: &str| (mime, content.to_owned());
        let mut forms = vec![
            form("text/html", "<b>3</b>"),
            form("image/svg+xml", "<svg/>"),
            form("text/plain", "3"),
        ];
        explain("`<a>` has too many options", &mut forms);
        let said = "This picture cannot be moved: ";
        let expected = [
            form(
                "text/html",
                &format!("<p>{said}`&lt;a>` has too many options.</p><b>3</b>"),
            ),
            form("image/svg+xml", "<svg/>"),
            form(
                "text/plain",
                &format!("{said}`<a>` has too many options.\n3"),
            ),
        ];
        assert_eq!(forms, expected);
    }
}
