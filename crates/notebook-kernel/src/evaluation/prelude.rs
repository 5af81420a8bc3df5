//! What the process that runs cells does first, under this kernel and under evcxr's own.
//!
//! A panic prints its message without a backtrace. Under this kernel text without a newline
//! is shown soon, and at the end of its cell, and what a cell prints on standard error takes
//! the way of standard output, which keeps the order of both.

use notebook::convention::{
    BEGIN_CONTENT, CELL_BEGINS, CELL_ENDS, END_CONTENT, LIVE_THREAD, PANIC_TYPE, SECRET_PARAMETER,
    SECRET_VARIABLE, STDERR_TYPE,
};

/// Rust, with `@NAME@` where one of [`NAMES`] belongs.
const TEXT: &str = include_str!("cell_prelude.rs");

const NAMES: [(&str, &str); 9] = [
    ("@BEGIN_CONTENT@", BEGIN_CONTENT),
    ("@CELL_BEGINS@", CELL_BEGINS),
    ("@CELL_ENDS@", CELL_ENDS),
    ("@END_CONTENT@", END_CONTENT),
    ("@LIVE_THREAD@", LIVE_THREAD),
    ("@PANIC_TYPE@", PANIC_TYPE),
    ("@SECRET_PARAMETER@", SECRET_PARAMETER),
    ("@SECRET_VARIABLE@", SECRET_VARIABLE),
    ("@STDERR_TYPE@", STDERR_TYPE),
];

/// Put before the first line of a cell: a macro of the prelude. It tells the kernel where
/// begins and ends what the cell prints.
pub const CELL_LINE: &str = "notebook_cell!();";

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
        let secret = format!("{SECRET_PARAMETER}{{secret}}");
        let print = format!(
            "println!(\"{BEGIN_CONTENT}{STDERR_TYPE}{secret}\\n{{text}}\\n{END_CONTENT}{secret}\"),\n"
        );
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
        let name = CELL_LINE.trim_end_matches("!();");
        assert!(TEXT.contains(&format!("macro_rules! {name} ")));
    }

    #[test]
    fn the_prelude_can_stand_in_a_configuration_file() {
        assert!(!prelude().contains("'''"));
    }
}
