//! A forked child of this process, for a task that might never end.
//!
//! The only file with `unsafe` in this crate: the standard library has no `fork`.

#![allow(unsafe_code, reason = "the standard library has no fork")]

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process is a child.
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// A child that works; dropping it ends it.
pub(crate) struct ForkedChild(libc::pid_t);

/// Forks this process; `task` runs in the child, which ends with it, or with this process.
pub(crate) fn fork(task: impl FnOnce()) -> io::Result<ForkedChild> {
    silence_children();
    // A child has no thread but this one, so nobody there could release a lock which another
    // thread has taken. This thread holds those of the streams, and can take them again.
    let (mut stdout, stderr) = (io::stdout().lock(), io::stderr().lock());
    stdout.flush()?;
    // SAFETY: the child goes on in this thread with a copy of the memory. It uses what the C
    // library makes usable in a child (its memory allocator), the streams, whose locks this thread
    // holds, and what `task` brings; no other lock of the standard library is held for longer
    // than a moment by the threads of a process that runs cells. Should one be, the child waits
    // until it is ended.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let _held = (stdout, stderr);
            IS_FORKED.store(true, Ordering::Relaxed);
            prepare();
            let _ = panic::catch_unwind(AssertUnwindSafe(task));
            // SAFETY: ends the child at once, without what this process has left to do at its end.
            unsafe { libc::_exit(0) }
        }
        id => Ok(ForkedChild(id)),
    }
}

/// Lets panics in children say nothing: there they are outcomes. A child could not do this itself,
/// because another thread, which it does not have, may hold the lock of the hook.
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

/// Takes back in the child what it must not do as its parent does.
fn prepare() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT] {
        // SAFETY: the system's own way to handle a signal, which ends the child without a word.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    #[cfg(target_os = "linux")]
    // SAFETY: changes nothing but which signal the child gets when its parent ends.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL)
    };
}

/// Lets a child print nothing from now on.
pub(crate) fn print_nothing() {
    // SAFETY: a path that ends in 0, and the numbers of the streams, which stay open.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(nowhere, libc::STDOUT_FILENO);
        libc::dup2(nowhere, libc::STDERR_FILENO);
    }
}

impl ForkedChild {
    /// Ends it. Returns its exit code, if it has ended by itself.
    pub(crate) fn end(self) -> Option<i32> {
        let status = std::mem::ManuallyDrop::new(self).end_and_wait();
        libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status))
    }

    fn end_and_wait(&self) -> libc::c_int {
        let mut status = 0;
        // SAFETY: the number is that of a child which nobody else has waited for, so that it can
        // be no other process yet.
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
