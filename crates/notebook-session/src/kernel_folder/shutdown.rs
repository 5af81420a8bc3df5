//! Graceful shutdown on a signal: no child processes and no files remain.

use crate::kernel_folder::leave_nothing;
use anyhow::Result;
use jupyter_kernel::locked;
use std::fs;
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard};
use std::task::Poll;
use std::thread;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::signal::unix::{self, SignalKind, signal};

/// Time for a signal to arrive: in a terminal, Ctrl-C reaches the cells, the compilers and this
/// process at nearly the same time.
const ARRIVED_BY_THEN: Duration = Duration::from_millis(200);

/// The folders to delete at exit. Locked for good once the shutdown has begun.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    locked(&FOLDERS)
}

/// Shuts this process down on Ctrl-C, SIGTERM and SIGHUP: ends its child processes, deletes its
/// folders, and exits with 128 plus the signal number, as shells report it.
pub struct Shutdown(());

/// Delays the shutdown while it exists.
pub struct ShutdownDelay {
    _folders: MutexGuard<'static, Vec<PathBuf>>,
}

impl Shutdown {
    /// Starts listening for signals; `folder` is deleted at exit.
    ///
    /// # Errors
    ///
    /// If signal handlers cannot be installed.
    pub fn of(folder: &Path) -> Result<Shutdown> {
        let mut known = folders();
        if known.is_empty() {
            Shutdown::listen()?;
        }
        known.push(folder.to_owned());
        Ok(Shutdown(()))
    }

    fn listen() -> Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let arrivals = {
            let _context = runtime.enter();
            listen()?
        };
        thread::spawn(move || {
            let number = runtime.block_on(first(arrivals));
            let for_ever = folders();
            for folder in &*for_ever {
                leave_nothing(folder);
            }
            process::exit(128 + number)
        });
        Ok(())
    }

    /// Delays the shutdown until the returned guard is dropped. Does not return if it has already
    /// begun.
    pub fn delay(&self) -> ShutdownDelay {
        ShutdownDelay {
            _folders: folders(),
        }
    }

    /// Returns only if this process is not shutting down. Called before a failure is reported,
    /// since the shutdown may have caused it.
    pub fn wait_if_begun(&self) {
        thread::sleep(ARRIVED_BY_THEN);
        drop(self.delay());
    }
}

/// Starts listening; returns the signals with their numbers.
fn listen() -> io::Result<Vec<(i32, unix::Signal)>> {
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !is_ignored(SignalKind::hangup()) {
        kinds.push(SignalKind::hangup());
    }
    kinds
        .into_iter()
        .map(|kind| Ok((kind.as_raw_value(), signal(kind)?)))
        .collect()
}

/// Whether the process was started with this signal ignored, as by `nohup`.
fn is_ignored(kind: SignalKind) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (kind.as_raw_value() - 1) & 1 == 1)
}

/// Waits for the first signal and returns its number.
async fn first(mut arrivals: Vec<(i32, unix::Signal)>) -> i32 {
    poll_fn(|context| {
        let mut ready = arrivals
            .iter_mut()
            .filter_map(|(number, signal)| signal.poll_recv(context).is_ready().then_some(*number));
        ready.next().map_or(Poll::Pending, Poll::Ready)
    })
    .await
}
