//! How a kernel that starts finds a standby.

use crate::config::Config;
use crate::descriptors;
use crate::standby::circumstances::{self, Circumstances};
use crate::standby::handover::{
    Answer, DOOR, GoOn, LIMIT, PORTS_LIMIT, Request, Serving, hear, say,
};
use crate::workspace::temporary::workspaces;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::SystemTime;

/// The file that says that a kernel had to do without a standby.
const MISSED: &str = "standby.missed";

/// A standby that serves the notebook of this process.
pub struct Taken {
    pub standby: UnixStream,
    pub process: Option<Pid>,
}

/// Looks for one. Whatever goes wrong: without one, the kernel serves the notebook itself.
pub fn take(config: &Config, connection_file: &Path) -> Option<Taken> {
    let request = request(config, connection_file).ok()?;
    let taken = workspaces(config).find_map(|workspace| {
        let standby = UnixStream::connect(workspace.join(DOOR)).ok()?;
        take_over(standby, &request).ok()
    });
    if taken.is_none() {
        let _ = File::create(config.generated.join(MISSED)); // it may be read-only
    }
    taken
}

/// When a kernel had to do without a standby the last time.
pub fn missed(config: &Config) -> Option<SystemTime> {
    let metadata = fs::metadata(config.generated.join(MISSED)).ok()?;
    metadata.modified().ok()
}

fn request(config: &Config, connection_file: &Path) -> Result<Request> {
    Ok(Request {
        circumstances: Circumstances::here(config)?,
        place: circumstances::place()?,
        connection_file: std::path::absolute(connection_file)?,
    })
}

fn take_over(standby: UnixStream, request: &Request) -> Result<Taken> {
    descriptors::send(&standby, &[io::stdout().as_fd(), io::stderr().as_fd()])?;
    say(&standby, request)?;
    let process = match hear(&standby, LIMIT)? {
        Answer::Agreed(process) => Pid::from_raw(process.cast_signed()),
        Answer::Refused(reason) => bail!(reason),
    };
    say(&standby, &GoOn)?;
    if let Err(error) = hear::<Serving>(&standby, PORTS_LIMIT) {
        // It must not listen at the ports of the notebook any more.
        if let Some(process) = process {
            let _ = kill_process(process, Signal::KILL); // it has ended already
        }
        return Err(error).context("the standby does not serve");
    }
    Ok(Taken { standby, process })
}
