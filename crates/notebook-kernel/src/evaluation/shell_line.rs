//! A line for the shell (`!ls`), which evcxr has run beside it, in the kernel's process: with the
//! variables that the user has set, not with those that evcxr needs.

use crate::workspace::of_user;
use std::ffi::{OsStr, OsString};

/// The line, for a shell with the user's variables; `None` if it is none for a shell.
pub fn with_variables_of_user(line: &str) -> Option<String> {
    with_variables(line, of_user::variables())
}

fn with_variables(
    line: &str,
    variables: impl Iterator<Item = (&'static str, Option<OsString>)>,
) -> Option<String> {
    let command = line.strip_prefix('!')?.trim_start_matches('!');
    let set: String = variables
        .map(|(name, value)| match value.as_deref().map(quoted) {
            Some(Some(value)) => format!("export {name}={value}; "),
            Some(None) => String::new(), // it cannot stand in a line
            None => format!("unset {name}; "),
        })
        .collect();
    Some(format!("!{set}{command}"))
}

/// A value as the shell takes it literally.
fn quoted(value: &OsStr) -> Option<String> {
    let text = value.to_str().filter(|text| !text.contains('\n'))?;
    Some(format!("'{}'", text.replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_shell_has_the_users_variables() {
        let odd = "it's $HOME; \"a b\"";
        let variables = [
            ("SET_BY_USER", Some(odd.into())),
            ("HOME", None),
            ("TWO_LINES", Some("1\n2".into())),
        ];
        let line = "!! echo \"$SET_BY_USER,$HOME,$TWO_LINES\" && true";
        let line = with_variables(line, variables.into_iter()).expect("a line for the shell");
        let command = line.strip_prefix('!').expect("still one");
        let output = Command::new("sh").args(["-c", command]).output();
        let printed = output.expect("a shell").stdout;
        assert_eq!(String::from_utf8_lossy(&printed), format!("{odd},,\n"));
    }

    #[test]
    fn rust_and_commands_are_none() {
        for line in ["let a = !b;", ":dep x = \"1\"", " !ls", ""] {
            assert_eq!(with_variables_of_user(line), None);
        }
    }
}
