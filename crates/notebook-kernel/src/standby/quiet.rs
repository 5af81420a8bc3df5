//! Whether the machine has time and memory for a standby.

use std::fs;

/// A standby takes half of this; with less, a program could be ended for want of memory.
const ENOUGH: u128 = 2 << 30;
/// With less than this, the standby that is there goes.
const SHORT: u128 = 1 << 30;

/// Whether there is memory for another process of this size.
pub fn memory_is_enough() -> bool {
    is_at_least(ENOUGH, free_memory::free())
}

/// Whether what waits should go.
pub fn memory_is_short() -> bool {
    !is_at_least(SHORT, free_memory::free())
}

/// Where the system does not say, there is enough.
fn is_at_least(needed: u128, free: Option<u128>) -> bool {
    free.is_none_or(|free| free >= needed)
}

/// How long the processors have worked since the machine was started, and how long they have
/// done nothing; `None` where the system does not say.
pub fn times() -> Option<[u64; 2]> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
}

/// Source: proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal.
fn parse(stat: &str) -> Option<[u64; 2]> {
    let numbers = stat.lines().next()?.strip_prefix("cpu ")?;
    let numbers: Result<Vec<u64>, _> = numbers.split_whitespace().map(str::parse).collect();
    let numbers = numbers.ok()?;
    let idle = numbers.get(3)? + numbers.get(4)?;
    let all: u64 = numbers.iter().take(8).sum();
    Some([all - idle, idle])
}

/// Whether at least half of the processors' time was free between two calls of [`times`].
pub fn was_quiet(before: Option<[u64; 2]>, after: Option<[u64; 2]>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => after[1] - before[1] >= after[0] - before[0],
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_time_must_be_free() {
        let before = parse("cpu  10 5 5 100 20 0 0 0 0 0\ncpu0 1 1 1 1");
        assert_eq!(before, Some([20, 120]));
        assert!(was_quiet(before, Some([30, 130])));
        assert!(!was_quiet(before, Some([31, 130])));
        assert!(was_quiet(None, before));
        assert_eq!(parse("no numbers"), None);
        assert_eq!(parse("cpu  1 2"), None);
    }

    #[test]
    fn a_standby_is_made_with_two_gigabytes_free_and_goes_with_less_than_one() {
        assert!(is_at_least(ENOUGH, Some(2 << 30)));
        assert!(!is_at_least(ENOUGH, Some((2 << 30) - 1)));
        assert!(is_at_least(SHORT, Some(1 << 30)));
        assert!(!is_at_least(SHORT, Some((1 << 30) - 1)));
        assert!(is_at_least(ENOUGH, None));
    }
}
