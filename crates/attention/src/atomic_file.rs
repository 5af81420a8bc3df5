//! Files that appear whole or not at all.

use crate::error::Error;
use std::fs;

/// Writes a file beside its place first, so that an older one stays if that fails; what was
/// written of the new one goes then.
pub(crate) fn write(path: &str, content: &[u8]) -> Result<(), Error> {
    let unfinished = format!("{path}.unfinished");
    fs::write(&unfinished, content)
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|error| {
            let _ = fs::remove_file(&unfinished);
            Error::writing(path, &error)
        })
}
