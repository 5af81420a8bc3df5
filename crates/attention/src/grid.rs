//! Several heatmaps side by side with one scale: heads, or steps.

use crate::drawing::{escape, sheet};
use crate::figure::{Drawn, figure_methods, titled};
use crate::{Error, Heatmap};

/// The gap between two panels, in pixels.
const GAP: u32 = 12;
/// So wide a row of panels may be before the next row begins.
const WIDEST: u32 = 1000;

/// Several heatmaps as one figure. See [`grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    panels: Vec<Heatmap>,
    title: String,
}

/// The heatmaps as one figure, from left to right and then in the next row, all
/// with the same colours for the same values.
///
/// The scale runs from the lowest to the highest value of all panels (or of the
/// ranges that were given for them).
///
/// Matplotlib: `plt.subplots(1, len(panels))` with one `vmin` and `vmax`
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
        title.clone_into(&mut self.title);
        self
    }
}

impl Drawn for Grid {
    fn drawn(&self) -> Result<String, Error> {
        let top = if self.title.is_empty() { 0 } else { 28 };
        let (mut x, mut y, mut row_height, mut width) = (0, top, 0, 0);
        let mut placed = String::new();
        for panel in &self.panels {
            let svg = panel.drawn()?;
            let (panel_width, panel_height) = panel.size();
            if x > 0 && x + panel_width > WIDEST {
                (x, y, row_height) = (0, y + row_height + GAP, 0);
            }
            placed += &svg.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
            x += panel_width + GAP;
            width = width.max(x - GAP);
            row_height = row_height.max(panel_height);
        }
        let size = (width as i32, (y + row_height) as i32);
        let description = format!("{} heatmaps with one scale.", self.panels.len());
        Ok(sheet(size, &self.title, &description, &placed))
    }

    /// The panels one by one, each with its fields.
    fn html_of(&self, _svg: &str) -> String {
        let panels = self.panels.iter().filter_map(|panel| panel.html().ok());
        format!(
            "<div style=\"font-weight:bold\">{}</div>\
             <div style=\"display:flex;flex-wrap:wrap\">{}</div>",
            escape(&self.title),
            panels.collect::<String>(),
        )
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
