//! How a heatmap is drawn: where everything stands, and with which ink.

use super::blocks::Block;
use super::{GAP, Heatmap, LINE, Place, SMALLEST_WITH_VALUE, Scale};
use crate::error::Error;
use crate::figures::drawing::{
    Anchor, Canvas, HATCHED, HIGHLIGHT, IMAGE, IMAGE_MARK, Trouble, between, colour, cut, finish,
    ink_on, text, text_width,
};
use crate::figures::raster;
use crate::numerics::shape::shape_text;
use plotters::prelude::*;

/// Sides of a cell, in pixels.
pub(crate) const LARGEST_CELL: i32 = 60;
const SMALLEST_CELL: i32 = 2;
/// The longest side that a matrix takes before its cells shrink.
const LARGEST_MATRIX: i32 = 640;
/// The least side of the image of a large matrix, in pixels.
const THINNEST: i32 = 48;
/// The way from one label to the next, so that they do not touch, and between bare numbers.
pub(crate) const LABEL: i32 = 14;
const NUMBER: i32 = 40;
const BAR_WIDTH: i32 = 14;
/// What a colour bar takes, with the gap before it and its numbers.
pub(crate) const BAR_ROOM: i32 = 2 * GAP + BAR_WIDTH + 6 * GAP;
const BAR_STEPS: i32 = 48;

impl Heatmap {
    pub(super) fn draw(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        canvas.fill(&WHITE)?;
        let middle = layout.left + layout.matrix_width / 2;
        let heading = (middle, GAP);
        let title = self.heading(self.place);
        text(canvas, &title, heading, Anchor::Top, 15, &BLACK)?;
        self.draw_cells(canvas, layout)?;
        self.draw_labels(canvas, layout)?;
        self.draw_axis_names(canvas, layout)?;
        if has_bar(self.place) {
            let corner = (layout.left + layout.matrix_width + 2 * GAP, layout.top);
            draw_bar(canvas, corner, layout.matrix_height, self.scale())?;
        }
        self.draw_outline(canvas, layout)
    }

    /// The title, and for a large matrix that its values are not shown.
    fn heading(&self, place: Place) -> String {
        let share = self.share_of_pixel(place);
        let shape = || shape_text(self.matrix.shape());
        let heading = match place {
            Place::Alone if self.is_large() && share.is_empty() => {
                format!("{} {}, without values", self.title, shape())
            }
            Place::Alone if self.is_large() => {
                format!("{} {}, {share}", self.title, shape())
            }
            _ if share.is_empty() => return self.title.clone(),
            _ => format!("{}, {share}", self.title),
        };
        heading.trim_start_matches([' ', ',']).to_owned()
    }

    fn draw_cells(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        if self.is_large() {
            let area = [(layout.left, layout.top), layout.end()];
            return canvas.draw(&Rectangle::new(area, IMAGE.filled()));
        }
        let scale = self.scale();
        let (low, high) = scale.limits;
        for ((row, column), &value) in self.matrix.indexed_iter() {
            let (x, y) = layout.corner(row, column);
            let hidden = self.is_hidden((row, column));
            let colour = if hidden {
                HATCHED
            } else {
                colour(value, low, high)
            };
            // A pixel of overlap with the next cell: else a browser that scales the
            // picture shows the ground between the two.
            let edge = layout.end();
            let corner = (
                (x + layout.cell + 1).min(edge.0),
                (y + layout.cell + 1).min(edge.1),
            );
            let area = [(x, y), corner];
            canvas.draw(&Rectangle::new(area, colour.filled()))?;
            if !hidden && let Some(size) = value_size(layout.cell) {
                let centre = (x + layout.cell / 2, y + layout.cell / 2);
                let value = scale.number(value);
                text(
                    canvas,
                    &value,
                    centre,
                    Anchor::Middle,
                    size,
                    &ink_on(colour),
                )?;
            }
        }
        Ok(())
    }

    fn draw_labels(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        for (row, label) in &layout.rows {
            let (x, y) = layout.corner(*row, 0);
            let end = (x - GAP, y + layout.row_height / 2);
            text(canvas, label, end, Anchor::Right, 13, &BLACK)?;
        }
        for (column, label) in &layout.columns {
            let (x, y) = layout.corner(0, *column);
            let foot = (x + layout.cell / 2, y - GAP);
            let anchor = if layout.upright {
                Anchor::Bottom
            } else {
                Anchor::Climbing
            };
            text(canvas, label, foot, anchor, 13, &BLACK)?;
        }
        Ok(())
    }

    fn draw_axis_names(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        let (rows, columns) = self.drawn_axis_names(self.place);
        let foot = layout.top + layout.matrix_height + GAP / 2;
        let middle = layout.left + layout.matrix_width / 2;
        text(canvas, columns, (middle, foot), Anchor::Top, 12, &BLACK)?;
        let middle = layout.top + layout.matrix_height / 2 + text_width(rows) / 2;
        text(canvas, rows, (GAP, middle), Anchor::Climbing, 12, &BLACK)
    }

    /// The names of the axes; empty where there is no room for them.
    fn drawn_axis_names(&self, place: Place) -> (&str, &str) {
        let (rows, columns) = self.axis_names().unwrap_or_default();
        match place {
            Place::Strip { .. } => ("", ""),
            Place::Grid { has_rows, .. } if !has_rows => ("", columns),
            _ => (rows, columns),
        }
    }

    /// The frame around the row of which a strip speaks.
    fn draw_outline(&self, canvas: &Canvas, layout: &Layout) -> Result<(), Trouble> {
        let Place::Strip { row: Some(row), .. } = self.place else {
            return Ok(());
        };
        let (x, y) = layout.corner(row, 0);
        let below = layout.corner(row + 1, 0).1.max(y + layout.row_height);
        let right = x + layout.matrix_width;
        let frame = [(x, y), (right, y), (right, below), (x, below), (x, y)];
        canvas.draw(&PathElement::new(frame, HIGHLIGHT.stroke_width(3)))
    }

    /// The image of the cells in the place of the rectangle that stands for it.
    pub(super) fn with_image(&self, svg: &str, layout: &Layout) -> Result<String, Error> {
        let (low, high) = self.limits();
        let pixel = |(value, hidden)| match hidden {
            true => RGBColor(217, 217, 217),
            false => colour(value, low, high),
        };
        let image = format!(
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"{}\"/>",
            layout.left,
            layout.top,
            layout.matrix_width,
            layout.matrix_height,
            raster::data_uri(&self.pixels().mapv(pixel))?,
        );
        let (before, rest) = svg.split_once(IMAGE_MARK).unwrap_or((svg, ""));
        let start = before.rfind('<').unwrap_or(0);
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        Ok(format!("{}{image}{}", &before[..start], &rest[end..]))
    }
}

/// How large values are written in cells of this side, if they can be read: five
/// characters take 2.6 times the size of the font.
fn value_size(cell: i32) -> Option<u32> {
    (cell >= SMALLEST_WITH_VALUE).then(|| ((cell - 3) * 10 / 26).min(13) as u32)
}

/// In a strip the bar is there only where the cells do not say their values.
fn has_bar(place: Place) -> bool {
    match place {
        Place::Alone => true,
        Place::Strip { cell, .. } => value_size(cell).is_none(),
        Place::Grid { .. } => false,
    }
}

/// A colour bar of this height, with its lowest, middle and highest value.
fn draw_bar(
    canvas: &Canvas,
    (left, top): (i32, i32),
    height: i32,
    scale: Scale,
) -> Result<(), Trouble> {
    let (low, high) = scale.limits;
    let bottom = top + height;
    // From the top, each step over the rest of the bar, so that no gap is left.
    for step in (0..BAR_STEPS).rev() {
        let top = bottom - height * (step + 1) / BAR_STEPS;
        let share = f64::from(step) + 0.5;
        let value = match (high - low).is_finite() {
            true => low + (high - low) * share / f64::from(BAR_STEPS),
            false => between(scale.limits, share / f64::from(BAR_STEPS)),
        };
        let area = [(left, top), (left + BAR_WIDTH, bottom)];
        canvas.draw(&Rectangle::new(area, colour(value, low, high).filled()))?;
    }
    for part in [0.0, 0.5, 1.0] {
        let y = bottom - (f64::from(height) * part) as i32;
        let value = scale.number(between(scale.limits, part));
        let position = (left + BAR_WIDTH + GAP / 2, y);
        text(canvas, &value, position, Anchor::Left, 12, &BLACK)?;
    }
    Ok(())
}

/// A colour bar alone, for several pictures with one scale, and how far below its upper edge
/// the colours begin.
pub(crate) fn bar_svg(height: i32, scale: Scale) -> Result<(String, i32), Error> {
    let mut svg = String::new();
    {
        let size = (BAR_ROOM as u32, (height + LINE) as u32);
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        canvas.fill(&WHITE).map_err(Error::drawing)?;
        draw_bar(&canvas, (2 * GAP, LINE / 2), height, scale).map_err(Error::drawing)?;
        canvas.present().map_err(Error::drawing)?;
    }
    Ok((finish(&svg, "", "The colours of the values"), LINE / 2))
}

/// Where everything stands, in pixels.
pub(crate) struct Layout {
    pub size: (u32, u32),
    pub left: i32,
    pub top: i32,
    /// The side of a cell, in an image of a pixel; there a row can be higher.
    pub cell: i32,
    row_height: i32,
    /// How many rows and columns share a pixel of an image.
    block: Block,
    pub matrix_width: i32,
    pub matrix_height: i32,
    /// The labels that have room, with their places.
    rows: Vec<(usize, String)>,
    columns: Vec<(usize, String)>,
    /// Whether the column labels fit above their columns without being turned.
    upright: bool,
}

impl Layout {
    pub(super) fn of(heatmap: &Heatmap, place: Place) -> Layout {
        let block = heatmap.block(place);
        let (rows, columns) = heatmap.matrix.dim();
        let drawn = (
            rows.div_ceil(block.0) as i32,
            columns.div_ceil(block.1) as i32,
        );
        let (cell, has_rows) = match place {
            Place::Alone => {
                let cell = LARGEST_MATRIX / drawn.0.max(drawn.1);
                (cell.clamp(SMALLEST_CELL, LARGEST_CELL), true)
            }
            Place::Strip { cell, .. } => (cell, true),
            Place::Grid { cell, has_rows } => (cell, has_rows),
        };
        // A matrix of few rows or columns, and many of the others, is more than a hair.
        let side = |count: i32| match heatmap.is_large() && place == Place::Alone {
            true => cell.max(THINNEST / count),
            false => cell,
        };
        let (row_height, column_width) = (side(drawn.0), side(drawn.1));
        let numbered = heatmap.is_large() && !matches!(place, Place::Strip { .. });
        let row_labels = match has_rows {
            true => chosen_labels(
                &heatmap.rows,
                numbered.then_some(rows),
                (row_height, block.0),
            ),
            false => Vec::new(),
        };
        let column_labels = chosen_labels(
            &heatmap.columns,
            numbered.then_some(columns),
            (column_width, block.1),
        );
        let widest = |labels: &[(usize, String)]| labels.iter().map(|l| text_width(&l.1)).max();
        let columns_width = widest(&column_labels).unwrap_or(0);
        let step = match column_labels[..] {
            [(first, _), (second, _), ..] => second - first,
            _ => 1,
        };
        let apart = if step == 1 { 0 } else { GAP / 2 };
        let upright = columns_width + apart <= column_width * (step / block.1) as i32;
        let (row_axis, column_axis) = heatmap.drawn_axis_names(place);
        let line_of = |name: &str| if name.is_empty() { 0 } else { LINE };
        let left = match (widest(&row_labels), line_of(row_axis)) {
            (None, 0) if !has_rows => 0,
            (labels, axis) => 2 * GAP + axis + labels.unwrap_or(0),
        };
        let heading = heatmap.heading(place);
        let title = match place {
            _ if heading.is_empty() => 0,
            Place::Strip { .. } => 3 * LINE - GAP, // with a formula
            Place::Alone | Place::Grid { .. } => 2 * LINE,
        };
        let labels = match columns_width {
            0 => 0,
            _ if upright => LINE,
            _ => columns_width,
        };
        let top = title + 2 * GAP + labels;
        let (matrix_width, matrix_height) = (column_width * drawn.1, row_height * drawn.0);
        let right = match place {
            Place::Grid { .. } => 0,
            _ if has_bar(place) => BAR_ROOM,
            _ => GAP,
        };
        // A title longer than its matrix widens the picture on both sides.
        let overhang = (text_width(&heading) * 15 / 13 - matrix_width).max(0) / 2;
        let overhang = match place {
            // Numbers at the columns of a large matrix are wider than its cells.
            Place::Grid { .. } if upright => overhang.max((columns_width - cell) / 2),
            Place::Grid { .. } => overhang,
            _ => overhang + GAP,
        };
        let left = left.max(overhang);
        Layout {
            size: (
                (left + matrix_width + right.max(overhang)) as u32,
                (top + matrix_height + 2 * GAP + line_of(column_axis)) as u32,
            ),
            left,
            top,
            cell: column_width,
            row_height,
            block,
            matrix_width,
            matrix_height,
            rows: row_labels,
            columns: column_labels,
            upright,
        }
    }

    fn corner(&self, row: usize, column: usize) -> (i32, i32) {
        (
            self.left + self.cell * (column / self.block.1) as i32,
            self.top + self.row_height * (row / self.block.0) as i32,
        )
    }

    fn end(&self) -> (i32, i32) {
        (self.left + self.matrix_width, self.top + self.matrix_height)
    }
}

/// The labels of an axis that have room, with their places. Where some are left out,
/// each begins with its number; an axis without labels has numbers if `numbered`.
/// Of a `side` of so many pixels there is one for each `block` of them.
fn chosen_labels(
    labels: &[String],
    numbered: Option<usize>,
    (side, block): (i32, usize),
) -> Vec<(usize, String)> {
    let enough = |room: i32| {
        let powers = (0..9).map(|power| 10_usize.pow(power));
        let mut steps = powers.flat_map(|power| [1, 2, 5].map(|step| step * power));
        steps
            .find(|step| (step / block) as i32 * side >= room)
            .unwrap_or(1_000_000_000)
    };
    let labelled = labels.iter().enumerate();
    match (enough(LABEL), numbered) {
        (_, Some(count)) if labels.is_empty() => (0..count)
            .step_by(enough(NUMBER))
            .map(|index| (index, index.to_string()))
            .collect(),
        (1, _) => labelled.map(|(index, label)| (index, cut(label))).collect(),
        (step, _) => labelled
            .step_by(step)
            .map(|(index, label)| match index.to_string() {
                number if number == *label => (index, number),
                number => (index, format!("{number} {}", cut(label))),
            })
            .collect(),
    }
}
