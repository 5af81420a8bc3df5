//! Evaluation of cells: the source of a cell goes in, outputs come out as they are
//! made, and at the end either success or a failure.

mod compile_error;
mod failure;
mod interrupt;
pub mod output;
mod relay;
mod session;
mod stream;

pub use failure::Failure;
pub use interrupt::{Interrupter, kill_compilers};
pub use output::{Bundle, Output, Stream};
pub use session::{Analysed, Analysis, Input, PRELUDE, Session};

/// The first lines of the process that runs the cells; does nothing in others.
pub fn prepare_evaluation_process() {
    relay::connect();
}
