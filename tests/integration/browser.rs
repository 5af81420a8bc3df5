//! The lessons, every kind of figure and live pictures in a real browser: the scripts in `tests/browser`.
//!
//! Runs if Chromium is installed. With `ATTENTION_NOTEBOOKS_BROWSER=required` in
//! the environment, as in CI, a missing browser is a failure.

use crate::common::browser::browser;
use crate::common::{finish, lessons, project};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_attention-notebooks");

#[test]
fn figures_are_visible_and_say_what_they_show() {
    let Some(browser) = browser() else { return };
    let names = lessons();
    let stored = contents(&names);
    let names_of_files = names.iter().filter_map(|lesson| lesson.file_name());
    browser.run("lessons.py", Some(PROGRAM), names_of_files);
    assert!(contents(&names) == stored, "the test changed a lesson");
}

#[test]
fn every_kind_of_figure_looks_the_same_trusted_and_untrusted_and_fits_its_page() {
    let Some(browser) = browser() else { return };
    let notebook = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures.ipynb");
    // Without `-p`, so that cargo reuses the example that was compiled with the tests.
    let example = ["run", "--release", "--example", "every_figure", "--"];
    let (code, stdout, stderr) = finish(
        Command::new(env!("CARGO"))
            .args(example)
            .arg(&notebook)
            .current_dir(project()),
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    browser.run("figures.py", None::<&str>, [&notebook]);
}

#[test]
fn live_pictures_are_moved_by_mouse_and_keyboard_and_survive_what_ends_them() {
    let Some(browser) = browser() else { return };
    browser.run("live.py", Some(PROGRAM), [""; 0]);
}

#[test]
fn a_lesson_that_was_half_run_keeps_its_controls_on_the_second_day() {
    let Some(browser) = browser() else { return };
    browser.run("second_day.py", Some(PROGRAM), [""; 0]);
}

#[test]
fn a_lesson_is_printed_with_all_its_pictures() {
    let Some(browser) = browser() else { return };
    browser.run("printed.py", None::<&str>, [""; 0]);
}

#[test]
fn many_live_pictures_in_several_notebooks_neither_mix_nor_pile_up() {
    let Some(browser) = browser() else { return };
    browser.run("many_live.py", Some(PROGRAM), [""; 0]);
}

#[test]
fn the_site_moves_its_pictures_answers_and_can_be_read_everywhere() {
    let Some(browser) = browser() else { return };
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", "wasm32-wasip1"]);
    let has_target = rustc.output().is_ok_and(|asked| {
        let folder = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
        asked.status.success() && Path::new(&folder).exists()
    });
    if !has_target {
        let required = std::env::var_os("ATTENTION_NOTEBOOKS_SITE").is_some();
        assert!(!required, "Rust's library for wasm32-wasip1 was not found");
        println!("NOT TESTED: the site; run `rustup target add wasm32-wasip1`");
        return;
    }
    browser.run("site.py", Some(PROGRAM), [""; 0]);
}

fn contents(files: &[PathBuf]) -> Vec<Vec<u8>> {
    let contents = files.iter().map(std::fs::read);
    contents.collect::<Result<_, _>>().expect("the lessons")
}
