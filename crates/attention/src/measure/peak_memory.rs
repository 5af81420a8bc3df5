//! How much memory something needs, measured.

use std::fs;

/// The bytes of memory that `work` needs at its peak, beyond what the process held before;
/// `None` where the system does not say, which is everywhere but on Linux.
///
/// What counts are pages that the system had to give to this process. Memory that was
/// used before, freed and kept is not given again: measure small things first, and do not
/// expect the same number from a second call. What `work` returns is kept from being
/// optimised away, then dropped.
///
/// Python: `resource.getrusage(resource.RUSAGE_SELF).ru_maxrss`, which never falls
///
/// ```
/// use attention::peak_memory;
///
/// let bytes = peak_memory(|| vec![1_u8; 100 << 20]);
/// assert!(bytes.is_none_or(|bytes| (95 << 20..200 << 20).contains(&bytes)));
/// ```
pub fn peak_memory<T>(work: impl FnOnce() -> T) -> Option<usize> {
    // Forgets the peak: from now on it is what is held now (man 5 proc, clear_refs).
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = high_water()?;
    std::hint::black_box(work());
    Some(high_water()?.saturating_sub(before))
}

/// The most bytes that this process held.
fn high_water() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_forgotten_by_the_next_measurement() {
        // The largest blocks go back to the system when they are freed.
        let (Some(large), Some(nothing)) =
            (peak_memory(|| vec![1_u8; 200 << 20]), peak_memory(|| ()))
        else {
            return; // the system does not say
        };
        assert!(large >= 150 << 20, "{large}");
        assert!(nothing < 100 << 20, "{nothing}");
    }
}
