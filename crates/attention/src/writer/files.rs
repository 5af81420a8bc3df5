//! The model's file: where it is, and whether it is the right one.

use super::mapped_file::map;
use super::model::Writer;
use super::parameters::read;
use super::quantised::Bytes;
use crate::error::Error;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

const NAME: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
const SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// The model.
pub fn writer() -> Result<Writer, Error> {
    let folder = std::env::var("WRITER_FOLDER").unwrap_or_default();
    writer_from(&folder)
}

/// The model from the file `SmolLM2-135M-Instruct.Q4_1.gguf` in a folder. Nothing is downloaded.
///
/// Transformers: `AutoModelForCausalLM.from_pretrained(folder, gguf_file=name)`
///
/// # Errors
///
/// If the file cannot be read, or is not the right one.
///
/// ```
/// use attention::Error;
/// use attention::writer::writer_from;
///
/// assert!(matches!(writer_from("nowhere"), Err(Error::ReadFailed { .. })));
/// ```
pub fn writer_from(folder: &str) -> Result<Writer, Error> {
    let path = Path::new(folder).join(NAME);
    let name = path.display().to_string();
    let file = map(&path).map_err(|error| Error::reading(&name, &error))?;
    let sum: String = Sha256::digest(&file)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let wrong = |reason| Error::WrongFile {
        path: name.clone(),
        reason,
    };
    if sum != SHA256 {
        return Err(wrong(format!(
            "its SHA-256 is {sum}, but that of the right one is {SHA256}"
        )));
    }
    let file: Bytes = Arc::new(file);
    let (pieces, parameters) = read(&file).map_err(wrong)?;
    Ok(Writer::new(pieces, parameters))
}
