//! A process's descendants.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::Path;

/// The descendants' process IDs, parents before children; one that is not `wanted` is left out
/// along with its own descendants.
pub fn descendants(ancestor: u32, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
    let all = (!lists_children()).then(processes);
    let children = |parent| match &all {
        None => children(parent),
        Some(all) => {
            let children = all.iter().filter(|(_, of)| *of == parent);
            children.map(|(id, _)| *id).collect()
        }
    };
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(children(parent).into_iter().filter(|id| wanted(*id)));
        next += 1;
    }
    found.split_off(1)
}

/// Kills the wanted descendants; returns how many there were.
pub fn kill(ancestor: u32, wanted: impl Fn(u32) -> bool) -> usize {
    let doomed = descendants(ancestor, wanted);
    for id in &doomed {
        if let Some(id) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
            let _ = kill_process(id, Signal::KILL); // it may have exited by itself
        }
    }
    doomed.len()
}

/// Whether the system lists a process's children directly. Children are queried while cells run,
/// and scanning all processes takes a long time on a machine with many users.
fn lists_children() -> bool {
    let id = std::process::id();
    Path::new(&format!("/proc/{id}/task/{id}/children")).exists()
}

/// The children of all threads of a process.
fn children(parent: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{parent}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let lists: Vec<String> = lists.map(Result::unwrap_or_default).collect();
    let words = lists.iter().flat_map(|list| list.split_whitespace());
    words.flat_map(str::parse).collect()
}

/// The IDs of all processes, each with its parent's.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(u32, u32)> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let parent = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // After the name, which is in parentheses, come the state and the parent.
        let after_name = stat.rsplit_once(')')?.1;
        after_name.split_whitespace().nth(1)?.parse().ok()
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|id| Some((id, parent(id)?)))
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn processes() -> Vec<(u32, u32)> {
    let Ok(listed) = std::process::Command::new("ps")
        .args(["-A", "-o", "pid=,ppid="])
        .output()
    else {
        return Vec::new();
    };
    let line = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter_map(line)
        .collect()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::error::Error;
    use std::io::{BufRead, BufReader};
    use std::process::{self, Command, Stdio};
    use std::thread;

    /// A shell and its `sleep`, started by a thread other than the main one.
    #[test]
    fn what_a_thread_has_started_and_what_that_has_started_is_found() -> Result<(), Box<dyn Error>>
    {
        let start = || {
            let mut shell = Command::new("sh");
            shell.args(["-c", "sleep 20 & echo $!; wait"]);
            shell.stdout(Stdio::piped()).spawn()
        };
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let (sender, started) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let _ = sender.send(start());
            let _ = wait.recv(); // if this thread exited, another would take over its children
        });
        let mut shell = started.recv()??;
        let mut line = String::new();
        BufReader::new(shell.stdout.take().expect("a pipe")).read_line(&mut line)?;
        let sleep: u32 = line.trim().parse()?;
        let found = descendants(process::id(), |_| true);
        let [of_shell, of_sleep] =
            [shell.id(), sleep].map(|id| found.iter().position(|one| *one == id));
        assert!(of_shell.is_some() && of_shell < of_sleep, "{found:?}");
        assert!(!descendants(process::id(), |id| id != shell.id()).contains(&sleep));
        let all = processes();
        assert!(all.contains(&(sleep, shell.id())) && all.contains(&(shell.id(), process::id())));
        Command::new("kill").arg(sleep.to_string()).status()?;
        shell.wait()?;
        drop(done);
        Ok(())
    }
}
