//! The workspace of one kernel: a copy of the template in a temporary folder.

use crate::config::Config;
use crate::workspace::cargo_shim::links;
use crate::workspace::environment::{SingleThread, Variables};
use crate::workspace::files::OWNER;
use crate::workspace::toolchain::Toolchain;
use crate::workspace::{private, rust_sources, template};
use anyhow::Result;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A copy that is younger than this may not have been locked yet.
const LOCKED_BY_THEN: Duration = Duration::from_secs(60);
/// Where the loader looks for shared libraries.
const LIBRARY_PATH: &str = if cfg!(target_os = "macos") {
    "DYLD_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// A workspace of this process alone; dropping it deletes it.
pub struct CellWorkspace {
    folder: TempDir,
    _owner: File,
}

impl CellWorkspace {
    /// A copy of the template, in which evcxr works from now on.
    ///
    /// # Errors
    ///
    /// If the template is not there: then [`prepare`](crate::prepare) has not been called.
    pub fn open(config: &Config, thread: SingleThread) -> Result<CellWorkspace> {
        let workspace = CellWorkspace::reserve(config, thread)?;
        workspace.copy(config).fill()?;
        Ok(workspace)
    }

    /// An empty workspace in which evcxr works from now on; it becomes a copy of
    /// the template with [`CellWorkspace::copy`].
    pub(crate) fn reserve(config: &Config, thread: SingleThread) -> Result<CellWorkspace> {
        let toolchain = Toolchain::find()?;
        let workspace = CellWorkspace::new(config)?;
        let mut variables = workspace.variables(config, &toolchain)?;
        private::write_for_the_user_alone(&mut variables);
        thread.set(variables)?;
        Ok(workspace)
    }

    /// Deletes the folder; says whether it is gone.
    pub(crate) fn delete(&self) -> bool {
        let _ = fs::remove_dir_all(self.path()); // what counts is what is left
        !self.path().exists()
    }

    /// The copying, for any thread.
    pub(crate) fn copy(&self, config: &Config) -> TemplateCopy {
        TemplateCopy {
            config: config.clone(),
            workspace: self.path().to_owned(),
        }
    }

    /// An empty folder that other processes leave alone.
    pub(crate) fn new(config: &Config) -> Result<CellWorkspace> {
        let folder = tempfile::Builder::new()
            .prefix(&prefix(config))
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(temporary())?;
        let mut create = File::options();
        create.write(true).create_new(true).mode(0o600);
        let owner = create.open(folder.path().join(OWNER))?;
        owner.lock()?;
        Ok(CellWorkspace {
            folder,
            _owner: owner,
        })
    }

    /// The folder, for [`Session::start`](crate::Session::start).
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The variables that tell evcxr and cargo to work here.
    pub(crate) fn variables(&self, config: &Config, toolchain: &Toolchain) -> Result<Variables> {
        let workspace = self.path();
        let mut variables = Variables::default();
        variables.set("EVCXR_TMPDIR", workspace.join("ctx"));
        variables.set("EVCXR_CONFIG_DIR", workspace.join("config"));
        let rust_sources = rust_sources::folder(config);
        if rust_sources.exists() {
            variables.set("RUST_SRC_PATH", rust_sources);
        }
        if let Some(cfg) = &config.helper.signatures_cfg {
            // For rust-analyzer's cargo alone: evcxr gives its own cargo other flags.
            variables.set("RUSTFLAGS", format!("--cfg {cfg}"));
        }
        // The real cargo and rustc: rustup's stand-ins cost time in every cell.
        variables.prepend("PATH", toolchain.programs());
        links::install_shim(&toolchain.programs(), workspace, &mut variables)?;
        add_library_folders(workspace, toolchain, &mut variables)?;
        // evcxr_jupyter refreshes a kernel of its own where it finds one; here it finds none.
        variables.set("JUPYTER_PATH", workspace);
        Ok(variables)
    }
}

/// Where a cell finds the shared libraries that it is linked with.
fn add_library_folders(
    workspace: &Path,
    toolchain: &Toolchain,
    variables: &mut Variables,
) -> Result<()> {
    // A cell's library looks for the standard library one folder too high; that
    // goes wrong where the workspace and the toolchain lie below the same folder.
    variables.prepend(LIBRARY_PATH, toolchain.libraries());
    // The helper crate is a shared library as well. Cargo names it after the crate
    // alone, unless this is set, to anything: then a helper crate that is compiled
    // anew, as after a `:dep` that asks more of their common crates, does not take
    // the place of the one which the running process has loaded.
    variables.set("__CARGO_DEFAULT_LIB_METADATA", "cells");
    let helper = workspace
        .join("ctx/target")
        .join(toolchain.host())
        .join("debug/deps");
    // The loader never again looks into a folder that it once did not find.
    fs::create_dir_all(&helper)?;
    variables.prepend(LIBRARY_PATH, helper);
    Ok(())
}

/// The way from a reserved workspace to a filled one.
pub struct TemplateCopy {
    config: Config,
    workspace: PathBuf,
}

impl TemplateCopy {
    /// Copies the template; returns the workspace's folder.
    pub fn fill(&self) -> Result<&Path> {
        sweep(&self.config);
        template::copy_to(&self.config, &self.workspace)?;
        Ok(&self.workspace)
    }
}

/// Start of the names of the copies.
fn prefix(config: &Config) -> String {
    format!("{}-", config.program)
}

/// The system's folder for temporary files; evcxr does not get along with a
/// space in its path.
fn temporary() -> PathBuf {
    let folder = std::env::temp_dir();
    let has_space = folder.to_string_lossy().contains(' ');
    if has_space && cfg!(unix) {
        "/tmp".into()
    } else {
        folder
    }
}

/// Deletes the workspaces of this program whose kernels were killed.
pub fn sweep(config: &Config) {
    let Ok(entries) = temporary().read_dir() else {
        return;
    };
    let prefix = prefix(config);
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) && is_abandoned(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path()); // somebody else's, or in use after all
        }
    }
}

fn is_abandoned(copy: &Path) -> bool {
    let age = copy
        .metadata()
        .and_then(|metadata| metadata.modified())
        .map(|time| time.elapsed());
    let settled = matches!(age, Ok(Ok(age)) if age > LOCKED_BY_THEN);
    settled && File::open(copy.join(OWNER)).is_ok_and(|owner| owner.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_workspace_is_abandoned_when_it_is_old_and_nobody_holds_its_lock() -> Result<()> {
        let workspace = CellWorkspace::new(&Config::new("toy-kernel", "toy", "/toy"))?;
        let name = workspace.path().file_name().expect("a name").display();
        assert!(name.to_string().starts_with("toy-kernel-"), "{name}");
        let mode =
            |path: &Path| -> Result<u32> { Ok(path.metadata()?.permissions().mode() & 0o777) };
        assert_eq!(mode(workspace.path())?, 0o700);
        assert_eq!(mode(&workspace.path().join(OWNER))?, 0o600);
        assert!(!is_abandoned(workspace.path()), "young and locked");
        let a_day_ago = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        File::open(workspace.path())?.set_modified(a_day_ago)?;
        assert!(!is_abandoned(workspace.path()), "locked");
        workspace._owner.unlock()?;
        assert!(is_abandoned(workspace.path()));
        File::open(workspace.path())?.set_modified(SystemTime::now())?;
        assert!(!is_abandoned(workspace.path()), "young: not locked yet");
        Ok(())
    }
}
