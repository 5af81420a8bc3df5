//! What the process that runs cells does first, under this kernel and under evcxr's own.
//!
//! A panic prints its message without a backtrace. Under this kernel text without a newline
//! is shown soon, and at the end of its cell, and what a cell prints on standard error takes
//! the way of standard output, which keeps the order of both.

use notebook::convention::{BEGIN_CONTENT, END_CONTENT, PANIC_TYPE, RELAY_VARIABLE, STDERR_TYPE};

/// Rust, with `@NAME@` where one of [`NAMES`] belongs.
const TEXT: &str = include_str!("cell_prelude.rs");

const NAMES: [(&str, &str); 5] = [
    ("@BEGIN_CONTENT@", BEGIN_CONTENT),
    ("@END_CONTENT@", END_CONTENT),
    ("@PANIC_TYPE@", PANIC_TYPE),
    ("@RELAY_VARIABLE@", RELAY_VARIABLE),
    ("@STDERR_TYPE@", STDERR_TYPE),
];

/// Put before the first line of a cell: a macro of the prelude. At the end of the cell it
/// flushes what the cell has printed.
pub const FLUSH_LINE: &str = "notebook_flush!();";

/// The prelude, for evcxr.
pub fn prelude() -> String {
    NAMES
        .iter()
        .fold(TEXT.to_owned(), |text, (placeholder, name)| {
            text.replace(placeholder, name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_filled_in() {
        for (placeholder, name) in NAMES {
            assert!(TEXT.contains(placeholder), "{placeholder}");
            assert!(prelude().contains(name), "{name}");
        }
        assert!(!prelude().contains('@'), "{}", prelude());
    }

    #[test]
    fn what_is_printed_on_standard_error_becomes_a_block_of_its_type() {
        let print =
            format!("println!(\"{BEGIN_CONTENT}{STDERR_TYPE}\\n{{text}}\\n{END_CONTENT}\");\n");
        assert!(prelude().contains(&print), "{print}");
    }

    #[test]
    fn no_shared_name_stands_in_the_text_itself() {
        for (_, name) in NAMES {
            assert!(!TEXT.contains(name), "{name}");
        }
    }

    #[test]
    fn the_prelude_has_what_is_added_to_cells() {
        let name = FLUSH_LINE.trim_end_matches("!();");
        assert!(TEXT.contains(&format!("macro_rules! {name} ")));
    }

    #[test]
    fn the_prelude_can_stand_in_a_configuration_file() {
        assert!(!prelude().contains("'''"));
    }
}
