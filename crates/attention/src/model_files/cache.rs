//! Finds the files of a model: in a folder for all users of the machine if it has them, otherwise
//! in the user's cache folder.

use super::fetch::fetch;
use super::package::Package;
use crate::error::Error;
use std::env;
use std::path::{Path, PathBuf};

/// The environment variable that names the folder for all users.
const FOR_ALL: &str = "ATTENTION_NOTEBOOKS_MODELS";

/// Returns the folder that contains a model's files, after fetching them if necessary. Their
/// contents are not checked here, but by [`ModelFile`](super::model_file::ModelFile).
pub(crate) fn cached(package: &Package) -> Result<PathBuf, Error> {
    let own = caches().join("attention-notebooks");
    let places = set(FOR_ALL).into_iter().chain([own.clone()]);
    if let Some(folder) = found(package, places) {
        return Ok(folder);
    }
    let folder = own.join(package.folder);
    fetch(package, &folder)?;
    Ok(folder)
}

/// The model's folder in the first of these places that has all its files.
fn found(package: &Package, places: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let is_whole = |folder: &Path| {
        let mut files = package.files.iter();
        files.all(|file| folder.join(file.name).is_file())
    };
    let folders = places.into_iter().map(|place| place.join(package.folder));
    folders.into_iter().find(|folder| is_whole(folder))
}

fn caches() -> PathBuf {
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    caches.unwrap_or_else(env::temp_dir)
}

/// The folder that an environment variable names; `None` if it is unset or empty.
fn set(name: &str) -> Option<PathBuf> {
    let folder = env::var_os(name).filter(|folder| !folder.is_empty());
    folder.map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_files::model_file::ModelFile;
    use std::fs;

    const FILE: ModelFile = ModelFile {
        name: "weights",
        sha256: "",
        bytes: 0,
    };
    const PACKAGE: Package = Package {
        requirement: "a-model==1.0",
        size: 0,
        inside: "a_model",
        folder: "a-model",
        files: &[FILE],
    };

    #[test]
    fn the_first_place_that_has_all_files_is_used() -> std::io::Result<()> {
        let folder = env::temp_dir().join(format!("attention-places-{}", std::process::id()));
        let places = ["for_all", "own"].map(|place| folder.join(place));
        let model = |place: &Path| place.join(PACKAGE.folder);
        places
            .iter()
            .try_for_each(|place| fs::create_dir_all(model(place)))?;
        assert_eq!(found(&PACKAGE, places.clone()), None);
        for place in places.iter().rev() {
            fs::write(model(place).join(FILE.name), "")?;
            assert_eq!(found(&PACKAGE, places.clone()), Some(model(place)));
        }
        fs::remove_dir_all(folder)
    }
}
