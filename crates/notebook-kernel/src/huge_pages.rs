//! Huge pages of memory: the system gives them where much is asked for at once.

#[cfg(target_os = "linux")]
use rustix::thread::disable_transparent_huge_pages;

/// For a kernel: type inference fills only parts of them, and without them holds a fifth less.
/// What this process starts inherits it.
pub fn decline() {
    #[cfg(target_os = "linux")]
    let _ = disable_transparent_huge_pages(true); // where that fails there are none
}

/// For what a kernel starts: cells and compilers have them as anywhere else.
pub fn accept() {
    #[cfg(target_os = "linux")]
    let _ = disable_transparent_huge_pages(false);
}
