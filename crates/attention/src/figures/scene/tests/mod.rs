//! Scenes by hand: what plotters puts into them, and what comes out as SVG and as PNG.

mod drawing;
mod png;
mod svg;

use super::Scene;
use super::canvas::{Canvas, DrawingError, canvas};

/// A scene with nothing in it.
fn empty() -> Scene {
    Scene::new((40, 30), "a title", "what is seen")
}

/// A scene with what `draw` draws.
fn drawn(draw: impl Fn(&Canvas) -> Result<(), DrawingError>) -> Scene {
    let mut scene = empty();
    draw(&canvas(&mut scene)).expect("drawn");
    scene
}
