//! Several heatmaps side by side with one scale: heads, or steps.

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::heatmap::colour_bar::{COLOUR_BAR_WIDTH, colour_bar};
use crate::figures::heatmap::layout::{LARGEST_CELL, SMALLEST_WITH_LABEL, SMALLEST_WITH_VALUE};
use crate::figures::heatmap::scale::Scale;
use crate::figures::heatmap::{Heatmap, PanelContext};
use crate::figures::hover;
use crate::figures::panels::{GAP, MAX_WIDTH, PlacedPanel, below_title, level, titled_scene};
use crate::figures::scene::{Point, Scene};
use crate::figures::text::text_width;

/// Several heatmaps as one figure. See [`grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    panels: Vec<Heatmap>,
    title: String,
}

/// The heatmaps as one figure, from left to right and then in the next row, all
/// with the same colours for the same values, and one colour bar.
///
/// The scale runs from the lowest to the highest value of all panels (or of the
/// ranges that were given for them). Panels with the same labels at their rows have
/// them once in each row of panels, at its left end.
///
/// All cells have one size. A row has as many panels as a page of 760 pixels takes with
/// cells of 26 pixels, the smallest in which a value can be read. Where that makes more
/// rows than columns, the size is 14 pixels, the smallest with room for each label, and
/// at least two panels stand side by side. The panels are then spread evenly over
/// the rows, and cells grow until the page is full, to at most 60 pixels. Values that
/// have no room are still there under the mouse. So 3 panels of (6, 6) stand in one
/// row, 12 of (10, 10) in three rows without values, 4 of (32, 32) in two.
///
/// Matplotlib: `plt.subplots(rows, columns, sharey=True)` with one `vmin` and `vmax`
///
/// # Panics
///
/// If there is no panel.
///
/// ```
/// use attention::{grid, heatmap};
/// use ndarray::array;
///
/// let heads = [array![[1.0_f32, 0.0]], array![[0.25, 0.75]]];
/// let panels = heads.map(|weights| heatmap(&weights).title("one head"));
/// let figure = grid(&panels).title("Two heads");
/// assert!(figure.svg()?.contains("Two heads"));
/// # Ok::<(), attention::Error>(())
/// ```
#[track_caller]
pub fn grid(panels: &[Heatmap]) -> Grid {
    assert!(
        !panels.is_empty(),
        "grid: there are 0 panels: give at least 1"
    );
    let limits = || panels.iter().map(Heatmap::limits);
    let low = limits().map(|(low, _)| low).fold(f64::INFINITY, f64::min);
    let high = limits()
        .map(|(_, high)| high)
        .fold(f64::NEG_INFINITY, f64::max);
    let panels = panels.iter().cloned();
    Grid {
        panels: panels.map(|panel| panel.range(low, high)).collect(),
        title: String::new(),
    }
}

impl Grid {
    /// How many panels stand side by side, and the side of their cells: see [`grid`].
    fn columns_and_cell(&self) -> (usize, i32) {
        let count = self.panels.len();
        let most = |cell| {
            let fits = |columns: &usize| self.width(*columns, cell) <= MAX_WIDTH;
            (1..=count).rev().find(fits).unwrap_or(1)
        };
        let with_values = most(SMALLEST_WITH_VALUE);
        let columns = match with_values >= count.div_ceil(with_values) {
            true => with_values,
            false => most(SMALLEST_WITH_LABEL).max(2),
        };
        let columns = count.div_ceil(count.div_ceil(columns));
        let fits = |cell: &i32| self.width(columns, *cell) <= MAX_WIDTH;
        let cell = (1..=LARGEST_CELL).rev().find(fits).unwrap_or(1);
        (columns, cell)
    }

    /// How a panel is drawn: with names at its rows unless those on its left are the same.
    fn context(&self, index: usize, columns: usize, cell: i32) -> PanelContext {
        let is_first = index.is_multiple_of(columns);
        let has_rows = is_first || !self.panels[index].has_rows_of(&self.panels[index - 1]);
        PanelContext::Grid { cell, has_rows }
    }

    /// How wide the panels of each column are.
    fn widths(&self, columns: usize, cell: i32) -> Vec<i32> {
        let mut widths = vec![0; columns];
        for (index, panel) in self.panels.iter().enumerate() {
            let width = &mut widths[index % columns];
            let context = self.context(index, columns, cell);
            *width = panel.width_within(context).max(*width);
        }
        widths
    }

    fn width(&self, columns: usize, cell: i32) -> i32 {
        let panels: i32 = self.widths(columns, cell).iter().sum();
        panels + GAP * (columns as i32 - 1) + COLOUR_BAR_WIDTH
    }

    /// The panels in their places, and the width of all; in a row the matrices begin at one
    /// level.
    fn placed(&self) -> (Vec<PlacedPanel>, i32) {
        let (columns, cell) = self.columns_and_cell();
        let widths = self.widths(columns, cell);
        let indices: Vec<usize> = (0..self.panels.len()).collect();
        let mut placed: Vec<PlacedPanel> = Vec::new();
        let mut y = below_title(&self.title);
        for row in indices.chunks(columns) {
            let mut x = 0;
            let mut panels = Vec::new();
            for (&index, width) in row.iter().zip(&widths) {
                let context = self.context(index, columns, cell);
                panels.push((x, self.panels[index].clone().within(context)));
                x += width + GAP;
            }
            placed.extend(level(panels, y));
            y = GAP + placed.iter().map(PlacedPanel::bottom).max().unwrap_or(y);
        }
        (placed, self.width(columns, cell))
    }

    /// The scale of each kind of matrix that there is.
    fn scales(&self) -> Vec<Scale> {
        let mut scales: Vec<Scale> = Vec::new();
        for scale in self.panels.iter().map(Heatmap::scale) {
            if scales.iter().all(|other| other.kind != scale.kind) {
                scales.push(scale);
            }
        }
        scales
    }

    fn description(&self) -> String {
        let mut text = format!("{} heatmaps with one scale.", self.panels.len());
        for panel in &self.panels {
            text += &format!(" {}", panel.titled_description());
        }
        text
    }
}

impl Figure for Grid {
    fn scene(&self) -> Result<Scene, Error> {
        let (placed, width) = self.placed();
        let title_width = text_width(&self.title) * 16 / 13 + GAP;
        let height = placed.iter().map(PlacedPanel::bottom).max().unwrap_or(0);
        let size = (width.max(title_width), height);
        let mut scene = titled_scene(size, &self.title, &self.description())?;
        placed.iter().try_for_each(|panel| panel.draw(&mut scene))?;
        // One bar beside all rows of panels.
        let top = placed[0].matrix_rows().0;
        let bottom = placed.iter().map(|panel| panel.matrix_rows().1).max();
        let height = bottom.unwrap_or(top) - top;
        let (bar, above) = colour_bar(height, &self.scales())?;
        scene.place((width - COLOUR_BAR_WIDTH, top - above), bar);
        Ok(scene)
    }

    fn html_around(&self, svg: &str, size: Point) -> Result<String, Error> {
        let placed = self.placed().0;
        let fields: Vec<hover::Fields> = placed.iter().map(PlacedPanel::fields).collect();
        let spoken = titled(&self.title, &self.description());
        Ok(hover::html(svg, size, &spoken, &fields))
    }

    fn plain_text(&self) -> String {
        let panels: Vec<String> = self.panels.iter().map(Figure::plain_text).collect();
        titled(&self.title, &panels.join("\n"))
    }
}

figure_methods!(
    Grid,
    "grid(&[attention::heatmap(&ndarray::array![[1.0_f32]])])"
);
