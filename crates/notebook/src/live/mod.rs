//! Pictures that are redrawn when the learner moves a control under the cell.
//!
//! A cell shows the first picture with [`Live::emit`]. If the kernel sets
//! [`LIVE_VARIABLE`](crate::convention::LIVE_VARIABLE), the picture is registered there, and from
//! then on a thread waits for values, even while other cells run. Otherwise the first
//! picture remains the only one.

mod control;
mod control_texts;
mod forms;
mod number;
pub mod page;
mod picture;
#[cfg(unix)]
mod registered;
#[cfg(not(unix))]
use page as registered;
pub mod wire;

pub use control::{Control, ControlKind, Value};
pub use forms::{Forms, marked};
pub use number::Number;
pub use picture::{Draw, Live};
