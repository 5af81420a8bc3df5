//! The workspace of one kernel: a copy of the template in a temporary folder.

use crate::config::Config;
use crate::workspace::cargo_shim::{links, metadata};
use crate::workspace::ending::{By, Ending};
use crate::workspace::environment::{CELL_CRATE, SingleThread, Variables};
use crate::workspace::files::OWNER;
use crate::workspace::sweep::sweep;
use crate::workspace::toolchain::Toolchain;
use crate::workspace::writers::WRITERS;
use crate::workspace::{orphans, private, rust_homes, rust_sources, template, temporary};
use anyhow::Result;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Where the loader looks for shared libraries.
const LIBRARY_PATH: &str = if cfg!(target_os = "macos") {
    "DYLD_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// How long a thread takes to notice that what it works with is gone.
const LAST_WRITES: Duration = Duration::from_millis(30);

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

    /// As [`CellWorkspace::open`]; and signals that ask this process to end do so in order,
    /// from before there is much to leave behind.
    ///
    /// # Errors
    ///
    /// As [`CellWorkspace::open`], and if signals cannot be listened for.
    pub fn open_until_signal(
        config: &Config,
        thread: SingleThread,
    ) -> Result<(CellWorkspace, Ending)> {
        let workspace = CellWorkspace::reserve(config, thread)?;
        let ending = Ending::of(workspace.path(), By::Signals)?;
        if let Err(error) = workspace.copy(config).fill() {
            ending.is_no_reason();
            return Err(error);
        }
        Ok((workspace, ending))
    }

    /// An empty workspace in which evcxr works from now on; it becomes a copy of
    /// the template with [`CellWorkspace::copy`].
    pub(crate) fn reserve(config: &Config, thread: SingleThread) -> Result<CellWorkspace> {
        CellWorkspace::reserve_with(config, thread, |workspace, variables| {
            let sources = links::hide_rust(workspace, variables)?;
            rust_sources::lay_ready(config, &sources)
        })
    }

    /// The same for a process that evcxr's own kernel takes over.
    pub(crate) fn reserve_for_evcxr(
        config: &Config,
        thread: SingleThread,
    ) -> Result<CellWorkspace> {
        CellWorkspace::reserve_with(config, thread, |_, variables| {
            variables.set(rust_sources::VARIABLE, rust_sources::folder(config));
            Ok(())
        })
    }

    fn reserve_with(
        config: &Config,
        thread: SingleThread,
        show_rust: impl FnOnce(&Path, &mut Variables) -> Result<()>,
    ) -> Result<CellWorkspace> {
        rust_homes::check(config)?;
        let toolchain = Toolchain::find(config)?;
        let workspace = CellWorkspace::new(config)?;
        let mut variables = private::write_for_the_user_alone();
        workspace.add_variables(config, &toolchain, &mut variables)?;
        show_rust(workspace.path(), &mut variables)?;
        thread.set(variables)?;
        Ok(workspace)
    }

    /// Deletes the folder, and ends what works in it; says whether it is gone.
    pub(crate) fn delete(&self) -> bool {
        if orphans::leave_nothing(self.path()) {
            // A thread that still fills it may have made it anew.
            thread::sleep(LAST_WRITES);
        }
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
        let folder = temporary::make(config, Permissions::from_mode(0o700))?;
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

    /// Adds the variables that tell evcxr and cargo to work here.
    pub(crate) fn add_variables(
        &self,
        config: &Config,
        toolchain: &Toolchain,
        variables: &mut Variables,
    ) -> Result<()> {
        let workspace = self.path();
        variables.set(CELL_CRATE, workspace.join("ctx"));
        variables.set("EVCXR_CONFIG_DIR", workspace.join("config"));
        if let Some(cfg) = &config.helper.signatures_cfg {
            // For rust-analyzer's cargo alone: evcxr gives its own cargo other flags.
            variables.set("RUSTFLAGS", format!("--cfg {cfg}"));
        }
        variables.set(metadata::UNNAMED, config.helper.unnamed.join(","));
        if let Some(installed) = &config.installed {
            variables.set(rust_homes::CARGO, &installed.crates);
        }
        // The real cargo and rustc: rustup's stand-ins cost time in every cell.
        variables.prepend("PATH", toolchain.programs());
        links::install_shim(&toolchain.programs(), workspace, variables)?;
        add_library_folders(workspace, toolchain, variables)?;
        // evcxr_jupyter refreshes a kernel of its own where it finds one; here it finds none.
        variables.set("JUPYTER_PATH", workspace);
        Ok(())
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
        let _writing = WRITERS.begin()?;
        sweep(&self.config);
        template::copy_to(&self.config, &self.workspace)
            .map_err(|error| temporary::explained(error, &self.config))?;
        Ok(&self.workspace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl CellWorkspace {
        /// As if its process had ended.
        pub(crate) fn unlock(&self) -> Result<()> {
            Ok(self._owner.unlock()?)
        }
    }

    #[test]
    fn a_workspace_is_for_its_user_alone() -> Result<()> {
        let workspace = CellWorkspace::new(&Config::new("toy-kernel", "toy", "/toy"))?;
        let mode =
            |path: &Path| -> Result<u32> { Ok(path.metadata()?.permissions().mode() & 0o777) };
        assert_eq!(mode(workspace.path())?, 0o700);
        assert_eq!(mode(&workspace.path().join(OWNER))?, 0o600);
        Ok(())
    }
}
