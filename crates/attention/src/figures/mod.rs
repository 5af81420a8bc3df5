//! Turns any matrix into something to look at.

pub(crate) mod bars;
mod colours;
pub(crate) mod figure;
pub(crate) mod graph;
pub(crate) mod grid;
mod habit;
pub(crate) mod heatmap;
mod hover;
pub(crate) mod kind;
pub(crate) mod lines;
pub(crate) mod model_view;
pub(crate) mod neuron_view;
mod numbers;
mod panels;
// Public only for the drawings of the lessons, see `lib.rs`.
#[doc(hidden)]
pub mod scene;
pub(crate) mod steps;
