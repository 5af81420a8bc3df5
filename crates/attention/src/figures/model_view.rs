//! All heads of all layers of a model as small maps.

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::habit::{favourites, habits};
use crate::figures::heatmap::colour_bar::{COLOUR_BAR_WIDTH, colour_bar};
use crate::figures::heatmap::scale::Scale;
use crate::figures::hover;
use crate::figures::matrix_colours::Kind;
use crate::figures::panels::{MAX_WIDTH, below_title, titled_scene};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, image, text};
use crate::figures::scene::{INK, Point, Rgb, Scene};
use crate::markup::labels;
use crate::markup::text::{counted, text_width};
use crate::numerics::shape::shape_text;
use ndarray::{Array2, Array4, ArrayView2, s};

/// The gap between two maps, and the height of the head numbers above the first row, in pixels.
const GAP: i32 = 6;
const HEADING: i32 = 18;
/// The largest and the smallest side of a map.
const LARGEST: i32 = 120;
const SMALLEST: i32 = 24;
/// The maximum height of a column of maps, unless even the smallest maps need more.
const MOST_HEIGHT: i32 = 1200;
/// More layers are drawn in two halves side by side, if the smallest maps fit into this width.
const MOST_LAYERS: usize = 18;
const WIDTH_OF_HALVES: i32 = 800;
/// The maximum number of cells along a side of a map; if there are more weights, several share a
/// cell.
const FINEST: usize = 60;

/// All heads of a model. See [`model_view`] and [`cross_view`].
#[derive(Clone, Debug, PartialEq)]
pub struct ModelView {
    weights: Array4<f32>,
    queries: Vec<String>,
    keys: Vec<String>,
    /// The text shown when the mouse is over each head, layer by layer.
    habits: Vec<String>,
    title: String,
}

/// All heads of a model as small maps, one row per layer, all with the same colours for the same
/// weights, from 0 to 1, so that an unusual head stands out. More than 18 layers are drawn in two
/// halves side by side, if they fit on the page. With more than 60 tokens, a cell of a map shows
/// the largest of several weights.
///
/// `weights` is (L, H, T, T), as in [`Encoded::weights`](crate::minilm::Encoded) or exported from
/// another program; layers and heads are numbered from 0. Hovering over a map shows how much the
/// head's tokens look, on average, at the token before, at themselves, at the next one, at the
/// first and at the last. To enlarge a head, pass its weights to
/// [`heatmap`](crate::figures::heatmap()) or [`graph`](crate::figures::graph()).
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
    let tokens = labels::owned(tokens);
    ModelView {
        habits: of_each_head(weights, |weights| habits(weights, &tokens)),
        weights: weights.clone(),
        queries: tokens.clone(),
        keys: tokens,
        title: String::new(),
    }
}

/// Like [`model_view`], but for cross-attention: the rows of a map are the tokens of one sequence,
/// and its columns those of another.
///
/// `weights` is (L, H, T, S), as in
/// [`Translation::cross_attention`](crate::translator::Translation::cross_attention) or exported
/// from another program. Hovering over a map shows which token of the other sequence
/// each token looks at the most.
///
/// Python: `bertviz.model_view(cross_attention=..., encoder_tokens=..., decoder_tokens=...)`
///
/// # Panics
///
/// If `weights` is empty, or there is not exactly one query per row and one key per column.
///
/// ```
/// use attention::figures::cross_view;
/// use ndarray::Array4;
///
/// let weights = Array4::from_elem((2, 8, 1, 1), 1.0);
/// let figure = cross_view(&weights, &["casa"], &["house"]);
/// assert!(figure.text().contains("1.0: casa → house 1.00"));
/// ```
#[track_caller]
pub fn cross_view<Q: AsRef<str>, K: AsRef<str>>(
    weights: &Array4<f32>,
    queries: &[Q],
    keys: &[K],
) -> ModelView {
    let (.., rows, columns) = weights.dim();
    assert!(
        !weights.is_empty(),
        "cross_view: weights is {}: there is nothing to draw",
        shape_text(weights.shape()),
    );
    assert!(
        (rows, columns) == (queries.len(), keys.len()),
        "cross_view: weights is {}, but there are {} queries and {} keys: layers, heads, queries, keys \
         are wanted",
        shape_text(weights.shape()),
        queries.len(),
        keys.len(),
    );
    let (queries, keys) = (labels::owned(queries), labels::owned(keys));
    ModelView {
        habits: of_each_head(weights, |weights| favourites(weights, &queries, &keys)),
        weights: weights.clone(),
        queries,
        keys,
        title: String::new(),
    }
}

/// The description of each head, layer by layer.
fn of_each_head(
    weights: &Array4<f32>,
    habits: impl Fn(ArrayView2<f32>) -> Vec<String>,
) -> Vec<String> {
    let (layers, heads, ..) = weights.dim();
    let all = (0..layers).flat_map(|layer| (0..heads).map(move |head| (layer, head)));
    all.map(|(layer, head)| {
        let habits = habits(weights.slice(s![layer, head, .., ..]));
        format!("{layer}.{head}: {}", habits.join(", "))
    })
    .collect()
}

impl ModelView {
    fn layout(&self) -> Layout {
        let (layers, heads, ..) = self.weights.dim();
        let left = text_width(&format!("layer {}", layers - 1)) + GAP;
        let room = |page: i32, parts: i32| (page - COLOUR_BAR_WIDTH) / parts - left;
        let halved = room(WIDTH_OF_HALVES, 2) / heads as i32 - GAP;
        let is_halved = layers > MOST_LAYERS && halved >= SMALLEST;
        let (parts, side) = match is_halved {
            true => (2, halved),
            false => (1, room(MAX_WIDTH, 1) / heads as i32 - GAP),
        };
        let side = side.min(MOST_HEIGHT / layers as i32 - GAP);
        let side = side.clamp(SMALLEST, LARGEST);
        let top = below_title(&self.title) + HEADING;
        let (rows, columns) = (self.queries.len() as i32, self.keys.len() as i32);
        let map = (side, (side * rows / columns).clamp(SMALLEST, LARGEST));
        let part_width = left + heads as i32 * (map.0 + GAP);
        let part_layers = layers.div_ceil(parts);
        Layout {
            left,
            top,
            map,
            part_width,
            part_layers,
            size: (
                parts as i32 * part_width + COLOUR_BAR_WIDTH,
                top + part_layers as i32 * (map.1 + GAP),
            ),
        }
    }

    fn scale() -> Scale {
        Scale::of((0.0, 1.0), Kind::Weight)
    }

    /// The colours of one map. Among the weights that share a cell, the largest is shown, so that a
    /// thin diagonal does not disappear.
    fn colours(&self, layer: usize, head: usize) -> Array2<Rgb> {
        let (queries, keys) = (self.queries.len(), self.keys.len());
        let (height, width) = (queries.div_ceil(FINEST), keys.div_ceil(FINEST));
        let cells = (queries.div_ceil(height), keys.div_ceil(width));
        Array2::from_shape_fn(cells, |(row, column)| {
            let rows = row * height..((row + 1) * height).min(queries);
            let columns = column * width..((column + 1) * width).min(keys);
            let weights = self.weights.slice(s![layer, head, rows, columns]);
            // `max` ignores NaN.
            let largest = weights.fold(f32::NAN, |largest, &weight| largest.max(weight));
            let colour = ModelView::scale().colour(f64::from(largest));
            [colour.0, colour.1, colour.2]
        })
    }

    fn draw(&self, canvas: &Canvas, layout: &Layout) -> Result<(), DrawingError> {
        let (layers, heads, ..) = self.weights.dim();
        for layer in (0..layers).step_by(layout.part_layers) {
            for head in 0..heads {
                let (x, y) = layout.corner(layer, head);
                let above = (x + layout.map.0 / 2, y - GAP);
                let head = head.to_string();
                text(canvas, &head, above, Anchor::BaselineMiddle, 12, INK)?;
            }
        }
        for layer in 0..layers {
            let (x, y) = layout.corner(layer, 0);
            let at = (x - GAP, y + layout.map.1 / 2);
            text(
                canvas,
                &format!("layer {layer}"),
                at,
                Anchor::Right,
                12,
                INK,
            )?;
            for head in 0..heads {
                let (x, y) = layout.corner(layer, head);
                let corners = [(x, y), (x + layout.map.0, y + layout.map.1)];
                image(canvas, corners, &self.colours(layer, head))?;
            }
        }
        Ok(())
    }

    fn description(&self) -> String {
        let (layers, heads, queries, keys) = self.weights.dim();
        format!(
            "Weights of {} with {} each, for {} and {}. Where they look: {}",
            counted(layers, "layer", "layers"),
            counted(heads, "head", "heads"),
            counted(queries, "query", "queries"),
            counted(keys, "key", "keys"),
            self.habits.join("; ")
        )
    }
}

/// The size of the picture, and where its maps are, in pixels.
struct Layout {
    left: i32,
    top: i32,
    /// Width and height of a map.
    map: Point,
    /// The width of a part, and its number of layers; a part has all layers, one below the other,
    /// or half of them.
    part_width: i32,
    part_layers: usize,
    size: Point,
}

impl Layout {
    /// The upper left corner of a map.
    fn corner(&self, layer: usize, head: usize) -> Point {
        let (part, row) = (layer / self.part_layers, layer % self.part_layers);
        (
            self.left + part as i32 * self.part_width + head as i32 * (self.map.0 + GAP),
            self.top + row as i32 * (self.map.1 + GAP),
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
        let heads = self.weights.dim().1;
        let parts = self.habits.chunks(layout.part_layers * heads).enumerate();
        let fields = parts.map(|(part, habits)| hover::Fields {
            left: layout.left + part as i32 * layout.part_width,
            top: layout.top,
            cell: (layout.map.0 + GAP, layout.map.1 + GAP),
            columns: heads,
            says: habits
                .iter()
                .map(|habits| format!("head {habits}"))
                .collect(),
        });
        let spoken = titled(&self.title, &self.description());
        Ok(hover::html(svg, size, &spoken, &fields.collect::<Vec<_>>()))
    }

    fn plain_text(&self) -> String {
        titled(&self.title, &self.habits.join("\n"))
    }
}

figure_methods!(
    ModelView,
    "model_view(&ndarray::Array4::from_elem((1, 2, 2, 2), 0.5), &[\"to\", \"be\"])"
);
