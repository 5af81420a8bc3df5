//! The first lines of a cell: commands (`:dep ...`), shell lines (`!...`), comments and blank
//! lines. Everything after them is Rust.

use crate::display_format;
use notebook::evaluator::Failure;

/// Commands that a kernel cannot support, with the reason.
const REFUSED: [(&str, &str); 10] = [
    (
        ":quit",
        "it would end the kernel abruptly; use Kernel, Restart or Kernel, Shut Down in the menu",
    ),
    (
        ":opt",
        "cells are compiled without optimisation, so that each starts sooner; put code that must \
         be fast into a crate, which is optimised: `:dep mine = { path = \"../mine\" }`",
    ),
    (":toolchain", COMPILED_ALREADY),
    (":linker", COMPILED_ALREADY),
    (":codegen_backend", COMPILED_ALREADY),
    (":allow_static_linking", COMPILED_ALREADY),
    (":sccache", COMPILED_ALREADY),
    (
        ":cache",
        "crates are already compiled when a kernel starts, so there is nothing to cache",
    ),
    (
        ":time_passes",
        "it needs a nightly compiler, and this kernel was set up with a stable one",
    ),
    (
        ":internal_debug",
        "its output is about the evaluator itself, and is not shown in a notebook",
    ),
];
const COMPILED_ALREADY: &str = "it would recompile all crates that cells use with settings other \
    than those of set-up, and they would no longer match what is loaded";

/// How far a cell resets the session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anew {
    /// Restarts the cells' process, which loses all variables.
    Process,
    /// Also discards all definitions.
    Everything,
}

/// The index of the first line of Rust; `None` if there are only commands, comments, inner
/// attributes (`#![...]`) and blank lines.
pub fn first_line_of_rust(cell: &str) -> Option<usize> {
    cell.lines().position(|line| {
        let is_comment = line.starts_with("//") || line.trim().is_empty();
        !(is_comment || is_command(line) || line.starts_with("#!["))
    })
}

/// The cell with its commands blanked out, so that positions stay the same.
pub fn only_rust(cell: &str) -> String {
    let first = first_line_of_rust(cell).unwrap_or(usize::MAX);
    let lines = cell.split_inclusive('\n').enumerate();
    let rust = lines.map(|(index, line)| match index < first && is_command(line) {
        true => blank(line),
        false => line.to_owned(),
    });
    rust.collect()
}

/// Spaces, one for each byte of the line.
fn blank(line: &str) -> String {
    let length = line.trim_end_matches('\n').len();
    " ".repeat(length) + &line[length..]
}

pub fn is_command(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    (text.starts_with(':') && !text.starts_with("::")) || line.starts_with('!')
}

/// The command at or before this position on its line, and its start in bytes.
pub fn command_at(cell: &str, place: usize) -> Option<(usize, &str)> {
    let before = cell.get(..place)?;
    let first = first_line_of_rust(cell).unwrap_or(usize::MAX);
    if before.matches('\n').count() >= first {
        return None;
    }
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = cell[start..]
        .lines()
        .next()
        .filter(|line| is_command(line))?;
    let command = line.trim_start();
    let start = start + line.len() - command.len();
    (start <= place).then_some((start, command))
}

/// The commands with their arguments.
pub fn commands(cell: &str) -> impl Iterator<Item = (&str, &str)> {
    let first = first_line_of_rust(cell).unwrap_or(usize::MAX);
    let commands = cell.lines().take(first).filter(|line| is_command(line));
    commands.map(|line| {
        let line = line.trim();
        line.split_once(' ').unwrap_or((line, ""))
    })
}

/// Whether, and how far, a cell resets the session.
pub fn resets(cell: &str) -> Option<Anew> {
    commands(cell).find_map(|(command, _)| match command {
        ":restart" => Some(Anew::Process),
        ":clear" => Some(Anew::Everything),
        _ => None,
    })
}

/// Whether the cell consists of one command, apart from comments and blank lines.
pub fn is_one_command(cell: &str) -> bool {
    first_line_of_rust(cell).is_none() && commands(cell).count() == 1
}

/// Rejects commands that a kernel cannot support, invalid formats, and resets that are not alone
/// in their cell.
///
/// # Errors
///
/// If the cell has one of these; the failure gives the reason.
pub fn check(cell: &str) -> Result<(), Failure> {
    for (command, arguments) in commands(cell) {
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == command) {
            let message = format!("`{command}` does nothing in a notebook: {why}");
            return Err(Failure::new("CompileError", message));
        }
        if command == ":fmt" && !arguments.trim().is_empty() {
            display_format::check(arguments.trim())?;
        }
    }
    if resets(cell).is_some() && !is_one_command(cell) {
        let message = "`:clear` and `:restart` start over: put each into a cell of its own, and \
                       the rest of this cell into the next one";
        return Err(Failure::new("CompileError", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_before_rust() {
        assert_eq!(first_line_of_rust(":dep x\n// a\n\n !b\n:c"), Some(3));
        assert_eq!(first_line_of_rust(" :dep x\n!ls\n"), None);
        let all: Vec<_> = commands(":dep x = \"1\"\n//\n  :opt\n!ls -l\n1\n:vars").collect();
        assert_eq!(all, [(":dep", "x = \"1\""), (":opt", ""), ("!ls", "-l")]);
    }

    #[test]
    fn a_path_is_no_command_and_a_place_can_be_in_one() {
        assert_eq!(first_line_of_rust("::std::process::id()"), Some(0));
        let cell = "// a\n  :dep x = 1\n1\n:vars";
        let found = |place: usize| command_at(cell, place);
        assert_eq!(found(7), Some((7, ":dep x = 1")));
        assert_eq!(found(17), Some((7, ":dep x = 1")));
        for place in [0, 4, 5, 18, 20, cell.len(), 99] {
            assert_eq!(found(place), None, "{place}");
        }
    }

    #[test]
    fn what_would_break_the_kernel_is_refused() {
        let sentence = |cell: &str| check(cell).expect_err("refused").message;
        assert!(sentence("// ends\n :quit\n1").contains("Kernel, Shut Down"));
        assert!(sentence(":toolchain nightly").starts_with("`:toolchain` does nothing"));
        assert!(sentence(":opt 9").starts_with("`:opt` does nothing"));
        assert!(sentence(":fmt {nope\n1").starts_with("`:fmt {nope` "));
        assert!(sentence(":clear\n1").contains("a cell of its own"));
        assert!(sentence(":restart\n:vars").contains("a cell of its own"));
        for cell in [
            "1\n:quit",
            ":clear",
            ":restart\n",
            ":quitter",
            ":fmt",
            ":fmt {:.3}",
            "// :quit",
            ":vars",
        ] {
            assert!(check(cell).is_ok(), "{cell:?}");
        }
    }

    #[test]
    fn two_commands_reset() {
        assert_eq!(resets("// all of it\n:clear"), Some(Anew::Everything));
        assert_eq!(resets(":restart"), Some(Anew::Process));
        assert_eq!(resets("1 // :clear"), None);
    }
}
