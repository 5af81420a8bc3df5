//! A real browser, for tests that need one.

use super::{finish, project, python};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// From PyPI; not part of the set-up that learners wait for.
const PLAYWRIGHT: &str = "playwright==1.65.2";

/// The browser, the Python that drives it, and the folder for its screenshots.
pub struct Browser {
    chromium: PathBuf,
    playwright: PathBuf,
    screenshots: PathBuf,
}

impl Browser {
    /// Runs a script from `tests/browser` with the program (if the script needs it), the browser, the
    /// folder for screenshots, and further arguments.
    #[track_caller]
    pub fn run(
        &self,
        script: &str,
        program: Option<impl AsRef<OsStr>>,
        rest: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) {
        let (code, stdout, stderr) = finish(
            Command::new(python())
                .arg(project().join("tests/browser").join(script))
                .args(program)
                .args([&self.chromium, &self.screenshots])
                .args(rest)
                .env("PYTHONPATH", &self.playwright),
        );
        assert_eq!(code, 0, "{stdout}{stderr}");
    }
}

/// The installed browser; prints a notice and returns `None` if there is none.
pub fn browser() -> Option<Browser> {
    static INSTALLED: Mutex<()> = Mutex::new(());
    let Some(chromium) = chromium() else {
        let required = std::env::var_os("ATTENTION_NOTEBOOKS_BROWSER").is_some();
        assert!(!required, "Chromium was not found: searched PATH");
        println!("NOT TESTED: Chromium was not found; install the package chromium-headless-shell");
        return None;
    };
    let playwright = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playwright");
    // The tests start simultaneously; only one of them installs.
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

/// The browser in `PATH`; the headless shell is preferred, because it takes the least processor time.
pub fn chromium() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ];
    let find = |name| {
        let mut programs = std::env::split_paths(&folders).map(|folder| folder.join(name));
        programs.find(|program| program.is_file())
    };
    names.into_iter().find_map(find)
}
