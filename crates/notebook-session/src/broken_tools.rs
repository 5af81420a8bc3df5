//! Failures of the compiler toolchain, which are not the cell's fault.

use crate::failure;
use notebook::evaluator::Failure;

/// The parts of the error for a missing linker.
const LINKER: (&str, &str) = ("linker `", "` not found");
/// Part of rustc's error for crates built by another rustc.
const OTHER_COMPILER: &str = "compiled by an incompatible version of rustc";
/// The evaluator's message for a missing compiler, followed by its path.
pub const CANNOT_START: &str = "cannot start the compiler ";

/// The failure if the output of rustc or cargo is about a full disk, the linker or the compiler.
pub fn failure(said: &str) -> Option<Failure> {
    if said.contains("No space left on device") || said.contains("Disk quota exceeded") {
        return Some(failure::disk_is_full());
    }
    let message = linker(said).or_else(|| compiler(said))?;
    Some(Failure::new("EvaluatorError", message))
}

fn linker(said: &str) -> Option<String> {
    let (name, _) = said.split_once(LINKER.0)?.1.split_once(LINKER.1)?;
    Some(format!(
        "the linker `{name}` was not found in PATH, and no cell can be compiled without it; \
         install a C compiler (Debian, Ubuntu: `sudo apt install gcc`; Fedora: `sudo dnf install \
         gcc`; macOS: `xcode-select --install`)"
    ))
}

/// The failure if the compiler has changed since the kernel started.
fn compiler(said: &str) -> Option<String> {
    let restart = "restart the kernel, which recompiles everything with the current Rust, and run \
                   the cells again";
    if said.contains(OTHER_COMPILER) {
        return Some(format!(
            "Rust was updated or changed while this kernel ran, and what it compiled does not work \
             with the new compiler: {restart}"
        ));
    }
    let (program, _) = said.split_once(CANNOT_START)?.1.split_once(": ")?;
    Some(format!(
        "the compiler that this kernel began with, {program}, is gone: put it back (`rustup \
         toolchain install stable`), or {restart}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linker_that_is_not_there_is_named_with_what_to_install() {
        let message = failure("error: linker `cc` not found").map(|failure| failure.message);
        let message = message.unwrap_or_default();
        assert!(
            message.starts_with("the linker `cc` was not found"),
            "{message}"
        );
        assert!(message.contains("apt install gcc"), "{message}");
        assert_eq!(failure("error: cannot find value `cc`"), None);
    }

    #[test]
    fn another_compiler_and_none_are_told_apart() {
        let other =
            compiler("error[E0514]: found crate `a` compiled by an incompatible version of rustc");
        assert!(other.is_some_and(|other| other.starts_with("Rust was updated")));
        let gone = format!("STDERR:\nerror: {CANNOT_START}/a/bin/rustc: No such file or directory");
        let gone = compiler(&gone).unwrap_or_default();
        assert!(gone.contains("began with, /a/bin/rustc, is gone"), "{gone}");
        assert_eq!(compiler("error: cannot start"), None);
    }

    #[test]
    fn a_full_disk_is_no_mistake_of_the_cell() {
        let said = "error: failed to write /t/lib.rmeta: No space left on device (os error 28)";
        assert_eq!(failure(said), Some(failure::disk_is_full()));
    }
}
