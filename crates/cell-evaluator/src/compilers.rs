//! The programs that compile for a cell; another thread can stop them.

use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Runs one program at a time; any thread can stop it.
#[derive(Clone, Default)]
pub struct Compilers(Arc<Mutex<CurrentProgram>>);

#[derive(Default)]
struct CurrentProgram {
    is_stopped: bool,
    /// The process group of the running program.
    running: Option<Pid>,
}

impl Compilers {
    /// Runs a program to completion and collects its output. Lines on standard error go to `tell`
    /// as they arrive.
    ///
    /// # Errors
    ///
    /// If it does not start, or was stopped: [`io::ErrorKind::Interrupted`].
    pub fn run(&self, command: &mut Command, tell: &mut dyn FnMut(&str)) -> io::Result<Output> {
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.spawn(command)?;
        let printed = child.stdout.take().map(|stdout| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                BufReader::new(stdout)
                    .read_to_end(&mut bytes)
                    .map(|_| bytes)
            })
        });
        let mut stderr = Vec::new();
        if let Some(stream) = child.stderr.take() {
            let mut lines = BufReader::new(stream);
            let mut start = 0;
            while lines.read_until(b'\n', &mut stderr)? > 0 {
                tell(&String::from_utf8_lossy(&stderr[start..]));
                start = stderr.len();
            }
        }
        let stdout = printed.map(|thread| thread.join().unwrap_or_else(|_| Ok(Vec::new())));
        let status = child.wait();
        let was_stopped = {
            let mut state = self.state();
            state.running = None;
            state.is_stopped
        };
        if was_stopped {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(Output {
            status: status?,
            stdout: stdout.transpose()?.unwrap_or_default(),
            stderr,
        })
    }

    /// Spawns a program under the lock, so that a later `stop` finds it.
    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut state = self.state();
        if state.is_stopped {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let child = command.spawn()?;
        state.running = Some(Pid::from_child(&child));
        Ok(child)
    }

    /// Kills the running program and everything it has started, and prevents others from starting.
    pub fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        if let Some(group) = state.running {
            let _ = kill_process_group(group, Signal::KILL); // it may have exited by itself
        }
    }

    /// Lets programs start again.
    pub fn allow(&self) {
        self.state().is_stopped = false;
    }

    fn state(&self) -> MutexGuard<'_, CurrentProgram> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rustc arguments that let code name a library.
pub fn extern_crate(name: &str, library: &Path) -> [OsString; 2] {
    let mut pair = OsString::from(format!("{name}="));
    pair.push(library);
    ["--extern".into(), pair]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn lines_come_one_by_one_and_both_streams_are_collected() -> io::Result<()> {
        let mut told = Vec::new();
        let output = Compilers::default().run(
            &mut shell("echo a >&2; echo out; printf b >&2; exit 3"),
            &mut |line| told.push(line.to_owned()),
        )?;
        assert_eq!(told, ["a\n", "b"]);
        assert_eq!(
            (output.stdout, output.stderr),
            (b"out\n".to_vec(), b"a\nb".to_vec())
        );
        assert_eq!(output.status.code(), Some(3));
        Ok(())
    }

    #[test]
    fn a_program_and_what_it_started_are_stopped_and_none_begins_until_allowed() {
        let compilers = Compilers::default();
        let other = compilers.clone();
        let began = Instant::now();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            other.stop();
        });
        let stopped = compilers.run(&mut shell("sleep 60 & sleep 60"), &mut |_| ());
        assert_eq!(
            stopped.expect_err("stopped").kind(),
            io::ErrorKind::Interrupted
        );
        assert!(began.elapsed() < Duration::from_secs(30));
        assert!(compilers.run(&mut shell("true"), &mut |_| ()).is_err());
        compilers.allow();
        assert!(compilers.run(&mut shell("true"), &mut |_| ()).is_ok());
    }
}
