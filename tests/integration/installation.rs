//! An installation for all users of a machine: made, used by a user who cannot write to it and has
//! neither Rust nor a network, and removed.
#![cfg(target_os = "linux")]

use crate::common::browser::browser;
use crate::common::{
    compile_quickly, errata, finish, generated_by_set_up, lessons, program, project, python,
    read_json, run_python_tests, write_notebook,
};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::{TempDir, tempdir};

/// A user id that is not in use on this machine.
const LEARNER: u32 = 23_999;
/// How much a kernel may write when it starts.
const MOST_BYTES: u64 = 10_000_000;

/// A cell that adds up the bytes its kernel has written; symbolic links are not followed.
const BYTES: &str = r#"fn bytes(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| {
        let metadata = entry.path().symlink_metadata().unwrap();
        match metadata.is_dir() { true => bytes(&entry.path()), false => metadata.len() }
    }).sum()
}
let file = std::path::PathBuf::from(std::env::var("NOTEBOOK_INTERRUPT_FILE").unwrap());
println!("{}", bytes(file.ancestors().nth(2).unwrap()));"#;

/// A user with a private home, which is empty at first.
struct Learner {
    name: &'static str,
    homes: TempDir,
    home: PathBuf,
}

impl Learner {
    fn new(name: &'static str) -> Learner {
        let homes = tempdir().expect("a folder");
        let mode = |folder: &Path, mode| {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("a mode");
        };
        mode(homes.path(), 0o755);
        let home = homes.path().join(name);
        fs::create_dir(&home).expect("a home");
        mode(&home, 0o700);
        give_away(&home);
        Learner { name, homes, home }
    }

    /// A program as this learner would run it: as another user and without a network, if the tests
    /// have the necessary privileges.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("/usr/bin/env");
        if is_root() {
            command = Command::new("unshare");
            let user = LEARNER.to_string();
            command.args([
                "-n",
                "setpriv",
                "--reuid",
                &user,
                "--regid",
                &user,
                "--clear-groups",
            ]);
            command.arg("env");
        }
        command
            .arg("-i")
            .arg("PATH=/usr/bin:/bin")
            .arg(format!("HOME={}", self.home.display()))
            .arg(format!("USER={}", self.name))
            .arg(program)
            .current_dir(&self.home);
        command
    }

    fn notebook(&self, name: &str, cells: &[&str]) -> PathBuf {
        let notebook = write_notebook(&self.home, name, cells);
        give_away(&notebook);
        notebook
    }
}

/// Makes a learner the owner of a file, if the tests run as root.
fn give_away(path: &Path) {
    if is_root() {
        chown(path, Some(LEARNER), Some(LEARNER)).expect("given away");
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn install(prefix: &Path) -> (i32, String, String) {
    finish(program().args(["install", "--prefix"]).arg(prefix))
}

/// Everything below a folder, without following links.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let below = |path: PathBuf| match path.is_dir() && !path.is_symlink() {
        true => [paths(&path), vec![path]].concat(),
        false => vec![path],
    };
    entries.flat_map(|entry| below(entry.path())).collect()
}

#[test]
#[ignore = "compiles all crates of an installation"]
fn what_is_installed_once_is_for_all_users() {
    let folder = tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("readable");
    let prefix = folder.path().join("opt");
    let root = prefix.join("share/attention-notebooks");
    compile_quickly(&root.join("cargo"));
    let (code, stdout, stderr) = install(&prefix);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let spec = prefix.join("share/jupyter/kernels/attention/kernel.json");
    assert!(
        stdout.contains(&format!("Wrote {}", spec.display())),
        "{stdout}"
    );
    assert_eq!(
        read_json(&spec)["argv"][0],
        root.join("bin/attention-notebooks")
            .to_str()
            .expect("UTF-8")
    );
    // Nothing reveals the installer's folders, and no other user can change anything.
    let text = fs::read_to_string(&spec).expect("a text");
    assert!(!text.contains(project().to_str().expect("UTF-8")), "{text}");
    for path in paths(&prefix) {
        let mode = path.symlink_metadata().expect("there").permissions().mode();
        let is_open = path.is_symlink() || mode & 0o022 == 0 && mode & 0o444 == 0o444;
        assert!(is_open, "{}: {mode:o}", path.display());
    }

    let learner = Learner::new("ann");
    let command = prefix.join("bin/attention-notebooks");
    let (code, stdout, stderr) = finish(learner.command(&command).arg("lessons"));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let desk = learner.home.join("attention-lessons");
    let copies = fs::read_dir(desk.join("my-lessons"))
        .expect("copies")
        .count();
    let others = 2; // the errata, and the copies' bases
    assert_eq!(copies, lessons().len() + others);
    // The crate is not compiled: cargo has no network, and it would take too long.
    // This is the lesson as published: the learner's copy lacks the outputs that learners predict.
    let lesson = desk.join("my-lessons-originals/02_who_attends_to_whom_original.ipynb");
    let (code, stdout, stderr) = finish(
        learner
            .command(&command)
            .args(["run", "--check"])
            .arg(lesson),
    );
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(!stderr.contains("Compiling"), "{stderr}");

    // The models have been fetched for all users. A teacher's own course is a crate like `mine`.
    let mine = learner.home.join("mine");
    let manifest = format!(
        "[package]\nname = \"mine\"\nedition = \"2024\"\n[dependencies]\nexercises = {{ path = {:?} }}\n",
        root.join("crates/exercises")
    );
    fs::create_dir_all(mine.join("src")).expect("a folder");
    fs::write(mine.join("Cargo.toml"), manifest).expect("written");
    fs::write(mine.join("src/lib.rs"), "pub use exercises::COURSE;").expect("written");
    let load_mine = format!(":dep mine = {{ path = {mine:?} }}\nmine::COURSE.json().len()");
    let cells = [
        ":dep attention = { path = \"anywhere\" }\nattention::minilm::minilm()?;",
        "attention::translator::translator()?;",
        "attention::writer::writer()?;",
        "println!(\"{}\", std::env::var(\"ATTENTION_NOTEBOOKS_MODELS\")?);",
        &load_mine,
    ];
    let notebook = learner.notebook("models.ipynb", &cells);
    let (code, stdout, stderr) = finish(learner.command(&command).arg("run").arg(notebook));
    assert_eq!(
        (code, stdout.contains("ok, 5 cells")),
        (0, true),
        "{stdout}{stderr}"
    );
    let cache = learner.home.join(".cache/attention-notebooks");
    let cached = fs::read_dir(cache).expect("a folder");
    let cached: Vec<_> = cached
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(cached, ["cells"], "no models");

    // A notebook next to another copy of the project uses the installed crates.
    let copy = project().join("crates/attention");
    let load = format!(":dep attention = {{ path = {copy:?} }}\nuse attention::prelude::*;");
    let cells = [&*load, "heatmap(&softmax(&array![[1.0_f32, 2.0]]))", BYTES];
    let notebook = learner.notebook("bytes.ipynb", &cells);
    let mut run = learner.command(&command);
    let (code, stdout, stderr) = finish(run.args(["run", "--save"]).arg(&notebook));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let written = &read_json(&notebook)["cells"][2]["outputs"][0]["text"];
    let written: u64 = written
        .as_array()
        .and_then(|lines| lines.first())
        .unwrap_or(written)
        .as_str()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or_else(|| panic!("a number: {written}"));
    assert!(written < MOST_BYTES, "{written} bytes");

    // A learner's progress is stored in the learner's home.
    let (code, _, stderr) = finish(
        learner
            .command(&command)
            .args(["progress", "--reset", "softmax"]),
    );
    assert_eq!(code, 0, "{stderr}");
    let progress = ".local/share/attention-notebooks/progress";
    assert!(learner.home.join(progress).is_dir());
    for refused in [
        &["lab"][..],
        &["install", "--user"],
        &["exercises", "--check"],
    ] {
        let (code, _, stderr) = finish(learner.command(&command).args(refused));
        assert_eq!(code, 2, "{refused:?}");
        assert!(stderr.contains("is for a project of your own"), "{stderr}");
    }

    a_correction_reaches_a_learner(&prefix, &learner);
    a_teacher_collects_and_grades(&prefix, &learner);
    on_a_hub(&prefix);

    // Installing again changes nothing, and takes nothing away from learners.
    let (code, stdout, stderr) = install(&prefix);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(!stderr.contains("Compiling"), "{stderr}");
    let (code, stdout, stderr) = finish(Command::new(&command).arg("uninstall"));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let left = paths(&prefix);
    assert!(left.is_empty(), "{left:?}\n{stdout}");
    assert!(desk.join("my-lessons").is_dir());
    let (code, stdout, _) = finish(program().args(["uninstall", "--prefix"]).arg(&prefix));
    assert_eq!(code, 0);
    assert!(stdout.contains("Nothing to remove: searched "), "{stdout}");
}

/// A teacher corrects two lessons in the installation. The learner has changed one of them, and merely opened the other.
fn a_correction_reaches_a_learner(prefix: &Path, learner: &Learner) {
    let [opened, changed] = [
        "03_scaled_dot_product.ipynb",
        "04_self_attention_from_scratch.ipynb",
    ];
    let desk = learner.home.join("attention-lessons");
    let copy = |name: &str| desk.join("my-lessons").join(name);
    let edit = |path: &Path, edit: &dyn Fn(&mut Value)| {
        let mut notebook = read_json(path);
        edit(&mut notebook);
        fs::write(path, notebook.to_string()).expect("written");
    };
    edit(&copy(opened), &|notebook| {
        notebook["metadata"]["language_info"]["mimetype"] = "text/rust".into();
    });
    edit(&copy(changed), &|notebook| {
        notebook["cells"][1]["source"] = "mine".into();
    });
    let lessons = prefix.join("share/attention-notebooks/notebooks");
    let published = [opened, changed].map(|name| fs::read(lessons.join(name)).expect("a lesson"));
    for name in [opened, changed] {
        edit(&lessons.join(name), &|notebook| {
            notebook["cells"][0]["source"] = "# Corrected by the teacher".into();
        });
    }
    let command = prefix.join("bin/attention-notebooks");
    let (code, stdout, stderr) = finish(learner.command(&command).arg("lessons"));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let text = |path: &Path| fs::read_to_string(path).expect("a notebook");
    let newer = desk.join("my-lessons-2").join(changed);
    for (path, announced) in [
        (copy(opened), "Wrote "),
        (
            newer,
            "You have changed a lesson that has a newer version: ",
        ),
    ] {
        let line = format!("{announced}{}\n", path.display());
        assert!(stdout.contains(&line), "{line}: {stdout}");
        assert!(text(&path).contains("Corrected by the teacher"), "{line}");
    }
    let kept = text(&copy(changed));
    let note = format!("There is [a newer version](../my-lessons-2/{changed})");
    assert!(
        kept.contains("mine") && kept.contains(&note),
        "{kept:.2000}"
    );
    for (name, text) in [opened, changed].iter().zip(published) {
        fs::write(lessons.join(name), text).expect("written");
    }
}

/// The learner's progress is recorded in a private home, and the notebook is judged again by a user who
/// owns nothing else.
fn a_teacher_collects_and_grades(prefix: &Path, learner: &Learner) {
    let command = prefix.join("bin/attention-notebooks");
    let cells = [
        ":dep exercises = { path = \"anywhere\" }\nuse exercises::prelude::*;",
        "check::causal_mask(|tokens| Array2::from_shape_fn((tokens, tokens), |(t, s)| s <= t))",
    ];
    let notebook = learner.notebook("01b.ipynb", &cells);
    let mut run = learner.command(&command);
    let (code, stdout, stderr) = finish(run.args(["run", "--record"]).arg(notebook));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let mut class = Command::new(&command);
    class.args(["class", "--lesson", "01b", "--format", "csv", "--homes"]);
    let (code, stdout, stderr) = finish(class.arg(learner.homes.path()));
    assert_eq!(
        (code, stdout.contains("\nann,,1,")),
        (0, true),
        "{stdout}{stderr}"
    );

    let teacher = Learner::new("teacher");
    let folder = teacher.home.join("submitted/ann");
    fs::create_dir_all(&folder).expect("a folder");
    let home = "std::fs::write(std::env::home_dir().unwrap().join(\"mine\"), \"\")?;";
    let models = "attention::writer::writer()?;";
    write_notebook(&folder, "01b.ipynb", &[cells[0], cells[1], models, home]);
    for path in [vec![folder.with_file_name("")], paths(&teacher.home)].concat() {
        give_away(&path);
    }
    let (code, stdout, stderr) = finish(teacher.command(&command).args(["grade", "submitted"]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let says = "ann: 01b ... 1 right, 0 wrong";
    assert!(
        stdout.contains(says) && stdout.contains("0 of 4 cells failed"),
        "{stdout}{stderr}"
    );
    let mut class = teacher.command(&command);
    let (code, stdout, stderr) = finish(class.args(["class", "graded", "--format", "csv"]));
    assert_eq!(
        (code, stdout.contains("\nann,,1,")),
        (0, true),
        "{stdout}{stderr}"
    );
    // Notebooks leave nothing in the teacher's home, not even a model.
    let left = fs::read_dir(&teacher.home).expect("a home").flatten();
    let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(left, ["graded", "submitted"]);
}

/// Two learners at once, measured as a teacher would measure them, and one with a browser. Needs
/// npm, for the proxy; without it the test is skipped, unless the variable
/// `ATTENTION_NOTEBOOKS_HUB` requires it, as in CI.
fn on_a_hub(prefix: &Path) {
    let npm = Command::new("npm").arg("--version").output();
    if !npm.is_ok_and(|npm| npm.status.success()) {
        let required = std::env::var_os("ATTENTION_NOTEBOOKS_HUB").is_some();
        assert!(!required, "npm was not found");
        eprintln!("npm was not found: JupyterHub is not tested");
        return;
    }
    // A Python that other users can run, too.
    let python = Path::new("/usr/bin/python3");
    let python = if python.exists() {
        python
    } else {
        Path::new("python3")
    };
    let mut class = Command::new(python);
    class
        .arg(project().join("classroom/class.py"))
        .arg("--prefix")
        .arg(prefix);
    class.args(["--learners", "2", "--check"]);
    let (code, stdout, stderr) = finish(&mut class);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.starts_with("| learners | 2 |"), "{stdout}");
    // The script uses the Hub that `class.py` has installed.
    if let Some(browser) = browser() {
        browser.run("installed.py", Some(prefix), [""; 0]);
    }
}

/// Needs no Hub, unlike `on_a_hub`.
#[test]
fn the_settings_for_a_class_are_what_they_say() {
    run_python_tests("tests/classroom");
}

#[test]
fn a_place_that_cannot_be_installed_to_is_named() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let (code, _, stderr) = install(&file);
    assert_eq!(code, 2);
    assert!(stderr.contains(&file.display().to_string()), "{stderr}");
    let (code, _, stderr) = install(&folder.path().join("a:b"));
    assert_eq!(code, 2);
    assert!(stderr.contains("cannot be a prefix"), "{stderr}");
    let mut with_evcxrs = program();
    with_evcxrs.args(["install", "--evcxr", "--prefix"]);
    let (code, _, stderr) = finish(with_evcxrs.arg(folder.path().join("opt")));
    assert_eq!(code, 2);
    assert!(stderr.contains("use `install --user --evcxr`"), "{stderr}");
    let foreign = folder.path().join("share/jupyter/kernels/attention");
    fs::create_dir_all(&foreign).expect("a folder");
    fs::write(foreign.join("kernel.json"), r#"{"argv": ["python3"]}"#).expect("written");
    let (code, _, stderr) = install(folder.path());
    assert_eq!(code, 2);
    assert!(
        stderr.contains("is the kernel of another program (python3)"),
        "{stderr}"
    );
    for wrong in [
        &["install"][..],
        &["install", "--user", "--sys-prefix"],
        &["uninstall", "--prefix"],
        &["uninstall", "--user", "--prefix", "/tmp"],
    ] {
        let (code, _, stderr) = finish(program().args(wrong));
        assert_eq!(code, 2, "{wrong:?}");
        assert!(stderr.contains("try '--help'"), "{stderr}");
    }
}

/// Whether the JupyterLab of the project trusts a notebook.
fn is_signed(notebook: &Path) -> bool {
    let check = "import nbformat, sys; from nbformat.sign import NotebookNotary; \
                 print(NotebookNotary().check_signature(nbformat.read(sys.argv[1], 4)))";
    let mut asked = Command::new(python());
    asked.args(["-c", check]).arg(notebook);
    let (_, stdout, stderr) =
        finish(asked.env("JUPYTER_DATA_DIR", generated_by_set_up().join("data")));
    assert!(
        ["True\n", "False\n"].contains(&&*stdout),
        "{stdout}{stderr}"
    );
    stdout == "True\n"
}

#[test]
fn lessons_are_copied_to_a_folder_of_ones_own() {
    python(); // lessons are signed with it
    let folder = tempdir().expect("a folder");
    let desk = folder.path().join("desk");
    let run = |more: &[&str]| finish(program().arg("lessons").args(more).arg(&desk));
    let (code, stdout, stderr) = run(&[]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(
        stdout.matches("Wrote ").count(),
        lessons().len() + errata().len(),
        "{stdout}"
    );
    let copy = desk.join("my-lessons/02_who_attends_to_whom.ipynb");
    assert!(is_signed(&copy), "JupyterLab would hide its controls");
    let mut changed = read_json(&copy);
    changed["cells"][1]["source"] = "mine".into();
    fs::write(&copy, changed.to_string()).expect("written");
    let (code, stdout, _) = run(&[]);
    assert_eq!((code, stdout.contains("Wrote ")), (0, false), "{stdout}");
    // Simulates a new version of the project.
    let base = desk.join("my-lessons/.made-from/02_who_attends_to_whom.ipynb");
    fs::write(&base, "an older one").expect("written");
    let newer = desk.join("my-lessons-2/02_who_attends_to_whom.ipynb");
    let (code, stdout, _) = run(&[]);
    let expected = format!(
        "You have changed a lesson that has a newer version: {}\n",
        newer.display()
    );
    assert_eq!((code, stdout.contains(&expected)), (0, true), "{stdout}");
    assert!(is_signed(&newer), "JupyterLab would hide its controls");
    assert_eq!(read_json(&copy)["cells"][1], changed["cells"][1]);
    // An obstacle to one copy does not prevent the others.
    let in_the_way = desk.join("my-lessons/03_scaled_dot_product.ipynb");
    fs::remove_file(&in_the_way).expect("removed");
    fs::create_dir(&in_the_way).expect("a folder");
    let (code, stdout, stderr) = run(&[]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("Your lessons are in "), "{stdout}");
    assert!(stderr.contains("03_scaled_dot_product.ipynb"), "{stderr}");
    let (code, _, stderr) = finish(program().arg("lessons").arg(&copy));
    assert_eq!(code, 2);
    assert!(
        stderr.contains("is not a folder; name another one"),
        "{stderr}"
    );
}
