//! The guardian: a small process between the kernel and the process that runs the cells.
//!
//! What a cell starts in the background comes to the guardian as soon as its own parent has ended,
//! also if it left its session. When the process of the cells ends, the guardian ends whatever is
//! left of it, and then itself in the same way. When the kernel is gone, also by SIGKILL to its
//! process group, the guardian ends the process of the cells, and deletes the workspace.

use crate::evaluation::interrupt::kill_descendants;
use crate::huge_pages;
use crate::workspace::environment::{CELL_CRATE, RUNS_CELLS};
use crate::workspace::{orphans, sweep};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
    set_child_subreaper, set_parent_process_death_signal, setpgid, setrlimit, wait,
};
use std::env;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{self, Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// The variable with the number of the guardian, in the process that runs the cells.
const GUARDIAN: &str = "NOTEBOOK_KERNEL_GUARDIAN";
/// How often the guardian looks whether the kernel still lives.
const PARENT_CHECK: Duration = Duration::from_millis(200);
/// Between two tries to end what is left.
const PAUSE: Duration = Duration::from_millis(5);
const MOST_TRIES: usize = 400;
/// A kernel that was killed together with the cells has begun to end by then.
const KILLED_BY_THEN: Duration = Duration::from_millis(100);
/// How long a kernel may take to end.
const MOST: Duration = Duration::from_secs(5);
/// From 0 to 1000: how readily the system ends a process when memory runs out.
const FIRST_TO_GO: &str = "500";
/// Linux's flag of a process that ends (`include/linux/sched.h`).
const PF_EXITING: u32 = 4;

/// Where evcxr has started the process that runs the cells: becomes its guardian, starts it, and
/// does not return. In the process that a guardian has started it returns, and so it does where
/// none can be started.
pub fn guard_cells() {
    if env::var_os(RUNS_CELLS).is_none() {
        return;
    }
    if let Some(guardian) = env::var_os(GUARDIAN) {
        // Should the guardian be killed, nobody is left to end this process.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        if *guardian != *getppid().map_or(0, Pid::as_raw_pid).to_string() {
            process::exit(0) // it has been killed already
        }
        huge_pages::accept();
        // Where a cell has taken all memory, it is its process that has to go, not the kernel.
        let _ = fs::write("/proc/self/oom_score_adj", FIRST_TO_GO);
        return;
    }
    let kernel = getppid();
    let adopts = set_child_subreaper(Some(getpid()));
    if let Ok(cells) = adopts.map_err(io::Error::from).and_then(|()| start_cells()) {
        guard(&cells, kernel)
    }
}

/// This program again, as it is even if its file has been replaced.
fn start_cells() -> io::Result<Child> {
    let mut arguments = env::args_os();
    let mut cells = Command::new("/proc/self/exe");
    if let Some(name) = arguments.next() {
        cells.arg0(name);
    }
    cells
        .args(arguments)
        .env(GUARDIAN, process::id().to_string());
    cells.spawn()
}

fn guard(cells: &Child, kernel: Option<Pid>) -> ! {
    // Jupyter kills the process group of a kernel.
    let _ = setpgid(None, None);
    thread::spawn(move || {
        while getppid() == kernel {
            thread::sleep(PARENT_CHECK);
        }
        kill_descendants(|_| true);
    });
    let status = wait_for(Pid::from_child(cells));
    for _ in 0..MOST_TRIES {
        if !has_children() {
            break;
        }
        kill_descendants(|_| true);
        thread::sleep(PAUSE);
    }
    let workspace = env::var_os(CELL_CRATE).map(PathBuf::from);
    if is_killed(status) {
        wait_for_a_killed(kernel);
    }
    if let Some(workspace) = workspace.as_deref().and_then(|of| of.parent())
        && sweep::has_no_owner(workspace)
    {
        // The compilers are the kernel's, and may still write into it.
        for _ in 0..MOST_TRIES {
            if orphans::leave_nothing(workspace) {
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
