//! The names that the first cell of a lesson imports: `use exercises::prelude::*;`.

pub use crate::course::{check, hint, predict, solution};
pub use crate::overview::progress;
pub use attention::prelude::*;
