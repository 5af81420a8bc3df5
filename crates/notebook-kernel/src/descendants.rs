//! The processes that a process has started, and those that they have started.

use std::fs;
use std::path::Path;

/// Their numbers, parents before their children; one that is not `wanted` is left out together
/// with what it has started.
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

/// Whether the system says at once which processes one has started: this is asked while cells
/// run, and on a machine with many users a look at all processes takes long.
fn lists_children() -> bool {
    let id = std::process::id();
    Path::new(&format!("/proc/{id}/task/{id}/children")).exists()
}

/// What the threads of a process have started.
fn children(parent: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{parent}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let lists: Vec<String> = lists.map(Result::unwrap_or_default).collect();
    let words = lists.iter().flat_map(|list| list.split_whitespace());
    words.flat_map(str::parse).collect()
}

/// All processes with their parents.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(u32, u32)> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let parent = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // After the name, which is in brackets: the state, then the parent.
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
    use anyhow::Result;
    use std::io::{BufRead, BufReader};
    use std::process::{self, Command, Stdio};
    use std::thread;

    /// A shell and its `sleep`, started by another thread than the first.
    #[test]
    fn what_a_thread_has_started_and_what_that_has_started_is_found() -> Result<()> {
        let start = || {
            let mut shell = Command::new("sh");
            shell.args(["-c", "sleep 20 & echo $!; wait"]);
            shell.stdout(Stdio::piped()).spawn()
        };
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let (sender, started) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let _ = sender.send(start());
            let _ = wait.recv(); // a thread that ends hands its children on
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
