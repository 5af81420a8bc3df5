//! The guardian: a small process between the kernel and the process that runs the cells.
//!
//! What a cell starts in the background comes to the guardian as soon as its own parent has ended,
//! also if it left its session. When the process of the cells ends, the guardian ends whatever is
//! left of it, and then itself in the same way. When the kernel is gone, also by SIGKILL to its
//! process group, the guardian ends the process of the cells, and deletes the kernel's folder.

use crate::workspace::sweep;
use cell_evaluator::kill;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
    set_child_subreaper, setpgid, setrlimit, wait,
};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::thread;
use std::time::{Duration, Instant};

/// The first argument of a guardian. The folder of the kernel follows, and the program that it is to
/// run, with its arguments.
const WORD: &str = "guard-cells";
/// How often the guardian looks whether the kernel still lives.
const PARENT_CHECK: Duration = Duration::from_millis(200);
/// Between two tries to end what is left.
const PAUSE: Duration = Duration::from_millis(5);
const MOST_TRIES: usize = 400;
/// A kernel that was killed together with the cells has begun to end by then.
const KILLED_BY_THEN: Duration = Duration::from_millis(100);
/// How long a kernel may take to end.
const MOST: Duration = Duration::from_secs(5);
/// Linux's flag of a process that ends (`include/linux/sched.h`).
const PF_EXITING: u32 = 4;

/// What a kernel starts in the place of a program: this program, as a guardian of that one.
pub fn arguments(folder: &Path) -> Vec<OsString> {
    vec![WORD.into(), folder.into()]
}

/// Where this program was started as a guardian, it does its work and does not return.
pub fn guard_if_asked() {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|word| word != WORD) {
        return;
    }
    let Some((folder, program)) = arguments.next().zip(arguments.next()) else {
        return;
    };
    let kernel = getppid();
    let _ = set_child_subreaper(Some(getpid())); // without it what left its session stays
    let cells = Command::new(program).args(arguments).spawn();
    let Ok(cells) = cells else {
        process::exit(127);
    };
    guard(Pid::from_child(&cells), kernel, &PathBuf::from(folder))
}

fn guard(cells: Pid, kernel: Option<Pid>, folder: &Path) -> ! {
    // Jupyter kills the process group of a kernel.
    let _ = setpgid(None, None);
    thread::spawn(move || {
        while getppid() == kernel {
            thread::sleep(PARENT_CHECK);
        }
        kill(process::id(), |_| true);
    });
    let status = wait_for(cells);
    for _ in 0..MOST_TRIES {
        if !has_children() {
            break;
        }
        kill(process::id(), |_| true);
        thread::sleep(PAUSE);
    }
    if is_killed(status) {
        wait_for_a_killed(kernel);
    }
    if sweep::has_no_owner(folder) {
        // The compilers are the kernel's, and may still write into it.
        for _ in 0..MOST_TRIES {
            let _ = fs::remove_dir_all(folder); // what counts is what is left
            if !folder.exists() {
                break;
            }
            thread::sleep(PAUSE);
        }
    }
    end_like(status)
}

fn is_killed(status: Option<WaitStatus>) -> bool {
    let signal = status.and_then(WaitStatus::terminating_signal);
    signal == Some(Signal::KILL.as_raw())
}

/// Who kills the process of the cells may have killed the kernel with it, which takes longer to
/// end. Waits for that.
fn wait_for_a_killed(kernel: Option<Pid>) {
    let began = Instant::now();
    while getppid() == kernel
        && (began.elapsed() < KILLED_BY_THEN || is_ending(kernel) && began.elapsed() < MOST)
    {
        thread::sleep(PAUSE);
    }
}

/// Whether a process has begun to end.
fn is_ending(process: Option<Pid>) -> bool {
    let id = process.map_or(0, Pid::as_raw_pid);
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // After the name, which is in brackets: the state, six numbers, and the flags.
    let after_name = stat.rsplit_once(')').unwrap_or_default().1;
    let flags = after_name.split_whitespace().nth(6).map(str::parse::<u32>);
    matches!(flags, Some(Ok(flags)) if flags & PF_EXITING != 0)
}

/// How a process of this one ended; others that end before it are forgotten.
fn wait_for(process: Pid) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == process => return Some(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Whether this process has any that has not ended.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Ends this process as another one has ended.
fn end_like(status: Option<WaitStatus>) -> ! {
    let signal = status.and_then(WaitStatus::terminating_signal);
    if let Some(number) = signal {
        let no_core = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = setrlimit(Resource::Core, no_core);
        // The first one may only take the handler of Rust's runtime away.
        for _ in 0..2 {
            if let Some(signal) = Signal::from_named_raw(number) {
                let _ = kill_process(getpid(), signal);
            }
        }
        process::exit(128 + number)
    }
    process::exit(status.and_then(WaitStatus::exit_status).unwrap_or(1))
}
