//! The supervisor: a small process between the kernel and the cells' process.
//!
//! Background processes started by a cell are reparented to the supervisor as soon as their own
//! parent has ended, even if they left its session. When the cells' process ends, the
//! supervisor kills its remaining descendants and exits with the same status. When the kernel is
//! gone, even if its process group was killed with SIGKILL, the supervisor kills the cells' process
//! and deletes the kernel's folder.

use crate::kernel_folder::sweep;
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

/// The first argument of a supervisor, followed by the kernel's folder, the program to run, and its
/// arguments.
const WORD: &str = "supervise-cells";
/// How often the supervisor checks whether the kernel is alive.
const PARENT_CHECK: Duration = Duration::from_millis(200);
/// Delay between cleanup attempts.
const PAUSE: Duration = Duration::from_millis(5);
const MOST_TRIES: usize = 400;
/// Time after which a kernel that was killed together with the cells' process has begun to exit.
const KILLED_BY_THEN: Duration = Duration::from_millis(100);
/// Maximum time to wait for a killed kernel to exit.
const MOST: Duration = Duration::from_secs(5);
/// Linux's flag for an exiting process (`include/linux/sched.h`).
const PF_EXITING: u32 = 4;

/// Arguments that make this executable the supervisor of the program appended to them.
pub fn arguments(folder: &Path) -> Vec<OsString> {
    vec![WORD.into(), folder.into()]
}

/// Acts as the supervisor if this process was started as one, and then does not return.
pub fn supervise_if_asked() {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|word| word != WORD) {
        return;
    }
    let Some((folder, program)) = arguments.next().zip(arguments.next()) else {
        return;
    };
    let kernel = getppid();
    let _ = set_child_subreaper(Some(getpid())); // without this, processes that left the session would survive
    let cells = Command::new(program).args(arguments).spawn();
    let Ok(cells) = cells else {
        process::exit(127);
    };
    supervise(Pid::from_child(&cells), kernel, &PathBuf::from(folder))
}

fn supervise(cells: Pid, kernel: Option<Pid>, folder: &Path) -> ! {
    // Leave the kernel's process group, which Jupyter kills as a whole.
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
        // The kernel's compilers may still be writing to the folder.
        for _ in 0..MOST_TRIES {
            let _ = fs::remove_dir_all(folder); // retried until the folder is gone
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

/// Waits for the kernel to exit if it was killed together with the cells' process, since the kernel
/// takes longer to exit.
fn wait_for_a_killed(kernel: Option<Pid>) {
    let began = Instant::now();
    while getppid() == kernel
        && (began.elapsed() < KILLED_BY_THEN || is_ending(kernel) && began.elapsed() < MOST)
    {
        thread::sleep(PAUSE);
    }
}

/// Whether a process has begun to exit.
fn is_ending(process: Option<Pid>) -> bool {
    let id = process.map_or(0, Pid::as_raw_pid);
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // After the name, in parentheses: the state, five numbers, and the flags.
    let after_name = stat.rsplit_once(')').unwrap_or_default().1;
    let flags = after_name.split_whitespace().nth(6).map(str::parse::<u32>);
    matches!(flags, Some(Ok(flags)) if flags & PF_EXITING != 0)
}

/// Waits for this child to exit and returns its status; reaps any others on the way.
fn wait_for(process: Pid) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == process => return Some(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Whether this process has children that are still running.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Exits with the status of another process, by the same signal if there was one.
fn end_like(status: Option<WaitStatus>) -> ! {
    let signal = status.and_then(WaitStatus::terminating_signal);
    if let Some(number) = signal {
        let no_core = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = setrlimit(Resource::Core, no_core);
        // The first signal may only remove the handler of Rust's runtime.
        for _ in 0..2 {
            if let Some(signal) = Signal::from_named_raw(number) {
                let _ = kill_process(getpid(), signal);
            }
        }
        process::exit(128 + number)
    }
    process::exit(status.and_then(WaitStatus::exit_status).unwrap_or(1))
}
