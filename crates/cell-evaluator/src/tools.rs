//! What set-up makes once for all notebooks: the library that cells share, and the program that
//! runs them.

use crate::rustc::Compiler;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = include_str!("../runtime/lib.rs");
const PROGRAM: &str = include_str!("../runtime/main.rs");

/// What set-up has made.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The program that runs cells.
    pub program: PathBuf,
    standard_library: PathBuf,
}

impl Tools {
    /// Compiles both into `folder`, and has the compiler link cells to the library.
    ///
    /// # Errors
    ///
    /// If rustc cannot be called or fails.
    pub fn make(folder: &Path, compiler: &mut Compiler) -> io::Result<Tools> {
        fs::write(folder.join("cell_runtime.rs"), LIBRARY)?;
        fs::write(folder.join("cell_process.rs"), PROGRAM)?;
        let library = folder.join("libcell_runtime.so");
        call(compiler, folder, &["cell_runtime.rs", "--crate-type=dylib"])?;
        compiler.externs.insert("cell_runtime".to_owned(), library);
        compiler.search.push(folder.to_owned());
        let link = "cell_runtime=libcell_runtime.so";
        call(compiler, folder, &["cell_process.rs", "--extern", link])?;
        let libraries = Command::new(&compiler.rustc)
            .args(["--print", "target-libdir"])
            .output()?;
        let libraries = String::from_utf8_lossy(&libraries.stdout).trim().to_owned();
        Ok(Tools {
            program: folder.join("cell_process"),
            standard_library: libraries.into(),
        })
    }

    /// Where the program finds the libraries of the cells in `cells`, and theirs.
    pub fn search(&self, cells: &Path, compiler: &Compiler) -> String {
        let folders = [cells, &self.standard_library];
        let others = compiler.search.iter().map(PathBuf::as_path);
        let folders = folders.into_iter().chain(others);
        let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
        folders.join(":")
    }
}

fn call(compiler: &Compiler, folder: &Path, arguments: &[&str]) -> io::Result<()> {
    let output = Command::new(&compiler.rustc)
        .args(arguments)
        .args([
            "--edition=2024",
            "-Cprefer-dynamic",
            "-Copt-level=3",
            "-Cdebuginfo=0",
        ])
        .current_dir(folder)
        .output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}
