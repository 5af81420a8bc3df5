//! What a kernel writes is for its own user, and what its cells write is for whom the user
//! wants: the rights that new files get belong to the process, so the process that runs the
//! cells gets back those that the kernel was started with.

use crate::workspace::environment::{RUNS_CELLS, Variables};
use rustix::fs::Mode;
use rustix::process::umask;
use std::env;

/// The variable with the rights that new files do not get, as the user has them.
const UMASK: &str = "NOTEBOOK_KERNEL_UMASK";

/// From now on new folders of this process get 0700 and new files 0600, and so do those of the
/// compilers that it starts. What is returned tells [`write_as_the_user`] what was before.
pub fn write_for_the_user_alone() -> Variables {
    let before = umask(Mode::RWXG | Mode::RWXO);
    let mut variables = Variables::default();
    variables.set(UMASK, format!("{:o}", before.as_raw_mode()));
    variables
}

/// In the process that runs the cells: new files get what they get anywhere else.
pub fn write_as_the_user() {
    let before = env::var(UMASK)
        .ok()
        .filter(|_| env::var_os(RUNS_CELLS).is_some());
    if let Some(Ok(before)) = before.map(|mode| u32::from_str_radix(&mode, 8)) {
        umask(Mode::from_bits_truncate(before as _));
    }
}
