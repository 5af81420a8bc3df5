//! Figures of matrices and curves.
//!
//! [`heatmap()`] shows a matrix, [`grid()`] several on one scale, [`bars()`] one row, [`lines()`]
//! curves, [`graph()`] which token looks at which, [`attend_steps`] one attention computation from
//! its inputs to the context, [`fast_memory()`] one turn of flash attention, [`model_view()`] and
//! [`cross_view()`] all heads of a model, and [`neuron_view()`] one score, number by number. Each
//! returns a figure, which a notebook shows as a picture under its cell and which can be saved, for
//! example as SVG or PNG. Before that, [`join_pieces()`] can turn weights between pieces of words
//! into weights between words.

pub(crate) mod bars;
mod contrast;
pub(crate) mod fast_memory;
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
pub use fast_memory::fast_memory;
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
