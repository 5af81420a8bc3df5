//! The variables of whatever runs the user's own code: what the user has set, in the place of what
//! the kernel has set for evcxr and rust-analyzer.

use crate::workspace::environment::set_all;
use crate::workspace::rust_homes;
use crate::workspace::temporary::{self, TMPDIR};
use std::ffi::OsString;
use std::process::Command;

/// All of them; `None` is not set.
pub fn variables() -> impl Iterator<Item = (&'static str, Option<OsString>)> {
    let temporary = (TMPDIR, Some(temporary::of_user().into()));
    [temporary].into_iter().chain(rust_homes::of_user())
}

/// Gives them to a process.
pub fn give_to(command: &mut Command) {
    set_all(command, variables());
}
