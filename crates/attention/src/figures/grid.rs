//! Several heatmaps side by side with one scale: heads, or steps.

use crate::error::Error;
use crate::figures::drawing::{PAGE, sheet, text_width};
use crate::figures::figure::{Drawn, figure_methods, titled};
use crate::figures::heatmap::Heatmap;
use crate::figures::heatmap::{
    BAR_ROOM, LABEL, LARGEST_CELL, Layout, Place, SMALLEST_WITH_VALUE, bar_svg,
};
use crate::figures::hover;
use crate::figures::labels;

/// The gap between two panels, and the height of the title, in pixels.
const GAP: i32 = 12;
const TITLE: i32 = 28;

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
/// All cells have one size. A row has as many panels as a page of 860 pixels takes with
/// cells of 27 pixels, the smallest in which a value can be read. Where that makes more
/// rows than columns, the size is 14 pixels, the smallest with room for each label, and
/// at least two panels stand side by side. The panels are then spread evenly over
/// the rows, and cells grow until the page is full, to at most 60 pixels. Values that
/// have no room are still there under the mouse. So 3 panels of (8, 8) stand in one
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
    /// The grid with a title above it.
    ///
    /// Matplotlib: `fig.suptitle(title)`
    ///
    /// ```
    /// use attention::{grid, heatmap};
    /// use ndarray::array;
    ///
    /// let figure = grid(&[heatmap(&array![[1.0_f32]])]).title("Heads");
    /// assert!(figure.text().starts_with("Heads\n"));
    /// ```
    #[must_use]
    pub fn title(mut self, title: &str) -> Grid {
        self.title = labels::title(title);
        self
    }
}

/// A panel, where everything in it stands, and where it stands in the grid.
struct Placed {
    panel: Heatmap,
    layout: Layout,
    corner: (i32, i32),
}

impl Placed {
    /// Where the matrix begins and ends, from top to bottom.
    fn matrix(&self) -> (i32, i32) {
        let top = self.corner.1 + self.layout.top;
        (top, top + self.layout.matrix_height)
    }

    fn end(&self) -> i32 {
        self.corner.1 + self.layout.size.1 as i32
    }
}

impl Grid {
    /// How many panels stand side by side, and the side of their cells: see [`grid`].
    fn columns_and_cell(&self) -> (usize, i32) {
        let count = self.panels.len();
        let most = |cell| {
            let fits = |columns: &usize| self.width(*columns, cell) <= PAGE;
            (1..=count).rev().find(fits).unwrap_or(1)
        };
        let with_values = most(SMALLEST_WITH_VALUE);
        let columns = match with_values >= count.div_ceil(with_values) {
            true => with_values,
            false => most(LABEL).max(2),
        };
        let columns = count.div_ceil(count.div_ceil(columns));
        let fits = |cell: &i32| self.width(columns, *cell) <= PAGE;
        let cell = (1..=LARGEST_CELL).rev().find(fits).unwrap_or(1);
        (columns, cell)
    }

    /// How a panel is drawn: with names at its rows unless those on its left are the same.
    fn place(&self, index: usize, columns: usize, cell: i32) -> Place {
        let is_first = index.is_multiple_of(columns);
        let has_rows = is_first || !self.panels[index].has_rows_of(&self.panels[index - 1]);
        Place::Grid { cell, has_rows }
    }

    /// How wide the panels of each column are.
    fn widths(&self, columns: usize, cell: i32) -> Vec<i32> {
        let mut widths = vec![0; columns];
        for (index, panel) in self.panels.iter().enumerate() {
            let width = &mut widths[index % columns];
            *width = panel.width_at(self.place(index, columns, cell)).max(*width);
        }
        widths
    }

    fn width(&self, columns: usize, cell: i32) -> i32 {
        let panels: i32 = self.widths(columns, cell).iter().sum();
        panels + GAP * (columns as i32 - 1) + BAR_ROOM
    }

    /// The panels in their places, and the width of all; in a row the matrices begin at one
    /// level.
    fn placed(&self) -> (Vec<Placed>, i32) {
        let (columns, cell) = self.columns_and_cell();
        let widths = self.widths(columns, cell);
        let indices: Vec<usize> = (0..self.panels.len()).collect();
        let mut placed: Vec<Placed> = Vec::new();
        let mut y = if self.title.is_empty() { 0 } else { TITLE };
        for row in indices.chunks(columns) {
            let at = |&index: &usize| {
                let place = self.place(index, columns, cell);
                self.panels[index].clone().at(place)
            };
            let panels: Vec<Heatmap> = row.iter().map(at).collect();
            let top = |panel: &Heatmap| panel.layout().top;
            let level = panels.iter().map(top).max().unwrap_or(0);
            let mut x = 0;
            for (panel, width) in panels.into_iter().zip(&widths) {
                let layout = panel.layout();
                let corner = (x, y + level - layout.top);
                placed.push(Placed {
                    panel,
                    layout,
                    corner,
                });
                x += width + GAP;
            }
            y = GAP + placed.iter().map(Placed::end).max().unwrap_or(y);
        }
        (placed, self.width(columns, cell))
    }

    fn description(&self) -> String {
        let mut text = format!("{} heatmaps with one scale.", self.panels.len());
        for panel in &self.panels {
            text += &format!(" {}", panel.description());
        }
        text
    }
}

impl Drawn for Grid {
    fn drawn(&self) -> Result<String, Error> {
        let (placed, width) = self.placed();
        let mut inside = String::new();
        let mut put = |svg: &str, (x, y): (i32, i32)| {
            inside += &svg.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
        };
        for Placed { panel, corner, .. } in &placed {
            put(&panel.drawn()?, *corner);
        }
        // One bar beside all rows of panels.
        let top = placed[0].matrix().0;
        let bottom = placed.iter().map(|panel| panel.matrix().1).max();
        let (bar, above) = bar_svg(bottom.unwrap_or(top) - top, self.panels[0].scale())?;
        put(&bar, (width - BAR_ROOM, top - above));
        let title_width = text_width(&self.title) * 16 / 13 + GAP;
        let height = placed.iter().map(Placed::end).max().unwrap_or(0);
        let size = (width.max(title_width), height);
        Ok(sheet(size, &self.title, &self.description(), &inside))
    }

    fn html_of(&self, svg: &str) -> String {
        let (placed, _) = self.placed();
        let fields = placed
            .iter()
            .map(|Placed { panel, corner, .. }| panel.fields().moved(*corner));
        let fields: Vec<hover::Fields> = fields.collect();
        hover::html(svg, &self.description(), &fields)
    }

    fn words(&self) -> String {
        let panels: Vec<String> = self.panels.iter().map(Drawn::words).collect();
        titled(&self.title, &panels.join("\n"))
    }
}

figure_methods!(
    Grid,
    "grid(&[attention::heatmap(&ndarray::array![[1.0_f32]])])"
);
