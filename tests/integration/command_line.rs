//! Behaviour that all commands of the program have in common.

use crate::common::{finish, program};
use std::process::Command;
use tempfile::tempdir;

#[test]
fn the_version_is_the_packages() {
    let (code, stdout, _) = finish(program().arg("--version"));
    let expected = concat!("attention-notebooks ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!((code, &*stdout), (0, expected));
}

#[test]
fn shells_complete_commands_and_options() {
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let (code, script, stderr) = finish(program().args(["completions", shell]));
        assert_eq!(code, 0, "{stderr}");
        for word in ["lessons", "progress", "no-browser"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let folder = tempdir().expect("a folder");
        let file = folder.path().join("completions");
        std::fs::write(&file, script).expect("written");
        // Few machines have all of these shells.
        if let Ok(checked) = Command::new(shell).arg(check).arg(&file).status() {
            assert!(checked.success(), "{shell}");
        }
    }
    let (code, _, stderr) = finish(program().args(["completions", "basic"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("bash"), "{stderr}");
}

#[test]
fn help_has_no_colours_where_none_are_wanted() {
    let mut coloured = program();
    coloured
        .arg("--help")
        .env_remove("NO_COLOR")
        .env("CLICOLOR_FORCE", "1");
    assert!(finish(&mut coloured).1.contains('\u{1b}'));
    let (code, plain, _) = finish(coloured.env("NO_COLOR", "1"));
    assert_eq!(code, 0);
    assert!(!plain.contains('\u{1b}'), "{plain}");
}

#[test]
fn what_was_asked_for_is_not_repeated_when_it_should_be_quiet() {
    let data = tempdir().expect("a folder");
    let run = |quiet: &[&str]| {
        let mut uninstall = program();
        uninstall.args(["uninstall", "--user"]).args(quiet);
        finish(uninstall.env("JUPYTER_DATA_DIR", data.path()))
    };
    let (code, stdout, _) = run(&[]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("Nothing to remove"), "{stdout}");
    let nothing = (0, String::new(), String::new());
    assert_eq!(run(&["--quiet"]), nothing);
    let (code, _, stderr) = finish(program().args(["-q", "run", "/no/notebook"]));
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: "), "{stderr}");
}
