//! Where kernels work: files generated once by set-up (`set_up`, with a `toolchain`), and a folder
//! per kernel (`folder`) in the location chosen by `temporary`. The folder is deleted with the
//! kernel, even if a signal ends it (`ending`) or it is killed (`guardian`), or else by a later
//! kernel (`sweep`).

mod components;
pub mod ending;
pub mod folder;
#[cfg(target_os = "linux")]
pub mod guardian;
pub mod set_up;
pub mod sweep;
mod temporary;
mod toolchain;
