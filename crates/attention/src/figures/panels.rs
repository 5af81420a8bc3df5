//! Arranges several heatmaps in one figure under a common title.

use crate::error::Error;
use crate::figures::figure::Figure;
use crate::figures::heatmap::Heatmap;
use crate::figures::heatmap::layout::HeatmapLayout;
use crate::figures::hover;
use crate::figures::scene::canvas::{Anchor, canvas, text};
use crate::figures::scene::{INK, Point, Scene};
use crate::markup::text::fitting;

/// The maximum width of a figure with several panels, in pixels. In a window of 1000 pixels, the
/// output of a cell is 850 pixels wide in JupyterLab, or 550 if the file browser is open, in which
/// case the figure is shrunk.
pub(crate) const MAX_WIDTH: i32 = 760;
/// The maximum width of a figure of steps, whose parts wrap to another line on a narrow page: the
/// space beside the file browser in a window of 1280 pixels.
pub(crate) const MAX_STEPS_WIDTH: i32 = 820;
/// The gap between two panels, and the height of the title, in pixels.
pub(crate) const GAP: i32 = 12;
const TITLE: i32 = 28;

/// A panel, its layout, and its position in the figure.
pub(crate) struct PlacedPanel {
    pub panel: Heatmap,
    pub layout: HeatmapLayout,
    pub corner: Point,
}

impl PlacedPanel {
    /// The top and the bottom of the matrix.
    pub fn matrix_rows(&self) -> (i32, i32) {
        let top = self.corner.1 + self.layout.top;
        (top, top + self.layout.matrix_height)
    }

    /// The y coordinate of the lower edge.
    pub fn bottom(&self) -> i32 {
        self.corner.1 + self.layout.size.1
    }

    /// The text that each cell shows when the mouse is over it.
    pub fn fields(&self) -> hover::Fields {
        self.panel.fields().moved(self.corner)
    }

    /// Puts the panel into the scene of the figure.
    pub fn draw(&self, scene: &mut Scene) -> Result<(), Error> {
        scene.place(self.corner, self.panel.scene()?);
        Ok(())
    }
}

/// Panels placed side by side, each given with its left edge; their matrices are aligned at the top.
pub(crate) fn level(panels: Vec<(i32, Heatmap)>, top: i32) -> Vec<PlacedPanel> {
    let with_layout = |(x, panel): (i32, Heatmap)| (x, panel.layout(), panel);
    let panels: Vec<_> = panels.into_iter().map(with_layout).collect();
    let lowest = panels.iter().map(|(_, layout, _)| layout.top).max();
    let level = top + lowest.unwrap_or(0);
    let placed = |(x, layout, panel): (i32, HeatmapLayout, Heatmap)| PlacedPanel {
        corner: (x, level - layout.top),
        layout,
        panel,
    };
    panels.into_iter().map(placed).collect()
}

/// The y coordinate at which panels begin below a title.
pub(crate) fn below_title(title: &str) -> i32 {
    if title.is_empty() { 0 } else { TITLE }
}

/// A scene with a title, for panels; a title wider than the scene is truncated.
pub(crate) fn titled_scene(size: Point, title: &str, description: &str) -> Result<Scene, Error> {
    let mut scene = Scene::new(size, title, description);
    let above = (size.0 / 2, 20);
    let canvas = canvas(&mut scene);
    let title = fitting(title, size.0, 16);
    text(&canvas, &title, above, Anchor::BaselineMiddle, 16, INK).map_err(Error::drawing)?;
    drop(canvas);
    Ok(scene)
}
