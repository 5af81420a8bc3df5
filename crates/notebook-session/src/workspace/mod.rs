//! Where kernels work: what set-up has made once (`set_up`, with a `toolchain`), and a folder for each
//! kernel (`folder`), which lies where `temporary` says. It goes with the kernel, also when a signal ends
//! that (`ending`) or when it is killed (`guardian`), or later (`sweep`).

mod components;
pub mod ending;
pub mod folder;
#[cfg(target_os = "linux")]
pub mod guardian;
pub mod set_up;
pub mod sweep;
mod temporary;
mod toolchain;
