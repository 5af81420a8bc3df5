//! The standard input of the process that runs the cells.
//!
//! evcxr writes there: a command for each cell that it has compiled, and the answer where a
//! cell asks for text in evcxr's way. Its lines take their way through this process. So a cell
//! that was stopped before it ran never runs; and a cell that reads standard input by itself
//! gets what the learner types, or an end, and does not wait for evcxr's next command.

use crate::evaluation::stream::{CHANGED_TYPE, COMPLETE};
use crate::locked::locked;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, send, shutdown};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard};

/// Begins the command for a cell.
const RUN: &str = "LOAD_AND_RUN ";
/// No piece of a line is longer: a reader takes a piece at a time.
const LONGEST_PIECE: usize = 4096;

/// What evcxr's thread, the relay and the session know of the process that runs the cells.
#[derive(Clone, Default)]
pub struct Commands(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// No cell may begin.
    is_shut: bool,
    /// A cell has been handed over and has not ended.
    is_at_work: bool,
    /// It has begun, and what it prints has not come to an end.
    is_in_cell: bool,
    /// A process is being made ready: that is no cell.
    is_in_preparation: bool,
    /// evcxr has been asked for text and has not answered.
    is_asked: bool,
    process: Option<Arc<Process>>,
}

/// The way to a process, and to evcxr what it says.
pub struct Process {
    input: OwnedFd,
    /// Its number, if the system says it.
    id: Option<u32>,
    /// What it prints; locked while that is read and understood.
    output: Mutex<UnixStream>,
    /// The pipe that evcxr reads, until the process has ended.
    evcxr: Mutex<Option<File>>,
}

impl Process {
    pub fn new(input: OwnedFd, evcxr: File, id: Option<u32>, output: UnixStream) -> Process {
        Process {
            input,
            id,
            output: Mutex::new(output),
            evcxr: Mutex::new(Some(evcxr)),
        }
    }

    /// Held while what the process prints is read and understood.
    pub fn understanding(&self) -> MutexGuard<'_, UnixStream> {
        locked(&self.output)
    }

    /// Whether all that the process has printed so far is understood.
    fn is_understood(&self) -> bool {
        let Ok(output) = self.output.try_lock() else {
            return false;
        };
        let mut unread = [PollFd::new(&*output, PollFlags::IN)];
        matches!(poll(&mut unread, Some(&Timespec::default())), Ok(0))
    }

    /// Hands a line of the process on to evcxr.
    pub fn tell_evcxr(&self, line: &str) -> io::Result<()> {
        match &mut *locked(&self.evcxr) {
            Some(pipe) => writeln!(pipe, "{line}"),
            None => Ok(()),
        }
    }

    /// A line for the process.
    fn send(&self, line: &str) -> io::Result<()> {
        for mut piece in line.as_bytes().chunks(LONGEST_PIECE) {
            while !piece.is_empty() {
                match send(&self.input, piece, SendFlags::NOSIGNAL) {
                    Ok(count) => piece = &piece[count..],
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }
}

impl Commands {
    /// A process has begun.
    pub fn begin(&self, process: &Arc<Process>) {
        let mut state = locked(&self.0);
        *state = State {
            is_shut: state.is_shut,
            is_in_preparation: state.is_in_preparation,
            process: Some(Arc::clone(process)),
            ..State::default()
        };
    }

    /// Hands evcxr's lines on to the process, until evcxr says no more.
    pub fn hand_on(&self, process: &Process, commands: File) -> io::Result<()> {
        for line in BufReader::new(commands).lines() {
            let line = line? + "\n";
            // Until the line is there: who then still waits for one has not been sent any.
            let mut state = locked(&self.0);
            if line.starts_with(RUN) {
                if state.is_shut {
                    drop(state);
                    // evcxr compiles the cell once more, which fails as long as it should stop.
                    process.tell_evcxr(&format!("{CHANGED_TYPE}\n{COMPLETE}"))?;
                    continue;
                }
                state.is_at_work = true;
            } else {
                state.is_asked = false;
            }
            process.send(&line)?;
        }
        Ok(shutdown(&process.input, Shutdown::Write)?)
    }

    /// Keeps cells back from now on; `false` if one is at work already, or a process is in
    /// preparation.
    pub fn shut(&self) -> bool {
        let mut state = locked(&self.0);
        state.is_shut |= !state.is_at_work && !state.is_in_preparation;
        state.is_shut
    }

    /// From now on, or no longer, a process is made ready for cells.
    pub fn set_in_preparation(&self, is_in_preparation: bool) {
        let mut state = locked(&self.0);
        state.is_in_preparation = is_in_preparation;
        state.is_shut &= !is_in_preparation;
    }

    pub fn are_in_preparation(&self) -> bool {
        locked(&self.0).is_in_preparation
    }

    pub fn open(&self) {
        locked(&self.0).is_shut = false;
    }

    pub fn are_shut(&self) -> bool {
        locked(&self.0).is_shut
    }

    /// The number of the process that runs the cells, if there is one and the system says it.
    pub fn process_id(&self) -> Option<u32> {
        locked(&self.0).process.as_ref()?.id
    }

    /// Whether a cell is at work: it can change variables.
    pub fn are_at_work(&self) -> bool {
        locked(&self.0).is_at_work
    }

    /// The process has printed what only evcxr is meant to read.
    pub fn printed(&self, line: &str, is_question: bool) {
        let mut state = locked(&self.0);
        state.is_asked |= is_question;
        state.is_at_work &= line != COMPLETE;
    }

    /// Whether what the process prints now is a cell's.
    pub fn set_in_cell(&self, is_in_cell: bool) {
        locked(&self.0).is_in_cell = is_in_cell;
    }

    /// The process has ended, or is given up.
    pub fn forget(&self, process: &Arc<Process>) {
        locked(&process.evcxr).take();
        let mut state = locked(&self.0);
        if state
            .process
            .as_ref()
            .is_some_and(|one| Arc::ptr_eq(one, process))
        {
            state.process = None;
            state.is_at_work = false;
        }
    }

    /// Gives the cell what it waits for on its standard input, if `is_waiting` still says so:
    /// a line, or the end of the input.
    ///
    /// Nothing is sent that nobody waits for: it would be the next command.
    pub fn answer(&self, line: Option<&str>, is_waiting: impl Fn() -> bool) {
        let state = locked(&self.0);
        let Some(process) = state.cell_of_process() else {
            return;
        };
        if is_waiting() {
            let _ = match line {
                Some(line) => process.send(&format!("{line}\n")),
                None => process.end_input(),
            }; // the process has ended meanwhile
        }
    }

    /// Whether a cell runs that may read its standard input by itself. When a process is seen
    /// to wait, what it has printed before says whether it waits for a cell or for the next
    /// command: ask after that.
    pub fn can_be_waited_for(&self) -> bool {
        let process = locked(&self.0).cell_of_process().cloned();
        // Without the lock: who understands needs it.
        process.is_some_and(|process| process.is_understood())
            && locked(&self.0).cell_of_process().is_some()
    }
}

impl State {
    fn cell_of_process(&self) -> Option<&Arc<Process>> {
        let is_free = self.is_at_work && self.is_in_cell && !self.is_asked;
        self.process.as_ref().filter(|_| is_free)
    }
}

impl Process {
    /// An end of the input for whoever waits for some, and for nobody else: an empty piece.
    fn end_input(&self) -> io::Result<()> {
        send(&self.input, &[], SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// The end of a cell may be printed and not read yet: then its process waits for the next
    /// command, and not for the cell.
    #[test]
    fn nobody_waits_for_a_cell_as_long_as_something_printed_is_not_understood() -> io::Result<()> {
        let (input, _cell) = UnixStream::pair()?;
        let (mut kernel, mut printing) = UnixStream::pair()?;
        let evcxr = tempfile::tempfile()?;
        let process = Process::new(input.into(), evcxr, None, kernel.try_clone()?);
        let (process, commands) = (Arc::new(process), Commands::default());
        commands.begin(&process);
        assert!(!commands.can_be_waited_for(), "no cell is at work");
        locked(&commands.0).is_at_work = true;
        commands.set_in_cell(true);
        assert!(commands.can_be_waited_for());
        printing.write_all(b"the end")?;
        assert!(!commands.can_be_waited_for(), "it is not read");
        let understanding = process.understanding();
        kernel.read_exact(&mut [0; 7])?;
        assert!(!commands.can_be_waited_for(), "it is read, and no more");
        drop(understanding);
        assert!(commands.can_be_waited_for());
        commands.set_in_cell(false);
        assert!(!commands.can_be_waited_for());
        Ok(())
    }
}
