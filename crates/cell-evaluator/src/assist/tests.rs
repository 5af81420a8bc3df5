//! The assistant with a server that is late, exits, hangs or writes nonsense.

use super::*;
use std::process::Command;
use std::sync::OnceLock;
use std::thread::sleep;
use tempfile::TempDir;

/// `tests/assist/fake_server.rs`, compiled.
fn fake() -> &'static Path {
    static FAKE: OnceLock<TempDir> = OnceLock::new();
    let folder = FAKE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assist/fake_server.rs");
        let mut rustc = Command::new("rustc");
        let rustc = rustc.arg(source).arg("-o").arg(folder.path().join("fake"));
        let status = rustc.arg("--edition=2024").status();
        assert!(status.expect("rustc").success());
        folder
    });
    folder.path()
}

fn assistant(way: &str, idle: Duration) -> (Assistant, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let start = ServerStart {
        program: fake().join("fake"),
        arguments: vec![way.to_owned()],
        folder: folder.path().to_owned(),
        options: json!({}),
        idle,
    };
    let assistant = Assistant::with(start, Arc::default());
    (assistant, folder)
}

/// The first completion of `a`, once the server is up.
fn first(assistant: &mut Assistant) -> Option<String> {
    first_of(assistant, "a")
}

/// The first completion of `cell`, once the server is up.
fn first_of(assistant: &mut Assistant, cell: &str) -> Option<String> {
    let around = NotebookCode {
        variables: vec![("all".to_owned(), "u8".to_owned())],
        ..NotebookCode::default()
    };
    assistant.warm_up(&around);
    let began = Instant::now();
    let is_starting = || !assistant.is_ready() && assistant.failures < MOST_FAILURES;
    while is_starting() && began.elapsed() < Duration::from_secs(3) {
        sleep(Duration::from_millis(5));
    }
    let began = Instant::now();
    let found = assistant.complete(&around, cell, cell.len());
    let took = began.elapsed();
    assert!(took < Duration::from_millis(1500), "{took:?}");
    found.texts.first().map(|one| one.text.clone())
}

/// The server's first completion of `cell`, which may be late on a busy machine.
fn answer(assistant: &mut Assistant, cell: &str) -> String {
    let found = (0..20).find_map(|_| first_of(assistant, cell).filter(|text| text != "all"));
    found.expect("an answer of the server")
}

fn starts(folder: &Path) -> Vec<i32> {
    let starts = std::fs::read_to_string(folder.join("starts")).unwrap_or_default();
    starts
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect()
}

/// Suspends the server, so that it no longer answers.
fn stop(folder: &Path) -> i32 {
    let number = starts(folder)[0];
    let process = rustix::process::Pid::from_raw(number).expect("a process");
    rustix::process::kill_process(process, rustix::process::Signal::STOP).expect("a signal");
    number
}

fn is_running(process: i32) -> bool {
    let process = rustix::process::Pid::from_raw(process).expect("a process");
    rustix::process::test_kill_process(process).is_ok()
}

fn ends(process: i32) {
    let began = Instant::now();
    while is_running(process) {
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "{process} runs on"
        );
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_server_answers_and_ends_with_the_assistant() {
    let (mut assistant, folder) = assistant("answers", IDLE);
    assert_eq!(first(&mut assistant).as_deref(), Some("a2"));
    assert_eq!(answer(&mut assistant, "a"), "a3");
    let started = starts(folder.path());
    assert_eq!(started.len(), 1);
    drop(assistant);
    ends(started[0]);
}

#[test]
fn a_late_answer_is_given_when_the_question_is_repeated() {
    let (mut assistant, _folder) = assistant("late", IDLE);
    let index = first(&mut assistant);
    assert_eq!(index.as_deref(), Some("all"), "the index answers meanwhile");
    assert_eq!(answer(&mut assistant, "a"), "a2");
    assert_eq!(answer(&mut assistant, "a"), "a3");
}

#[test]
fn a_late_answer_is_not_taken_for_that_to_the_next_question() {
    let (mut assistant, _folder) = assistant("late", IDLE);
    first(&mut assistant);
    assert_eq!(answer(&mut assistant, " a"), "a3");
}

#[test]
fn a_late_description_of_a_method_is_given_when_the_question_is_repeated() {
    let (mut assistant, _folder) = assistant("describes calls", IDLE);
    let around = NotebookCode::default();
    assistant.warm_up(&around);
    let described = (0..20).find_map(|_| {
        sleep(Duration::from_millis(200));
        assistant.inspect(&around, "a", 1)
    });
    assert_eq!(described.map(|one| one.text).as_deref(), Some("a3"));
}

#[test]
fn a_call_is_described_from_the_index_as_long_as_the_answer_is_late() {
    let (mut assistant, folder) = assistant("answers", IDLE);
    first(&mut assistant);
    let process = stop(folder.path());
    let around = NotebookCode {
        variables: vec![("all".to_owned(), "fn()".to_owned())],
        ..NotebookCode::default()
    };
    for time in 1..=2 {
        let described = assistant.inspect(&around, "all()", 1);
        assert!(described.is_some(), "question {time}");
    }
    drop(assistant);
    ends(process);
}

#[test]
fn a_server_that_ends_or_writes_nonsense_is_started_three_times() {
    for way in ["ends", "nonsense", "endless"] {
        let (mut assistant, folder) = assistant(way, IDLE);
        // On a busy machine, several questions may be asked before a server ends.
        let mut further = 3;
        for _ in 0..60 {
            assert_eq!(first(&mut assistant).as_deref(), Some("all"), "{way}");
            further -= u32::from(assistant.failures == MOST_FAILURES);
            if further == 0 {
                break;
            }
        }
        let started = starts(folder.path());
        assert_eq!(started.len() as u32, MOST_FAILURES, "{way}");
        started.into_iter().for_each(ends);
    }
}

#[test]
fn a_huge_answer_is_one() {
    let (mut assistant, _folder) = assistant("huge", IDLE);
    let found = (0..20).find_map(|_| first(&mut assistant).filter(|text| text != "all"));
    assert_eq!(found.map(|text| text.len()), Some(20_000_000));
}

#[test]
fn a_server_that_is_stopped_holds_nothing_up() {
    let (mut assistant, folder) = assistant("answers", IDLE);
    assert_eq!(first(&mut assistant).as_deref(), Some("a2"));
    let process = stop(folder.path());
    let around = NotebookCode {
        definitions: "x".repeat(1 << 20), // more than a pipe holds
        ..NotebookCode::default()
    };
    for _ in 0..2 {
        let began = Instant::now();
        assistant.complete(&around, "a", 1);
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    drop(assistant);
    ends(process);
}

#[test]
fn a_server_that_is_not_asked_ends_and_starts_again_when_it_is() {
    let (mut assistant, folder) = assistant("answers", Duration::from_secs(1));
    for started in 1..=5 {
        assert_eq!(first(&mut assistant).as_deref(), Some("a2"));
        let processes = starts(folder.path());
        assert_eq!(processes.len(), started);
        ends(processes[started - 1]);
    }
}

#[test]
fn a_program_that_is_missing_is_not_waited_for() {
    let (mut assistant, _folder) = assistant("", IDLE);
    assistant.start.program = "no such program".into();
    let began = Instant::now();
    let around = NotebookCode::default();
    for place in [0, 1, 3, 99] {
        assistant.complete(&around, "größe", place);
        assistant.inspect(&around, "größe", place);
    }
    assert!(began.elapsed() < Duration::from_secs(5));
}
