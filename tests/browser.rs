//! The lessons, every kind of figure and live pictures in a real browser: `browser.py`,
//! `browser_figures.py`, `browser_live.py` and `browser_live_many.py` beside this file.
//!
//! Runs where Chromium is installed. With `ATTENTION_NOTEBOOKS_BROWSER=required` in
//! the environment, as in CI, a missing browser is a failure.

mod common;

use common::{finish, lessons, project, python};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// From PyPI; no part of the set-up that learners wait for.
const PLAYWRIGHT: &str = "playwright==1.65.2";

const PROGRAM: &str = env!("CARGO_BIN_EXE_attention-notebooks");

#[test]
fn figures_are_visible_and_say_what_they_show() {
    let Some(browser) = browser() else { return };
    let names = lessons();
    let stored = contents(&names);
    let names_of_files = names.iter().filter_map(|lesson| lesson.file_name());
    browser.run("browser.py", Some(PROGRAM), names_of_files);
    assert!(contents(&names) == stored, "the test changed a lesson");
}

#[test]
fn every_kind_of_figure_looks_the_same_trusted_and_untrusted_and_fits_its_page() {
    let Some(browser) = browser() else { return };
    let notebook = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures.ipynb");
    let example = [
        "run",
        "--release",
        "-p",
        "attention",
        "--example",
        "every_figure",
        "--",
    ];
    let (code, stdout, stderr) = finish(
        Command::new(env!("CARGO"))
            .args(example)
            .arg(&notebook)
            .current_dir(project()),
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    browser.run("browser_figures.py", None, [&notebook]);
}

#[test]
fn live_pictures_are_moved_by_mouse_and_keyboard_and_survive_what_ends_them() {
    let Some(browser) = browser() else { return };
    browser.run("browser_live.py", Some(PROGRAM), [""; 0]);
}

#[test]
fn many_live_pictures_in_several_notebooks_neither_mix_nor_pile_up() {
    let Some(browser) = browser() else { return };
    browser.run("browser_live_many.py", Some(PROGRAM), [""; 0]);
}

/// The browser, what drives it, and the folder for its screenshots.
struct Browser {
    chromium: PathBuf,
    playwright: PathBuf,
    screenshots: PathBuf,
}

impl Browser {
    /// Runs a script beside this file with the program, if it needs that, the browser, the folder for
    /// screenshots, and what else it gets.
    #[track_caller]
    fn run(
        &self,
        script: &str,
        program: Option<&str>,
        rest: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) {
        let (code, stdout, stderr) = finish(
            Command::new(python())
                .arg(project().join("tests").join(script))
                .args(program)
                .args([&self.chromium, &self.screenshots])
                .args(rest)
                .env("PYTHONPATH", &self.playwright),
        );
        assert_eq!(code, 0, "{stdout}{stderr}");
    }
}

/// Says so if there is no browser.
fn browser() -> Option<Browser> {
    static INSTALLED: Mutex<()> = Mutex::new(());
    let Some(chromium) = chromium() else {
        let required = std::env::var_os("ATTENTION_NOTEBOOKS_BROWSER").is_some();
        assert!(!required, "Chromium was not found: searched PATH");
        println!("NOT TESTED: Chromium was not found; install the package chromium");
        return None;
    };
    let playwright = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playwright");
    // The tests begin at once, and one of them installs.
    let _one_at_a_time = INSTALLED.lock();
    if !playwright.exists() {
        let (code, stdout, stderr) = finish(
            Command::new(python())
                .args(["-m", "pip", "install", "--quiet", PLAYWRIGHT, "--target"])
                .arg(&playwright),
        );
        assert_eq!(code, 0, "{stdout}{stderr}");
    }
    let screenshots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    std::fs::create_dir_all(&screenshots).expect("a folder for the screenshots");
    Some(Browser {
        chromium,
        playwright,
        screenshots,
    })
}

fn contents(files: &[PathBuf]) -> Vec<Vec<u8>> {
    let contents = files.iter().map(std::fs::read);
    contents.collect::<Result<_, _>>().expect("the lessons")
}

fn chromium() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}
