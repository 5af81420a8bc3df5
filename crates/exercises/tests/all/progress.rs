//! Progress is kept in a file, and several notebooks may change it at once.

use course_progress::{ExerciseState, read};
use exercises::prelude::*;
use std::path::Path;
use std::process::{Child, Command};

const GENERATED: &str = "ATTENTION_NOTEBOOKS_GENERATED";

/// A right answer to the exercise `causal_mask`.
fn my_causal_mask(tokens: usize) -> Array2<bool> {
    Array2::from_shape_fn((tokens, tokens), |(t, s)| s <= t)
}

/// Runs one of the ignored tests below in its own process, as another notebook would.
fn notebook(what: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([
        "--exact",
        &format!("progress::{what}"),
        "--ignored",
        "--nocapture",
    ]);
    command.env(GENERATED, folder).spawn().expect("it starts")
}

fn run(what: &str, folder: &Path) -> String {
    run_with(what, folder, &[])
}

fn run_with(what: &str, folder: &Path, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([
        "--exact",
        &format!("progress::{what}"),
        "--ignored",
        "--nocapture",
    ]);
    command
        .env(GENERATED, folder)
        .envs(variables.iter().copied());
    let output = command.output().expect("it runs");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn two_notebooks_at_once_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let notebooks = ["one_notebook", "another_notebook"].map(|what| notebook(what, folder.path()));
    for mut notebook in notebooks {
        assert!(notebook.wait().expect("it ends").success());
    }
    let progress = read(&folder.path().join("progress")).expect("a file");
    assert_eq!(progress.entries["causal_mask"].attempts, 80);
    assert_eq!(progress.entries["causal_mask"].state, ExerciseState::Right);
    assert_eq!(progress.entries["kept_weight"].attempts, 40);
    assert_eq!(
        progress.entries["weights_symmetric"].state,
        ExerciseState::Wrong
    );
    assert!(
        !progress.entries.contains_key("softmax"),
        "it was not attempted"
    );
}

#[test]
#[ignore = "another test runs it"]
fn one_notebook() {
    for _ in 0..40 {
        assert!(check::causal_mask(my_causal_mask).is_right());
        assert!(predict::kept_weight(0.48).is_right());
    }
}

#[test]
#[ignore = "another test runs it"]
fn another_notebook() {
    for _ in 0..40 {
        assert!(!check::causal_mask(|t| Array2::from_elem((t, t), true)).is_right());
        predict::weights_symmetric("yes");
        predict::shifted_scores("?");
        check::softmax(|_| unimplemented!());
    }
}

#[test]
fn an_unchanged_bug_is_not_an_attempt() {
    let folder = tempfile::tempdir().expect("a folder");
    run("a_given_bug", folder.path());
    let progress = read(&folder.path().join("progress")).expect("a file");
    assert_eq!(
        progress.entries.keys().collect::<Vec<_>>(),
        ["bug_running_sum"]
    );
}

#[test]
#[ignore = "another test runs it"]
fn a_given_bug() {
    let verdict = check::bug_causal_weights(|q, k| {
        let scores = q.dot(&k.t()) / (k.ncols() as f32).sqrt();
        softmax(&(scores * causal_mask(q.nrows()).mapv(f32::from)))
    });
    assert_eq!(verdict.state(), exercises::AnswerState::NotAttempted);
    assert_eq!(verdict.diagnosis(), None, "it is for the learner to find");
    let text = verdict.to_string();
    assert!(
        text.contains("as it was given") && text.contains("wrong"),
        "{text}"
    );
    assert!(!check::bug_running_sum(|x| x.clone()).is_right());
}

#[test]
fn a_verdict_says_how_much_of_the_lesson_is_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = run("five_answers", folder.path());
    let first_lines = printed.lines().filter(|line| line.contains("RIGHT"));
    let said: Vec<&str> = first_lines
        .filter_map(|line| line.split_once(" (")?.1.strip_suffix(')'))
        .collect();
    let [none, one] = ["0 of 6 done in this lesson", "1 of 6 done in this lesson"];
    assert_eq!(
        said,
        ["1 of 9 done in this lesson", none, one, none],
        "{printed}"
    );
    assert!(
        printed.contains(&format!("({one})</span></div>")),
        "{printed}"
    );
}

#[test]
#[ignore = "another test runs it"]
fn five_answers() {
    println!("{}", check::causal_mask(my_causal_mask));
    println!("{}", check::softmax(|scores| scores.clone()));
    println!("{}", check::softmax(|_| unimplemented!()));
    let weights = check::weights(|x| {
        let exponentials = x.dot(&x.t()).mapv(f32::exp);
        let sums = exponentials.sum_axis(Axis(1)).insert_axis(Axis(1));
        exponentials / sums
    });
    println!("{weights}\n{}", weights.html());
    println!("{}", check::divisor(|d_k, _, _| (d_k as f64).sqrt()));
}

#[test]
fn the_first_answer_to_a_prediction_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = run("guesses", folder.path());
    assert!(printed.contains("noted as corrected"), "{printed}");
    let progress = read(&folder.path().join("progress")).expect("a file");
    let entry = &progress.entries["kept_weight"];
    assert_eq!(
        (entry.state, entry.attempts, entry.corrected),
        (ExerciseState::Wrong, 2, true)
    );
    assert_eq!(
        progress.entries.len(),
        1,
        "what is no answer does not count"
    );
}

#[test]
#[ignore = "another test runs it"]
fn guesses() {
    println!("{}", predict::kept_weight("many"));
    println!("{}", predict::attended_most("cat"));
    println!("{}", predict::kept_weight(0.3));
    println!("{}", predict::kept_weight("about 0.48"));
}

#[test]
fn without_a_place_in_the_shared_folder_progress_is_among_the_users_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let shared = folder.path().join("shared");
    std::fs::write(&shared, "not a folder, so it cannot be written into").expect("a file");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "progress::a_verdict", "--ignored", "--nocapture"]);
    command
        .env(GENERATED, &shared)
        .env("XDG_DATA_HOME", folder.path().join("data"));
    let output = command.output().expect("it runs");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("could not be saved"));
    let progress = folder.path().join("data/attention-notebooks/progress");
    assert_eq!(
        read(&progress).expect("a file").entries["causal_mask"].state,
        ExerciseState::Right
    );
}

#[test]
fn hints_go_on_where_the_last_notebook_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = [(); 4].map(|()| run("a_hint", folder.path()));
    for (text, number) in shown.iter().zip([1, 2, 3, 3]) {
        assert!(text.contains(&format!("Hint {number} of 3.")), "{text}");
    }
}

#[test]
#[ignore = "another test runs it"]
fn a_hint() {
    println!("{}", hint::softmax());
}

#[test]
fn a_solution_is_shown_after_an_attempt() {
    let folder = tempfile::tempdir().expect("a folder");
    let early = run("a_solution", folder.path());
    assert!(
        early.contains("Not yet. Try it first") && !early.contains("fn my_"),
        "{early}"
    );
    assert!(
        notebook("another_notebook", folder.path())
            .wait()
            .expect("it ends")
            .success()
    );
    let late = run("a_solution", folder.path());
    assert!(late.contains("fn my_causal_mask(tokens: usize)"), "{late}");
    assert!(
        late.contains("One way:") && late.contains("Another way:"),
        "{late}"
    );
    let hidden = [("ATTENTION_NOTEBOOKS_SOLUTIONS", "hidden")];
    let hidden = run_with("a_solution", folder.path(), &hidden);
    assert!(
        hidden.contains("Your teacher will show the solutions") && !hidden.contains("fn my_"),
        "{hidden}"
    );
}

#[test]
#[ignore = "another test runs it"]
fn a_solution() {
    println!("{}", solution::causal_mask());
}

#[test]
fn a_file_that_is_none_is_said_beside_the_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let progress = folder.path().join("progress");
    std::fs::create_dir(&progress).expect("a folder");
    let file = course_progress::path(&progress);
    std::fs::write(&file, "not JSON").expect("written");
    let printed = run("a_verdict", folder.path());
    assert!(
        printed.contains("RIGHT: A mask that hides the future"),
        "{printed}"
    );
    assert!(printed.contains("is not a progress file"), "{printed}");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "not JSON");
}

/// The interrupt file is the lock file, which already exists, so the stop button counts as pressed.
#[test]
fn a_cell_that_waits_for_another_notebook_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let progress = folder.path().join("progress");
    std::fs::create_dir(&progress).expect("a folder");
    let lock = course_progress::path(&progress).with_extension("lock");
    let held = std::fs::File::create(&lock).expect("a file");
    held.lock().expect("locked");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "progress::a_verdict", "--ignored", "--nocapture"]);
    command
        .env(GENERATED, folder.path())
        .env("NOTEBOOK_INTERRUPT_FILE", &lock);
    let began = std::time::Instant::now();
    let output = command.output().expect("it runs");
    assert!(began.elapsed().as_secs() < 4, "{:?}", began.elapsed());
    let printed = String::from_utf8_lossy(&output.stdout);
    let sentence = format!(
        "It could not be saved: another program holds {} and does not release it",
        lock.display()
    );
    assert!(
        output.status.success() && printed.contains(&sentence),
        "{printed}"
    );
}

#[test]
#[ignore = "another test runs it"]
fn a_verdict() {
    println!("{}\n{}", check::causal_mask(my_causal_mask), progress());
}
