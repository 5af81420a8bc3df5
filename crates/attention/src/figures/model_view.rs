//! All heads of all layers of a model as small maps.

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::habit::habits;
use crate::figures::heatmap::colour_bar::{COLOUR_BAR_WIDTH, colour_bar};
use crate::figures::heatmap::scale::Scale;
use crate::figures::hover;
use crate::figures::matrix_colours::Kind;
use crate::figures::panels::{MAX_WIDTH, below_title, titled_scene};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, image, text};
use crate::figures::scene::{INK, Point, Scene};
use crate::markup::labels;
use crate::markup::text::text_width;
use crate::numerics::shape::shape_text;
use ndarray::{Array2, Array4, s};

/// The gap between two maps, and the height of the head numbers above the first row, in pixels.
const GAP: i32 = 6;
const HEADING: i32 = 18;
/// The largest and the smallest side of a map.
const LARGEST: i32 = 120;
const SMALLEST: i32 = 24;
/// Maximum numbers along a side of a map; if there are more, only every second or third is shown.
const FINEST: usize = 60;

/// All heads of a model. See [`model_view`].
#[derive(Clone, Debug, PartialEq)]
pub struct ModelView {
    weights: Array4<f32>,
    tokens: Vec<String>,
    title: String,
}

/// All heads of a model as small maps, one row per layer, all with the same colours for the
/// same weights, from 0 to 1, so that a head which does something odd stands out.
///
/// `weights` is (L, H, T, T), as in [`Encoded::weights`](crate::minilm::Encoded) or exported from another
/// program; layers and heads count from 0. When the mouse is over a map, it says how much the
/// head's tokens look, on average, at the token before, at themselves, at the next one, at the
/// first and at the last. To enlarge a head, pass its weights to [`heatmap`](crate::figures::heatmap()) or
/// [`graph`](crate::figures::graph()).
///
/// Python: `bertviz.model_view(attention, tokens)`
///
/// # Panics
///
/// If `weights` is empty, or there is not exactly one token per row and column.
///
/// ```
/// use attention::figures::model_view;
/// use ndarray::Array4;
///
/// let weights = Array4::from_elem((6, 12, 2, 2), 0.5);
/// let figure = model_view(&weights, &["to", "be"]);
/// assert!(figure.text().contains("3.1: before 0.50"));
/// ```
#[track_caller]
pub fn model_view<S: AsRef<str>>(weights: &Array4<f32>, tokens: &[S]) -> ModelView {
    let (.., queries, keys) = weights.dim();
    assert!(
        !weights.is_empty(),
        "model_view: weights is {}: there is nothing to draw",
        shape_text(weights.shape()),
    );
    assert!(
        (queries, keys) == (tokens.len(), tokens.len()),
        "model_view: weights is {}, but there are {} tokens: layers, heads, tokens, tokens are wanted",
        shape_text(weights.shape()),
        tokens.len(),
    );
    ModelView {
        weights: weights.clone(),
        tokens: labels::owned(tokens),
        title: String::new(),
    }
}

impl ModelView {
    fn layout(&self) -> Layout {
        let (layers, heads, ..) = self.weights.dim();
        let left = text_width(&format!("layer {}", layers - 1)) + GAP;
        let room = MAX_WIDTH - left - COLOUR_BAR_WIDTH;
        let side = (room / heads as i32 - GAP).clamp(SMALLEST, LARGEST);
        let top = below_title(&self.title) + HEADING;
        let width = left + heads as i32 * (side + GAP) + COLOUR_BAR_WIDTH;
        let height = top + layers as i32 * (side + GAP);
        Layout {
            left,
            top,
            side,
            size: (width, height),
        }
    }

    fn scale() -> Scale {
        Scale::of((0.0, 1.0), Kind::Weight)
    }

    /// The colours of one map.
    fn colours(&self, layer: usize, head: usize) -> Array2<[u8; 3]> {
        let step = self.tokens.len().div_ceil(FINEST) as isize;
        let weights = self.weights.slice(s![layer, head, ..;step, ..;step]);
        weights.map(|&weight| {
            let colour = ModelView::scale().colour(f64::from(weight));
            [colour.0, colour.1, colour.2]
        })
    }

    fn draw(&self, canvas: &Canvas, layout: &Layout) -> Result<(), DrawingError> {
        let (layers, heads, ..) = self.weights.dim();
        for head in 0..heads {
            let at = (layout.map(0, head).0 + layout.side / 2, layout.top - GAP);
            text(
                canvas,
                &head.to_string(),
                at,
                Anchor::BaselineMiddle,
                12,
                INK,
            )?;
        }
        for layer in 0..layers {
            let (x, y) = layout.map(layer, 0);
            let at = (x - GAP, y + layout.side / 2);
            text(
                canvas,
                &format!("layer {layer}"),
                at,
                Anchor::Right,
                12,
                INK,
            )?;
            for head in 0..heads {
                let (x, y) = layout.map(layer, head);
                let corners = [(x, y), (x + layout.side, y + layout.side)];
                image(canvas, corners, &self.colours(layer, head))?;
            }
        }
        Ok(())
    }

    /// What each head does on average, layer by layer.
    fn habits(&self) -> Vec<String> {
        let (layers, heads, ..) = self.weights.dim();
        let all = (0..layers).flat_map(|layer| (0..heads).map(move |head| (layer, head)));
        all.map(|(layer, head)| {
            let weights = self.weights.slice(s![layer, head, .., ..]);
            let habits = habits(weights, &self.tokens);
            format!("{layer}.{head}: {}", habits.join(", "))
        })
        .collect()
    }

    fn description(&self) -> String {
        let (layers, heads, tokens, _) = self.weights.dim();
        format!(
            "Weights of {layers} layers with {heads} heads each, for {tokens} tokens. How much a \
             token looks, on average: {}",
            self.habits().join("; ")
        )
    }
}

/// Where the maps are, in pixels.
struct Layout {
    left: i32,
    top: i32,
    side: i32,
    size: Point,
}

impl Layout {
    /// The upper left corner of a map.
    fn map(&self, layer: usize, head: usize) -> Point {
        let step = self.side + GAP;
        (
            self.left + head as i32 * step,
            self.top + layer as i32 * step,
        )
    }
}

impl Figure for ModelView {
    fn scene(&self) -> Result<Scene, Error> {
        let layout = self.layout();
        let mut scene = titled_scene(layout.size, &self.title, &self.description())?;
        self.draw(&canvas(&mut scene), &layout)
            .map_err(Error::drawing)?;
        let (bar, above) = colour_bar(layout.size.1 - layout.top - GAP, &[ModelView::scale()])?;
        let beside = (layout.size.0 - COLOUR_BAR_WIDTH, layout.top - above);
        scene.place(beside, bar);
        Ok(scene)
    }

    fn html_around(&self, svg: &str, size: Point) -> Result<String, Error> {
        let layout = self.layout();
        let fields = hover::Fields {
            left: layout.left,
            top: layout.top,
            cell: (layout.side + GAP, layout.side + GAP),
            columns: self.weights.dim().1,
            says: self
                .habits()
                .iter()
                .map(|habits| format!("head {habits}"))
                .collect(),
        };
        let spoken = titled(&self.title, &self.description());
        Ok(hover::html(svg, size, &spoken, &[fields]))
    }

    fn plain_text(&self) -> String {
        titled(&self.title, &self.habits().join("\n"))
    }
}

figure_methods!(
    ModelView,
    "model_view(&ndarray::Array4::from_elem((1, 2, 2, 2), 0.5), &[\"to\", \"be\"])"
);
