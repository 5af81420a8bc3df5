//! Calls of the learner's function where they can do no harm.
//!
//! A function that never ends cannot be stopped while it is a thread of this process; a process
//! can be. So the calls are made in a copy of this process, which `fork` makes in about a
//! millisecond, and which has all variables of the notebook. Whatever happens in the copy, this
//! process and its variables stay as they are. Systems without `fork` have no notebook kernel of
//! this project either.

use crate::judge::called::called;
use crate::judge::outcome::Outcome;
use crate::judge::process::{Copy, make_a_copy, print_nothing};
use crate::output::Output;
use std::io::{self, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How long a call may take after one was too slow: the next ones probably are, too.
const AFTER_A_SLOW_ONE: Duration = Duration::from_millis(200);

/// The outcomes of `call(0)` to `call(count - 1)`, each of which may take `limit`.
pub(crate) fn outcomes(
    count: usize,
    limit: Duration,
    call: &dyn Fn(usize) -> Output,
) -> Vec<Outcome> {
    outcomes_after(&|| {}, count, limit, call)
}

/// The same, of calls that print nothing: the learner has not asked for them.
pub(crate) fn silent_outcomes(
    count: usize,
    limit: Duration,
    call: &dyn Fn(usize) -> Output,
) -> Vec<Outcome> {
    outcomes_after(&print_nothing, count, limit, call)
}

fn outcomes_after(
    begin: &dyn Fn(),
    count: usize,
    mut limit: Duration,
    call: &dyn Fn(usize) -> Output,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    while outcomes.len() < count {
        let ended = in_a_copy(&mut outcomes, begin, count, limit, call);
        match ended {
            Ok(()) => {}
            Err(error) if is_timeout(&error) => {
                outcomes.push(Outcome::OutOfTime);
                limit = limit.min(AFTER_A_SLOW_ONE);
            }
            Err(_) => outcomes.push(Outcome::Crashed),
        }
    }
    outcomes
}

/// Makes the calls that are left, until one ends the copy or is too slow.
fn in_a_copy(
    outcomes: &mut Vec<Outcome>,
    begin: &dyn Fn(),
    count: usize,
    limit: Duration,
    call: &dyn Fn(usize) -> Output,
) -> io::Result<()> {
    let (here, mut there) = UnixStream::pair()?;
    here.set_read_timeout(Some(limit))?;
    let left = outcomes.len()..count;
    let copy: Copy = make_a_copy(|| {
        alone();
        begin();
        for index in left {
            let outcome = called(&|| call(index));
            let _ = io::stdout().flush(); // what the learner's function has printed
            if outcome.write(&mut there).is_err() {
                return;
            }
        }
    })?;
    drop(there);
    let mut from = BufReader::new(here); // an outcome is many small numbers
    while outcomes.len() < count {
        outcomes.push(Outcome::read(&mut from)?);
    }
    drop(copy); // ends it
    Ok(())
}

/// A copy has one thread: rayon's others are not there, and must not be waited for.
fn alone() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    // Fails only where the thread works for a pool already.
    let _ = pool.use_current_thread().build();
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
