//! The processes that cells have started, also those whose own parent has ended.

use crate::evaluation::interrupt::kill_descendants;
#[cfg(target_os = "linux")]
use crate::workspace::environment::CELL_CRATE;
use std::fs;
use std::path::Path;

/// Ends all processes that this one and the cells of a workspace have started, and deletes the
/// workspace; says whether that is gone.
pub fn leave_nothing(workspace: &Path) -> bool {
    kill_descendants(|_| true);
    end_marked(workspace);
    let _ = fs::remove_dir_all(workspace); // what counts is what is left
    !workspace.exists()
}

/// Ends whoever has the workspace in its environment, as the compilers and the cells have, and
/// what they start. This process is spared.
#[cfg(target_os = "linux")]
pub fn end_marked(workspace: &Path) {
    use rustix::process::{Pid, Signal, getpid, kill_process};
    use std::os::unix::ffi::OsStrExt;

    let cell_crate = workspace.join("ctx");
    let mark = [
        CELL_CRATE.as_bytes(),
        b"=",
        cell_crate.as_os_str().as_bytes(),
    ]
    .concat();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry.file_name().to_str().and_then(|id| id.parse().ok());
        let Some(id) = id.and_then(Pid::from_raw).filter(|id| *id != getpid()) else {
            continue;
        };
        // Another user's cannot be read, and are none of the cells'.
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == mark)
        {
            let _ = kill_process(id, Signal::KILL); // it may have ended by itself
        }
    }
}

/// Elsewhere the environment of a process is not to be seen.
#[cfg(not(target_os = "linux"))]
pub fn end_marked(_workspace: &Path) {}
