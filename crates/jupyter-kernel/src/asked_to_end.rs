//! When the process of a kernel should end although no message says so.

use anyhow::Result;
use std::future::pending;
use std::os::unix::process::parent_id;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// Jupyter sets it for its kernels.
const PARENT: &str = "JPY_PARENT_PID";
/// How often the kernel looks whether the program that started it still lives.
const PARENT_CHECK: Duration = Duration::from_secs(1);

/// Waits for a signal, or, if Jupyter has started this process, for the end of Jupyter.
pub async fn asked_to_end() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    // Interrupts come as messages; a Ctrl-C in a terminal is for the front end.
    let _interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
        () = end_of_parent() => {}
    }
    Ok(())
}

/// The process that has started this one, if that is Jupyter.
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
