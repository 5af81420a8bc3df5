//! A matrix in colours, without its numbers.

use super::look::{BOLD, SMALL};
use super::sheet::{Cell, INK, Pair, Sheet};
use attention::figures::scene::Role;
use attention::ndarray::Array2;

/// A matrix to be drawn as colours: the name shown above it, its role, the shape shown below it,
/// and its numbers.
pub struct Block<'a>(pub &'a str, pub Role, pub &'a str, pub &'a Array2<f32>);

impl Block<'_> {
    /// Draws the matrix, with a frame around row `framed`.
    pub fn draw(&self, sheet: &mut Sheet, (x, y): Pair, framed: Option<usize>) {
        let Block(name, kind, shape, matrix) = self;
        let (rows, columns) = matrix.dim();
        let (width, height) = (20 * columns as i32, 14 * rows as i32);
        let largest = matrix.iter().fold(0.0_f32, |a, b| a.max(*b));
        sheet.text((x + width / 2, y - 12), BOLD, name);
        sheet.matrix((x, y), (20, 14), (rows, columns), |row, column| {
            Cell::Shade(*kind, matrix[[row, column]] / largest)
        });
        sheet.text((x + width / 2, y + height + 12), SMALL.grey(), shape);
        if let Some(row) = framed {
            sheet.frame((x, y + 14 * row as i32), (width, 14), INK);
        }
    }
}
