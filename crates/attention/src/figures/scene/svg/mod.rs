//! A scene as the text of an SVG file.

mod attributes;
mod classes;
mod shapes;
mod text;

use super::Scene;
use crate::error::Error;
use crate::markup::text::escape;

/// Fonts by name, never as files: a browser that shows the picture has at least one of
/// them, and some have Japanese characters.
pub(crate) const FONTS: &str =
    "Helvetica, Arial, 'DejaVu Sans', 'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', sans-serif";

/// The scene as an SVG file. Anything its shapes share is written once, at the beginning.
pub fn svg(scene: &Scene) -> Result<String, Error> {
    let (body, attributes) = shapes::written(scene)?;
    let (width, height) = scene.size;
    let (title, description) = (escape(&scene.title), escape(&scene.description));
    let shared = attributes.shared();
    Ok(format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" font-family=\"{FONTS}\" \
         text-anchor=\"middle\"><title>{title}</title><desc>{description}</desc>{shared}{body}</svg>"
    ))
}
