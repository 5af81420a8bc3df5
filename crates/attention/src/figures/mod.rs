//! Turns any matrix into something to look at.
//!
//! [`heatmap()`] is for a matrix, [`grid()`] for several on one scale, [`bars()`] for one row, [`lines()`] for
//! curves, [`graph()`] for who looks at whom, [`attend_steps`] for one attention from its inputs to the
//! context, [`model_view()`] and [`cross_view()`] for all heads of a model, and [`neuron_view()`] for one
//! score, number by number. Each returns a figure: shown under its cell, it is a picture; it can also
//! be saved, as SVG or PNG. [`join_pieces()`] prepares weights of pieces of words for any of them.

pub(crate) mod bars;
mod contrast;
pub(crate) mod figure;
pub(crate) mod graph;
pub(crate) mod grid;
mod habit;
pub(crate) mod heatmap;
mod hover;
pub(crate) mod join_pieces;
pub(crate) mod lines;
pub(crate) mod matrix_colours;
pub(crate) mod model_view;
pub(crate) mod neuron_view;
mod numbers;
mod panels;
// Public only for the drawings of the lessons, so that figures and drawings produce SVG the same
// way. Internal to this project; it may change at any time.
#[doc(hidden)]
pub mod scene;
pub(crate) mod steps;

pub use bars::{Bars, bars};
pub use graph::{Graph, graph};
pub use grid::{Grid, grid};
pub use heatmap::input::{HeatmapShape, HeatmapValue};
pub use heatmap::{Heatmap, heatmap};
pub use join_pieces::{WordWeights, join_pieces};
pub use lines::{Lines, lines};
pub use matrix_colours::Kind;
pub use model_view::{ModelView, cross_view, model_view};
pub use neuron_view::{NeuronView, neuron_view};
pub use steps::{Steps, attend_steps};
