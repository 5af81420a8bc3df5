//! Several controls for one picture.

use crate::live::moving::LivePicture;
use crate::live::number::{SliderNumber, ends_and_step};
use crate::live::picture::Picture;
use crate::markup::labels;
use notebook::live::{Control, ControlKind, Value};
use std::fmt::{self, Display};
use std::ops::RangeInclusive;

/// Starts an empty list of controls. Add them one by one, then call [`Controls::show`] with a
/// closure that draws the picture.
///
/// The closure gets the values as a tuple, in the order of the controls.
///
/// Python: `ipywidgets.interact(picture, t=(0.1, 4.0), causal=True)`
///
/// ```
/// use attention::prelude::*;
///
/// let attn_scores = array![[2.0_f32, 1.0], [0.0, 3.0]];
/// let live = controls()
///     .slider("temperature", 0.1..=4.0, 1.0)
///     .toggle("causal", false)
///     .show(move |(t, causal)| {
///         let attn_scores = &attn_scores / t;
///         heatmap(&softmax(&match causal {
///             true => mask_scores(&attn_scores, &causal_mask(2)),
///             false => attn_scores,
///         }))
///     });
/// assert!(live.text().starts_with("temperature: 1, causal: no\n"));
/// ```
pub fn controls() -> Controls<()> {
    Controls {
        controls: Vec::new(),
        read: Box::new(|_| ()),
    }
}

/// Converts the values of the controls to the closure's argument.
type Read<V> = Box<dyn Fn(&[Value]) -> V + Send>;

/// The controls of one picture, whose values have the type `V`. See [`controls`].
pub struct Controls<V> {
    controls: Vec<Control>,
    read: Read<V>,
}

/// Tuples of up to four values, to which one more can be added.
pub trait Append<T> {
    /// The tuple with one more value.
    type Longer: 'static;
    #[doc(hidden)]
    fn append(self, value: T) -> Self::Longer;
}

macro_rules! impl_append {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: 'static,)* Z: 'static> Append<Z> for ($($name,)*) {
            type Longer = ($($name,)* Z,);

            #[allow(non_snake_case, reason = "a value is named like its type")]
            fn append(self, value: Z) -> ($($name,)* Z,) {
                let ($($name,)*) = self;
                ($($name,)* value,)
            }
        }
    )*};
}

impl_append!(() (A) (A B) (A B C) (A B C D));

impl<V: 'static> Controls<V> {
    fn and<T: 'static>(
        mut self,
        label: &str,
        kind: ControlKind,
        read: impl Fn(&Value) -> T + Send + 'static,
    ) -> Controls<V::Longer>
    where
        V: Append<T>,
    {
        let place = self.controls.len();
        let label = labels::title(label);
        self.controls.push(Control { label, kind });
        let before = self.read;
        Controls {
            controls: self.controls,
            read: Box::new(move |values| before(values).append(read(&values[place]))),
        }
    }

    /// Adds a slider from one number to another. See [`slider`](crate::live::slider).
    ///
    /// # Panics
    ///
    /// If the range is empty or not finite, or the first number is not in it.
    #[must_use]
    #[track_caller]
    pub fn slider<T: SliderNumber>(
        self,
        label: &str,
        range: RangeInclusive<T>,
        first: T,
    ) -> Controls<V::Longer>
    where
        V: Append<T>,
    {
        let [from, to, step] = ends_and_step(label, &range, first);
        let first = first.widened();
        assert!(
            (from..=to).contains(&first),
            "{label}: the initial value {first} is not in {from}..={to}"
        );
        let kind = ControlKind::Slider {
            from,
            to,
            step,
            first,
        };
        self.and(label, kind, number)
    }

    /// Adds a player, which runs from one number to another by itself. See
    /// [`player`](crate::live::player).
    ///
    /// # Panics
    ///
    /// If the range is empty or not finite.
    #[must_use]
    #[track_caller]
    pub fn player<T: SliderNumber>(
        self,
        label: &str,
        range: RangeInclusive<T>,
    ) -> Controls<V::Longer>
    where
        V: Append<T>,
    {
        let [from, to, step] = ends_and_step(label, &range, *range.start());
        self.and(label, ControlKind::Player { from, to, step }, number)
    }

    /// Adds a choice among several options. See [`choice`](crate::live::choice).
    ///
    /// # Panics
    ///
    /// If there are no options.
    #[must_use]
    #[track_caller]
    pub fn choice<T: Display + Clone + Send + 'static>(
        self,
        label: &str,
        options: impl IntoIterator<Item = T>,
    ) -> Controls<V::Longer>
    where
        V: Append<T>,
    {
        let options: Vec<T> = options.into_iter().collect();
        assert!(!options.is_empty(), "{label}: there is nothing to choose");
        let names = options.iter().map(T::to_string).collect::<Vec<_>>();
        let names = labels::owned(&names);
        let read = move |value: &Value| match value {
            Value::Choice(place) => options[*place].clone(),
            other => wrong(other),
        };
        self.and(label, ControlKind::Choice { options: names }, read)
    }

    /// Adds a checkbox. See [`toggle`](crate::live::toggle).
    #[must_use]
    pub fn toggle(self, label: &str, first: bool) -> Controls<V::Longer>
    where
        V: Append<bool>,
    {
        let read = |value: &Value| match value {
            Value::Toggle(value) => *value,
            other => wrong(other),
        };
        self.and(label, ControlKind::Toggle { first }, read)
    }

    /// Adds a text field. See [`text_field`](crate::live::text_field).
    #[must_use]
    pub fn text_field(self, label: &str, first: &str) -> Controls<V::Longer>
    where
        V: Append<String>,
    {
        let read = |value: &Value| match value {
            Value::Text(text) => text.clone(),
            other => wrong(other),
        };
        let first = first.to_owned();
        self.and(label, ControlKind::Text { first }, read)
    }

    /// Returns the picture that the closure draws from the values. Notebook variables that the
    /// closure uses are moved into it, so give it copies (`.clone()`) of those that later cells need.
    #[must_use = "leave it as the last expression of a cell"]
    pub fn show<P: Picture>(self, draw: impl FnMut(V) -> P + Send + 'static) -> LivePicture {
        let (read, mut draw) = (self.read, draw);
        LivePicture::new(
            self.controls,
            Box::new(move |values| draw(read(values)).forms()),
        )
    }
}

impl<V> fmt::Debug for Controls<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Controls")
            .field(&self.controls)
            .finish()
    }
}

fn number<T: SliderNumber>(value: &Value) -> T {
    match value {
        Value::Number(number) => T::narrowed(*number),
        other => wrong(other),
    }
}

/// Never called, because each value is read by the control it came from.
fn wrong(value: &Value) -> ! {
    unreachable!("{value:?} belongs to another kind of control")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "width: the initial value 9 is not in 1..=8")]
    fn a_slider_begins_within_its_range() {
        let _ = controls().slider("width", 1..=8, 9);
    }

    #[test]
    #[should_panic(expected = "width: the initial value 0.5 is not in 1..=8")]
    fn a_slider_does_not_begin_below_its_range() {
        let _ = controls().slider("width", 1.0..=8.0, 0.5);
    }
}
