//! Several heatmaps side by side on one scale, such as the heads of a layer.

use crate::error::Error;
use crate::figures::figure::{Figure, figure_methods, titled};
use crate::figures::heatmap::colour_bar::{COLOUR_BAR_WIDTH, colour_bar};
use crate::figures::heatmap::layout::{LARGEST_CELL, SMALLEST_WITH_LABEL, SMALLEST_WITH_VALUE};
use crate::figures::heatmap::scale::Scale;
use crate::figures::heatmap::{Heatmap, PanelContext};
use crate::figures::hover;
use crate::figures::panels::{GAP, MAX_WIDTH, PlacedPanel, below_title, level, titled_scene};
use crate::figures::scene::{Point, Scene};
use crate::markup::text::{counted, text_width};

/// The smallest cells, in pixels, that are used to fit more than two panels into a row.
const SMALLEST_IN_ROWS: i32 = 5;

/// Several heatmaps as one figure. See [`grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    panels: Vec<Heatmap>,
    title: String,
}

/// The heatmaps as one figure, from left to right and row by row, all
/// with the same colours for the same values, and with one colour bar.
///
/// The scale runs from the lowest to the highest end of the panels' own scales (see
/// [`Heatmap::range`]). If panels in the same row have the same row labels, only the leftmost shows
/// them; column labels that panels in the same column share are shown only at the top.
///
/// All cells have the same size. A row holds as many panels as fit into a page of 760 pixels with
/// cells of 26 pixels, the smallest in which a value is readable. If that makes more
/// rows than columns, the cells are 14 pixels, the smallest with room for every label. If there are
/// still more rows than columns, the cells may be as small as 5 pixels, and there are at least two
/// panels per row, unless their titles are too wide. The panels are then distributed evenly over
/// the rows, and the cells grow until the page is full, up to 60 pixels. Values that do not fit are
/// still shown on hover. For example, 3 panels of (6, 6) fit into one row, 12 of (10, 10)
/// into three rows without values, 4 of (32, 32) into two, and 9 of (30, 30) into three.
///
/// Matplotlib: `plt.subplots(rows, columns, sharex=True, sharey=True)` with one `vmin` and `vmax`
///
/// # Panics
///
/// If there are no panels.
///
/// ```
/// use attention::figures::{grid, heatmap};
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
    /// The number of panels per row, and the side of their cells: see [`grid`].
    fn columns_and_cell(&self) -> (usize, i32) {
        let count = self.panels.len();
        let most = |cell| {
            let fits = |columns: &usize| self.width(*columns, cell) <= MAX_WIDTH;
            (1..=count).rev().find(fits).unwrap_or(1)
        };
        let with_values = most(SMALLEST_WITH_VALUE);
        let columns = match with_values >= count.div_ceil(with_values) {
            true => with_values,
            false => {
                let square = (1..=count).find(|side| side * side >= count).unwrap_or(1);
                most(SMALLEST_WITH_LABEL)
                    .max(most(SMALLEST_IN_ROWS).min(square))
                    // If two titles are too wide for a row, smaller cells would not help.
                    .max(2)
                    .min(most(1))
            }
        };
        let columns = count.div_ceil(count.div_ceil(columns));
        let fits = |cell: &i32| self.width(columns, *cell) <= MAX_WIDTH;
        let cell = (1..=LARGEST_CELL).rev().find(fits).unwrap_or(1);
        (columns, cell)
    }

    /// How to draw a panel: with row labels, unless those of its left neighbour are the same, and with
    /// column labels, unless those of the panel above are the same.
    fn context(&self, index: usize, columns: usize, cell: i32) -> PanelContext {
        let panel = &self.panels[index];
        let is_first = index.is_multiple_of(columns);
        let above = index.checked_sub(columns).map(|above| &self.panels[above]);
        PanelContext::Grid {
            cell,
            has_rows: is_first || !panel.has_rows_of(&self.panels[index - 1]),
            has_columns: above.is_none_or(|above| !panel.has_columns_of(above)),
        }
    }

    /// How far each column of panels extends to the left and to the right of the left edge that its
    /// matrices share.
    fn extents(&self, columns: usize, cell: i32) -> Vec<(i32, i32)> {
        let mut extents = vec![(0, 0); columns];
        for (index, panel) in self.panels.iter().enumerate() {
            let layout = panel.layout_within(self.context(index, columns, cell));
            let (left, right) = &mut extents[index % columns];
            *left = layout.left.max(*left);
            *right = (layout.size.0 - layout.left).max(*right);
        }
        extents
    }

    fn width(&self, columns: usize, cell: i32) -> i32 {
        let extents = self.extents(columns, cell).into_iter();
        let panels: i32 = extents.map(|(left, right)| left + right).sum();
        panels + GAP * (columns as i32 - 1) + COLOUR_BAR_WIDTH
    }

    /// The panels with their positions, and their total width; the matrices are aligned at the top
    /// within a row, and on the left within a column.
    fn placed(&self) -> (Vec<PlacedPanel>, i32) {
        let (columns, cell) = self.columns_and_cell();
        let extents = self.extents(columns, cell);
        let indices: Vec<usize> = (0..self.panels.len()).collect();
        let mut placed: Vec<PlacedPanel> = Vec::new();
        let mut y = below_title(&self.title);
        for row in indices.chunks(columns) {
            let mut x = 0;
            let mut panels = Vec::new();
            for (&index, (left, right)) in row.iter().zip(&extents) {
                let context = self.context(index, columns, cell);
                let panel = self.panels[index].clone().within(context);
                panels.push((x + left - panel.layout().left, panel));
                x += left + right + GAP;
            }
            placed.extend(level(panels, y));
            y = GAP + placed.iter().map(PlacedPanel::bottom).max().unwrap_or(y);
        }
        (placed, self.width(columns, cell))
    }

    /// One scale for each kind of matrix in the grid.
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
        let heatmaps = counted(self.panels.len(), "heatmap", "heatmaps");
        let mut text = format!("{heatmaps} with one scale.");
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
    "grid(&[attention::figures::heatmap(&ndarray::array![[1.0_f32]])])"
);
