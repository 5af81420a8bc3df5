//! `grade`: judges what a class has handed in.
//!
//! Each notebook runs in processes of its own, as in JupyterLab, but with limits. These processes
//! only store what the learner's functions returned. Another process, in which no learner's code
//! has run, decides whether that is right.

use crate::cli::Grade;
use crate::course;
use crate::course_session::CourseSession;
use crate::jupyter::look_where_set_up_did;
use crate::lessons::LearnerFolder;
use crate::printed::{self, print, say};
use crate::project;
use crate::submissions::{self, Submission};
use anyhow::{Context, Result, anyhow, bail};
use course_progress::{Entry, ExerciseState, Progress, path_of, write_file};
use notebook_session::tell;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The variable that tells the exercises, in a notebook's process, where to store answers.
const ANSWERS: &str = "ATTENTION_NOTEBOOKS_ANSWERS";
/// The variables that a notebook needs. Learners' code sees nothing else of the teacher's
/// environment.
const ENVIRONMENT: [&str; 7] = [
    "LANG",
    "LD_LIBRARY_PATH",
    "PATH",
    "RUSTUP_TOOLCHAIN",
    project::GENERATED,
    project::MODELS,
    project::PYTHON,
];
/// Variables for the folders that a notebook needs from the teacher's home even though it has a
/// home of its own, and the folders' names if the variables are not set.
const IN_HOME: [(&str, &str); 3] = [
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("XDG_CACHE_HOME", ".cache"),
];
/// The name of a notebook's home, in a folder that is deleted after it has run.
const HOME: &str = "home";
/// Poll interval for a running notebook.
const POLL: Duration = Duration::from_millis(50);
/// How long a notebook may take to end after being asked to.
const LONGEST_END: Duration = Duration::from_secs(5);

/// Grades all notebooks. Exit code 1: one could not be read or run to its end, or wrote to the
/// results folder.
pub fn grade(options: &Grade) -> Result<ExitCode> {
    if geteuid().is_root() && !options.allow_root {
        bail!(
            "`grade` runs learners' code, which could do anything as root: run it as a user who owns \
             nothing else, or with --allow-root in a container"
        );
    }
    look_where_set_up_did(false)?;
    let judged = notebook_session::with_room(|| grade_all(options));
    judged.context("the notebooks could not be judged; the lines above say why")?
}

fn grade_all(options: &Grade) -> Result<ExitCode> {
    course::of(options.course.as_deref())?;
    if fs::read_dir(&options.into).is_ok_and(|mut found| found.next().is_some()) {
        bail!(
            "{} is not empty: it may hold the results of an earlier run, which would be mixed with \
             these: name another folder with --into, or remove it",
            options.into.display()
        );
    }
    // All notebooks are read before any of their code runs.
    let handed_in = submissions::read(&options.folder)?;
    fs::create_dir_all(&options.into)
        .with_context(|| format!("cannot make {}", options.into.display()))?;
    let mut course = CourseSession::start(options.course.as_deref())?;
    let mut all_good = true;
    let mut results = Vec::new();
    for (learner, submissions) in &handed_in {
        let mut progress = Progress::default();
        if submissions.is_empty() {
            say!("{}: no notebook", printed::name(learner))?;
        }
        for submission in submissions {
            let (learner, name) = (printed::name(learner), printed::name(&submission.name));
            print(format_args!("{learner}: {name} ... "))?;
            let began = Instant::now();
            match grade_one(&mut course, submission, options) {
                Ok((graded, remark)) => {
                    let right = |entry: &&Entry| entry.state == ExerciseState::Right;
                    let right = graded.entries.values().filter(right).count();
                    let wrong = graded.entries.len() - right;
                    let seconds = began.elapsed().as_secs_f64();
                    say!(
                        "{right} right, {wrong} wrong, {seconds:.0} s; {}",
                        remark.text
                    )?;
                    all_good &= remark.is_good;
                    progress.add(graded);
                }
                Err(error) => {
                    say!("FAILED: {}", printed::visible(&format!("{error:#}")))?;
                    all_good = false;
                }
            }
        }
        let file = path_of(&options.into, learner);
        write_file(&file, &progress)?;
        results.push((file, progress));
    }
    // A later notebook may have written to the file of an earlier learner, or to one that counts as
    // theirs.
    for (file, progress) in &results {
        write_file(file, progress)?;
    }
    for path in others(&options.into, &results)? {
        let removed = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        removed.with_context(|| format!("{} is not a result; remove it", path.display()))?;
        let path = printed::visible(&path.display().to_string());
        tell(format_args!(
            "error: a notebook wrote {path}; it was removed"
        ));
        all_good = false;
    }
    let report = project::command(&format!("class {}", options.into.display()));
    say!("`{report}` shows the results.")?;
    Ok(ExitCode::from(if all_good { 0 } else { 1 }))
}

/// The files and folders in the results folder that `grade` did not write.
fn others(folder: &Path, results: &[(PathBuf, Progress)]) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder);
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_other = |path: &PathBuf| results.iter().all(|(file, _)| file != path);
    Ok(paths.filter(is_other).collect())
}

/// Says how the run of a notebook ended.
struct Remark {
    text: String,
    is_good: bool,
}

/// Runs a notebook, and judges the answers that it stored, even if it was stopped.
fn grade_one(
    course: &mut CourseSession,
    submission: &Submission,
    options: &Grade,
) -> Result<(Progress, Remark)> {
    let contents = submission.contents.as_ref();
    let contents = contents.map_err(|error| anyhow!("{error:#}"))?;
    let folder = tempfile::tempdir()?;
    let learner_folder = LearnerFolder::at(&folder.path().join(HOME))?;
    learner_folder.lay_out(&project::notebooks(), &[])?;
    let notebook = learner_folder.copy(Path::new(&format!("{}.ipynb", submission.name)));
    fs::create_dir_all(notebook.parent().unwrap_or(folder.path()))?;
    fs::write(&notebook, contents)?;
    let answers = folder.path().join("answers");
    fs::create_dir(&answers)?;
    let remark = run_notebook(&notebook, folder.path(), &answers, options)?;
    let grades = course.grades(&answers)?;
    let grades: BTreeMap<String, String> =
        serde_json::from_str(&grades).context("the answers could not be judged")?;
    let entry = |is_right: bool| Entry {
        state: match is_right {
            true => ExerciseState::Right,
            false => ExerciseState::Wrong,
        },
        attempts: 1,
        changed: submission.handed_in,
        solved: is_right.then_some(submission.handed_in),
        ..Entry::default()
    };
    let entries = grades.into_iter();
    let entries = entries.map(|(name, state)| (name, entry(state == "right")));
    let progress = Progress {
        entries: entries.collect(),
        ..Progress::default()
    };
    Ok((progress, remark))
}

/// Runs a notebook within the limits; everything it started ends with it. Its home and its
/// temporary files are in `folder`.
fn run_notebook(notebook: &Path, folder: &Path, answers: &Path, options: &Grade) -> Result<Remark> {
    let program = env::current_exe()?;
    let mut command = Command::new(&program);
    let kept = ENVIRONMENT
        .into_iter()
        .filter_map(|name| Some((name, env::var_os(name)?)));
    let home = env::home_dir().unwrap_or_default();
    let in_home = IN_HOME.map(|(name, usual)| {
        let usual = home.join(usual).into_os_string();
        (name, env::var_os(name).unwrap_or(usual))
    });
    command
        .args(["end-with-parent", &std::process::id().to_string()])
        .arg(program)
        .arg("answers")
        .arg(notebook)
        .arg(options.memory.to_string())
        .env_clear()
        .envs(kept)
        .envs(in_home)
        .env("HOME", folder.join(HOME))
        .env("TMPDIR", folder)
        .env(ANSWERS, answers)
        .current_dir(notebook.parent().unwrap_or(folder))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .context("the notebook could not be started")?;
    let is_in_time = wait(&mut child, Duration::from_secs(options.seconds))?;
    let mut said = String::new();
    if is_in_time {
        let _ = child
            .stdout
            .take()
            .map(|mut out| out.read_to_string(&mut said));
        let _ = child
            .stderr
            .take()
            .map(|mut out| out.read_to_string(&mut said));
    }
    let is_good = is_in_time && child.wait()?.success();
    let text = match is_in_time {
        true => said.trim().to_owned(),
        false => format!("stopped after {} s", options.seconds),
    };
    Ok(Remark { text, is_good })
}

/// Waits for a process, and returns whether it ended in time. If not, ends it and everything it
/// started.
fn wait(child: &mut Child, most: Duration) -> Result<bool> {
    if has_ended(child, most)? {
        return Ok(true);
    }
    let _ = kill_process(Pid::from_child(child), Signal::TERM); // it then cleans up
    if !has_ended(child, LONGEST_END)? {
        child.kill()?;
        child.wait()?;
    }
    Ok(false)
}

/// Waits up to this long for a process to end; returns whether it has ended.
fn has_ended(child: &mut Child, most: Duration) -> Result<bool> {
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > most {
            return Ok(false);
        }
        thread::sleep(POLL);
    }
    Ok(true)
}
