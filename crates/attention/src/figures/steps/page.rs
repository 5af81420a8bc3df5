//! Lays out the matrices of the steps and their arithmetic on a page: side by side where there is
//! room, on several lines if necessary.

use super::Steps;
use super::arithmetic::blocks;
use super::block::Block;
use super::group::Group;
use super::stages::groups;
use crate::error::Error;
use crate::figures::hover;
use crate::figures::panels::{MAX_STEPS_WIDTH, below_title, titled_scene};
use crate::figures::scene::canvas::{DrawingError, canvas};
use crate::figures::scene::svg::svg;
use crate::figures::scene::{Point, Scene};
use crate::markup::text::{escape, text_width};

/// The gaps between parts, horizontally and vertically.
const GAP: Point = (8, 8);

/// The margin on both sides of lines of numbers.
const MARGIN: i32 = 4;

/// A part of the page that wraps to the next line as a whole.
enum Part {
    Matrices(Group),
    /// Blocks, one below the other.
    Arithmetic(Vec<Block>),
}

impl Part {
    fn size(&self) -> Point {
        match self {
            Part::Matrices(group) => group.size,
            Part::Arithmetic(blocks) => {
                let sizes = || blocks.iter().map(Block::size);
                let height: i32 = sizes().map(|size| size.1 + GAP.1).sum();
                (
                    sizes().map(|size| size.0).max().unwrap_or(0) + 2 * MARGIN,
                    height,
                )
            }
        }
    }
}

/// The parts, with the short blocks of the scores together or apart, whichever gives a shorter page.
fn parts(steps: &Steps) -> Vec<Part> {
    let with = |arithmetic: Vec<Vec<Block>>| {
        let matrices = groups(steps).into_iter();
        let matrices = matrices.map(|stages| Part::Matrices(Group::of(steps, &stages)));
        let arithmetic = arithmetic.into_iter().map(Part::Arithmetic);
        matrices.chain(arithmetic).collect::<Vec<Part>>()
    };
    let apart = blocks(steps).into_iter().map(|block| vec![block]).collect();
    let mut together = blocks(steps);
    let others = together.split_off(together.len() - 2).into_iter();
    let together = [vec![together], others.map(|block| vec![block]).collect()].concat();
    let height = |parts: &Vec<Part>| placed(parts, 0).1.1;
    let (together, apart) = (with(together), with(apart));
    if height(&apart) < height(&together) {
        apart
    } else {
        together
    }
}

/// The corner of each part below `top`, and the total size.
fn placed(parts: &[Part], top: i32) -> (Vec<Point>, Point) {
    let (mut x, mut y, mut line) = (0, top, 0);
    let mut size = (0, 0);
    let mut corners = Vec::new();
    for part in parts {
        let (width, height) = part.size();
        if x > 0 && x + width > MAX_STEPS_WIDTH {
            (x, y, line) = (0, y + line + GAP.1, 0);
        }
        corners.push((x, y));
        line = line.max(height);
        size = (size.0.max(x + width), y + line);
        x += width + GAP.0;
    }
    (corners, size)
}

/// All parts in one picture.
pub(super) fn scene(steps: &Steps) -> Result<Scene, Error> {
    let parts = parts(steps);
    let (corners, (width, height)) = placed(&parts, below_title(&steps.title));
    let title_width = text_width(&steps.title) * 16 / 13 + 2 * GAP.0;
    let size = (width.max(title_width), height);
    let mut scene = titled_scene(size, &steps.title, &steps.description())?;
    for (part, corner) in parts.iter().zip(corners) {
        match part {
            Part::Matrices(group) => scene.place(corner, group.scene()?),
            Part::Arithmetic(blocks) => {
                draw(&mut scene, blocks, corner).map_err(Error::drawing)?;
            }
        }
    }
    Ok(scene)
}

fn draw(scene: &mut Scene, blocks: &[Block], (x, mut y): Point) -> Result<(), DrawingError> {
    let canvas = canvas(scene);
    for block in blocks {
        block.draw(&canvas, (x + MARGIN, y))?;
        y += block.size().1 + GAP.1;
    }
    Ok(())
}

/// The parts as HTML, wrapped to the width of the page; cells of the matrices show their values
/// on hover, and the arithmetic is text.
pub(super) fn html(steps: &Steps) -> Result<String, Error> {
    let mut description = Some(steps.description());
    let part = |part: &Part| match part {
        Part::Matrices(group) => {
            // The first picture carries the description of all of them.
            let all = description.take().map_or(String::new(), |all| all + " ");
            let description = all + &group.description;
            let svg = svg(&group.scene()?)?;
            Ok(hover::html(&svg, group.size, &description, &group.fields()))
        }
        Part::Arithmetic(blocks) => {
            let blocks: String = blocks.iter().map(Block::html).collect();
            Ok(format!(
                "<div style=\"padding:0 {MARGIN}px;max-width:100%;box-sizing:border-box;\
                 overflow-x:auto\">{blocks}</div>"
            ))
        }
    };
    let parts: Result<String, Error> = parts(steps).iter().map(part).collect();
    let title = match steps.title.as_str() {
        "" => String::new(),
        title => format!("<div style=\"font-weight:bold\">{}</div>", escape(title)),
    };
    let (across, down) = (GAP.0, GAP.1);
    Ok(format!(
        "{title}<div style=\"display:flex;flex-wrap:wrap;align-items:flex-start;\
         gap:{down}px {across}px\">{}</div>",
        parts?,
    ))
}
