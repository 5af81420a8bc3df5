//! Where cells run: the folder, and the variables that Jupyter sets for each kernel.
//!
//! The evaluation process is told at its start, and once more if it was started before anybody
//! knew for which notebook.

use crate::workspace::environment;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// How long the evaluation process may take to move.
const LIMIT: Duration = Duration::from_secs(1);
/// What it answers then.
const MOVED: u8 = b'm';

/// A folder, and environment variables: their values, or `None` for those that are not set.
/// The default is where the process is anyway.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Place {
    pub folder: Option<PathBuf>,
    pub variables: BTreeMap<String, Option<String>>,
}

/// The variable in which Jupyter tells a kernel the path of its notebook.
const NOTEBOOK: &str = "JPY_SESSION_NAME";

impl Place {
    /// The path of the notebook, as far as it is known here.
    pub fn notebook(&self) -> Option<PathBuf> {
        let path = match self.variables.get(NOTEBOOK) {
            Some(path) => path.as_ref().map(PathBuf::from),
            None => env::var_os(NOTEBOOK).map(PathBuf::from),
        };
        path.filter(|path| !path.as_os_str().is_empty())
    }

    /// Reads one from a line.
    fn read(lines: &mut impl BufRead) -> io::Result<Place> {
        let mut line = String::new();
        lines.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Moves this process here.
    fn enter(self) -> io::Result<()> {
        if let Some(folder) = self.folder {
            env::set_current_dir(folder)?;
        }
        environment::replace_while_nothing_runs(self.variables);
        Ok(())
    }
}

/// The kernel's side: where its evaluation processes are.
#[derive(Default)]
pub struct Placing {
    place: Place,
    /// To the process that is there now.
    process: Option<UnixStream>,
}

impl Placing {
    /// Tells a new process where it is.
    pub fn begin(&mut self, process: UnixStream) {
        let told = tell(&process, &self.place);
        self.process = told.is_ok().then_some(process);
    }

    /// Moves the process that is there now, and those that will follow it.
    pub fn move_to(&mut self, place: Place) -> io::Result<()> {
        self.place = place;
        let process = self.process.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        tell(process, &self.place)
    }
}

/// Waits until the process has moved.
fn tell(mut process: &UnixStream, place: &Place) -> io::Result<()> {
    process.set_read_timeout(Some(LIMIT))?;
    writeln!(process, "{}", serde_json::to_string(place)?)?;
    let mut answer = [0];
    process.read_exact(&mut answer)?;
    match answer[0] {
        MOVED => Ok(()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The evaluation process's side: goes where it is told to, at once, and later once more.
pub fn follow(kernel: UnixStream) -> io::Result<()> {
    let mut answers = kernel.try_clone()?;
    let mut places = BufReader::new(kernel);
    Place::read(&mut places)?.enter()?;
    answers.write_all(&[MOVED])?;
    thread::spawn(move || {
        // The end of the stream is the end of the kernel.
        if let Ok(place) = Place::read(&mut places)
            && place.enter().is_ok()
        {
            let _ = answers.write_all(&[MOVED]); // the kernel waits no more
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_at_its_start_and_once_more() -> io::Result<()> {
        let folder = env::current_dir()?;
        let name = "NOTEBOOK_KERNEL_PLACE_OF_A_TEST";
        let place = |value: Option<&str>| Place {
            folder: Some(folder.clone()),
            variables: BTreeMap::from([(name.to_owned(), value.map(str::to_owned))]),
        };
        let (kernel, process) = UnixStream::pair()?;
        let mut placing = Placing {
            place: place(Some("first")),
            process: None,
        };
        let followed = thread::spawn(|| follow(process));
        placing.begin(kernel);
        followed.join().expect("it ends")?;
        assert_eq!(env::var(name).as_deref(), Ok("first"));
        placing.move_to(place(Some("second")))?;
        assert_eq!(env::var(name).as_deref(), Ok("second"));
        assert!(placing.move_to(place(None)).is_err(), "it moves once");
        Ok(())
    }
}
