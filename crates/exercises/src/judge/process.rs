//! A copy of this process, for a task that might never end.
//!
//! The only file with `unsafe` in this crate: the standard library has no `fork`.

#![allow(unsafe_code, reason = "the standard library has no fork")]

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process is a copy.
static IS_COPY: AtomicBool = AtomicBool::new(false);

/// A copy that works; dropping it ends it.
pub(crate) struct Copy(libc::pid_t);

/// Makes a copy of this process, in which `task` runs; the copy ends with it, or with this
/// process.
pub(crate) fn make_a_copy(task: impl FnOnce()) -> io::Result<Copy> {
    silence_copies();
    // A copy has no thread but this one, so nobody there could release a lock which another
    // thread has taken. This thread holds those of the streams, and can take them again.
    let (mut stdout, stderr) = (io::stdout().lock(), io::stderr().lock());
    stdout.flush()?;
    // SAFETY: the copy goes on in this thread with a copy of the memory. It uses what the C
    // library makes usable in a copy (its memory allocator), the streams, whose locks this thread
    // holds, and what `task` brings; no other lock of the standard library is held for longer
    // than a moment by the threads of a process that runs cells. Should one be, the copy waits
    // until it is ended.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let _held = (stdout, stderr);
            IS_COPY.store(true, Ordering::Relaxed);
            prepare();
            let _ = panic::catch_unwind(AssertUnwindSafe(task));
            // SAFETY: ends the copy at once, without what this process has left to do at its end.
            unsafe { libc::_exit(0) }
        }
        id => Ok(Copy(id)),
    }
}

/// Lets panics in copies say nothing: there they are outcomes. A copy could not do this itself,
/// because another thread, which it does not have, may hold the lock of the hook.
fn silence_copies() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_COPY.load(Ordering::Relaxed) {
                hook(panic);
            }
        }));
    });
}

/// Takes back in the copy what it must not do as its original does.
fn prepare() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT] {
        // SAFETY: the system's own way to handle a signal, which ends the copy without a word.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    #[cfg(target_os = "linux")]
    // SAFETY: changes nothing but which signal the copy gets when its original ends.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL)
    };
}

/// Lets a copy print nothing from now on.
pub(crate) fn print_nothing() {
    // SAFETY: a path that ends in 0, and the numbers of the streams, which stay open.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(nowhere, libc::STDOUT_FILENO);
        libc::dup2(nowhere, libc::STDERR_FILENO);
    }
}

impl Copy {
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

impl Drop for Copy {
    fn drop(&mut self) {
        self.end_and_wait();
    }
}
