//! From any matrix to something to look at.

pub(crate) mod bars;
pub(crate) mod drawing;
pub(crate) mod figure;
pub(crate) mod glyphs;
pub(crate) mod graph;
pub(crate) mod grid;
pub(crate) mod heatmap;
pub(crate) mod hover;
pub(crate) mod labels;
pub(crate) mod lines;
pub(crate) mod painting;
pub(crate) mod pixels;
pub(crate) mod raster;
pub(crate) mod saving;
pub(crate) mod steps;
