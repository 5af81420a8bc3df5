//! Reasons, other than a message, for a kernel to end: signals, and the end of Jupyter.

use anyhow::Result;
use std::future::pending;
use std::os::unix::process::parent_id;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// An environment variable that Jupyter sets for its kernels.
const PARENT: &str = "JPY_PARENT_PID";
/// How often to check that Jupyter is still running.
const PARENT_CHECK: Duration = Duration::from_secs(1);

/// Waits for a signal or, if Jupyter started this process, until Jupyter ends.
pub async fn asked_to_end() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    // Ignore SIGINT: interrupts come as messages, and a Ctrl-C in a terminal is for the front end.
    let _interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
        () = end_of_parent() => {}
    }
    Ok(())
}

/// The ID of the parent process, if that is Jupyter.
fn jupyter() -> Option<u32> {
    std::env::var_os(PARENT).map(|_| parent_id())
}

async fn end_of_parent() {
    let Some(jupyter) = jupyter() else {
        return pending().await;
    };
    while parent_id() == jupyter {
        sleep(PARENT_CHECK).await;
    }
}
