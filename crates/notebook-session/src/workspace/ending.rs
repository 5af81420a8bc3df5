//! The end of a process that a signal asks to end: nothing that it has started or written
//! stays behind.

use crate::workspace::folder::leave_nothing;
use anyhow::Result;
use std::fs;
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::signal::unix::{self, SignalKind, signal};

/// In a terminal Ctrl-C reaches the cells and the compilers as soon as this process.
const ARRIVED_BY_THEN: Duration = Duration::from_millis(200);

/// The folders that go with this process. Held for ever once its end has begun.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends this process in order on Ctrl-C, SIGTERM and SIGHUP: together with the processes that
/// it has started, and without its folders. The exit code is
/// what shells say of a program that a signal has ended: 128 and the signal's number.
pub struct Ending(());

/// Holds the end up as long as it lives.
pub struct NotNow {
    _folders: MutexGuard<'static, Vec<PathBuf>>,
}

impl Ending {
    /// Listens from now on; `folder` goes with the process.
    ///
    /// # Errors
    ///
    /// If the system does not let this process listen.
    pub fn of(folder: &Path) -> Result<Ending> {
        let mut known = folders();
        if known.is_empty() {
            Ending::listen()?;
        }
        known.push(folder.to_owned());
        Ok(Ending(()))
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

    /// Until what is returned is dropped, the process does not end. If its end has begun
    /// already, this does not return.
    pub fn not_now(&self) -> NotNow {
        NotNow {
            _folders: folders(),
        }
    }

    /// Does not return if the process is about to end: then that is why something failed.
    pub fn is_no_reason(&self) {
        thread::sleep(ARRIVED_BY_THEN);
        drop(self.not_now());
    }
}

/// The signals, with their numbers.
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

/// Whether the process was started to ignore a signal, as `nohup` does it.
fn is_ignored(kind: SignalKind) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (kind.as_raw_value() - 1) & 1 == 1)
}

/// The number of the first signal that comes.
async fn first(mut arrivals: Vec<(i32, unix::Signal)>) -> i32 {
    poll_fn(|context| {
        let mut ready = arrivals
            .iter_mut()
            .filter_map(|(number, signal)| signal.poll_recv(context).is_ready().then_some(*number));
        ready.next().map_or(Poll::Pending, Poll::Ready)
    })
    .await
}
