//! Where the files of models are kept: in the system's folder for data that can be fetched again.

use super::fetch::fetch;
use super::package::Package;
use crate::error::Error;
use std::env;
use std::path::PathBuf;

/// The folder with the files of a model, which are fetched if they are not there yet. They may
/// still be wrong: [`ModelFile::read`](super::model_file::ModelFile::read) checks them.
pub(crate) fn cached(package: &Package) -> Result<PathBuf, Error> {
    let folder = caches().join("attention-notebooks").join(package.folder);
    let is_there = |name| folder.join(name).is_file();
    if !package.files.iter().all(|file| is_there(file.name)) {
        fetch(package, &folder)?;
    }
    Ok(folder)
}

fn caches() -> PathBuf {
    let set = |name| {
        env::var_os(name)
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from)
    };
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    caches.unwrap_or_else(env::temp_dir)
}
