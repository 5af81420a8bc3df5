//! A matrix with a pixel for each value, for pictures too large for shapes.

use crate::Error;
use crate::pixels::encode;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ndarray::Array2;
use plotters::style::RGBColor;

/// The matrix as the address of a PNG.
pub(crate) fn data_uri(
    matrix: &Array2<f64>,
    colour: impl Fn((usize, usize), f64) -> RGBColor,
) -> Result<String, Error> {
    let (rows, columns) = matrix.dim();
    let pixels: Vec<u8> = matrix
        .indexed_iter()
        .flat_map(|(index, &value)| {
            let RGBColor(red, green, blue) = colour(index, value);
            [red, green, blue]
        })
        .collect();
    let file = encode((columns, rows), &pixels)?;
    Ok(format!(
        "data:image/png;base64,{}",
        BASE64_STANDARD.encode(file)
    ))
}
