//! Tests of small hand-made scenes: their shapes, and how they look as SVG and PNG.

mod drawing;
mod pixels;
mod png;
mod roles;
mod svg;

use super::canvas::{Canvas, DrawingError, canvas};
use super::png::png as painted;
use super::{Direction, Horizontal, Paint, Role, Scene, Shape, Span, Text, TextStyle, Vertical};

/// An empty scene.
fn empty() -> Scene {
    Scene::new((40, 30), "a title", "what is seen")
}

/// A scene drawn by `draw`.
fn drawn(draw: impl Fn(&Canvas) -> Result<(), DrawingError>) -> Scene {
    let mut scene = empty();
    draw(&canvas(&mut scene)).expect("drawn");
    scene
}

/// An empty scene plus these shapes.
fn with(shapes: impl IntoIterator<Item = Shape>) -> Scene {
    let mut scene = empty();
    shapes.into_iter().for_each(|shape| scene.add(shape));
    scene
}

/// Text in ink that starts at (5, 20).
fn text(content: Vec<Span>, direction: Direction) -> Shape {
    Shape::Text(Text {
        content,
        at: (5, 20),
        horizontal: Horizontal::Start,
        vertical: Vertical::Baseline,
        direction,
        size: 13.0,
        ink: Paint::role(Role::Ink, 1.0),
        style: TextStyle::Normal,
    })
}

/// A scene's PNG: its width in pixels, and all of its colours.
fn pixels(scene: &Scene) -> (usize, Vec<[u8; 3]>) {
    let file = std::io::Cursor::new(painted(scene).expect("painted"));
    let mut reader = ::png::Decoder::new(file).read_info().expect("a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut rgb).expect("pixels");
    let size = (2 * scene.size.0 as u32, 2 * scene.size.1 as u32);
    assert_eq!((info.width, info.height), size, "two pixels for each");
    let pixels = rgb
        .chunks_exact(3)
        .map(|pixel| [pixel[0], pixel[1], pixel[2]]);
    (info.width as usize, pixels.collect())
}

/// The colours of a scene's PNG at these positions, in pixels of the scene.
fn colours<const N: usize>(scene: &Scene, places: [(usize, usize); N]) -> [[u8; 3]; N] {
    let (width, pixels) = pixels(scene);
    places.map(|(x, y)| pixels[2 * y * width + 2 * x])
}

const PAPER: [u8; 3] = [255; 3];
