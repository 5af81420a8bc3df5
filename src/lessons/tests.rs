use super::*;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use tempfile::{TempDir, tempdir};

const LESSON: &str = "01_first.ipynb";
const ERRATUM: &str = "errata/01_first.ipynb";

struct Course {
    folder: TempDir,
}

impl Course {
    fn new() -> Course {
        let course = Course {
            folder: tempdir().expect("a folder"),
        };
        course.publish("one");
        course
    }

    fn notebooks(&self) -> PathBuf {
        self.folder.path().join("notebooks")
    }

    fn publish(&self, text: &str) {
        let cell = json!({"cell_type": "markdown", "id": "a", "metadata": {}, "source": [text]});
        let notebook = json!({"cells": [cell], "nbformat": 4}).to_string();
        write(&self.notebooks().join(LESSON), notebook.as_bytes()).expect("written");
    }

    fn learner_folder(&self) -> LearnerFolder {
        LearnerFolder::at(&self.folder.path().join("learner_folder")).expect("a folder")
    }

    /// Lays out the lesson and checks that this succeeds.
    fn lay_out(&self) -> LaidOut {
        self.lay_out_all(&[LESSON.into()])
    }

    fn lay_out_all(&self, names: &[PathBuf]) -> LaidOut {
        let laid_out = self.try_to_lay_out(names);
        assert!(laid_out.failures.is_empty(), "{:?}", laid_out.failures);
        laid_out
    }

    fn try_to_lay_out(&self, names: &[PathBuf]) -> LaidOut {
        let laid_out = self.learner_folder().lay_out(&self.notebooks(), names);
        laid_out.expect("a folder to lay them out in")
    }

    fn path_of_copy(&self) -> PathBuf {
        self.learner_folder().copy(Path::new(LESSON))
    }

    /// Saves the copy as JupyterLab does after a change.
    fn save(&self, change: impl Fn(&mut Value)) {
        let mut notebook: Value = serde_json::from_str(&self.copy("")).expect("JSON");
        change(&mut notebook);
        write(&self.path_of_copy(), notebook.to_string().as_bytes()).expect("written");
    }

    /// Edits the copy as a learner does.
    fn change(&self) {
        self.save(|notebook| notebook["cells"][1]["source"] = "mine".into());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.learner_folder().folder().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    /// The text of the copy in the folder with this suffix.
    fn copy(&self, ending: &str) -> String {
        self.read(&format!("{COPIES}{ending}/{LESSON}"))
    }
}

#[test]
fn a_copy_says_what_it_is_and_where_the_original_is() {
    let course = Course::new();
    let laid_out = course.lay_out();
    assert_eq!(laid_out.copied, [course.path("my-lessons/01_first.ipynb")]);
    let copy = course.copy("");
    let link = "(../my-lessons-originals/01_first_original.ipynb)";
    assert!(copy.contains(link), "{copy}");
    assert!(copy.contains("one") && copy.ends_with("}\n"), "{copy}");
    assert!(course.lay_out().copied.is_empty(), "once is enough");
}

#[test]
fn an_original_has_another_name_and_cells_that_cannot_be_changed() {
    let course = Course::new();
    course.publish("[next](02_second.ipynb)");
    let laid_out = course.lay_out();
    let name = "my-lessons-originals/01_first_original.ipynb";
    assert_eq!(laid_out.as_made[0], course.path(name));
    let text = course.read(name);
    assert!(text.contains("(../my-lessons/01_first.ipynb)"), "{text}");
    assert!(text.contains("(../my-lessons/02_second.ipynb)"), "{text}");
    let notebook: Value = serde_json::from_str(&text).expect("JSON");
    let cells = notebook["cells"].as_array().expect("cells");
    for cell in cells {
        assert_eq!(cell["metadata"]["editable"], false);
        assert_eq!(cell["metadata"]["deletable"], false);
    }
    fs::write(course.path(name), "changed all the same").expect("written");
    course.lay_out();
    assert_eq!(course.read(name), text);
}

#[test]
fn a_copy_has_its_errata_beside_it() {
    let course = Course::new();
    let erratum = course.notebooks().join(ERRATUM);
    write(&erratum, br#"{"cells": [], "nbformat": 4}"#).expect("written");
    course.lay_out_all(&[LESSON.into(), ERRATUM.into()]);
    let copy = course.read("my-lessons/errata/01_first.ipynb");
    let original = "my-lessons-originals/errata/01_first_original.ipynb";
    assert!(copy.contains(&format!("(../../{original})")), "{copy}");
    assert!(course.path(original).is_file());
}

#[test]
fn a_pipe_in_place_of_a_copy_is_reported_and_not_waited_for() {
    let course = Course::new();
    let copy = course.path_of_copy();
    fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
    let made = std::process::Command::new("mkfifo").arg(&copy).status();
    assert!(made.expect("mkfifo starts").success());
    let laid_out = course.try_to_lay_out(&[LESSON.into()]);
    let [failure] = &laid_out.failures[..] else {
        panic!("{:?}", laid_out.failures);
    };
    let text = format!("{failure:#}");
    assert!(
        text.ends_with("01_first.ipynb: it is not a regular file"),
        "{text}"
    );
}

#[test]
fn what_jupyter_serves_is_copied_and_stays_the_learners() {
    let course = Course::new();
    // Earlier versions made this link. Writing through it would change the project's own files.
    fs::create_dir_all(course.learner_folder().folder()).expect("a folder");
    symlink(project::root().join(ASSETS), course.path(ASSETS)).expect("a link");
    course.lay_out();
    let name = "assets/coding_attention/08_scores.svg";
    let published = fs::read_to_string(project::root().join(name)).expect("a drawing");
    assert!(!course.path(ASSETS).is_symlink());
    assert_eq!(course.read(name), published);
    fs::write(course.path(name), "mine").expect("written");
    course.lay_out();
    assert_eq!(course.read(name), "mine");
    let theirs = fs::read_to_string(project::root().join(name)).expect("a drawing");
    assert_eq!(theirs, published);
}

#[test]
fn what_a_learner_has_changed_is_never_overwritten() {
    let course = Course::new();
    course.lay_out();
    course.change();
    let laid_out = course.lay_out();
    let (copied, newer) = (&laid_out.copied, &laid_out.newer);
    assert!(copied.is_empty() && newer.is_empty(), "nothing is newer");
    let copy = course.path_of_copy();
    assert!(!laid_out.as_made.contains(&copy), "it is the learner's");
    course.publish("two");
    let beside = course.path("my-lessons-2/01_first.ipynb");
    assert_eq!(course.lay_out().newer, [beside]);
    assert!(course.copy("").contains("mine") && course.copy("-2").contains("two"));
    assert!(course.lay_out().newer.is_empty(), "it is beside it");
    // The learner has not changed the newer copy, so the next version replaces it.
    course.publish("three");
    assert_eq!(course.lay_out().newer.len(), 1);
    assert!(course.copy("").contains("mine") && course.copy("-2").contains("three"));
    let changed = course.copy("-2").replace("three", "mine, too");
    fs::write(course.path("my-lessons-2/01_first.ipynb"), changed).expect("written");
    course.publish("four");
    course.lay_out();
    assert!(course.copy("-2").contains("mine, too") && course.copy("-3").contains("four"));
}

#[test]
fn a_changed_copy_says_that_there_is_a_newer_one() {
    let course = Course::new();
    course.lay_out();
    course.change();
    course.save(|notebook| notebook["metadata"]["mine"] = json!({"b": 1, "a": 2}));
    course.publish("two");
    course.lay_out();
    let copy: Value = serde_json::from_str(&course.copy("")).expect("JSON");
    let note = copy["cells"][0]["source"][0].as_str().expect("a note");
    assert!(
        note.contains("[a newer version](../my-lessons-2/01_first.ipynb)"),
        "{note}"
    );
    assert_eq!(copy["cells"][1]["source"], "mine");
    assert_eq!(copy["metadata"]["mine"], json!({"b": 1, "a": 2}));
    // If the learner has deleted the note, the next version adds it again.
    course.save(|notebook| {
        drop(
            notebook["cells"]
                .as_array_mut()
                .map(|cells| cells.remove(0)),
        )
    });
    course.publish("three");
    course.lay_out();
    assert!(
        course.copy("").contains("There is [a newer version]"),
        "{}",
        course.copy("")
    );
}

#[test]
fn a_correction_reaches_a_learner_who_has_only_opened_and_run_the_lesson() {
    let course = Course::new();
    course.lay_out();
    course.save(|notebook| {
        notebook["metadata"]["language_info"] = json!({"name": "rust"});
        notebook["cells"][1]["metadata"]["trusted"] = true.into();
    });
    let laid_out = course.lay_out();
    assert!(laid_out.copied.is_empty(), "nothing is newer");
    assert!(
        !laid_out.as_made.contains(&course.path_of_copy()),
        "outputs may be the learner's"
    );
    course.publish("two");
    assert_eq!(course.lay_out().copied, [course.path_of_copy()]);
    assert!(course.copy("").contains("two"));
}

#[test]
fn a_new_version_with_the_same_text_is_not_announced() {
    let course = Course::new();
    course.lay_out();
    course.change();
    let lesson = course.notebooks().join(LESSON);
    let text = fs::read_to_string(&lesson).expect("a lesson");
    fs::write(
        lesson,
        text.replace("\"metadata\":{}", "\"metadata\":{\"tags\":[]}"),
    )
    .expect("written");
    assert!(course.lay_out().newer.is_empty());
}

#[test]
fn a_fresh_copy_is_put_beside_whatever_the_learner_has_done() {
    let course = Course::new();
    course.lay_out();
    course.change();
    let fresh = |open: &str| {
        let folder = course.learner_folder();
        let copy = folder.fresh_copy(&course.notebooks(), Path::new(LESSON), &course.path(open));
        copy.expect("a copy")
    };
    let second = course.path("my-lessons-2/01_first.ipynb");
    assert_eq!(fresh("my-lessons/01_first.ipynb"), second);
    assert!(course.copy("-2").contains("one"));
    assert_eq!(fresh("my-lessons/01_first.ipynb"), second, "one is enough");
    let third = fresh("my-lessons-2/01_first.ipynb");
    assert_eq!(
        third,
        course.path("my-lessons-3/01_first.ipynb"),
        "that one is open"
    );
    let names = [PathBuf::from(LESSON), ERRATUM.into()];
    assert_eq!(name_of(&second, &names), Some(LESSON.into()));
    assert_eq!(
        name_of(&course.path("my-lessons").join(ERRATUM), &names),
        Some(ERRATUM.into())
    );
    assert_eq!(name_of(Path::new("/a/Untitled.ipynb"), &names), None);
    let around = LearnerFolder::around(&third, Path::new(LESSON)).expect("a folder");
    assert_eq!(around.folder(), course.learner_folder().folder());
    assert!(LearnerFolder::around(&course.notebooks().join(LESSON), Path::new(LESSON)).is_none());
}

#[test]
fn an_unchanged_copy_is_updated_and_a_deleted_one_comes_back() {
    let course = Course::new();
    course.lay_out();
    course.publish("two");
    assert_eq!(course.lay_out().copied.len(), 1);
    assert!(course.copy("").contains("two"));
    fs::remove_file(course.path_of_copy()).expect("removed");
    assert_eq!(course.lay_out().copied.len(), 1);
    assert!(course.copy("").contains("two"));
}

#[test]
fn a_file_that_was_there_before_is_the_learners() {
    let course = Course::new();
    write(&course.path_of_copy(), b"mine").expect("written");
    assert_eq!(course.lay_out().newer.len(), 1);
    assert_eq!(course.copy(""), "mine");
    assert!(course.copy("-2").contains("one"));
}

#[test]
fn a_folder_of_the_learners_own_is_kept_and_gets_what_is_missing() {
    let course = Course::new();
    let mine = course.path("assets/mine.svg");
    write(&mine, b"mine").expect("written");
    fs::create_dir_all(course.path(CRATES)).expect("a folder");
    course.lay_out();
    assert!(mine.is_file() && course.path(CRATES).is_dir());
    assert!(
        course
            .path("assets/coding_attention/08_scores.svg")
            .is_file()
    );
}

#[test]
fn what_fails_keeps_nothing_else_away() {
    let course = Course::new();
    let in_the_way = course.path("my-lessons/02_second.ipynb");
    fs::create_dir_all(&in_the_way).expect("a folder");
    write(
        &course.notebooks().join("02_second.ipynb"),
        br#"{"cells": []}"#,
    )
    .expect("written");
    write(&course.path(ASSETS), b"a file").expect("written");
    let laid_out = course.try_to_lay_out(&["02_second.ipynb".into(), LESSON.into()]);
    assert_eq!(laid_out.copied, [course.path_of_copy()]);
    let failures: Vec<String> = laid_out
        .failures
        .iter()
        .map(|failure| format!("{failure:#}"))
        .collect();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].contains("assets is a file"), "{failures:?}");
    assert!(
        failures[1].contains(in_the_way.to_str().expect("UTF-8")),
        "{failures:?}"
    );
}

#[test]
fn links_of_earlier_versions_are_removed() {
    let course = Course::new();
    fs::create_dir_all(course.learner_folder().folder()).expect("a folder");
    let links = [project::root().to_owned(), "/gone/project".into()];
    for root in links.map(|root| root.join(CRATES)) {
        symlink(root, course.path(CRATES)).expect("a link");
        course.lay_out();
        assert!(!course.path(CRATES).is_symlink());
    }
    symlink(course.notebooks(), course.path(CRATES)).expect("a link");
    course.lay_out();
    assert!(course.path(CRATES).is_symlink(), "it is the learner's");
}

#[test]
fn a_file_is_not_a_learner_folder() {
    let course = Course::new();
    let refused = LearnerFolder::at(&course.notebooks().join(LESSON));
    let message = refused.err().expect("refused").to_string();
    assert!(message.ends_with("is not a folder; name another one"));
}
