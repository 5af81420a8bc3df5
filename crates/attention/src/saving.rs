//! Files that appear whole or not at all.

use crate::Error;
use std::fs;

/// Writes a file beside its place first, so that an older one stays if that fails.
pub(crate) fn write(path: &str, content: &[u8]) -> Result<(), Error> {
    let unfinished = format!("{path}.new");
    fs::write(&unfinished, content)
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|error| Error::writing(path, &error))
}
