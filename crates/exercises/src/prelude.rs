//! The names that the first cell of a lesson imports: `use exercises::prelude::*;`.

pub use crate::course::{check, hint, predict, progress, solution};
pub use attention::prelude::*;
