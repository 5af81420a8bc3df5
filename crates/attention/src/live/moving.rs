//! A picture with its controls, as a notebook shows it.

use crate::figures::text::escape;
use crate::live::picture::Forms;
use notebook::convention::LIVE_CAPTION;
use notebook::live::{Control, ControlKind, Live, Value};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes a picture of values.
pub(crate) type Draw = Box<dyn FnMut(&[Value]) -> Forms + Send>;

/// A picture that can be moved. Leave it as the last expression of a cell. See
/// [`slider`](crate::slider).
#[derive(Clone)]
pub struct LivePicture {
    live: Live,
    draw: Arc<Mutex<Draw>>,
}

impl LivePicture {
    pub(crate) fn new(controls: Vec<Control>, draw: Draw) -> LivePicture {
        let draw = Arc::new(Mutex::new(draw));
        let of_thread = Arc::clone(&draw);
        let html = move |values: &[Value]| forms(&of_thread, values).html;
        LivePicture {
            live: Live::new(controls, Box::new(html)),
            draw,
        }
    }

    /// The first picture in words and numbers, under what can be moved.
    ///
    /// ```
    /// let live = attention::toggle("causal", true, |causal| causal.to_string());
    /// assert_eq!(live.text(), "causal: yes\ntrue");
    /// ```
    pub fn text(&self) -> String {
        format!("{}\n{}", self.caption(), self.first().text)
    }

    /// Shows the first picture under the cell of a notebook, and in JupyterLab its controls.
    pub fn evcxr_display(&self) {
        let first = self.first();
        let caption = self.caption();
        let html = format!(
            "<p class=\"{LIVE_CAPTION}\" style=\"margin:0\">{}</p>{}",
            escape(&caption),
            first.html
        );
        let text = format!("{caption}\n{}", first.text);
        let mut contents = vec![("text/html", html.as_str()), ("text/plain", text.as_str())];
        contents.extend(first.svg.as_deref().map(|svg| ("image/svg+xml", svg)));
        self.live.emit(&contents);
    }

    fn first(&self) -> Forms {
        forms(&self.draw, &self.live.first())
    }

    /// What can be moved, and where it stands first.
    fn caption(&self) -> String {
        let controls = self.live.controls().iter().map(|control| {
            let first = match (&control.kind, control.first()) {
                (ControlKind::Choice { options }, Value::Choice(place)) => options[place].clone(),
                (_, Value::Toggle(true)) => "yes".to_owned(),
                (_, Value::Toggle(false)) => "no".to_owned(),
                (_, value) => value.to_string(),
            };
            format!("{}: {first}", control.label)
        });
        controls.collect::<Vec<_>>().join(", ")
    }
}

/// A picture that failed has not spoilt the next one.
fn forms(draw: &Mutex<Draw>, values: &[Value]) -> Forms {
    draw.lock().unwrap_or_else(PoisonError::into_inner)(values)
}

/// Also what evcxr's own kernel shows of a cell whose closure has taken a variable along: it then
/// shows no picture.
impl fmt::Debug for LivePicture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "LivePicture({}). This kernel does not show it if its closure has taken a variable of \
             the notebook along. Run the cell that defines the variable again, and give the closure \
             a copy: {{ let scores = scores.clone(); slider(...) }}",
            self.caption()
        )
    }
}
