//! A crate for notebooks, in forty lines.

use notebook::live::{Control, ControlKind, Forms, Live, Number::Whole, Value};

/// A bar of this length.
pub struct Bar(pub usize);

/// A bar of half the length.
pub fn half(bar: Bar) -> Bar {
    Bar(bar.0 / 2)
}

impl Bar {
    /// Displays it in a notebook.
    pub fn evcxr_display(&self) {
        let picture = format!("<progress max=\"10\" value=\"{}\"></progress>", self.0);
        let text = "#".repeat(self.0);
        notebook::emit(&[("text/plain", &text), ("text/html", &picture)]);
    }
}

/// A bar that the learner can change.
pub struct MovingBar(Live);

/// A bar with a slider that starts at `first`.
pub fn moving_bar(first: usize) -> MovingBar {
    let (from, to, step, first) = (Whole(0), Whole(10), Whole(1), Whole(first as i128));
    let kind = ControlKind::Slider { from, to, step, first };
    let length = Control { label: "length".to_owned(), kind };
    MovingBar(Live::new([length], Box::new(bar)))
}

fn bar(values: &[Value]) -> Forms {
    assert_ne!(values[0], Value::Number(Whole(7)), "a bar of 7 breaks");
    let html = format!("<progress max=\"10\" value=\"{}\"></progress>", values[0]);
    vec![("text/plain", format!("a bar of {}", values[0])), ("text/html", html)]
}

impl MovingBar {
    /// Displays it in a notebook, where the slider redraws it.
    pub fn evcxr_display(&self) {
        self.0.emit();
    }
}
