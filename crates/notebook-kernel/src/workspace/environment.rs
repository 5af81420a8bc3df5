//! The environment variables of this process, which evcxr reads and hands on to
//! cargo and to the process that runs the cells.
//!
//! The only file with `unsafe` in this crate.

#![allow(unsafe_code, reason = "evcxr takes these settings from nowhere else")]

use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::marker::PhantomData;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by evcxr in the process that runs the cells.
pub const RUNS_CELLS: &str = "EVCXR_IS_RUNTIME";
/// Names the folder of the cells' crate, in the environment of whatever a kernel starts.
pub const CELL_CRATE: &str = "EVCXR_TMPDIR";

/// Variables to be set.
#[derive(Default)]
pub struct Variables(BTreeMap<&'static str, OsString>);

impl Variables {
    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.0.insert(name, value.into());
    }

    /// What a variable will be, or is.
    pub fn get(&self, name: &str) -> Option<OsString> {
        self.0.get(name).cloned().or_else(|| env::var_os(name))
    }

    /// Puts `folder` before the others in a variable that is a list of folders.
    pub fn prepend(&mut self, name: &'static str, folder: impl AsRef<OsStr>) {
        let mut folders = vec![folder.as_ref().into()];
        if let Some(old) = self.get(name) {
            folders.extend(env::split_paths(&old));
        }
        // Fails only if a folder's name has a `:` in it; such a folder cannot be listed.
        if let Ok(joined) = env::join_paths(folders) {
            self.set(name, joined);
        }
    }
}

/// Sets variables of a process that is to be started; those that are `None` it will not have.
pub fn set_all(
    command: &mut Command,
    variables: impl Iterator<Item = (&'static str, Option<OsString>)>,
) {
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// The right to set the environment variables of this process, once, while it has a single
/// thread.
///
/// [`start`](crate::start) gives it to `main`; whatever opens a workspace for cells takes it.
/// It stays in the thread that it was given to.
pub struct SingleThread {
    _stays_in_its_thread: PhantomData<*const ()>,
}

impl SingleThread {
    /// Takes the one there is.
    ///
    /// # Panics
    ///
    /// If it has been taken, or if this process has more than one thread.
    pub(crate) fn claim() -> SingleThread {
        static IS_CLAIMED: AtomicBool = AtomicBool::new(false);
        assert!(is_alone(), "other threads were started before `start`");
        let was_claimed = IS_CLAIMED.swap(true, Ordering::Relaxed);
        assert!(!was_claimed, "`start` is called once");
        SingleThread {
            _stays_in_its_thread: PhantomData,
        }
    }

    /// Sets all of them.
    ///
    /// # Errors
    ///
    /// If this process has more than one thread by now.
    pub(crate) fn set(self, variables: Variables) -> Result<()> {
        if !is_alone() {
            bail!(
                "environment variables can be set only before other threads exist: open the \
                 workspace for cells earlier"
            );
        }
        for (name, value) in variables.0 {
            // SAFETY: `set_var` is unsound only while another thread uses the environment, and
            // this process has no other thread. Linux says so, just now; where the system does
            // not say, it was so when `start` was called, the first statement of `main`, and
            // the documentation asks to keep it so.
            unsafe { env::set_var(name, value) };
        }
        Ok(())
    }
}

/// Sets and removes variables in the process that runs cells, before its first cell: at its
/// start, or when a kernel takes over one that was ready.
pub(crate) fn replace_while_nothing_runs(variables: BTreeMap<String, Option<String>>) {
    for (name, value) in variables {
        // SAFETY: changing the environment is unsound only while another thread uses it. No
        // cell of a learner has run yet, so there are no threads but our own: the first waits
        // in a read for its first order, one waits and flushes standard output, and this one.
        // None of the others uses the environment.
        unsafe {
            match value {
                Some(value) => env::set_var(name, value),
                None => env::remove_var(name),
            }
        }
    }
}

/// Whether this process has no other thread, as far as the system says.
fn is_alone() -> bool {
    fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
        || !cfg!(target_os = "linux")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_put_before_those_that_are_set_or_will_be() {
        let mut variables = Variables::default();
        variables.prepend("NOTEBOOK_KERNEL_NO_SUCH_VARIABLE", "/one");
        variables.prepend("NOTEBOOK_KERNEL_NO_SUCH_VARIABLE", "/two");
        assert_eq!(variables.0["NOTEBOOK_KERNEL_NO_SUCH_VARIABLE"], "/two:/one");
        variables.prepend("PATH", "/three");
        let path = env::var("PATH").expect("a search path");
        assert_eq!(variables.0["PATH"], *format!("/three:{path}"));
    }

    /// A test has a thread of its own beside that of the program.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_with_two_threads_sets_nothing() {
        let beside_another = SingleThread {
            _stays_in_its_thread: PhantomData,
        };
        let mut variables = Variables::default();
        variables.set("NOTEBOOK_KERNEL_MUST_NOT_BE_SET", "1");
        assert!(beside_another.set(variables).is_err());
        assert_eq!(env::var_os("NOTEBOOK_KERNEL_MUST_NOT_BE_SET"), None);
        assert!(std::panic::catch_unwind(SingleThread::claim).is_err());
    }
}
