//! A picture with one control, in one call.

use crate::live::controls::controls;
use crate::live::moving::LivePicture;
use crate::live::number::SliderNumber;
use crate::live::picture::Picture;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// A picture that is redrawn when its slider moves.
///
/// `draw` is compiled once, with its cell, and called for each number, even while other cells
/// run. Notebook variables that it uses are moved into it, so give it copies of those that later
/// cells need. Integers go in steps of 1, other numbers in at least a hundred steps.
///
/// In JupyterLab, and in VS Code with our extension, the slider appears above the picture. A
/// notebook is saved with the picture as it was last shown. Where there are no controls, this is
/// the picture that appears: in an untrusted notebook, on GitHub, or in another program.
///
/// Python: `ipywidgets.interact(picture, temperature=(0.1, 4.0))`
///
/// # Panics
///
/// If the range is empty or not finite, or `first` is not in it.
///
/// ```
/// use attention::prelude::*;
///
/// let attn_scores = array![[2.0_f32, 1.0], [0.0, 3.0]];
/// let words = ["one", "step"];
/// let live = {
///     let attn_scores = attn_scores.clone(); // later cells need the original
///     slider("temperature", 0.1..=4.0, 1.0, move |t| heatmap(&softmax(&(&attn_scores / t))).tokens(&words))
/// };
/// assert!(live.text().contains("temperature: 1\n"));
/// ```
#[must_use = "leave it as the last expression of a cell"]
#[track_caller]
pub fn slider<T: SliderNumber, P: Picture>(
    label: &str,
    range: RangeInclusive<T>,
    first: T,
    mut draw: impl FnMut(T) -> P + Send + 'static,
) -> LivePicture {
    let controls = controls().slider(label, range, first);
    controls.show(move |(number,)| draw(number))
}

/// A picture for each number of a range, played one after another; the player can be paused, moved
/// by one step, or dragged to any number.
///
/// Use it for anything that happens step by step, such as training or the tiles of flash attention.
/// `draw` works as in [`slider`](crate::live::slider).
///
/// Python: `ipywidgets.Play(min=0, max=5)`
///
/// # Panics
///
/// If the range is empty or not finite.
///
/// ```
/// use attention::prelude::*;
///
/// let weights = array![[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]];
/// let live = player("query", 0..=2, move |query| heatmap(&weights.row(query)));
/// assert!(live.text().contains("query: 0\n"));
/// ```
#[must_use = "leave it as the last expression of a cell"]
#[track_caller]
pub fn player<T: SliderNumber, P: Picture>(
    label: &str,
    range: RangeInclusive<T>,
    mut draw: impl FnMut(T) -> P + Send + 'static,
) -> LivePicture {
    let controls = controls().player(label, range);
    controls.show(move |(number,)| draw(number))
}

/// A picture of one of several options, such as heads, layers, words or kinds of mask.
///
/// `draw` gets the chosen option, initially the first. It works as in
/// [`slider`](crate::live::slider).
///
/// Python: `ipywidgets.interact(picture, mask=["full", "causal"])`
///
/// # Panics
///
/// If there are no options.
///
/// ```
/// use attention::prelude::*;
///
/// let masks = ["full", "causal"];
/// let live = choice("mask", masks, move |mask| match mask {
///     "causal" => heatmap(&causal_mask(3)),
///     _ => heatmap(&Array2::from_elem((3, 3), true)),
/// });
/// assert!(live.text().contains("mask: full\n"));
///
/// let heads = vec![array![[1.0, 0.0]], array![[0.5, 0.5]]];
/// let live = choice("head", 0..2, move |head: usize| heatmap(&heads[head]));
/// ```
#[must_use = "leave it as the last expression of a cell"]
#[track_caller]
pub fn choice<T: Display + Clone + Send + 'static, P: Picture>(
    label: &str,
    options: impl IntoIterator<Item = T>,
    mut draw: impl FnMut(T) -> P + Send + 'static,
) -> LivePicture {
    let controls = controls().choice(label, options);
    controls.show(move |(chosen,)| draw(chosen))
}

/// A picture with a checkbox, for example to switch a mask on and off.
///
/// `draw` works as in [`slider`](crate::live::slider).
///
/// Python: `ipywidgets.interact(picture, causal=False)`
///
/// ```
/// use attention::prelude::*;
///
/// let attn_scores = array![[2.0, 1.0], [0.0, 3.0]];
/// let live = toggle("scaled", false, move |scaled| match scaled {
///     true => heatmap(&softmax(&(&attn_scores / 2.0_f64.sqrt()))),
///     false => heatmap(&softmax(&attn_scores)),
/// });
/// assert!(live.text().contains("scaled: no\n"));
/// ```
#[must_use = "leave it as the last expression of a cell"]
pub fn toggle<P: Picture>(
    label: &str,
    first: bool,
    mut draw: impl FnMut(bool) -> P + Send + 'static,
) -> LivePicture {
    let controls = controls().toggle(label, first);
    controls.show(move |(value,)| draw(value))
}

/// A picture with a text field, redrawn at every keystroke.
///
/// `draw` works as in [`slider`](crate::live::slider). The text may be empty.
///
/// Python: `ipywidgets.interact(picture, sentence="Your journey")`
///
/// ```
/// use attention::prelude::*;
///
/// let live = text_field("sentence", "Your journey", |sentence| {
///     let words: Vec<&str> = sentence.split_whitespace().collect();
///     format!("{} words: {words:?}", words.len())
/// });
/// assert!(live.text().ends_with("\n2 words: [\"Your\", \"journey\"]"));
/// ```
#[must_use = "leave it as the last expression of a cell"]
pub fn text_field<P: Picture>(
    label: &str,
    first: &str,
    mut draw: impl FnMut(&str) -> P + Send + 'static,
) -> LivePicture {
    let controls = controls().text_field(label, first);
    controls.show(move |(text,)| draw(&text))
}
