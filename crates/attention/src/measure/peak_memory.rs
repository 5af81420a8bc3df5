//! Measures how much memory a piece of code needs.

use std::fs;

/// The bytes of memory that `work` needs at its peak, beyond what the process already used;
/// `None` where the system does not report it, which is everywhere except on Linux.
///
/// It counts pages that the system had to give to this process. Memory that was
/// freed but kept by the allocator does not count again: measure small amounts first, and do not
/// expect the same number from a second call. The return value of `work` is kept from being
/// optimised away, then dropped.
///
/// Python: `resource.getrusage(resource.RUSAGE_SELF).ru_maxrss`, which never falls
///
/// ```
/// use attention::measure::peak_memory;
///
/// let bytes = peak_memory(|| vec![1_u8; 100 << 20]);
/// assert!(bytes.is_none_or(|bytes| (95 << 20..200 << 20).contains(&bytes)));
/// ```
pub fn peak_memory<T>(work: impl FnOnce() -> T) -> Option<usize> {
    // Resets the peak to the current usage (man 5 proc, clear_refs).
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = high_water()?;
    std::hint::black_box(work());
    Some(high_water()?.saturating_sub(before))
}

/// The peak memory of this process since the last reset, in bytes.
fn high_water() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? * 1024)
}
