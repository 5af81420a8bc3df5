//! Calls the learner's function where it can do no harm.
//!
//! A thread that never ends cannot be stopped, but a process can. The calls are therefore made in a
//! forked child of this process, which starts in about a millisecond and has all variables of the
//! notebook. Nothing that happens there affects this process or its variables. On systems without
//! `fork`, this project's kernel does not run anyway.

use crate::judge::called::called;
use crate::judge::fork::{ForkedChild, fork, print_nothing};
use crate::judge::outcome::{Outcome, not_too_large};
use crate::judge::sealed::Seal;
use crate::output::Output;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// The time limit for calls after one that was too slow: the others are probably slow as well.
const AFTER_A_SLOW_ONE: Duration = Duration::from_millis(200);

/// The outcomes of `call(0)` to `call(count - 1)`, each with the time limit `limit`.
pub(crate) fn outcomes(
    count: usize,
    limit: Duration,
    call: &dyn Fn(usize) -> Output,
) -> Vec<Outcome> {
    outcomes_after(&|| {}, count, limit, call)
}

/// [`outcomes`], but what the calls print is discarded: the learner has not asked for them.
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
        let ended = in_a_child(&mut outcomes, begin, count, limit, call);
        match ended {
            Ok(()) => {}
            Err(error) if is_timeout(&error) => {
                outcomes.push(Outcome::OutOfTime);
                limit = limit.min(AFTER_A_SLOW_ONE);
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                outcomes.push(Outcome::Garbled);
            }
            Err(_) => outcomes.push(Outcome::Crashed),
        }
    }
    outcomes
}

/// Makes the remaining calls until one of them ends the child or is too slow.
fn in_a_child(
    outcomes: &mut Vec<Outcome>,
    begin: &dyn Fn(),
    count: usize,
    limit: Duration,
    call: &dyn Fn(usize) -> Output,
) -> io::Result<()> {
    let (here, mut there) = UnixStream::pair()?;
    let (seal, left) = (Seal::new(), outcomes.len()..count);
    let child: ForkedChild = fork(|| {
        alone();
        begin();
        for index in left {
            let outcome = called(&|| not_too_large(call(index)));
            let _ = io::stdout().flush(); // whatever the learner's function has printed
            if seal.write(index, &outcome, &mut there).is_err() {
                return;
            }
        }
    })?;
    drop(there);
    let end = Instant::now(); // until the loop sets it
    let mut from = BufReader::new(Until { end, from: here }); // an outcome consists of many small numbers
    while outcomes.len() < count {
        from.get_mut().end = Instant::now() + limit;
        match seal.read(outcomes.len(), &mut from) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) if is_timeout(&error) || error.kind() == ErrorKind::InvalidData => {
                return Err(error);
            }
            Err(_) => {
                outcomes.push(child.end().map_or(Outcome::Crashed, Outcome::Exited));
                return Ok(());
            }
        }
    }
    drop(child); // kills it
    Ok(())
}

/// Reads what a child sends until a point in time, however slowly it arrives.
struct Until {
    end: Instant,
    from: UnixStream,
}

impl Read for Until {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.from.set_read_timeout(Some(left))?;
        self.from.read(buffer)
    }
}

/// Makes rayon use this thread only: a child does not have rayon's other threads, and must not wait
/// for them.
fn alone() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    // Fails only if the thread already belongs to a pool.
    let _ = pool.use_current_thread().build();
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::ReturnValue;
    use std::thread;

    #[test]
    fn what_drips_in_ends_in_time_too() -> io::Result<()> {
        let (from, mut to) = UnixStream::pair()?;
        let dripping = thread::spawn(move || {
            while to.write_all(&[1]).is_ok() {
                thread::sleep(Duration::from_millis(10));
            }
        });
        let began = Instant::now();
        let end = began + Duration::from_millis(100);
        let ended = Outcome::read(&mut Until { end, from }).expect_err("too slow");
        assert!(is_timeout(&ended), "{ended}");
        assert!(began.elapsed() < Duration::from_secs(2));
        dripping.join().expect("it ends");
        Ok(())
    }

    /// Ends in a different way for each index, and never ends for 5.
    fn ends(index: usize) -> Output {
        match index {
            1 => panic!("one"),
            2 => std::process::exit(7),
            3 => std::process::abort(),
            4 => {
                // Waits for rayon's threads, which a child does not have.
                rayon::join(|| thread::sleep(Duration::from_millis(1)), || ());
            }
            5 => loop {
                thread::sleep(Duration::from_millis(10));
            },
            _ => {}
        }
        index.output()
    }

    #[test]
    fn every_call_has_an_outcome_of_its_own() {
        rayon::join(|| (), || ()); // starts the threads of this process
        let expected = [
            Outcome::Returned(0_usize.output()),
            Outcome::Panicked("one".to_owned()),
            Outcome::Exited(7),
            Outcome::Crashed,
            Outcome::Returned(4_usize.output()),
            Outcome::OutOfTime,
        ];
        let limit = Duration::from_secs(1);
        assert_eq!(outcomes(6, limit, &ends), expected);
        assert_eq!(silent_outcomes(2, limit, &ends), expected[..2]);
        assert_eq!(outcomes(0, limit, &ends), []);
    }
}
