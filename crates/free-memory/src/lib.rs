#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

/// The number of bytes that are always assumed to be free, without asking the system.
const SMALL: u128 = 64 << 20;
/// The number of bytes that are assumed to be free if the system does not report it.
const UNKNOWN: u128 = 16 << 30;

/// Panics unless an array of these lengths, with `bytes` per element, fits into free memory.
/// The message begins with the name of the calling function.
///
/// # Panics
///
/// If it does not fit.
///
/// ```
/// free_memory::assert_fits("zeros", &[1000, 1000], size_of::<f32>());
/// ```
#[track_caller]
pub fn assert_fits(function: &str, lengths: &[usize], bytes: usize) {
    if let Some(sentence) = too_large(lengths, bytes) {
        panic!("{function}: {sentence}");
    }
}

/// Why an array of these lengths, with `bytes` per element, does not fit into memory; `None`
/// if it does. Up to 64 MiB always fit.
///
/// ```
/// assert_eq!(free_memory::too_large(&[1000, 1000], size_of::<f32>()), None);
/// ```
pub fn too_large(lengths: &[usize], bytes: usize) -> Option<String> {
    let factors = lengths.iter().chain([&bytes]);
    let needed = factors.fold(1_u128, |product, &length| {
        product.saturating_mul(length as u128)
    });
    if needed <= SMALL {
        return None;
    }
    let free = free().unwrap_or(UNKNOWN);
    (needed > free).then(|| {
        let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
        format!(
            "{} values take {} of memory, but {} are free: ask for fewer",
            lengths.join(" x "),
            in_words(needed),
            in_words(free)
        )
    })
}

/// The bytes that this process can still allocate: those available on the machine or, if fewer,
/// those left in its control group. `None` where the system does not report them, which is
/// everywhere except on Linux.
///
/// Python: `psutil.virtual_memory().available`, which ignores control groups
///
/// ```
/// assert!(free_memory::free().is_none_or(|bytes| bytes > 1 << 20));
/// ```
pub fn free() -> Option<u128> {
    let machine = fs::read_to_string("/proc/meminfo").ok()?;
    let line = machine
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let machine = line.split_whitespace().nth(1)?.parse::<u128>().ok()? * 1024;
    Some(control_group().map_or(machine, |group| group.min(machine)))
}

/// The memory that this process's control groups (version 2) still leave to it; `None` if they set
/// no limit or cannot be read.
fn control_group() -> Option<u128> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    left_in(&Path::new("/sys/fs/cgroup").join(group))
}

/// The least memory left in a control group, given by its folder, or in any group above it.
fn left_in(folder: &Path) -> Option<u128> {
    let number = |folder: &Path, file: &str| {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        text.trim().parse::<u128>().ok()
    };
    let left = folder.ancestors().filter_map(|folder| {
        let (limit, used) = (
            number(folder, "memory.max")?,
            number(folder, "memory.current")?,
        );
        Some(limit.saturating_sub(used))
    });
    left.min()
}

/// The size in decimal units, such as `21 GB`.
fn in_words(bytes: u128) -> String {
    match bytes {
        0..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        10_000_000_000..10_000_000_000_000 => format!("{} GB", bytes / 1_000_000_000),
        10_000_000_000_000..1_000_000_000_000_000_000 => {
            format!("{} TB", bytes / 1_000_000_000_000)
        }
        _ => "more than a million TB".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_lesson_needs_fits_and_a_terabyte_does_not() {
        assert_eq!(too_large(&[32, 256, 384], 4), None);
        let sentence = too_large(&[1 << 20, 1 << 20], 1).expect("a terabyte");
        assert!(
            sentence.starts_with("1048576 x 1048576 values take 1099 GB of memory, but "),
            "{sentence}"
        );
        assert!(sentence.ends_with(" are free: ask for fewer"), "{sentence}");
    }

    #[test]
    fn lengths_whose_product_overflows_do_not_fit() {
        let sentence = too_large(&[usize::MAX, usize::MAX, usize::MAX], 8).expect("too large");
        assert!(sentence.contains("more than a million TB"), "{sentence}");
        assert_eq!(too_large(&[usize::MAX, 0], 8), None);
        // 2^67 bytes, which would wrap to 0 in 64 bits.
        assert!(too_large(&[1 << 32, 1 << 32], 8).is_some());
        // 2^128 bytes, which would wrap to 0 in 128 bits.
        assert!(too_large(&[1 << 43, 1 << 43, 1 << 42], 1).is_some());
    }

    #[test]
    fn free_memory_is_known_on_linux() {
        if cfg!(target_os = "linux") {
            let free = free().expect("Linux says");
            // A machine that has just compiled this test has more than an eighth of a gigabyte.
            assert!((1 << 27..1 << 50).contains(&free), "{free}");
        }
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let outer = std::env::temp_dir().join(format!("free-memory-{}", std::process::id()));
        let inner = outer.join("inner");
        fs::create_dir_all(&inner).expect("a folder");
        let limit = |folder: &Path, limit: &str, used: &str| {
            fs::write(folder.join("memory.max"), limit).expect("a file");
            fs::write(folder.join("memory.current"), used).expect("a file");
        };
        limit(&outer, "1000\n", "900\n");
        assert_eq!(left_in(&inner), Some(100));
        limit(&inner, "50\n", "10\n");
        assert_eq!(left_in(&inner), Some(40));
        limit(&outer, "max\n", "900\n");
        limit(&inner, "50\n", "60\n");
        assert_eq!(left_in(&inner), Some(0));
        fs::remove_dir_all(&outer).expect("the folder");
    }

    #[test]
    fn sizes_are_in_words() {
        assert_eq!(in_words(9_999_999_999), "9999 MB");
        assert_eq!(in_words(10_000_000_000), "10 GB");
        assert_eq!(in_words(10_000_000_000_000), "10 TB");
        assert_eq!(in_words(1 << 100), "more than a million TB");
    }

    #[test]
    #[should_panic(expected = "causal_mask: 1048576 x 1048576 values take")]
    fn the_message_names_the_function() {
        assert_fits("causal_mask", &[1 << 20, 1 << 20], 1);
    }
}
