//! A picture with its controls, on the side of the cell.

use crate::convention::LIVE_ATTRIBUTE;
use crate::live::control::{Control, Value};
use crate::live::registered;
use crate::output::emit;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes HTML of a value for each control.
pub type Draw = Box<dyn FnMut(&[Value]) -> String + Send>;

/// A picture that is drawn anew for each value of its controls.
///
/// ```
/// use notebook::live::{Control, ControlKind, Live, Value};
///
/// let kind = ControlKind::Slider { from: 0.0, to: 10.0, step: 1.0, first: 3.0 };
/// let width = Control { label: "width".to_owned(), kind };
/// let bar = |values: &[Value]| format!("<meter max=\"10\" value=\"{}\"></meter>", values[0]);
/// let live = Live::new([width], Box::new(bar));
/// let first = live.draw(&live.first());
/// assert_eq!(first, "<meter max=\"10\" value=\"3\"></meter>");
/// live.emit(&[("text/plain", "###"), ("text/html", &first)]);
/// ```
#[derive(Clone)]
pub struct Live {
    controls: Vec<Control>,
    draw: Arc<Mutex<Draw>>,
}

impl Live {
    /// A picture with these controls. `draw` is called in another thread, with one value for
    /// each of them.
    pub fn new(controls: impl Into<Vec<Control>>, draw: Draw) -> Live {
        Live {
            controls: controls.into(),
            draw: Arc::new(Mutex::new(draw)),
        }
    }

    /// What can be moved.
    pub fn controls(&self) -> &[Control] {
        &self.controls
    }

    /// The values before anybody has moved something.
    pub fn first(&self) -> Vec<Value> {
        self.controls.iter().map(Control::first).collect()
    }

    /// The picture of these values.
    pub fn draw(&self, values: &[Value]) -> String {
        // A picture that failed has not spoilt the next one.
        self.draw.lock().unwrap_or_else(PoisonError::into_inner)(values)
    }

    /// Shows the first picture, in these forms, one of them `text/html`. In a notebook whose
    /// kernel can do that it can be moved from then on.
    pub fn emit(&self, first: &[(&str, &str)]) {
        let Some(id) = self.register() else {
            return emit(first);
        };
        let html = first.iter().find(|(mime, _)| *mime == "text/html");
        let html = html.map_or("", |(_, content)| *content);
        let marked = format!("<div {LIVE_ATTRIBUTE}=\"{id}\">{html}</div>");
        let forms = first.iter().map(|&(mime, content)| match mime {
            "text/html" => (mime, marked.as_str()),
            _ => (mime, content),
        });
        emit(&forms.collect::<Vec<_>>());
    }

    fn register(&self) -> Option<String> {
        let live = self.clone();
        registered::register(self.controls.clone(), move |values| live.draw(values))
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut live = formatter.debug_struct("Live");
        live.field("controls", &self.controls)
            .finish_non_exhaustive()
    }
}
