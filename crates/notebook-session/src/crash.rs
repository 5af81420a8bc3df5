//! Explains why the cells' process died, from its last output and its signal.

use rustix::process::Signal;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Printed by Rust's runtime on a stack overflow.
const OVERFLOW: &str = "has overflowed its stack";
const ALLOCATION: &str = "memory allocation of ";

/// Why a cell that compiled cannot run.
pub const NOT_LOADED: &str = "the compiled cell could not be loaded: a limit of the system is \
    reached, most likely that of open files (`ulimit -n`).";

/// The position in the output on standard error where the message about a crash begins.
pub fn last_words(printed: &str) -> Option<usize> {
    let all = [OVERFLOW, ALLOCATION];
    let found = all.map(|words| printed.find(words));
    let place = found.into_iter().flatten().min()?;
    Some(
        printed[..place]
            .rfind('\n')
            .map_or(0, |newline| newline + 1),
    )
}

/// The reason as a sentence; `None` if it is unclear. `how` is the exit status, if it is known,
/// and `words` the last output.
pub fn reason(how: Option<ExitStatus>, words: &str) -> Option<String> {
    if words.contains(OVERFLOW) {
        return Some(
            "the stack overflowed: a function that calls itself never stops, or an \
             array in a variable is too large for the stack (put it into a `Vec` or `Array`)."
                .to_owned(),
        );
    }
    if let Some((_, rest)) = words.split_once(ALLOCATION) {
        let bytes = rest.split(' ').next()?.parse::<u128>().ok()?;
        let gigabytes = bytes as f64 / f64::from(1 << 30);
        return Some(format!(
            "there was not enough memory: the cell asked for {bytes} bytes ({gigabytes:.1} GiB) at \
             once; make the array smaller."
        ));
    }
    let was = |signal: Signal| is_of(how, signal);
    if was(Signal::SEGV) || was(Signal::BUS) {
        return Some(
            "the cell used memory that is not its own, which only `unsafe` code can do, in the \
             cell or in a crate."
                .to_owned(),
        );
    }
    if was(Signal::KILL) {
        return Some(
            "the process was killed from outside, as the system does when memory runs out."
                .to_owned(),
        );
    }
    None
}

/// The message shown by the first cell after a crash between cells; `None` if the process was
/// killed, or the reason is unclear.
pub fn between_cells(how: ExitStatus, words: &str) -> Option<String> {
    let reason = reason(Some(how), words)?;
    let last = "A live picture or a thread of an earlier cell has crashed";
    (!is_of(Some(how), Signal::KILL)).then(|| format!("{last}: {reason}\n"))
}

fn is_of(how: Option<ExitStatus>, signal: Signal) -> bool {
    how.and_then(|how| how.signal()) == Some(signal.as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_become_a_sentence() {
        let printed = "learner\n\nmemory allocation of 8589934592 bytes failed\nmore";
        let words = &printed[last_words(printed).expect("words")..];
        assert!(words.starts_with("memory"), "{words}");
        let by = |signal: Signal| ExitStatus::from_raw(signal.as_raw());
        let reason = |words: &str| reason(Some(by(Signal::ABORT)), words);
        assert!(reason(words).is_some_and(|reason| reason.contains("8.0 GiB")));
        let words = "thread 'main' has overflowed its stack";
        assert!(reason(words).is_some_and(|reason| reason.contains("calls itself")));
        assert_eq!(reason("learner"), None);
        let told = between_cells(by(Signal::SEGV), "").unwrap_or_default();
        assert!(told.contains("memory that is not its own"), "{told}");
        assert_eq!(between_cells(by(Signal::KILL), ""), None);
        assert_eq!(last_words("learner"), None);
    }
}
