//! What comes first in `main`.

use crate::config::Config;
use crate::evaluation::relay;
use crate::standby::waiting::stand_by_if_asked;
use crate::workspace::cargo_shim::stand_in;
use crate::workspace::environment::SingleThread;
#[cfg(target_os = "linux")]
use crate::workspace::guardian;
use crate::workspace::private;
use crate::workspace::set_up;

/// Does the work of the processes that the kernel starts from its own program: it runs the
/// cells in one, calls cargo and rustc in others, compiles the helper crate in one, and stands
/// by in one. There it does not return. In the process that somebody else has started it returns
/// at once, with the right to set that process's environment variables.
///
/// # Panics
///
/// If it is called a second time, or while the process has more than one thread: it is the
/// first statement of `main`.
pub fn start(config: &Config) -> SingleThread {
    stand_in::run_if_linked();
    #[cfg(target_os = "linux")]
    guardian::guard_cells();
    private::write_as_the_user();
    relay::connect();
    evcxr::runtime_hook();
    let thread = SingleThread::claim();
    let thread = set_up::compile_if_asked(config, thread);
    stand_by_if_asked(config, thread)
}
