//! The tools that set-up builds once for all notebooks: the library that cells share, and the
//! program that runs them.

use crate::rustc::Compiler;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCES: [(&str, &str); 3] = [
    ("cell_runtime.rs", include_str!("../runtime/lib.rs")),
    ("cell_process.rs", include_str!("../runtime/main.rs")),
    // Names that the kernel and the prebuilt crates agree on.
    (
        "convention.rs",
        include_str!("../../notebook/src/convention.rs"),
    ),
];
const LIBRARY: &str = "libcell_runtime.so";
const PROGRAM: &str = "cell_process";

/// The paths of the tools.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The program that runs cells.
    pub program: PathBuf,
    /// The library that cells link to.
    pub library: PathBuf,
}

impl Tools {
    /// The tools that were built in `folder`.
    pub fn of(folder: &Path) -> Tools {
        Tools {
            program: folder.join(PROGRAM),
            library: folder.join(LIBRARY),
        }
    }

    /// The names and contents of the source files. The first is the library that cells link to.
    pub fn sources() -> [(&'static str, &'static str); 3] {
        SOURCES
    }

    /// A fingerprint of the sources of the tools.
    pub fn fingerprint() -> u64 {
        let mut hasher = DefaultHasher::new();
        SOURCES.hash(&mut hasher);
        hasher.finish()
    }

    /// Makes a compiler link cells to the library.
    pub fn add_to(&self, compiler: &mut Compiler) {
        let library = self.library.clone();
        compiler.search.extend(library.parent().map(Path::to_owned));
        compiler.externs.insert("cell_runtime".to_owned(), library);
    }

    /// Compiles the tools into `folder`.
    ///
    /// # Errors
    ///
    /// If rustc cannot be run or fails.
    pub fn make(folder: &Path, compiler: &Compiler) -> io::Result<Tools> {
        for (name, text) in SOURCES {
            fs::write(folder.join(name), text)?;
        }
        let made = Tools::of(folder);
        call(compiler, folder, &["cell_runtime.rs", "--crate-type=dylib"])?;
        let link = format!("cell_runtime={LIBRARY}");
        call(compiler, folder, &["cell_process.rs", "--extern", &link])?;
        Ok(made)
    }
}

fn call(compiler: &Compiler, folder: &Path, arguments: &[&str]) -> io::Result<()> {
    let mut command = Command::new(&compiler.rustc);
    command
        .args(arguments)
        .args([
            "--edition=2024",
            "-Cprefer-dynamic",
            "-Copt-level=3",
            "-Cdebuginfo=0",
        ])
        .args(compiler.loader_paths(folder))
        .env("TMPDIR", folder)
        .current_dir(folder);
    let output = compiler.compilers.run(&mut command, &mut |_| ())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}
