//! What a starting kernel and a standby say to each other, one line each.
//!
//! The kernel asks, and hands over its standard output and error with it. The standby agrees or
//! refuses. The kernel says that it still waits; and when the standby listens at the ports of
//! the notebook, it says so. From then on nothing is said until the end: whoever ends closes
//! the stream.

use crate::evaluation::place::Place;
use crate::standby::circumstances::Circumstances;
use anyhow::{Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// The name of the socket in the workspace of a standby.
pub const DOOR: &str = "standby";
/// How long one of the two waits for a line of the other.
pub const LIMIT: Duration = Duration::from_secs(1);
/// How long the kernel waits for the standby to listen: a kernel before, which is ending, may
/// still have the ports.
pub const PORTS_LIMIT: Duration = Duration::from_secs(4);
/// The longest line: an environment can be large.
const MOST_BYTES: u64 = 4 << 20;

#[derive(Deserialize, Serialize)]
pub struct Request {
    pub circumstances: Circumstances,
    pub place: Place,
    pub connection_file: PathBuf,
}

#[derive(Debug, Deserialize, Serialize)]
pub enum Answer {
    /// With the number of the standby's process.
    Agreed(u32),
    Refused(String),
}

/// The kernel still waits for the standby that has agreed.
#[derive(Deserialize, Serialize)]
pub struct GoOn;

/// The standby listens.
#[derive(Deserialize, Serialize)]
pub struct Serving;

/// The notebook has been ended in order.
#[derive(Deserialize, Serialize)]
pub struct Ended;

/// Says one thing.
pub fn say(mut to: &UnixStream, what: &impl Serialize) -> Result<()> {
    to.set_write_timeout(Some(LIMIT))?;
    Ok(writeln!(to, "{}", serde_json::to_string(what)?)?)
}

/// Waits for one thing.
pub fn hear<T: DeserializeOwned>(from: &UnixStream, limit: Duration) -> Result<T> {
    from.set_read_timeout(Some(limit))?;
    let mut line = String::new();
    // Nothing follows a line before it is answered, so nothing is lost with the reader.
    BufReader::new(from).take(MOST_BYTES).read_line(&mut line)?;
    if !line.ends_with('\n') {
        bail!("the other side has ended");
    }
    Ok(serde_json::from_str(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_arrive_and_an_end_or_nonsense_is_an_error() -> Result<()> {
        let (kernel, standby) = UnixStream::pair()?;
        say(&standby, &Answer::Agreed(7))?;
        assert!(matches!(hear(&kernel, LIMIT)?, Answer::Agreed(7)));
        say(&kernel, &GoOn)?;
        hear::<GoOn>(&standby, LIMIT)?;
        writeln!(&kernel, "{{}}")?;
        assert!(hear::<Request>(&standby, LIMIT).is_err());
        drop(kernel);
        assert!(hear::<GoOn>(&standby, LIMIT).is_err());
        Ok(())
    }

    #[test]
    fn nobody_waits_for_ever() -> Result<()> {
        let (kernel, _standby) = UnixStream::pair()?;
        assert!(hear::<Answer>(&kernel, Duration::from_millis(1)).is_err());
        Ok(())
    }
}
