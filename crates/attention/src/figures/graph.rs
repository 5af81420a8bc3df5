//! Attention as a graph: tokens as nodes, weights as lines between them.

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::matrix_colours::Kind;
use crate::figures::numbers::short_number;
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, text};
use crate::figures::scene::{INK, Point, Scene};
use crate::markup::html::image;
use crate::markup::labels;
use crate::markup::text::{counted, cut, escape, in_a_line, text_width};
use crate::numerics::real::{Real, widened};
use crate::numerics::shape::shape_text;
use ndarray::{Array2, ArrayRef2, s};
use plotters::prelude::*;

/// Height of a token, and distance between the two columns, in pixels.
const TOKEN: i32 = 34;
const COLUMN_DISTANCE: i32 = 220;
const GAP: i32 = 10;
/// The width of a line with a weight of 1.
const WIDEST: f64 = 9.0;
/// How far an arrowhead extends back from its tip, and beyond its line on each side.
const HEAD: f64 = 13.0;
const HEAD_ASIDE: f64 = 4.0;
/// Weights below this get no line.
const LEAST: f64 = 0.005;
/// Limits: beyond them, only the first tokens and the heaviest lines are shown.
const MOST_TOKENS: usize = 64;
const MOST_LINES: usize = 512;
/// The height of the note about what is omitted.
const NOTE: i32 = 18;

/// Weights as lines. See [`graph`].
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    weights: Array2<f64>,
    queries: Vec<String>,
    keys: Vec<String>,
    /// The only query whose lines are drawn, if one was chosen.
    only: Option<usize>,
    title: String,
}

/// The weights as a graph: the queries on the left, the keys on the right, and an arrow
/// from each query to each key that it looks at, wider for larger weights.
///
/// `weights` is (T, S), with values from 0 to 1; those below 0.005 have no arrow. For
/// self-attention, both lists of tokens are the same; with a causal mask, no arrow points down.
/// Only the first 64 queries and keys are shown, with the 512 heaviest of their arrows; the figure
/// says what it omits.
///
/// Python: `bertviz.head_view(attention, tokens)`
///
/// # Panics
///
/// If `weights` is empty, or there is not exactly one query per row and one key per column.
///
/// ```
/// use attention::figures::graph;
/// use ndarray::array;
///
/// let figure = graph(&array![[0.9_f32, 0.1]], &["win"], &["勝つ", "さ"]);
/// assert!(figure.text().contains("win → 勝つ: 0.90"));
/// ```
#[track_caller]
#[inline(never)]
pub fn graph<A: Real, Q: AsRef<str>, K: AsRef<str>>(
    weights: &ArrayRef2<A>,
    queries: &[Q],
    keys: &[K],
) -> Graph {
    assert!(
        !weights.is_empty(),
        "graph: weights is {}: there is nothing to draw",
        shape_text(weights.shape()),
    );
    assert!(
        weights.dim() == (queries.len(), keys.len()),
        "graph: weights is {}, but there are {} queries and {} keys",
        shape_text(weights.shape()),
        queries.len(),
        keys.len(),
    );
    Graph {
        weights: widened(weights),
        queries: labels::owned(queries),
        keys: labels::owned(keys),
        only: None,
        title: String::new(),
    }
}

impl Graph {
    /// Draws only the lines of one query; queries are numbered from 0.
    ///
    /// # Panics
    ///
    /// If there is no such query.
    ///
    /// ```
    /// use attention::figures::graph;
    /// use ndarray::array;
    ///
    /// let weights = array![[0.9_f32, 0.1], [0.4, 0.6]];
    /// let figure = graph(&weights, &["to", "be"], &["to", "be"]).only(1);
    /// assert_eq!(figure.text(), "be → to: 0.40\nbe → be: 0.60");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn only(mut self, query: usize) -> Graph {
        let queries = self.queries.len();
        assert!(
            query < queries,
            "Graph::only: there is no query {query}: they are 0 to {}",
            queries - 1
        );
        self.only = Some(query);
        self
    }

    /// Draws only the lines of one query: the first with this label.
    ///
    /// # Panics
    ///
    /// If no query has this label.
    ///
    /// ```
    /// use attention::figures::graph;
    /// use ndarray::array;
    ///
    /// let weights = array![[0.9_f32, 0.1], [0.4, 0.6]];
    /// let figure = graph(&weights, &["to", "be"], &["to", "be"]).only_token("be");
    /// assert_eq!(figure.text(), "be → to: 0.40\nbe → be: 0.60");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn only_token(self, label: &str) -> Graph {
        let query = self.queries.iter().position(|query| query == label);
        let Some(query) = query else {
            let queries = self.queries.join(", ");
            panic!("Graph::only_token: there is no query \"{label}\": they are {queries}");
        };
        self.only(query)
    }

    /// The lines to draw (query, key and weight), and the number of lighter ones that are omitted.
    fn lines(&self) -> (Vec<(usize, usize, f64)>, usize) {
        let (queries, keys) = (self.shown(&self.queries), self.shown(&self.keys));
        let weights = self.weights.slice(s![..queries.len(), ..keys.len()]);
        let lines = weights.indexed_iter();
        let lines = lines.map(|((t, s), &weight)| (t, s, weight));
        let mut lines: Vec<_> = lines
            .filter(|line| line.2 >= LEAST && self.only.is_none_or(|only| only == line.0))
            .collect();
        let lighter = lines.len().saturating_sub(MOST_LINES);
        if lighter > 0 {
            lines.sort_by(|a, b| b.2.total_cmp(&a.2));
            lines.truncate(MOST_LINES);
            lines.sort_by_key(|&(t, s, _)| (t, s));
        }
        (lines, lighter)
    }

    fn shown<'a>(&self, tokens: &'a [String]) -> &'a [String] {
        &tokens[..tokens.len().min(MOST_TOKENS)]
    }

    /// Notes on what is left out.
    fn notes(&self) -> Vec<String> {
        let (queries, keys) = (self.queries.len(), self.keys.len());
        let tokens = (queries.max(keys) > MOST_TOKENS).then(|| match queries == keys {
            true => format!("The first {MOST_TOKENS} of {queries} tokens"),
            false => format!(
                "{} of {}, {} of {}",
                queries.min(MOST_TOKENS),
                counted(queries, "query", "queries"),
                keys.min(MOST_TOKENS),
                counted(keys, "key", "keys"),
            ),
        });
        let lighter = match self.lines().1 {
            0 => None,
            lighter => Some(format!("{lighter} lighter lines are left out")),
        };
        tokens.into_iter().chain(lighter).collect()
    }

    fn layout(&self) -> GraphLayout {
        let widest = |tokens: &[String]| {
            let shown = self.shown(tokens).iter();
            let widths = shown.map(|token| text_width(&cut(token)));
            widths.max().unwrap_or(0).max(text_width("query"))
        };
        let title_width = text_width(&self.title) * 15 / 13;
        let left = GAP + widest(&self.queries).max(title_width / 2 - COLUMN_DISTANCE / 2);
        let top = if self.title.is_empty() { GAP } else { 34 };
        let top = top + NOTE * self.notes().len() as i32;
        let rows = self.queries.len().max(self.keys.len()).min(MOST_TOKENS) as i32;
        let width = left + COLUMN_DISTANCE + left.max(GAP + widest(&self.keys));
        GraphLayout {
            size: (width, top + TOKEN + rows * TOKEN + GAP),
            left,
            right: left + COLUMN_DISTANCE,
            top,
        }
    }

    fn draw(&self, canvas: &Canvas, layout: &GraphLayout) -> Result<(), DrawingError> {
        let GraphLayout {
            left, right, top, ..
        } = *layout;
        for (index, note) in self.notes().iter().rev().enumerate() {
            let at = (left + COLUMN_DISTANCE / 2, top - (index as i32 + 1) * NOTE);
            text(canvas, note, at, Anchor::Top, 12, INK)?;
        }
        let heading = (left + COLUMN_DISTANCE / 2, GAP);
        text(canvas, &self.title, heading, Anchor::Top, 15, INK)?;
        text(canvas, "query", (left, top + GAP), Anchor::Right, 12, INK)?;
        text(canvas, "key", (right, top + GAP), Anchor::Left, 12, INK)?;
        self.draw_lines(canvas, layout)?;
        for (index, token) in self.shown(&self.queries).iter().enumerate() {
            let at = (left, layout.y(index));
            text(canvas, &cut(token), at, Anchor::Right, 13, INK)?;
        }
        for (index, token) in self.shown(&self.keys).iter().enumerate() {
            let at = (right, layout.y(index));
            text(canvas, &cut(token), at, Anchor::Left, 13, INK)?;
        }
        Ok(())
    }

    fn draw_lines(&self, canvas: &Canvas, layout: &GraphLayout) -> Result<(), DrawingError> {
        let (left, right) = (layout.left + GAP, layout.right - GAP);
        for (t, s, weight) in self.lines().0 {
            let (tail, tip) = ((left, layout.y(t)), (right, layout.y(s)));
            let outline = arrow(tail, tip, WIDEST * weight.min(1.0));
            let ink = Kind::Weight.bar().mix(0.25 + 0.75 * weight.min(1.0));
            canvas.draw(&Polygon::new(outline, ink.filled()))?;
        }
        Ok(())
    }
}

/// The outline of an arrow: a band with a head at its end.
///
/// It is a filled shape, because plotters rounds line widths to whole pixels. A steep band must
/// be taller to look equally wide.
fn arrow(tail: Point, tip: Point, width: f64) -> Vec<Point> {
    let (across, down) = (f64::from(tip.0 - tail.0), f64::from(tip.1 - tail.1));
    let length = across.hypot(down);
    let half = width / 2.0 * length / across;
    let neck = (
        f64::from(tip.0) - HEAD * across / length,
        f64::from(tip.1) - HEAD * down / length,
    );
    let aside = width / 2.0 + HEAD_ASIDE;
    let corner = |side: f64| {
        let (x, y) = (
            neck.0 - side * aside * down / length,
            neck.1 + side * aside * across / length,
        );
        (x.round() as i32, y.round() as i32)
    };
    let upper = |y: f64| (y - half).round() as i32;
    let lower = |y: f64| ((y + half).round() as i32).max(upper(y) + 1);
    let (start, end) = (f64::from(tail.1), neck.1);
    let x = neck.0.round() as i32;
    vec![
        (tail.0, upper(start)),
        (x, upper(end)),
        corner(-1.0),
        tip,
        corner(1.0),
        (x, lower(end)),
        (tail.0, lower(start)),
    ]
}

/// The size of the picture, and where its tokens are, in pixels.
struct GraphLayout {
    size: Point,
    /// Where the queries end and the keys begin.
    left: i32,
    right: i32,
    top: i32,
}

impl GraphLayout {
    /// The y coordinate of the middle of a token.
    fn y(&self, index: usize) -> i32 {
        self.top + TOKEN + index as i32 * TOKEN + TOKEN / 2
    }
}

impl Figure for Graph {
    fn scene(&self) -> Result<Scene, Error> {
        let layout = self.layout();
        let mut scene = Scene::new(layout.size, &self.title, &self.plain_text());
        let drawn = self.draw(&canvas(&mut scene), &layout);
        drawn.map_err(Error::drawing)?;
        Ok(scene)
    }

    fn html_around(&self, svg: &str, _size: Point) -> Result<String, Error> {
        let text = self.plain_text();
        Ok(format!(
            "<div title=\"{}\">{}</div>",
            escape(&text),
            image(svg, &text)
        ))
    }

    fn plain_text(&self) -> String {
        let line = |(t, s, weight): (usize, usize, f64)| {
            let (query, key) = (in_a_line(&self.queries[t]), in_a_line(&self.keys[s]));
            format!("{query} → {key}: {}", short_number(weight))
        };
        let mut lines: Vec<String> = self.lines().0.into_iter().map(line).collect();
        lines.extend(self.notes());
        titled(&self.title, &lines.join("\n"))
    }
}

figure_methods!(
    Graph,
    "graph(&ndarray::array![[0.25_f32, 0.75]], &[\"a\"], &[\"b\", \"c\"])"
);
