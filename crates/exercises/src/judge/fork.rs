//! A forked child of this process, for a task that might never end.
//!
//! This is the only file with `unsafe` in this crate, because the standard library has no `fork`.

#![allow(unsafe_code, reason = "the standard library has no fork")]

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process is a child.
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// A running child; dropping it kills it.
pub(crate) struct ForkedChild(libc::pid_t);

/// Forks this process and runs `task` in the child, which ends with its task or, on Linux, with
/// this process.
pub(crate) fn fork(task: impl FnOnce()) -> io::Result<ForkedChild> {
    silence_children();
    // The child has no thread but this one, so a lock held by another thread would never be
    // released there. This thread holds the locks of the streams, and can take them again.
    let (mut stdout, stderr) = (io::stdout().lock(), io::stderr().lock());
    stdout.flush()?;
    // SAFETY: the child continues in this thread with a copy of the memory. It uses the memory
    // allocator, which the C library keeps usable after a fork, the streams, whose locks this
    // thread holds, and whatever `task` captures. The threads of a process that runs cells hold
    // other locks of the standard library only for a moment; if one is held nevertheless, the child
    // waits until it is killed.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let _held = (stdout, stderr);
            IS_FORKED.store(true, Ordering::Relaxed);
            prepare();
            let _ = panic::catch_unwind(AssertUnwindSafe(task));
            // SAFETY: ends the child immediately, without running this process's exit handlers.
            unsafe { libc::_exit(0) }
        }
        id => Ok(ForkedChild(id)),
    }
}

/// Silences panics in children, where they are outcomes. A child could not do this itself: the lock
/// of the panic hook may be held by another thread, which does not exist in the child.
fn silence_children() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_FORKED.load(Ordering::Relaxed) {
                hook(panic);
            }
        }));
    });
}

/// Removes the parent's signal handlers from the child and, on Linux, makes the child end with its
/// parent.
fn prepare() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT] {
        // SAFETY: restores the system's default action for a signal, which silently ends the child.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    #[cfg(target_os = "linux")]
    // SAFETY: only sets the signal that the child gets when its parent ends.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL)
    };
}

/// Discards everything that a child prints from now on.
pub(crate) fn print_nothing() {
    // SAFETY: the path ends in 0, and the descriptors are those of the streams, which stay open.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(nowhere, libc::STDOUT_FILENO);
        libc::dup2(nowhere, libc::STDERR_FILENO);
    }
}

impl ForkedChild {
    /// Kills the child. Returns its exit code if it had already ended by itself.
    pub(crate) fn end(self) -> Option<i32> {
        let status = std::mem::ManuallyDrop::new(self).end_and_wait();
        libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status))
    }

    fn end_and_wait(&self) -> libc::c_int {
        let mut status = 0;
        // SAFETY: nothing else has waited for this child, so its process ID cannot belong to
        // another process yet.
        unsafe {
            libc::kill(self.0, libc::SIGKILL);
            libc::waitpid(self.0, &raw mut status, 0);
        }
        status
    }
}

impl Drop for ForkedChild {
    fn drop(&mut self) {
        self.end_and_wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_child_that_is_dropped_ends() -> io::Result<()> {
        let child = fork(|| thread::sleep(Duration::from_secs(60)))?;
        let id = child.0;
        // SAFETY: signal 0 only asks whether the process exists.
        let exists = || unsafe { libc::kill(id, 0) } == 0;
        assert!(exists());
        drop(child);
        assert!(!exists());
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_gets_a_signal_when_its_parent_ends() -> io::Result<()> {
        let (mut here, mut there) = UnixStream::pair()?;
        let _child = fork(|| {
            let mut signal: libc::c_int = 0;
            // SAFETY: only writes the number of the signal.
            unsafe { libc::prctl(libc::PR_GET_PDEATHSIG, &raw mut signal) };
            let _ = there.write_all(&signal.to_ne_bytes());
        })?;
        let mut signal = [0; 4];
        here.read_exact(&mut signal)?;
        assert_eq!(libc::c_int::from_ne_bytes(signal), libc::SIGKILL);
        Ok(())
    }

    #[test]
    fn a_child_that_is_ended_has_no_exit_code() -> io::Result<()> {
        let child = fork(|| thread::sleep(Duration::from_secs(60)))?;
        assert_eq!(child.end(), None);
        Ok(())
    }
}
