//! The names that the process of the cells and the kernel agree on, each once.
//!
//! An output is a block of lines on standard output, one for each of its forms, as in
//! evcxr's kernels:
//!
//! ```
//! use notebook::convention::{BEGIN_CONTENT, END_CONTENT};
//!
//! let block = format!("{BEGIN_CONTENT}text/plain\n42\n{END_CONTENT}\n");
//! assert_eq!(block, "EVCXR_BEGIN_CONTENT text/plain\n42\nEVCXR_END_CONTENT\n");
//! ```
//!
//! Blocks that follow one another are forms of the same output, until a MIME type comes a
//! second time.
//!
//! Any text that a cell prints could have such lines in it. So a kernel that sets
//! [`SECRET_VARIABLE`] believes only blocks with its secret, but for plain text:
//!
//! ```
//! use notebook::convention::{BEGIN_CONTENT, END_CONTENT, SECRET_PARAMETER};
//!
//! let begin = format!("{BEGIN_CONTENT}text/html{SECRET_PARAMETER}4f1c");
//! assert_eq!(begin, "EVCXR_BEGIN_CONTENT text/html;secret=4f1c");
//! assert_eq!(format!("{END_CONTENT}{SECRET_PARAMETER}4f1c"), "EVCXR_END_CONTENT;secret=4f1c");
//! ```

/// Begins the line before an output; the MIME type follows in the same line.
pub const BEGIN_CONTENT: &str = "EVCXR_BEGIN_CONTENT ";

/// The line after an output.
pub const END_CONTENT: &str = "EVCXR_END_CONTENT";

/// After a MIME type, before the name of an output: a later output of the same name takes
/// its place. Only where [`LIVE_DISPLAY_VARIABLE`] is set.
///
/// ```
/// use notebook::convention::{BEGIN_CONTENT, NAME_PARAMETER};
///
/// let line = format!("{BEGIN_CONTENT}text/plain{NAME_PARAMETER}bar-1");
/// assert_eq!(line, "EVCXR_BEGIN_CONTENT text/plain;name=bar-1");
/// ```
pub const NAME_PARAMETER: &str = ";name=";

/// After a MIME type and its other parameters, and after [`END_CONTENT`], before the
/// secret. Only where [`SECRET_VARIABLE`] is set.
pub const SECRET_PARAMETER: &str = ";secret=";

/// The environment variable with which a kernel tells the process of the cells a secret: what
/// carries it is no text that happened to be printed.
pub const SECRET_VARIABLE: &str = "NOTEBOOK_SECRET";

/// The environment variable that a kernel sets, to anything, which can replace and clear
/// outputs.
pub const LIVE_DISPLAY_VARIABLE: &str = "NOTEBOOK_LIVE_DISPLAY";

/// The environment variable that names a file: the file exists while the learner wants the
/// running cell to stop.
pub const INTERRUPT_FILE_VARIABLE: &str = "NOTEBOOK_INTERRUPT_FILE";

/// The MIME type of an empty block that clears what the cell has shown so far.
pub const CLEAR_OUTPUT_TYPE: &str = "application/x-notebook-clear-output";

/// The MIME type of an empty block: from here on outputs are believed without the secret.
pub const ALLOW_PRINTED_OUTPUTS_TYPE: &str = "application/x-notebook-allow-printed-outputs";

/// The MIME type of text that a cell prints on standard error. It takes the way of standard
/// output, which keeps the order of both.
pub const STDERR_TYPE: &str = "application/x-notebook-stderr";

/// The "MIME type" of the message of a panic that a cell has caught: known at its end alone, it
/// belongs before the cell's value.
pub const CAUGHT_PANIC_TYPE: &str = "application/x-notebook-caught-panic";

/// The environment variable that names the socket where live pictures are registered: see
/// [`crate::live::wire`] for what is said there.
pub const LIVE_VARIABLE: &str = "NOTEBOOK_LIVE";

/// The attribute with the id of a live picture, of the element around its HTML.
pub const LIVE_ATTRIBUTE: &str = "data-notebook-live";

/// The class of an element in a live picture that says where its controls stand. It is hidden
/// where there are controls.
pub const LIVE_CAPTION: &str = "notebook-live-caption";

/// The name of the threads that draw live pictures, whose panics are shown in the picture's
/// place.
pub const LIVE_THREAD: &str = "notebook-live";

/// The target of the comms between a front end and the kernel, one for each place where a
/// live picture is seen.
pub const LIVE_TARGET: &str = "notebook.live";
