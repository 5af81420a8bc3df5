use super::*;
use serde_json::{Value, json};
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

    fn lay_out(&self, refresh: bool) -> LaidOut {
        self.lay_out_all(&[LESSON.into()], refresh)
    }

    fn lay_out_all(&self, names: &[PathBuf], refresh: bool) -> LaidOut {
        let laid_out = self
            .learner_folder()
            .lay_out(&self.notebooks(), names, refresh);
        laid_out.expect("laid out")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.learner_folder().folder().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    /// The copy in the folder with this suffix.
    fn copy(&self, ending: &str) -> String {
        self.read(&format!("{COPIES}{ending}/{LESSON}"))
    }
}

#[test]
fn a_copy_says_what_it_is_and_where_the_original_is() {
    let course = Course::new();
    let laid_out = course.lay_out(false);
    assert_eq!(laid_out.copied, [course.path("my-lessons/01_first.ipynb")]);
    let copy = course.copy("");
    let link = "(../my-lessons-originals/01_first_original.ipynb)";
    assert!(copy.contains(link), "{copy}");
    assert!(copy.contains("one") && copy.ends_with("}\n"), "{copy}");
    assert!(course.lay_out(false).copied.is_empty(), "once is enough");
    let link = fs::read_link(course.path("crates")).expect("a link");
    assert_eq!(link, project::root().join("crates"));
}

#[test]
fn an_original_has_another_name_and_cells_that_cannot_be_changed() {
    let course = Course::new();
    course.publish("[next](02_second.ipynb)");
    let laid_out = course.lay_out(false);
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
    course.lay_out(false);
    assert_eq!(course.read(name), text);
}

#[test]
fn a_copy_has_its_errata_beside_it() {
    let course = Course::new();
    let erratum = course.notebooks().join(ERRATUM);
    write(&erratum, br#"{"cells": [], "nbformat": 4}"#).expect("written");
    course.lay_out_all(&[LESSON.into(), ERRATUM.into()], false);
    let copy = course.read("my-lessons/errata/01_first.ipynb");
    let original = "my-lessons-originals/errata/01_first_original.ipynb";
    assert!(copy.contains(&format!("(../../{original})")), "{copy}");
    assert!(course.path(original).is_file());
}

#[test]
fn what_jupyter_serves_is_copied_and_stays_the_learners() {
    let course = Course::new();
    // As an earlier version made it: writing through this link would change the project's own
    // files.
    fs::create_dir_all(course.learner_folder().folder()).expect("a folder");
    symlink(project::root().join(ASSETS), course.path(ASSETS)).expect("a link");
    course.lay_out(false);
    let name = "assets/coding_attention/08_scores.svg";
    let published = fs::read_to_string(project::root().join(name)).expect("a drawing");
    assert!(!course.path(ASSETS).is_symlink());
    assert_eq!(course.read(name), published);
    fs::write(course.path(name), "mine").expect("written");
    course.lay_out(true);
    assert_eq!(course.read(name), "mine");
    let theirs = fs::read_to_string(project::root().join(name)).expect("a drawing");
    assert_eq!(theirs, published);
}

#[test]
fn what_a_learner_has_changed_is_never_overwritten() {
    let course = Course::new();
    course.lay_out(false);
    let copy = course.learner_folder().copy(Path::new(LESSON));
    fs::write(&copy, "mine").expect("written");
    let laid_out = course.lay_out(true);
    assert!(laid_out.copied.is_empty(), "nothing is newer");
    assert!(!laid_out.as_made.contains(&copy), "it is the learner's");
    course.publish("two");
    assert_eq!(course.lay_out(false).outdated, std::slice::from_ref(&copy));
    assert_eq!(course.lay_out(true).copied.len(), 1);
    assert_eq!(course.copy(""), "mine");
    assert!(course.copy("-2").contains("two"));
    let laid_out = course.lay_out(false);
    assert!(laid_out.outdated.is_empty(), "it is beside it");
    // The next version goes next to both.
    course.publish("three");
    assert_eq!(course.lay_out(true).copied.len(), 1);
    assert!(course.copy("-2").contains("two") && course.copy("-3").contains("three"));
    assert_eq!(course.copy(""), "mine");
}

#[test]
fn an_unchanged_copy_is_updated_and_a_deleted_one_comes_back() {
    let course = Course::new();
    course.lay_out(false);
    course.publish("two");
    assert_eq!(course.lay_out(false).copied.len(), 1);
    assert!(course.copy("").contains("two"));
    fs::remove_file(course.learner_folder().copy(Path::new(LESSON))).expect("removed");
    assert_eq!(course.lay_out(false).copied.len(), 1);
    assert!(course.copy("").contains("two"));
}

#[test]
fn a_file_that_was_there_before_is_the_learners() {
    let course = Course::new();
    let copy = course.learner_folder().copy(Path::new(LESSON));
    write(&copy, b"mine").expect("written");
    assert_eq!(course.lay_out(false).outdated, [copy]);
    assert_eq!(course.lay_out(true).copied.len(), 1);
    assert_eq!(course.copy(""), "mine");
    assert!(course.copy("-2").contains("one"));
}

#[test]
fn folders_in_the_way_are_named() {
    for name in [ASSETS, CRATES] {
        let course = Course::new();
        fs::create_dir_all(course.path(name)).expect("a folder");
        let refused = course
            .learner_folder()
            .lay_out(&course.notebooks(), &[], false);
        let message = refused.expect_err("refused").to_string();
        let expected = format!("{name} already exists");
        assert!(message.contains(&expected), "{message}");
    }
    let course = Course::new();
    let refused = LearnerFolder::at(&course.notebooks().join(LESSON));
    let message = refused.err().expect("refused").to_string();
    assert!(message.ends_with("is not a folder; name another one"));
}
