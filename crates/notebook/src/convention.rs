//! The names shared by the cells' process and the kernel, each defined once.
//!
//! An output is printed on standard output as one block of lines for each of its forms, as in
//! evcxr's kernels:
//!
//! ```
//! use notebook::convention::{BEGIN_CONTENT, END_CONTENT};
//!
//! let block = format!("{BEGIN_CONTENT}text/plain\n42\n{END_CONTENT}\n");
//! assert_eq!(block, "EVCXR_BEGIN_CONTENT text/plain\n42\nEVCXR_END_CONTENT\n");
//! ```
//!
//! Consecutive blocks are forms of the same output, until a MIME type
//! repeats.
//!
//! Any text that a cell prints could contain such lines. So a kernel that sets
//! [`SECRET_VARIABLE`] accepts only blocks with its secret, except for plain text:
//!
//! ```
//! use notebook::convention::{BEGIN_CONTENT, END_CONTENT, SECRET_PARAMETER};
//!
//! let begin = format!("{BEGIN_CONTENT}text/html{SECRET_PARAMETER}4f1c");
//! assert_eq!(begin, "EVCXR_BEGIN_CONTENT text/html;secret=4f1c");
//! assert_eq!(format!("{END_CONTENT}{SECRET_PARAMETER}4f1c"), "EVCXR_END_CONTENT;secret=4f1c");
//! ```

/// Begins the line before an output; the MIME type follows on the same line.
pub const BEGIN_CONTENT: &str = "EVCXR_BEGIN_CONTENT ";

/// The line after an output.
pub const END_CONTENT: &str = "EVCXR_END_CONTENT";

/// Follows a MIME type and precedes the name of an output, which replaces an earlier output
/// of the same name. Used only if [`LIVE_DISPLAY_VARIABLE`] is set.
///
/// ```
/// use notebook::convention::{BEGIN_CONTENT, NAME_PARAMETER};
///
/// let line = format!("{BEGIN_CONTENT}text/plain{NAME_PARAMETER}bar-1");
/// assert_eq!(line, "EVCXR_BEGIN_CONTENT text/plain;name=bar-1");
/// ```
pub const NAME_PARAMETER: &str = ";name=";

/// Follows a MIME type and its other parameters, or [`END_CONTENT`], and precedes the
/// secret. Used only if [`SECRET_VARIABLE`] is set.
pub const SECRET_PARAMETER: &str = ";secret=";

/// The environment variable through which a kernel gives the cells' process a secret. Output that
/// carries it was not printed by accident.
pub const SECRET_VARIABLE: &str = "NOTEBOOK_SECRET";

/// The environment variable set, to any value, by a kernel that can replace and clear
/// outputs.
pub const LIVE_DISPLAY_VARIABLE: &str = "NOTEBOOK_LIVE_DISPLAY";

/// The environment variable with the path of a file that exists while the learner wants the
/// running cell to stop.
pub const INTERRUPT_FILE_VARIABLE: &str = "NOTEBOOK_INTERRUPT_FILE";

/// The MIME type of an empty block that clears what the cell has shown so far.
pub const CLEAR_OUTPUT_TYPE: &str = "application/x-notebook-clear-output";

/// The MIME type of an empty block after which outputs are accepted without the secret.
pub const ALLOW_PRINTED_OUTPUTS_TYPE: &str = "application/x-notebook-allow-printed-outputs";

/// The MIME type of text that a cell prints on standard error. It is sent through standard
/// output, which preserves the order of the two.
pub const STDERR_TYPE: &str = "application/x-notebook-stderr";

/// The "MIME type" of the message of a panic that a cell has caught. The kernel may receive it only
/// at the end of the cell, but shows it before the cell's value.
pub const CAUGHT_PANIC_TYPE: &str = "application/x-notebook-caught-panic";

/// The environment variable with the path of the socket where live pictures are registered; see
/// [`crate::live::wire`] for the protocol.
pub const LIVE_VARIABLE: &str = "NOTEBOOK_LIVE";

/// The attribute of the element around a live picture's HTML that holds the picture's id.
pub const LIVE_ATTRIBUTE: &str = "data-notebook-live";

/// The class of the element in a live picture that shows the values of its controls. It is hidden
/// if the controls are shown.
pub const LIVE_CAPTION: &str = "notebook-live-caption";

/// The name of the threads that draw live pictures. Their panics are shown in place of the
/// picture.
pub const LIVE_THREAD: &str = "notebook-live";

/// The target of the comms between a front end and the kernel, one for each place that shows a
/// live picture.
#[cfg(unix)] // a web page has no kernel
pub const LIVE_TARGET: &str = "notebook.live";

/// The target of the comms through which a front end asks the kernel which cells are stale.
#[cfg(unix)]
pub const STALE_TARGET: &str = "notebook.stale";

/// Begins a cell that carries a message of a comm of [`LIVE_TARGET`]. To kernels without live
/// pictures, it is a comment.
#[cfg(unix)]
pub const LIVE_CELL: &str = "// notebook.live ";
