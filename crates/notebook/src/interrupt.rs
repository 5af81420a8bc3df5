//! Checks whether the learner wants a long loop to stop.

use crate::convention::INTERRUPT_FILE_VARIABLE;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Whether the notebook's stop button has been pressed since the cell began.
///
/// A loop that checks this before every step and then ends normally keeps its variables. The kernel
/// sets the variable `NOTEBOOK_INTERRUPT_FILE` to the path of a file that exists once the button
/// has been pressed; without that variable the answer is `false`. Takes about a microsecond.
///
/// Python: `KeyboardInterrupt`
///
/// ```
/// let mut steps = 0;
/// while steps < 1000 && !notebook::interrupted() {
///     steps += 1;
/// }
/// assert_eq!(steps, 1000);
/// ```
pub fn interrupted() -> bool {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let file = FILE.get_or_init(|| std::env::var_os(INTERRUPT_FILE_VARIABLE).map(PathBuf::from));
    file.as_ref().is_some_and(|file| file.exists())
}
