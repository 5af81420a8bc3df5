//! A matrix with a pixel for each value, or for the mean of some, where there are too many
//! for shapes.

use crate::error::Error;
use crate::figures::pixels::encode;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ndarray::Array2;
use plotters::style::RGBColor;

/// The colours of a matrix as the address of a PNG.
pub(crate) fn data_uri(colours: &Array2<RGBColor>) -> Result<String, Error> {
    let (rows, columns) = colours.dim();
    let rgb = |&RGBColor(red, green, blue): &RGBColor| [red, green, blue];
    let pixels: Vec<u8> = colours.iter().flat_map(rgb).collect();
    let file = encode((columns, rows), &pixels)?;
    Ok(format!(
        "data:image/png;base64,{}",
        BASE64_STANDARD.encode(file)
    ))
}
