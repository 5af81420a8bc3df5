//! The connection file, which Jupyter writes for each kernel it starts.

use crate::sockets::Address;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
pub struct Connection {
    transport: String,
    /// A host or, for the transport `ipc`, the prefix of the sockets' paths.
    ip: String,
    pub key: String,
    pub shell_port: u16,
    pub control_port: u16,
    pub stdin_port: u16,
    pub iopub_port: u16,
    pub hb_port: u16,
}

impl Connection {
    pub fn read(path: &Path) -> Result<Connection> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read the connection file {}", path.display()))?;
        let connection: Connection = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a connection file", path.display()))?;
        let transport = &connection.transport;
        ensure!(
            ["tcp", "ipc"].contains(&transport.as_str()),
            "{} asks for the transport {transport:?}, but this kernel supports only tcp and ipc",
            path.display()
        );
        Ok(connection)
    }

    /// The address of one of the ports.
    pub fn address(&self, port: u16) -> Address<'_> {
        match self.transport.as_str() {
            "ipc" => Address::File(PathBuf::from(format!("{}-{port}", self.ip))),
            _ => Address::Port(&self.ip, port),
        }
    }
}
