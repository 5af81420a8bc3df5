//! The process that Jupyter has started, when a standby serves its notebook: signals, the end of
//! Jupyter and that of the kernel go from one to the other.

use crate::protocol::asked_to_end::asked_to_end;
use crate::standby::handover::Ended;
use crate::standby::taking::Taken;
use anyhow::{Result, ensure};
use rustix::process::{Signal, kill_process};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

/// How long the standby may take to end.
const LIMIT: Duration = Duration::from_secs(10);

/// Until the notebook is ended.
///
/// # Errors
///
/// If the standby has ended by itself; then this process should, too, and Jupyter starts
/// another one.
pub fn stand_for(taken: Taken) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let last_line = runtime.block_on(async {
        taken.standby.set_nonblocking(true)?;
        let mut standby = UnixStream::from_std(taken.standby)?;
        let mut said = String::new();
        let asked = tokio::select! {
            read = standby.read_to_string(&mut said) => read.map(|_| false)?,
            asked = asked_to_end(true) => asked.map(|()| true)?,
        };
        if asked {
            standby.shutdown().await?;
            let ended = timeout(LIMIT, standby.read_to_string(&mut said)).await;
            if ended.is_err()
                && let Some(process) = taken.process
            {
                kill_process(process, Signal::KILL)?;
            }
        }
        anyhow::Ok(said)
    })?;
    ensure!(
        serde_json::from_str::<Ended>(&last_line).is_ok(),
        "the process that served the notebook has ended"
    );
    Ok(())
}
